"""LP files (CPLEX's format) that nine readers take alike, lp_solve's own language excepted.

Every side is on the right of its form and a row with two sides is two rows, ``cap(2).lo`` and
``cap(2).hi``. The objective is minimized, as in MPS files, so that solution files mean the same;
its constant is on a column fixed at 1, since one reader makes a column of a constant and another
drops it. A binary is one in Binaries only, an integer in Generals after Bounds. Products are
``x^2`` and ``x * y`` in brackets, those of the objective with ``/ 2``. Lines stay below the
shortest limit. Columns that no row has are listed in the objective with a zero. Readers number
columns as they meet them, so that an LP file keeps names and not the order.

Beyond the core, where a profile has them: products in objective and rows, indicators as
``b = 1 -> row``, cuts in a section Lazy Constraints or User Cuts, special ordered sets of type 1
as ``set: S1:: x:1 y:2``.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from treemip.core.files.atomic import replacing, replacing_beside, together, written_size
from treemip.core.files.flat_model import CutsAs, Flat, flatten, special_sets, weight_table
from treemip.core.files.linear_forms import (
    LINE,
    NONE,
    Forms,
    LpContent,
    Numbers,
    counted,
    forms_of,
    lp_content,
    number_table,
    pieces,
    written_names,
)
from treemip.core.files.lines import Lines, right, shortest
from treemip.core.files.mapfile import mapping
from treemip.core.files.model_files import WriteReport
from treemip.core.files.names import CONSTANT, LONGEST, Names, Style, name_model, spell
from treemip.core.files.profiles import PORTABLE, Profile, reader_of
from treemip.core.files.value_codes import Distinct
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import Diagnostic, Report

SECTIONS = {"lazy": b"\nLazy Constraints", "user": b"\nUser Cuts"}


def write_lp(
    model: Model,
    path: str | Path,
    *,
    names: Style = "spec",
    map_path: str | Path | None = None,
    profile: Profile = PORTABLE,
    cuts: CutsAs = "rows",
) -> WriteReport:
    """Write `model` as an LP file, compressed when `path` ends in ``.gz``.

    Arguments, side-car and promises are those of `write_mps`. Raises TreemipError: E601 for what
    the profile lacks and for functions left in the model, E402 for numbers that are not finite or
    bounds of 1e20 and more, E403 for bounds that exclude each other, E603 when the file cannot be
    written.
    """
    report = Report()
    if profile.caps.lp is None:
        message = f"{profile.title} does not read CPLEX's LP format: its own is another language"
        report.add(Diagnostic.outside("E601", message, "write .mps"))
        report.raise_errors()
    assert profile.caps.lp is not None
    flat = flatten(model, profile.caps.lp, reader_of(profile, "LP"), cuts, report)
    report.raise_errors()
    with together(), replacing_beside(map_path, path) as beside, replacing(path) as file:
        content, settled = lp_content(flat), name_model(flat.model, names)
        _write(file, flat, content, settled, SECTIONS.get(cuts, b""))
        if beside is not None:
            beside.write(mapping(flat.model, settled))
    return WriteReport(
        path=Path(path),
        map_path=None if map_path is None else Path(map_path),
        columns=content.columns,
        bytes=written_size(path),
        negated=model.objective.sense == "maximize",
        constant_column=CONSTANT if content.constant else None,
        **counted(flat, content),
    )


class _Tables:
    """The tables of pieces: numbers, and names with a space before each.

    Of `name`: the columns, the objective's head, the heads of written rows, and nothing.
    """

    def __init__(self, flat: Flat, content: LpContent, names: Names) -> None:
        column = names.columns(" ")
        if content.constant:
            column = np.append(column, f" {CONSTANT}".encode())
        heads = _heads(flat, content, names, column)
        objective = f"\n {names.objective}:".encode()
        self.columns = column
        self.objective = len(column)
        self.heads = len(column) + 1
        self.name = right(np.concatenate([column, [objective], heads, [b""]]))
        self.number: Numbers = number_table(content.coefficients.values, content.sides.values)
        entry = self.number.table.dtype.itemsize + column.dtype.itemsize
        self.per_line = max(1, LINE // entry)

    def pieces(
        self, forms: Forms, heads: np.ndarray, ends: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        return pieces(forms, self.number, heads, ends, self.per_line, len(self.name) - 1)


def _heads(flat: Flat, content: LpContent, names: Names, column: np.ndarray) -> np.ndarray:
    """`cap(2):` on a new line for each written row, an indicator's with its guard behind."""
    relations = content.relations
    heads = np.strings.add(written_names(relations, names, "\n "), b":")
    if not len(flat.guards):
        return heads
    guarded = np.flatnonzero(relations.row >= flat.guarded)
    which = relations.row[guarded] - flat.guarded
    value = np.array([b" = 0 ->", b" = 1 ->"])[flat.values[which].astype(int)]
    guards = np.strings.add(column[flat.guards[which]], value)
    plain = np.setdiff1d(np.arange(len(heads)), guarded)
    return np.concatenate([heads[plain], np.strings.add(heads[guarded], guards)])


