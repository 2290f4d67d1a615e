"""The sections of MPS files that only some readers have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from treemip.emit.flat import Flat
from treemip.emit.lines import Lines
from treemip.emit.mps.content import Content
from treemip.emit.mps.transpose import NOTHING
from treemip.emit.special_sets import special_sets, weight_table

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


def write_row_products(file: BinaryIO, said: Content, tokens: Tokens) -> None:
    """A QCMATRIX for each row with products: a line that names the row, then its entries.

    Both kinds of lines come from one pair of tables, in which the headings follow the columns.
    """
    rows, first, second, numbers = said.row_products
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
