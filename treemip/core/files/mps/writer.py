"""MPS files in the portable core that HiGHS, SCIP, CBC, GLPK and six more readers take alike.

Free format with ``FREE`` on the NAME line; the objective minimized, its constant on a column
fixed at 1, since readers disagree on OBJSENSE and on an objective's right-hand side; every
column in one piece, in the model's order, with integer columns between markers; both bounds of
every column written, since readers disagree on defaults; RHS, RANGES, BOUNDS in this order, set
names always, two pairs on a line at most; a quadratic objective as the upper triangle of
QUADOBJ, which means 1/2 x'Qx. A row without bounds says nothing and readers treat it
differently (as a second objective, a free row or not at all), so it is left out.

Beyond the core, where a profile has them: quadratic rows as QCMATRIX, which is symmetric and
means x'Qx; special ordered sets of type 1 in CPLEX's section SOS, which is not the standard's;
indicators as rows whose INDICATORS line names the binary and its value; cuts in a section
LAZYCONS or USERCUTS after ROWS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

import numpy as np

from treemip.core.files.atomic import replacing, replacing_beside, together, written_size
from treemip.core.files.flat_model import (
    FREE,
    SENSES,
    CutsAs,
    Flat,
    flatten,
    special_sets,
    weight_table,
    without_ranges,
)
from treemip.core.files.lines import Lines, right, shortest
from treemip.core.files.mapfile import mapping
from treemip.core.files.model_files import WriteReport
from treemip.core.files.mps.columns import NOTHING
from treemip.core.files.mps.content import Content, content
from treemip.core.files.names import CONSTANT, LONGEST, Names, Style, name_model, spell
from treemip.core.files.profiles import PORTABLE, Profile, reader_of
from treemip.core.model.blocks import Kind, Variables
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import Diagnostic, Report


def write_mps(
    model: Model,
    path: str | Path,
    *,
    names: Style = "spec",
    map_path: str | Path | None = None,
    profile: Profile = PORTABLE,
    cuts: CutsAs = "rows",
    fixed: bool = False,
) -> WriteReport:
    """Write `model` as an MPS file, compressed when `path` ends in ``.gz``.

    `names`: ``spec`` names columns and rows by block and indices, ``go_left(12,3)``; ``short``
    numbers them ``x1`` and ``r1`` on. `map_path`: a JSON file that says which block, which
    indices and which place in the source each name stands for (see mapfile.py). `profile`:
    whose reader the file is for. `cuts`: what becomes of rows marked as cuts. `fixed`:
    in fixed columns, which hold names of 8 and numbers of 12 characters, and portable parts only.

    Equal models give equal bytes. An error or an interrupt leaves no file, and an older one of
    the same name untouched. Raises TreemipError: E601 for what the profile lacks and for
    functions left in the model, E402 for numbers that are not finite or bounds of 1e20 and more,
    E403 for bounds that exclude each other, E603 when the file cannot be written.
    """
    report = Report()
    parts = tuple(part for block in model.rows for part in without_ranges(block))
    reads = profile.caps.mps
    assert reads is not None, f"{profile.title} reads no MPS files"
    if fixed:
        reads = replace(reads, rows=False, indicators=False, sos=False)
    target = "fixed MPS" if fixed else reader_of(profile, "MPS")
    flat = flatten(model.with_(rows=parts), reads, target, cuts, report)
    model = flat.model
    report.raise_errors()
    with together(), replacing_beside(map_path, path) as beside, replacing(path) as file:
        sections, settled = content(model), name_model(model, names)
        tokens = _tokens(sections, settled, fixed)
        layout = FIXED_FIELDS if fixed else FREE_FIELDS
        _write(file, flat, sections, settled, tokens, layout, SECTIONS.get(cuts, b""))
        if beside is not None:
            beside.write(mapping(model, settled))
    return _report(flat, sections, path, map_path)


def _report(
    flat: Flat, sections: Content, path: str | Path, map_path: str | Path | None
) -> WriteReport:
    model = flat.model
    free = int(np.count_nonzero(sections.row_senses.sense == FREE))
    return WriteReport(
        path=Path(path),
        map_path=None if map_path is None else Path(map_path),
        rows=model.row_count - free,
        columns=sections.columns.count,
        nonzeros=sections.nonzeros,
        bytes=written_size(path),
        negated=sections.negated,
        constant_column=CONSTANT if sections.constant else None,
        free_rows=free,
        rounded_ranges=int(np.count_nonzero(sections.row_senses.rounded)),
        indicators=len(flat.guards),
        cuts=int(np.count_nonzero(flat.aside)),
        special_sets=sum(block.length for block in model.special_sets),
    )


# ------------------------------------------------------------------------------------- the sections


def _tokens(sections: Content, names: Names, fixed: bool) -> Tokens:
    column = names.columns(" ")
    if sections.constant:
        column = np.append(column, f" {CONSTANT}".encode())
    row = np.concatenate([[f" {names.objective}".encode()], names.rows(" "), [b""]])
    number = np.append(shortest(sections.columns.distinct.values, lead=True), b"")
    if fixed:
        return fixed_tokens(row, column, number)
    aligned = right(row)
    return Tokens(aligned, aligned, column, number)


def _write(
    file: BinaryIO,
    flat: Flat,
    sections: Content,
    names: Names,
    tokens: Tokens,
    layout: Layout,
    section: bytes,
) -> None:
    """All sections; each line brings the line end of the one before it."""
    model = flat.model
    if sections.negated:
        file.write(f"* maximize {names.objective}: its negative is minimized here\n".encode())
    name = spell([model.name], [LONGEST])[0]
    file.write(f"{layout.head.format(name)}\nROWS\n N".encode())
    Lines(file, tokens.row).write(np.zeros(1, np.int64))
    bounded = sections.row_senses.sense != FREE
    for rows, head in ((bounded & ~flat.aside, b""), (bounded & flat.aside, section)):
        kept = np.flatnonzero(rows)
        file.write(head if len(kept) else b"")
        Lines(file, b"\n ", SENSES, tokens.row).write(sections.row_senses.sense[kept], kept + 1)
    file.write(b"\nCOLUMNS")
    _write_columns(file, model, sections, tokens, layout)
    file.write(b"\nRHS")
    _write_sides(file, layout.rhs, sections.row_senses.rhs, sections, tokens)
    if sections.row_senses.spread.any():
        file.write(b"\nRANGES")
        _write_sides(file, layout.ranges, sections.row_senses.spread, sections, tokens)
    file.write(b"\nBOUNDS")
    _write_bounds(file, model, sections, tokens, layout)
    if len(sections.products[0]):
        file.write(b"\nQUADOBJ")
        lines = Lines(file, layout.column, tokens.column, tokens.column, tokens.number)
        lines.write(*sections.products)
    write_row_products(file, sections, tokens)
    write_special_sets(file, flat, names.sets(" S1 "), tokens)
    write_indicators(file, flat, tokens)
    file.write(b"\nENDATA\n")


def _write_columns(
    file: BinaryIO, model: Model, sections: Content, tokens: Tokens, layout: Layout
) -> None:
    pairs = (tokens.row, tokens.number, tokens.second, tokens.number)
    lines = Lines(file, layout.column, tokens.column, *pairs)
    for mark, (first, stop, integer) in enumerate(_stretches(model, sections.columns.count)):
        if integer:
            file.write(layout.marker.format(mark, "INTORG").encode())
        for columns, rows, numbers in sections.columns.pairs(first, stop):
            lines.write(columns, rows[:, 0], numbers[:, 0], rows[:, 1], numbers[:, 1])
        if integer:
            file.write(layout.marker.format(mark, "INTEND").encode())


def _write_sides(
    file: BinaryIO, head: bytes, values: np.ndarray, sections: Content, tokens: Tokens
) -> None:
    """A line for each row whose value is not the zero that every reader assumes."""
    rows = np.flatnonzero(values)
    codes = sections.columns.distinct.codes(values[rows])
    Lines(file, head, tokens.row, tokens.number).write(rows + 1, codes)


def _write_bounds(
    file: BinaryIO, model: Model, sections: Content, tokens: Tokens, layout: Layout
) -> None:
    lines = Lines(file, b"\n", layout.kinds, tokens.column, tokens.number)
    for block in model.variables:
        at, kinds, values = bound_lines(block)
        valued = np.isin(kinds, VALUED)
        codes = np.full(len(at), NOTHING)
        codes[valued] = sections.columns.distinct.codes(values[valued])
        lines.write(kinds, at + block.start, codes)
    if sections.constant:
        one = sections.columns.distinct.codes(np.ones(1))
        lines.write(np.array([FX]), np.array([model.column_count]), one)


def _stretches(model: Model, count: int) -> Iterator[tuple[int, int, bool]]:
    """First column, stop and integrality of neighbouring blocks that go without a new marker."""
    blocks = [(b.start, b.stop, b.kind is not Kind.CONTINUOUS) for b in model.variables if b.length]
    blocks.append((model.column_count, count, False))
    for integer, stretch in groupby(blocks, key=lambda block: block[2]):
        ends = list(stretch)
        yield ends[0][0], ends[-1][1], integer


# ------------------------------------------------------------------------------------------- bounds

KINDS = np.array([f" {kind} BND" for kind in ("FX", "LO", "UP", "BV", "FR", "MI", "PL")], "S")

FX, LO, UP, BV, FR, MI, PL = range(7)

VALUED = (FX, LO, UP)

_NONE = 7


def bound_lines(block: Variables) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The one or two bounds of each column: position in the block, place in KINDS, value.

    Arrays (lines,): int64, int64 and float64, a column's lower bound before its upper. The value
    means something only where the kind is one of VALUED. A binary with both its values left is
    BV, and any column with one value left is FX.
    """
    lower, upper = block.domain
    open_below, open_above = np.isneginf(lower), np.isposinf(upper)
    binary = (lower == 0) & (upper == 1) & (block.kind is Kind.BINARY)
    conditions = [lower == upper, binary, open_below & open_above, open_below]
    first = np.select(conditions, [FX, BV, FR, MI], LO)
    alone = np.isin(first, (FX, BV, FR))
    second = np.where(alone, _NONE, np.where(open_above, PL, UP))
    kinds = np.stack([first, second], axis=1).ravel()
    written = np.flatnonzero(kinds != _NONE)
    values = np.stack([lower, upper], axis=1).ravel()
    return written >> 1, kinds[written], values[written]


