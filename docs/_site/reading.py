"""What becomes of a page's text before Sphinx reads it."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from .places import DOCS, ROOT, moved, replaced

LISTED = {
    "tutorial/index": "*",
    "coming_from/index": "*",
    "decisions/README": "[0-9]*",
    "errors": "errors/*",
}
"""Pages that have others below them, which their own text links to one by one."""


def read(app: Sphinx, name: str, content: list[str]) -> None:
    """Leads links to pages of the site, and puts in what a page leaves to the site."""
    page = DOCS / f"{name}.md"
    if not page.is_file():
        return
    text = moved(content[0], page.parent, page)
    if name == "index":
        app.env.note_dependency(str(ROOT / "README.md"))
        text = with_readme(text, page)
    if name == "errors":
        text = replaced(
            text, lambda line: re.sub(r"^\| ([EW]\d{3}) \|", r"| [\1](errors/\1.md) |", line)
        )
    if name in LISTED and "{toctree}" not in text:
        text += f"\n```{{toctree}}\n:hidden:\n:glob:\n\n{LISTED[name]}\n```\n"
    content[0] = coloured(text)


def with_readme(text: str, page: Path) -> str:
    """The home page, with README.md cut in two at its first section."""
    readme = moved((ROOT / "README.md").read_text(encoding="utf-8"), ROOT, page)
    beginning, mark, rest = readme.partition("\n## ")
    text = text.replace("<!-- README: beginning -->", beginning)
    return text.replace("<!-- README: rest -->", mark.lstrip() + rest)


def coloured(text: str) -> str:
    """The text with the language named of blocks that have none and are specs; tables, for which
    there are no colours, are plain text."""
    lines, fence = text.splitlines(keepends=True), ""
    for k, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if fence:
            fence = ""
            continue
        fence = line
        if line.strip() == "```" and _is_spec(lines[k + 1 :]):
            lines[k] = "```tree\n"
        elif line.strip() == "```csv":
            lines[k] = "```text\n"
    return "".join(lines)


def _is_spec(lines: list[str]) -> bool:
    """Whether a block that begins here is a spec or a whole part of one."""
    from treemip.core.source.diagnostic import TreemipError
    from treemip.core.source.span import Source
    from treemip.core.syntax.parse import parse

    end = next((k for k, line in enumerate(lines) if line.startswith("```")), 0)
    block = "".join(lines[:end])
    if ";" not in block:
        return False
    try:
        return bool(parse(Source("block", block)).statements)
    except TreemipError:
        return False
