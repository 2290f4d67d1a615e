"""Each row of the table 'Where to add what' of docs/architecture.md is tried: its example in
`additions` is added to a copy of the package, and the example's program runs there.

An example has the files that it adds by their paths, in `lines.diff` the lines that it changes in
others, and in `works.py` the program that shows that the new thing works.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from suite import one_in

ROOT = Path(__file__).parents[2]
ADDITIONS = Path(__file__).parent / "additions"
TABLE = re.search(
    r"\n## Where to add what\n.*?\n\|---\|---\|\n(.*?)\n\n",
    (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"),
    re.DOTALL,
)
assert TABLE is not None
PLACES = dict(line.strip("| ").split(" | ", 1) for line in TABLE[1].splitlines())
"""What each row of the table says, by what is new."""
COPIED = ("treemip", "grammars", "specs", "docs")
PROGRAM, CHANGED = "works.py", "lines.diff"


def example(new: str) -> Path:
    return ADDITIONS / re.sub(r"\W+", "_", new).strip("_")


def hunks(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Path, text before and text after of each change; a blank line ends one."""
    text = (folder / CHANGED).read_text() if (folder / CHANGED).exists() else ""
    for part in re.split(r"^--- ", text, flags=re.M)[1:]:
        path, _, body = part.partition("\n")
        for hunk in body.strip("\n").split("\n\n"):
            lines = hunk.splitlines(keepends=True)
            before, after = (
                "".join(line[1:] for line in lines if line[0] in signs) for signs in (" -", " +")
            )
            yield path, before.removesuffix("\n"), after.removesuffix("\n")


def added(folder: Path) -> list[Path]:
    """The new files, by their paths in the package's own folder."""
    own = {folder / PROGRAM, folder / CHANGED}
    return [
        p.relative_to(folder)
        for p in folder.rglob("*")
        if p.is_file() and p not in own and p.suffix != ".pyc"
    ]


def copied(folder: Path, into: Path) -> None:
    """The package with an example in it."""
    changes = list(hunks(folder))
    rooms = {path.split("/")[0] for path, _, _ in changes}
    for room in sorted({*COPIED, *rooms}):
        shutil.copytree(ROOT / room, into / room)
    for path, before, after in changes:
        text = (into / path).read_text()
        (into / path).write_text(text.replace(before, after))
    for path in added(folder):
        assert not (into / path).exists()
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / path, into / path)
    shutil.copy(ADDITIONS / "trying.py", into)
    shutil.copy(folder / PROGRAM, into)


EXAMPLES = [new for new, place in PLACES.items() if not place.startswith("none:")]


def test_every_row_has_its_example() -> None:
    there = {path for path in ADDITIONS.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert {example(new) for new in EXAMPLES} == there


@pytest.mark.parametrize("new", EXAMPLES)
def test_the_row_names_the_places(new: str) -> None:
    """Every file of the example is one that the row names, or in a folder that it names."""
    named = re.findall(r"`([\w./]+)`", PLACES[new])
    touched = {path for path, _, _ in hunks(example(new))} | set(map(str, added(example(new))))
    for path, before, _ in hunks(example(new)):
        assert (ROOT / path).read_text().count(before) == 1, f"{path} has no longer once: {before}"
    for path in touched:
        own = re.sub(r"^treemip/((core|answers|methods|writers|study)/)?", "", path)
        assert any(f"/{own}".startswith(f"/{name}") for name in named), f"{path}: {PLACES[new]}"


@pytest.mark.parametrize("new", one_in(3, sorted(EXAMPLES)))
def test_what_is_added_as_the_row_says_works(new: str, tmp_path: Path) -> None:
    copied(example(new), tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, PROGRAM]
    ran = subprocess.run(
        command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