# ------------------------------------------------------------- sections that only some readers have

SECTIONS = {"lazy": b"\nLAZYCONS", "user": b"\nUSERCUTS"}


@dataclass(frozen=True)
class Tokens:
    """Texts with a space before each, 'S' arrays.

    `row` 0 is the objective; the last of `row` and `number` is empty and stands for NOTHING.
    `second`: rows as they stand in the second half of a line.
    """

    row: np.ndarray
    second: np.ndarray
    column: np.ndarray
    number: np.ndarray


def write_row_products(file: BinaryIO, sections: Content, tokens: Tokens) -> None:
    """A QCMATRIX for each row with products: a line that names the row, then its entries.

    Both kinds of lines come from one pair of tables, in which the headings follow the columns.
    """
    rows, first, second, numbers = sections.row_products
    if not len(rows):
        return
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    headings = np.strings.add(b"QCMATRIX", tokens.row[rows[starts] + 1])
    table = np.concatenate([tokens.column, headings, [b""]])
    heading = np.arange(len(starts)) + len(tokens.column)
    lines = Lines(file, b"\n", table, table, tokens.number)
    lines.write(
        np.insert(first.astype(np.int64), starts, heading),
        np.insert(second.astype(np.int64), starts, len(table) - 1),
        np.insert(numbers.astype(np.int64), starts, NOTHING),
    )


