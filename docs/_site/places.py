"""Where a link of a text leads to on the site: pages of docs/, and pages that stand for files
outside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
SPECS = ROOT / "specs"
LIBRARY = SPECS / "library"

FENCE = re.compile(r"\s*(```+|~~~+|:::+\{)")
LINK = re.compile(r"(`+[^`]*`+)|\]\(([^()\s]+)\)")
"""Code, which is left alone, or the end of a link with its target."""


def page_of(path: Path) -> Path | None:
    """The page that stands for a file or folder outside docs/; None for what has none."""
    if path in (ROOT / "README.md", DOCS):
        return DOCS / "index.md"
    if path == DOCS / "decisions":
        return path / "README.md"
    if path.is_relative_to(DOCS) or not path.is_relative_to(ROOT) or not path.exists():
        return None
    inside = path.relative_to(ROOT)
    if path.is_relative_to(SPECS) and path.suffix == ".tree":
        return DOCS / "gallery" / path.relative_to(SPECS).with_suffix(".md")
    if path.is_relative_to(SPECS) and path.is_dir() and path != SPECS / "data":
        return DOCS / "gallery" / "index.md"
    if path.is_dir():
        readme = path / "README.md"
        return page_of(readme) if readme.exists() else DOCS / "files" / inside / "index.md"
    return DOCS / "files" / (inside if path.suffix == ".md" else f"{inside}.md")


def prose(text: str) -> Iterator[tuple[bool, str]]:
    """The lines of a Markdown text, each with whether it is outside of code."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if mark and not fence and not mark[1].startswith(":"):
            fence = mark[1]
        elif fence:
            if line.strip() == fence:
                fence = ""
        else:
            yield True, line
            continue
        yield False, line


def targets(text: str, folder: Path) -> Iterator[Path]:
    """The files of this computer that links of a text lead to."""
    for is_prose, line in prose(text):
        for match in LINK.finditer(line) if is_prose else ():
            if match[2] and _is_file(match[2]):
                yield (folder / match[2].partition("#")[0]).resolve()


def moved(text: str, folder: Path, page: Path) -> str:
    """The text of a file in `folder` as it stands on `page`: links lead to pages of the site."""

    def led(match: re.Match[str]) -> str:
        if match[1] or not _is_file(match[2]):
            return match[0]
        name, mark, anchor = match[2].partition("#")
        path = (folder / name).resolve()
        goal = page_of(path) or (path if page.parent != folder else None)
        if goal is None:
            return match[0]
        return f"]({relative(goal, page)}{mark}{anchor})"

    return replaced(text, lambda line: LINK.sub(led, line))


def replaced(text: str, change: Callable[[str], str]) -> str:
    """The text with each line outside of code changed."""
    return "".join(change(line) if is_prose else line for is_prose, line in prose(text))


def relative(goal: Path, page: Path) -> str:
    """A path as a page names it."""
    return Path(os.path.relpath(goal, page.parent)).as_posix()


def _is_file(target: str) -> bool:
    return not re.match(r"[a-z]+:|#|//", target)