def _write(file: BinaryIO, flat: Flat, content: LpContent, names: Names, section: bytes) -> None:
    """All sections; each line brings the line end of the one before it."""
    model, tables = flat.model, _Tables(flat, content, names)
    name = spell([model.name], [LONGEST])[0]
    file.write(f"\\ {name}\n".encode())
    if model.objective.sense == "maximize":
        file.write(f"\\ maximize {names.objective}: its negative is minimized here\n".encode())
    file.write(b"Minimize")
    lines = Lines(file, tables.number.table, tables.name)
    nothing = np.array([tables.number.mark(NONE)])
    lines.write(*tables.pieces(content.objective, np.array([tables.objective]), nothing))
    file.write(b"\nSubject To")
    aside = flat.aside[content.relations.row]
    _write_rows(lines, flat, content, tables, np.flatnonzero(~aside))
    if aside.any():
        file.write(section)
        _write_rows(lines, flat, content, tables, np.flatnonzero(aside))
    file.write(b"\nBounds")
    constant = model.column_count if content.constant else None
    write_bounds(file, model, tables.columns, constant)
    write_kinds(file, model, tables.columns)
    _write_special_sets(file, model, names, tables.columns)
    file.write(b"\nEnd\n")


def _write_special_sets(file: BinaryIO, model: Model, names: Names, columns: np.ndarray) -> None:
    sets = special_sets(model)
    if not sets.count:
        return
    file.write(b"\nSOS")
    table = np.concatenate([np.strings.add(names.sets("\n "), b": S1::"), columns])
    Lines(file, table, weight_table(sets, ":")).write(*sets.stream())


def _write_rows(
    lines: Lines, flat: Flat, content: LpContent, tables: _Tables, wanted: np.ndarray
) -> None:
    for part, forms in forms_of(content, flat, wanted):
        ends = tables.number.side(content.relations.sense[part], content.relations.side[part])
        lines.write(*tables.pieces(forms, tables.heads + part, ends))


# ---------------------------------------------------------------------- bounds and kinds of columns

NOTHING_BELOW, OPEN_BELOW = 0, 1

FREE, NOTHING_ABOVE = 0, 1


def write_bounds(file: BinaryIO, model: Model, names: np.ndarray, constant: int | None) -> None:
    """Bounds of all columns; names 'S' (columns,) with a space before each.

    `constant`: the place in `names` of the column fixed at 1, where there is one.
    """
    one = [] if constant is None else [1.0]
    lower, upper = (np.append(ends, one) for ends in model.box)
    usual = (lower == 0) & np.isposinf(upper)
    usual[: model.column_count] |= _plain_binaries(model)
    stated = np.flatnonzero(~usual)
    lower, upper = lower[stated], upper[stated]
    distinct = Distinct()
    low = distinct.codes(np.where(np.isfinite(lower), lower, 0.0))
    high = distinct.codes(np.where(np.isfinite(upper), upper, 0.0))
    number, count = shortest(distinct.values, lead=True), len(distinct.values)
    left = np.concatenate([np.array([b"\n", b"\n -inf <="]), _around(b"\n", number, b" <=")])
    right = [
        np.array([b" free", b""]),
        *(_around(word, number, b"") for word in (b" <=", b" >=", b" =")),
    ]
    below, above, equal = np.isfinite(lower), np.isfinite(upper), lower == upper
    before = np.where(above & ~equal, np.where(below, 2 + low, OPEN_BELOW), NOTHING_BELOW)
    conditions = [equal, above, below]
    after = np.select(conditions, [2 + 2 * count + high, 2 + high, 2 + count + low], FREE)
    Lines(file, left, names, np.concatenate(right)).write(before, stated, after)


def write_kinds(file: BinaryIO, model: Model, names: np.ndarray) -> None:
    """Generals, then Binaries, each where there are some."""
    binary = _plain_binaries(model)
    for head, some in ((b"\nGenerals", model.integer & ~binary), (b"\nBinaries", binary)):
        if some.any():
            file.write(head)
            Lines(file, b"\n", names).write(np.flatnonzero(some))


def _plain_binaries(model: Model) -> np.ndarray:
    """Binaries with both values left, bool (columns,)."""
    lower, upper = model.box
    return model.binary & (lower == 0) & (upper == 1)


def _around(before: bytes, numbers: np.ndarray, after: bytes) -> np.ndarray:
    return np.strings.add(np.strings.add(before, numbers), after)