def write_indicators(file: BinaryIO, flat: Flat, tokens: Tokens) -> None:
    """` IF row binary value`, one line for each row that is guarded."""
    if not len(flat.guards):
        return
    file.write(b"\nINDICATORS")
    values = np.array([b" 0", b" 1"])
    rows = flat.guarded + 1 + np.arange(len(flat.guards))
    lines = Lines(file, b"\n IF", tokens.row, tokens.column, values)
    lines.write(rows, flat.guards, flat.values.astype(np.int64))


def write_special_sets(file: BinaryIO, flat: Flat, heads: np.ndarray, tokens: Tokens) -> None:
    """CPLEX's form: ` S1 set`, then a line with column and weight for each member.

    Members begin in column 5, since readers of free format tell both kinds of lines by that: in
    column 2 CPLEX refuses them, and Gurobi takes a column `b` for another kind of set.
    heads: names of the sets with ` S1 ` before each, 'S' (sets,).
    """
    sets = special_sets(flat.model)
    if not sets.count:
        return
    file.write(b"\nSOS")
    table = np.concatenate([heads, np.strings.add(b"   ", tokens.column)])
    Lines(file, b"\n", table, weight_table(sets, " ")).write(*sets.stream())


# ------------------------- the two layouts: free, with spaces between fields, and fixed, by columns

