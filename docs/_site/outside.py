"""Pages that stand for files and folders outside docs/ to which pages link."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .places import DOCS, ROOT, moved, page_of, relative, targets

ALWAYS = ("CHANGELOG.md", "CONTRIBUTING.md")
LINES = 400
"""Of a longer file the page has the beginning."""

LANGUAGES = {
    ".py": "python",
    ".cpp": "cpp",
    ".h": "cpp",
    ".c": "c",
    ".json": "json",
    ".tree": "tree",
}


def files() -> dict[Path, str]:
    """The pages, by where they are written: what docs/ links to, and what these texts link to."""
    texts = [path for path in DOCS.rglob("*.md") if not _is_made(path)]
    waiting = [ROOT / "README.md", *texts, *(ROOT / name for name in ALWAYS)]
    seen = set(waiting)
    made = {page_of(ROOT / name): ROOT / name for name in ALWAYS}
    while waiting:
        path = waiting.pop()
        for goal in targets(path.read_text(encoding="utf-8"), path.parent):
            page = page_of(goal)
            if page is None or not page.is_relative_to(DOCS / "files") or goal in seen:
                continue
            is_readme = goal.is_dir() and page.name == "README.md"
            made[page] = goal / "README.md" if is_readme else goal
            seen |= {goal, made[page]}
            waiting += [made[page]] if made[page].suffix == ".md" else []
    shown = {page: _text(goal, page) for page, goal in made.items() if page is not None}
    return shown | {DOCS / "files" / "index.md": _index(list(shown))}


def _is_made(path: Path) -> bool:
    return path.relative_to(DOCS).parts[0] in ("files", "gallery", "errors", "api")


def _text(path: Path, page: Path) -> str:
    name = path.relative_to(ROOT).as_posix()
    if path.suffix == ".md":
        return moved(path.read_text(encoding="utf-8"), path.parent, page)
    if path.is_dir():
        listed = "\n".join(f"* `{one}`" for one in _tracked(path))
        return f"# {name}/\n\nThe files of this folder of the repository:\n\n{listed}\n"
    lines = path.read_text(encoding="utf-8").splitlines()
    more = f"The first {LINES} of {len(lines)} lines.\n\n" if len(lines) > LINES else ""
    language = LANGUAGES.get(path.suffix, "text")
    body = "\n".join(lines[:LINES])
    return f"# {name}\n\nA file of the repository. {more}\n\n`````{language}\n{body}\n`````\n"


def _tracked(folder: Path) -> list[str]:
    """Files of a folder as git knows them; without git, as they lie there."""
    command = ["git", "ls-files", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout:
        return done.stdout.splitlines()
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def _index(pages: list[Path]) -> str:
    index = DOCS / "files" / "index.md"
    named = sorted(relative(page, index) for page in pages)
    own = {f"{name}" for name in ALWAYS}
    listed = "\n".join(name.removesuffix(".md") for name in named if name not in own)
    return (
        "# Files of the repository\n\nFiles outside the documentation to which its pages link.\n\n"
        f"```{{toctree}}\n:titlesonly:\n\n{listed}\n```\n"
    )
