"""Running a page as its reader would, from top to bottom in a folder that is empty at first.

* `console`: lines after `$ ` are commands, what follows them is what they print, stderr last. A
  command without output must end with 0. Known programs: treemip, python, cat, cp, cd, mkdir.
* `tree` and `python` that begin with a comment `# name.tree`: a file of that name; so is what is
  below `<!-- file: name.csv -->`. Other `python` runs, and what it prints is compared with a `text`
  block right below it; other `tree` is resolved or parsed.
* `<!-- not run: why -->` above a block leaves it out, `<!-- needs: package -->` leaves it out where
  the package is not installed.

Seconds and versions are masked, and a line `…` stands for any number of lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import treemip
from treemip.cli.main import main
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

NOT_RUN = re.compile(r"<!-- not run: .+ -->")
NEEDS = re.compile(r"<!-- needs: (.+) -->")
FILE = re.compile(r"<!-- file: (.+) -->")
NAMED = re.compile(r"# ([\w-]+\.\w+)\b")
MASKED = (
    (re.compile(r"^(solver .*), \d[\d.]* s$", re.M), r"\1"),  # left out where it is short
    (re.compile(r"\d[\d.]*(?= s\b)"), "0"),
    (re.compile(r"(\b(?:HiGHS|SCIP|Gurobi|scip|highs|gurobi) )\d[\w.]*"), r"\1VERSION"),
    (re.compile(r" \(rows not checked\)"), ""),  # on a busy machine
    (re.compile(r"[ \t]+$", re.M), ""),
)
TABLE = re.compile(r" seconds\n(?:.+\n)+")
"""A table whose last column is seconds."""

LICENCE = re.compile(r"^Restricted license .*\n", re.M)
"""What gurobipy prints without a licence of its own, once a process."""

RUN = ("console", "python", "tree", "csv")


class Block(NamedTuple):
    line: int
    language: str
    text: str
    mark: str
    """The comment above it, if there is one."""

    @property
    def left_out(self) -> bool:
        return NOT_RUN.fullmatch(self.mark) is not None

    @property
    def needs(self) -> list[str]:
        match = NEEDS.fullmatch(self.mark)
        return match[1].split(", ") if match else []

    @property
    def lacks(self) -> list[str]:
        return [name for name in self.needs if find_spec(name) is None]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, `line` being the first one inside."""
    found, lines = [], text.splitlines()
    begin: int | None = None
    for k, line in enumerate(lines):
        if not line.lstrip().startswith("```"):
            continue
        if begin is None:
            begin = k
            continue
        inside = "".join(f"{one}\n" for one in lines[begin + 1 : k])
        mark = lines[begin - 1] if begin and lines[begin - 1].startswith("<!--") else ""
        found.append(Block(begin + 2, lines[begin].strip("` "), inside, mark))
        begin = None
    assert begin is None, "a block without an end"
    return found


def masked(text: str) -> str:
    text = TABLE.sub(lambda table: re.sub(r"[\d.]+$", "0", table[0], flags=re.M), text)
    for changing, instead in MASKED:
        text = changing.sub(instead, text)
    return text.strip("\n")


def agrees(shown: str, said: str) -> bool:
    """Whether a page shows what was said: `…` alone on a line is any lines."""
    parts = re.split(r"^…$", masked(shown), flags=re.M)
    return re.fullmatch(r"[\s\S]*".join(map(re.escape, parts)), masked(said)) is not None


class Walk:
    """One page in the current folder. `changed` has, by the line of a block, what it would have to
    show, for blocks that show something else."""

    def __init__(self, page: str, where: str) -> None:
        self.blocks, self.where = blocks(page), where
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.changed: dict[int, str] = {}
        self.lacking: set[str] = set()

    def go(self) -> None:
        for block, below in zip_longest(self.blocks, self.blocks[1:]):
            self.lacking.update(block.lacks)
            if block.left_out or block.lacks or block.language not in RUN:
                continue
            name = FILE.fullmatch(block.mark) or NAMED.match(block.text)
            if block.language == "console":
                self._session(block)
            elif name:
                Path(name[1]).write_text(block.text, encoding="utf-8")
            elif block.language == "python":
                self._python(block, below)
            else:
                self._tree(block)

    def _session(self, block: Block) -> None:
        shown = re.split(r"^\$ (.*)\n", block.text, flags=re.M)
        assert not shown[0], f"{self.where}:{block.line}: output without a command"
        texts, same = [], True
        for command, output in zip(shown[1::2], shown[2::2], strict=True):
            code, said = run(command)
            silent = not output.strip() and code == 0
            same &= silent or agrees(output, said)
            empty = "\n" * (len(output) - len(output.rstrip("\n")) - 1)
            texts.append(f"$ {command}\n" + ("" if silent else said.rstrip("\n") + "\n" + empty))
        if not same:
            self.changed[block.line] = "".join(texts)

    def _python(self, block: Block, below: Block | None) -> None:
        moved = "\n" * (block.line - 1) + block.text
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(moved, self.where, "exec"), self.names)
        said = LICENCE.sub("", out.getvalue())
        end = block.line + block.text.count("\n")
        if below and below.language == "text" and below.line <= end + 3:
            if not agrees(below.text, said):
                self.changed[below.line] = said.rstrip("\n") + "\n"
        else:
            assert not said, f"{self.where}:{block.line} prints what is not shown"

    def _tree(self, block: Block) -> None:
        if re.search(r'^data "', block.text, re.M) and "topology" in block.text:
            treemip.loads(block.text)
        else:
            parse(Source(f"{self.where}:{block.line}", block.text))


def run(command: str) -> tuple[int, str]:
    """Exit code, and stdout with stderr after it, of a command in the current folder."""
    program, *words = shlex.split(command, comments=True)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _run(program, words) or 0
    here = str(Path.cwd())
    return code, (out.getvalue() + err.getvalue()).replace(f"{here}/", "")


def _run(program: str, words: list[str]) -> int | None:
    match program, words:
        case "treemip", _:
            return main(words)
        case "python", [script]:
            runpy.run_path(script, run_name="__main__")
        case "cat", [file]:
            print(Path(file).read_text(encoding="utf-8"), end="")
        case "cp", [source, target]:
            shutil.copy(source, target)
        case "mkdir", [folder]:
            Path(folder).mkdir()
        case "cd", [folder]:
            os.chdir(folder)
        case _:
            raise AssertionError(f"a page's {program} {words} is not known here")
    return None


def rewritten(page: str, changed: dict[int, str]) -> str:
    """The page with other texts in the blocks that begin at these lines."""
    lines, out = page.splitlines(keepends=True), []
    skipping = False
    for number, line in enumerate(lines, 1):
        if number in changed:
            out.append(changed[number])
            skipping = True
        skipping = skipping and not line.lstrip().startswith("```")
        if not skipping:
            out.append(line)
    return "".join(out)


def links(page: str) -> Iterator[tuple[str, str]]:
    """Path and anchor of a page's links to files."""
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```[\s\S]*?```", "", page)):
        if "://" not in target:
            path, _, anchor = target.partition("#")
            yield path, anchor