NAME, NUMBER = 8, 12  # characters of a fixed field


@dataclass(frozen=True)
class Layout:
    """What stands before fields: `column` before the first name in COLUMNS and QUADOBJ, `rhs` and
    `ranges` before the row there; `kinds` begin the lines of BOUNDS. `head` and `marker` are
    templates of whole lines.
    """

    head: str
    marker: str
    column: bytes
    rhs: bytes
    ranges: bytes
    kinds: np.ndarray


FREE_FIELDS = Layout(
    "NAME {} FREE", "\n MARKER{} 'MARKER' '{}'", b"\n", b"\n RHS", b"\n RNG", KINDS
)

FIXED_FIELDS = Layout(
    "NAME          {}",
    "\n    MARKER{:<4}'MARKER'                 '{}'",
    b"\n  ",
    b"\n    RHS     ",
    b"\n    RNG     ",
    np.strings.add(KINDS, b"     "),
)


def fixed_tokens(row: np.ndarray, column: np.ndarray, number: np.ndarray) -> Tokens:
    """Tokens brought to the width of their fields, with the two columns before them.

    Raises E601 for names and numbers that fields cannot hold.
    """
    report = Report()
    for what, table, width in (
        ("name", column, NAME),
        ("name", row, NAME),
        ("number", number, NUMBER),
    ):
        long = np.flatnonzero(np.strings.str_len(table) > 1 + width)
        if len(long):
            shown = table[long[0]].decode().strip()
            message = f"fixed MPS allows {width} characters for a {what}, and '{shown}' is longer"
            report.add(Diagnostic.outside("E601", message, REMEDY))
    report.raise_errors()
    rows = _padded(row, NAME)
    # The last row and number stand for nothing.
    rows[-1] = b""
    numbers = np.append(_padded(number[:-1], NUMBER, to_right=True), b"")
    second = np.where(rows == b"", rows, np.strings.add(b" ", rows))
    return Tokens(rows, second, _padded(column, NAME), numbers)


REMEDY = "write free MPS, which every solver reads, or shorten names by --names short"


def _padded(table: np.ndarray, width: int, to_right: bool = False) -> np.ndarray:
    bare = np.strings.lstrip(table)
    full = np.strings.rjust(bare, width) if to_right else np.strings.ljust(bare, width)
    return np.strings.add(b"  ", full.astype("S"))
