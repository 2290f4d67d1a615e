"""Campaign `specs`: texts of the language changed at random, from parsing to a model.

A text is taken, or refused by messages about places inside it. What `fmt` makes of a text that
parses is laid out already and means the same. What `check` passes and binding or lowering refuses,
though the data are not the reason, is counted as "late".
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from treemip.api.program import Program
from treemip.core.resolve import modules
from treemip.core.resolve.modules import formulation_names, library_module
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.format import format_text
from treemip.core.syntax.parse import parse

from . import ROOT
from .cases import OTHER, Campaign, Case, Fault
from .mutate import mutated
from .promises import require_shown, require_sound

POINTS = 10
Table = dict[str, list[str]]


@dataclass(frozen=True)
class Base:
    """A text of the project, and a few rows of its data where it has some."""

    name: str
    text: str
    table: Table | None


@cache
def bases() -> list[Base]:
    """Every .tree of the project, in a fixed order."""
    folders = ("specs", "tests", "benchmarks")
    paths = sorted(p for f in folders for p in (ROOT / f).rglob("*.tree"))
    return [_base(path) for path in paths]


@cache
def _good() -> list[Base]:
    return [base for base in bases() if base.name.startswith("specs/")]


def _base(path: Path) -> Base:
    text = path.read_text(encoding="utf-8", errors="replace").removeprefix("\ufeff")
    return Base(str(path.relative_to(ROOT)), text, _table_of(text, path.parent))


def _table_of(text: str, folder: Path) -> Table | None:
    """A few rows of the table that a text names; columns of our own where there is none to read."""
    try:
        statements = parse(Source("t", text)).statements
    except TreemipError as error:  # the texts of tests/bad
        require_sound(error)
        statements = ()
    named = [s.path for s in statements if isinstance(s, n.Data)]
    for file in [place / path for path in named[:1] for place in (folder, ROOT / "specs" / "data")]:
        if file.suffix == ".csv" and file.is_file() and (rows := _few_rows(file)):
            return rows
    classes = {name: list("nnnnyyynyy") for name in ("class", "label", "c")}
    return {"a": list("0123456701"), "b": list("1120130220"), "g": list("fmfmfmfmfm"), **classes}


def _few_rows(path: Path) -> Table:
    """The header and some rows spread over the file, so that all classes are likely there."""
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        names, *rows = [row for row in csv.reader(file) if row] or [[]]
    if not rows:
        return {}
    chosen = [rows[int(k)] for k in np.linspace(0, len(rows) - 1, min(POINTS, len(rows)))]
    return {name: [row[j] for row in chosen] for j, name in enumerate(names)}


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    dice = case.dice()
    base = dice.choice(bases() if dice.random() < 0.3 else _good())
    text = mutated(base.text, [b.text for b in bases()], dice)
    files["spec.tree"] = text
    files["base.txt"] = base.name
    counts: Counter[str] = Counter()
    if base.name.startswith("specs/library/") and dice.random() < 0.6:
        _in_library(Path(base.name).stem, text, files, counts)
    else:
        through(text, base.table, counts)
    return counts


def _in_library(name: str, text: str, files: dict[str, str | bytes], counts: Counter[str]) -> None:
    """The changed text in the place of a module of the library, used by a whole spec."""
    try:
        other = parse(Source(f"library/{name}.tree", text))
    except TreemipError as error:
        require_sound(error)
        counts["refused by the grammar"] += 1
        return
    names = [name, *(f for f in formulation_names() if f"use {name};" in text_of_library(f))]
    users = [b for b in _good() for f in names if f"by {f};" in b.text or f"by {f}(" in b.text]
    spec = users[0] if users else next(b for b in bases() if b.name == "specs/iris.tree")
    files["user.tree"] = spec.text
    with patch.object(
        modules, "library_module", lambda k: other if k == name else library_module(k)
    ):
        through(spec.text, spec.table, counts)


def text_of_library(formulation: str) -> str:
    file = library_module(formulation)
    return "" if file is None else file.span.source.text


def through(text: str, table: Table | None, counts: Counter[str]) -> None:
    """Parse, lay out, resolve, compile. Raises `Fault`."""
    source = Source("spec.tree", text)
    try:
        file = parse(source)
    except TreemipError as error:
        require_sound(error)
        counts["refused by the grammar"] += 1
        return
    _require_layout(source, file)
    try:
        program = Program(source, (), ROOT / "specs" / "data", table)
    except TreemipError as error:
        require_sound(error)
        counts["refused by check"] += 1
        return
    if program.spec.warnings:
        require_shown(tuple(program.spec.warnings))
    _compile(program, counts)


def _require_layout(source: Source, file: n.File) -> None:
    once = format_text(source)
    if parse(Source("once.tree", once)) != file:
        raise Fault(OTHER, f"fmt changes the meaning:\n{once}", "fmt changes the meaning")
    if format_text(Source("once.tree", once)) != once:
        raise Fault(OTHER, f"fmt of a formatted text changes it:\n{once}", "fmt is not idempotent")


def _compile(program: Program, counts: Counter[str]) -> None:
    try:
        compiled = program.compile()
        model = compiled.model
    except TreemipError as error:
        require_sound(error)
        codes = sorted({d.code for d in error.diagnostics})
        late = [c for c in codes if c.startswith("E2")]
        counts[f"late {late[0]}" if late else f"refused over data {codes[0]}"] += 1
        return
    if compiled.warnings:
        require_shown(tuple(compiled.warnings))
    for block in model.variables:
        if np.isnan(block.lower).any() or np.isnan(block.upper).any():
            raise Fault(OTHER, f"a bound of '{block.name}' is not a number", "nan in a bound")
    counts["compiled"] += 1


CAMPAIGN = Campaign("specs", "mutants", 12000, run, cpu=5.0, memory=1 << 30)
