"""The code of README and docs runs: Python from top to bottom of each page, commands as far as
their options, specs until their names are resolved.

A block behind `<!-- not run: why -->`, which no reader sees, is left out.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

import treemip
from treemip.cli.options import COMMANDS
from treemip.cli.parser import values_of
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

ROOT = Path(__file__).parents[2]
PAGES = {path.name: path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]}
MARK = re.compile(r"<!-- not run: .+ -->")
SHOWN = re.compile(r"(?:\$ )?(treemip .*?)(?:  +#.*)?")
FORM = re.compile(r"\[|\||\b[A-Z]{4,}\b|[<>…]|\\$| \.\.\.")
"""What makes a line the form of a command, or part of a longer one for a shell."""

SLOW = {"python.md", "sweeps.md", "comparison.md"}
"""Pages whose Python takes more than a few seconds; tests/sklearn runs that of sklearn.md."""

GIVEN = {
    "convert.md": """
import pandas, treemip
frame = pandas.read_csv("specs/data/iris.csv")
tree = treemip.load("specs/iris_binoct.tree", depth=1).compile().solve().tree
open("tree.onnx", "wb").write(tree.to_onnx().SerializeToString())
""",
    "data.md": """
import pandas, treemip
spec = treemip.load("specs/iris.tree").spec
frame = new_rows = pandas.read_csv("specs/data/iris.csv")
frame.to_csv("new.csv", index=False)
""",
    "pictures.md": """
import pandas, treemip
frame = pandas.read_csv("specs/data/iris.csv")
compiled = treemip.load("specs/iris_binoct.tree", depth=1).compile()
result = compiled.solve()
""",
    "privacy.md": """
import treemip
result = treemip.load("specs/credit.tree").compile().solve()
""",
}
"""What a page takes for granted: the reader's own tree and table."""


class Block(NamedTuple):
    line: int
    language: str
    text: str
    is_run: bool


def blocks(name: str) -> list[Block]:
    found, lines = [], PAGES[name].read_text(encoding="utf-8").splitlines()
    begin: int | None = None
    for k, line in enumerate(lines):
        if not line.lstrip().startswith("```"):
            continue
        if begin is None:
            begin = k
            continue
        text = "\n".join(lines[begin + 1 : k]) + "\n"
        is_run = begin == 0 or MARK.fullmatch(lines[begin - 1]) is None
        found.append(Block(begin + 2, lines[begin].strip("` "), text, is_run))
        begin = None
    assert begin is None, "a block without an end"
    return found


WITH_PYTHON = [
    pytest.param(name, marks=pytest.mark.truth if name in SLOW else ())
    for name in PAGES
    if any(block.language == "python" and block.is_run for block in blocks(name))
    and name not in ("README.md", "sklearn.md")
]


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_python_runs_from_top_to_bottom(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(GIVEN.get(name, ""), names)
    for block in blocks(name):
        if block.language == "python" and block.is_run:
            moved = "\n" * (block.line - 1) + block.text
            exec(compile(moved, str(PAGES[name]), "exec"), names)


@pytest.mark.parametrize("name", PAGES)
def test_specs_are_resolved_and_parts_of_them_parsed(name: str) -> None:
    for block in blocks(name):
        begins_with_data = re.search(r'^data "', block.text, re.M) is not None
        if block.language not in ("", "tree") or not block.is_run:
            continue
        if begins_with_data and "topology" in block.text and "%%" not in block.text:
            treemip.loads(block.text, base=ROOT / "specs")
        elif block.language == "tree":
            parse(Source(f"{name}:{block.line}", block.text))


@pytest.mark.parametrize("name", PAGES)
def test_commands_have_the_options_that_are_shown(name: str) -> None:
    for block in blocks(name):
        if block.language or not block.is_run:
            continue
        for line in block.text.splitlines():
            match = SHOWN.fullmatch(line.rstrip())
            command = match[1].split()[1] if match else "COMMAND"
            if match is None or command == "COMMAND":
                continue
            assert command in COMMANDS, (name, line)
            if not FORM.search(match[1]):
                values_of(command, shlex.split(match[1], comments=True)[2:])
                continue
            known = {one for o in COMMANDS[command].all_options for one in o.names.split()}
            own = re.split(r" \d?>", match[1])[0]  # before what is for the shell
            assert set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", own)) <= known, (name, line)


def test_few_blocks_are_not_run() -> None:
    left_out = [(name, b.line) for name in PAGES for b in blocks(name) if not b.is_run]
    assert len(left_out) <= 4, left_out
