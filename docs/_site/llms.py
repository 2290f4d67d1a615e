"""llms.txt: the pages of the site with a sentence each, for programs that read text; and
llms-full.txt, the texts of docs/ in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes

from .places import DOCS, ROOT


def write(app: Any, error: Exception | None) -> None:
    """Both files, into the folder of the site."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    (folder / "llms.txt").write_text(index(app), encoding="utf-8")
    (folder / "llms-full.txt").write_text(whole(app.env.found_docs), encoding="utf-8")


def index(app: Any) -> str:
    """The pages by the parts of the home page, in its order."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")
    parts = [f"# treemip\n\n> {' '.join(readme[1].split())}\n"]
    for caption, names in parts_of(app.env):
        lines = (_line(app.env, name) for name in names)
        parts.append(f"## {caption}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def parts_of(env: Any) -> Iterator[tuple[str, list[str]]]:
    """Captions of the home page, each with all pages below it."""
    from sphinx import addnodes

    for tree in env.get_doctree("index").findall(addnodes.toctree):
        names = [name for _, name in tree["entries"]]
        yield tree["caption"], [one for name in names for one in _below(env, name)]


def _below(env: Any, name: str) -> Iterator[str]:
    yield name
    for child in env.toctree_includes.get(name, []):
        yield from _below(env, child)


def _line(env: Any, name: str) -> str:
    said = first_sentence(env.get_doctree(name))
    return f"- [{env.titles[name].astext()}]({name}.html)" + (f": {said}" if said else "")


def first_sentence(doctree: nodes.document) -> str:
    """Of the first paragraph that is no part of anything else; "" without one."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            text = " ".join(paragraph.astext().split())
            return re.split(r"(?<=[a-z)\]])\.(?= [A-Z])", text)[0].rstrip(".:") + "."
    return ""


def whole(names: set[str]) -> str:
    """The texts of docs/ that are written or generated there, without decisions and rooms."""
    made = ("api/", "decisions/", "errors/", "files/", "gallery/", "rooms", "index")
    texts = [ROOT / "README.md"]
    texts += [DOCS / f"{name}.md" for name in sorted(names) if not name.startswith(made)]
    return "\n\n".join(path.read_text(encoding="utf-8").strip() for path in texts) + "\n"
