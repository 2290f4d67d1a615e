"""Implications over the columns of a tree as plain rows.

A guard is 0 or 1 on every tree, and so is each column that such a row may mention: with the most
that its body can be in place of a big-M, the row says what the implication says, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np

from treemip.answers.search.sum_arrays import Row
from treemip.answers.search.sums import NoSums
from treemip.answers.search.tree_columns import TreeColumns
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear
from treemip.core.lower.relations import Relations, literal
from treemip.core.resolve.other_names import variable_behind
from treemip.core.resolve.spec import Constraint
from treemip.core.tree.tree_map import COUNTED


def implied_rows(
    columns: TreeColumns, relations: Relations, constraint: Constraint, frame: Frame
) -> Iterator[Row]:
    """The rows of a constraint with guards. Raises NoSums where they mention a column that may be
    more than 1, or less than 0."""
    literals = [literal(*relations.guard(one, frame)) for one in constraint.guards]
    others = Linear.known(np.full(frame.size, 1.0 - len(literals)))
    holds = reduce(Linear.plus, literals).plus(others)
    far = np.full(frame.size, np.inf)
    between = relations.all_between(constraint.relation, frame)
    ends = [end for body, low, high in between for end in ((body, high), (body.times(-1.0), -low))]
    for value, limit in ends:
        some = np.flatnonzero(np.isfinite(limit))
        if len(some):
            part, guard = value.spread(some), holds.spread(some)
            _, most = _ends(columns, part)
            _ends(columns, guard)
            room = np.maximum(most - limit[some], 0.0)
            row = part.plus(guard.times(room))
            yield Row(row, -far[some], limit[some] + room, constraint.name)


def _ends(columns: TreeColumns, value: Linear) -> tuple[np.ndarray, np.ndarray]:
    """The least and the most that rows over columns of 0 and 1 can be, float64 (rows,) each."""
    matrix, form = value.matrix(), value.products
    row, data, mentioned = matrix.row_of, matrix.data, [matrix.indices]
    if form is not None:
        mentioned += [form.first, form.second]
        row, data = np.concatenate([row, form.row]), np.concatenate([data, form.coef])
    if value.slots or not _are_binary(columns, np.concatenate(mentioned)):
        raise NoSums("it has implications of more than counts")
    ends = (np.bincount(row, end(data, 0.0), value.size) for end in (np.minimum, np.maximum))
    low, high = (value.constant + end for end in ends)
    return low, high


def _are_binary(columns: TreeColumns, mentioned: np.ndarray) -> bool:
    binary = np.zeros(columns.count, bool)
    binary[: columns.structure_start] = True
    for name, symbol in columns.symbols.items():
        variable = variable_behind(symbol)
        if name in COUNTED or (variable is not None and variable.kind == "binary"):
            start, size = columns.families[name]
            binary[start : start + size] = True
    return bool(binary[mentioned].all())
