"""g = v ==> l <= a x <= u  by special ordered sets:  l <= a x - over + under <= u, of
{literal, over, under} at most one not 0.

`literal` is 1 where the row must hold: g for v = 1, 1 - g for v = 0. Where it is 1, both slacks are
0; where it is 0, one of them takes what a x has beyond its bound, so that one set serves both
sides. No big-M is needed, whatever the bounds are; where they prove one, it bounds the slack.

The sets are those of E. M. L. Beale and J. A. Tomlin, Special facilities in a general mathematical
programming system for non-convex problems using ordered sets of variables, 1970.
"""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Implications, Kind, Rows, SpecialSets
from treemip.model.rows import add_triplets, append_columns, scale_rows, take_rows
from treemip.reform.editing import Editing, Note

MADE_BY = "sos1"
INFINITE = 1e20
"""What solvers take for no bound: a slack with a greater one has none."""

Slacks = tuple[np.ndarray, np.ndarray]
"""Rows, ascending, and the column that each of them has got: int64 (slacks,)."""


def as_special_sets(editing: Editing, block: Implications) -> SpecialSets:
    """A set for each row that has a bound; adds the rows, the slacks and the literals."""
    body = block.body
    low, high = editing.interval(body.matrix, np.zeros(block.length))
    stated = np.flatnonzero(np.isfinite(body.lower) | np.isfinite(body.upper))
    literals = _literals(editing, block)
    over = _slacks(editing, body, "over", body.upper, high, 1.0)
    under = _slacks(editing, body, "under", body.lower, low, -1.0)
    matrix = add_triplets(body.matrix, *over, np.full(len(over[0]), -1.0))
    matrix = add_triplets(matrix, *under, np.ones(len(under[0])))
    index, matrix = body.index.take(stated), take_rows(matrix, stated)
    ends = body.lower[stated], body.upper[stated]
    editing.add_rows(Rows(body.name, index, matrix, *ends, body.span, made_by=MADE_BY))
    set_of = np.concatenate([stated, over[0], under[0]])
    order = np.argsort(set_of, kind="stable")
    members = np.concatenate([literals[stated], over[1], under[1]])[order].astype(np.int32)
    offsets = np.searchsorted(set_of[order], np.append(stated, block.length))
    _tell(editing, block, len(stated), len(members) - len(stated))
    return SpecialSets(body.name, index, offsets, members, body.span, MADE_BY)


def _slacks(
    editing: Editing, body: Rows, name: str, ends: np.ndarray, reach: np.ndarray, side: float
) -> Slacks:
    """Columns for the rows that have that end, which take what a x, up to `reach`, is beyond it."""
    rows = np.flatnonzero(np.isfinite(ends))
    if not len(rows):
        return rows, rows
    upper = np.maximum(side * (reach[rows] - ends[rows]), 0.0)
    upper[~(upper < INFINITE)] = np.inf
    index, zeros = body.index.take(rows), np.zeros(len(rows))
    start = editing.add_variables(
        f"{body.name}_{name}", index, zeros, upper, Kind.CONTINUOUS, body.span, MADE_BY
    )
    return rows, np.arange(start, start + len(rows))


def _literals(editing: Editing, block: Implications) -> np.ndarray:
    """A column for each row, int64 (rows,), that is 1 where the row must hold and else 0.

    The guard itself where it is one column; else a new one, equal to the guard or to 1 less it.
    """
    sign = np.where(block.value == 1, 1.0, -1.0)
    constant = np.where(block.value == 1, 0.0, 1.0) + sign * block.guard_constant
    wanted = scale_rows(block.guard, sign)
    lengths = np.diff(wanted.indptr)
    single = lengths == 1
    first = wanted.indptr[:-1][single]
    single[single] = wanted.data[first] == 1
    single &= constant == 0
    columns = np.zeros(block.length, np.int64)
    columns[single] = wanted.indices[wanted.indptr[:-1][single]]
    made = np.flatnonzero(~single)
    if len(made):
        columns[made] = _linked(editing, block, made, constant[made])
    return columns


def _linked(
    editing: Editing, block: Implications, rows: np.ndarray, constant: np.ndarray
) -> np.ndarray:
    """New columns for the literals of some rows: continuous, since they are affine in binaries."""
    body, size = block.body, len(rows)
    sign = np.where(block.value[rows] == 1, 1.0, -1.0)
    index, zeros, ones = body.index.take(rows), np.zeros(size), np.ones(size)
    name = f"{block.name}_on"
    start = editing.add_variables(name, index, zeros, ones, Kind.CONTINUOUS, body.span, MADE_BY)
    columns = np.arange(start, start + size)
    guard = scale_rows(take_rows(block.guard, rows), sign)
    matrix = append_columns(guard, columns, -ones)
    editing.add_rows(Rows(name, index, matrix, -constant, -constant, body.span, made_by=MADE_BY))
    editing.notes.append(Note(name, "literals", "z = g or 1 - g", body.span, f"{size} rows"))
    return columns


def _tell(editing: Editing, block: Implications, sets: int, slacks: int) -> None:
    formula = f"{'g' if (block.value == 1).all() else '1 - g'} or slack is 0"
    detail = f"{sets} sets, {slacks} slacks"
    name, span = block.name, block.body.span
    editing.notes.append(Note(name, "special ordered sets", formula, span, detail))
