"""Rows over the features that splits use which hold on every tree, since it has so few splits: a
limit of three columns where the tree has three branches.

A univariate split uses one feature or one kept column. What counts a column that is several
features is the greatest of whether each is used, which one split makes 1 for one column alone.
"""

from __future__ import annotations

import numpy as np

from treemip.answers.search.function_columns import Applied
from treemip.answers.search.sum_arrays import Row
from treemip.answers.search.tree_columns import TreeColumns
from treemip.core.model.blocks import Function
from treemip.core.model.tolerances import EQUAL

USED = ("uses_anywhere", "tested_anywhere")
"""Families of which each split makes one column 1; the others are 0."""


def always_by_splits(columns: TreeColumns, row: Row) -> np.ndarray:
    """Which rows hold on every univariate tree, bool (rows,)."""
    no, topology = np.zeros(row.value.size, bool), columns.instance.topology
    if topology is None or columns.instance.spec.split != "univariate":
        return no
    if row.value.slots or row.value.products is not None:
        return no
    matrix, holds = row.value.matrix(), no.copy()
    about_others = matrix.row_of[~_may_be_used(columns, matrix.indices)]
    for one in np.setdiff1d(np.arange(row.value.size), about_others).tolist():
        at = slice(matrix.indptr[one], matrix.indptr[one + 1])
        used = [_used_by(columns, int(column)) for column in matrix.indices[at]]
        each = [column for part in used if part is not None for column in part]
        if not used or None in used or len(set(each)) < len(each):
            continue
        worth = np.sort(matrix.data[at])
        most = worth[::-1][: len(topology.branches)].clip(min=0.0).sum()
        least = worth[: len(topology.branches)].clip(max=0.0).sum()
        low, high = (end[one] - row.value.constant[one] for end in (row.low, row.high))
        holds[one] = least >= low - EQUAL and most <= high + EQUAL
    return holds


def _may_be_used(columns: TreeColumns, indices: np.ndarray) -> np.ndarray:
    """Which columns, int64 (n,), are of USED or a result of functions, bool (n,)."""
    known = np.zeros(len(indices), bool)
    for start, size in (columns.families[name] for name in USED if name in columns.families):
        known |= (indices >= start) & (indices < start + size)
    for one in columns.applied:
        known |= one.gives(indices)
    return known


def _used_by(columns: TreeColumns, column: int) -> list[int] | None:
    """The columns of USED of which this one is the greatest; None where it is something else."""
    if _is_of_used(columns, column):
        return [column]
    applied = next((one for one in columns.applied if one.gives(np.array([column])).any()), None)
    return None if applied is None else _greatest_of(columns, applied, column - applied.start)


def _greatest_of(columns: TreeColumns, applied: Applied, result: int) -> list[int] | None:
    if applied.function is not Function.MAX:
        return None
    arguments = applied.arguments.spread(np.arange(*applied.offsets[result : result + 2]))
    matrix = arguments.matrix()
    plain = (matrix.data == 1).all() and not arguments.constant.any()
    alone = (np.diff(matrix.indptr) == 1).all() and arguments.products is None
    known = all(_is_of_used(columns, int(column)) for column in matrix.indices)
    return matrix.indices.tolist() if plain and alone and known else None


def _is_of_used(columns: TreeColumns, column: int) -> bool:
    return any(
        start <= column < start + size
        for start, size in (columns.families[name] for name in USED if name in columns.families)
    )
