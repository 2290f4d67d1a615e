"""A model with some columns taken for others: fewer columns, equal rows once, and the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.core.model.arrays import numbered, unique
from treemip.core.model.blocks import Implications, Quadratic, Rows, SparseRows, Variables
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import some_rows, sparse_rows, take_rows
from treemip.core.reform.presolve.equal_points import mixed, same_lists
from treemip.core.reform.presolve.point_columns import PointColumns
from treemip.core.reform.presolve.row_entries import RowEntries


@dataclass(frozen=True)
class Renaming:
    """`model` and what its columns are in the model before it.

    kept int64 (columns of `model`,): which column of the former model each one is. place int64
    (columns of the former model,): the column that has its value. merged: how many of the `points`
    have columns that are those of another point now.
    """

    model: Model
    kept: np.ndarray
    place: np.ndarray
    merged: int
    points: int

    def forward(self, values: np.ndarray) -> np.ndarray:
        """Values of the former model's columns, float64 (..., columns), as values of `model`."""
        return values[..., self.kept]

    def back(self, values: np.ndarray) -> np.ndarray:
        """Values of `model`'s columns as values of the former model's: each has its own copy."""
        return values[self.place]


def renamed(
    model: Model, entries: RowEntries, target: np.ndarray, columns: PointColumns
) -> Renaming:
    """Column c becomes target[c], which is its own target; bounds are intersected, prices added.

    entries: the model's rows after this renaming. Equal rows of a family stay once. The model has
    no functions and no tape. columns: whose the columns are, before anything was renamed.
    """
    kept = np.flatnonzero(target == np.arange(len(target)))
    number = np.full(len(target), -1)
    number[kept] = np.arange(len(kept))
    place = number[target]
    rows, implications = _rows(model, entries, number)
    objective = model.objective
    costs = np.bincount(place, model.costs, len(kept))
    smaller = replace(
        model,
        variables=_variables(model, target, kept),
        rows=rows,
        implications=implications,
        objective=replace(
            objective, linear=costs, quadratic=_renumbered(objective.quadratic, number)
        ),
        special_sets=tuple(
            replace(s, members=number[s.members].astype(np.int32)) for s in model.special_sets
        ),
    )
    moved = columns.point[target != np.arange(len(target))]
    return Renaming(smaller, kept, place, len(unique(moved)), columns.points)


def _variables(model: Model, target: np.ndarray, kept: np.ndarray) -> tuple[Variables, ...]:
    lower, upper = model.lower, model.upper
    np.maximum.at(lower, target, model.lower)
    np.minimum.at(upper, target, model.upper)
    blocks, start = [], 0
    for block in model.variables:
        inside = kept[(kept >= block.start) & (kept < block.stop)]
        at = inside - block.start
        blocks.append(
            replace(
                block,
                index=block.index.take(at),
                start=start,
                lower=lower[inside],
                upper=upper[inside],
                priority=None if block.priority is None else block.priority[at],
            )
        )
        start += len(at)
    return tuple(blocks)


def _rows(
    model: Model, entries: RowEntries, number: np.ndarray
) -> tuple[tuple[Rows, ...], tuple[Implications, ...]]:
    wanted = ~repeated(entries)
    rows: list[Rows] = []
    implications: list[Implications] = []
    first = 0
    blocks: list[Rows | Implications] = [*model.rows, *model.implications]
    for block in blocks:
        stop = first + block.length
        keep = np.flatnonzero(wanted[first:stop])
        body = block.body if isinstance(block, Implications) else block
        matrix = _matrix(entries, first, stop, False, number)
        body = replace(body, matrix=matrix, quadratic=_renumbered(body.quadratic, number))
        body = some_rows(body, keep)
        if not isinstance(block, Implications):
            rows.append(body)
        else:
            guard = take_rows(_matrix(entries, first, stop, True, number), keep)
            big_m = None if block.big_m is None else block.big_m[keep]
            constant, value = block.guard_constant[keep], block.value[keep]
            implications.append(
                replace(
                    block, body=body, guard=guard, guard_constant=constant, value=value, big_m=big_m
                )
            )
        first = stop
    return tuple(rows), tuple(implications)


def _matrix(
    entries: RowEntries, first: int, stop: int, guard: bool, number: np.ndarray
) -> SparseRows:
    at = slice(*np.searchsorted(entries.row, [first, stop]))
    take = entries.guard[at] == guard
    row, column, coef = entries.row[at][take], entries.column[at][take], entries.coef[at][take]
    return sparse_rows(row - first, number[column], coef, stop - first)


def _renumbered(form: Quadratic, number: np.ndarray) -> Quadratic:
    """Products of columns that keep their order."""
    if not form.count:
        return form
    first, second = number[form.first].astype(np.int32), number[form.second].astype(np.int32)
    return replace(form, first=first, second=second)


def repeated(entries: RowEntries) -> np.ndarray:
    """Rows that are the same as one before them, number by number; bool (rows,).

    Rows with products or nonlinear parts are not compared. Entries ascend by row, column.
    """
    key = 2 * entries.column + entries.guard
    entry = np.column_stack([key, entries.coef])
    total = mixed(entries.facts)
    np.add.at(total, entries.row, mixed(entry))
    total[~entries.plain] = np.flatnonzero(~entries.plain).astype(np.uint64)
    _, which = numbered(total)
    first = np.full(which.max(initial=-1) + 1, entries.rows)
    np.minimum.at(first, which, np.arange(entries.rows))
    first = first[which]
    same = same_lists(entries.row, entry, first)
    same &= (entries.facts == entries.facts[first]).all(axis=1) & entries.plain
    return same & (first != np.arange(entries.rows))
