"""Implications as SCIP's indicator constraints, `a x <= b` where a binary has a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.model.blocks import Implications
from treemip.model.model import Model

if TYPE_CHECKING:
    import pyscipopt


def add_indicators(scip: pyscipopt.Model, model: Model, columns: np.ndarray) -> None:
    """Add the model's implications, of which each has one binary and one relation.

    `columns`: SCIP's variables of the model's columns. An equation becomes two constraints.
    """
    for block in model.implications:
        for row in range(block.length):
            _add(scip, block, row, columns)


def _add(scip: pyscipopt.Model, block: Implications, row: int, columns: np.ndarray) -> None:
    from pyscipopt import ExprCons, quicksum

    body = block.body
    at = slice(int(body.matrix.indptr[row]), int(body.matrix.indptr[row + 1]))
    pairs = zip(body.matrix.data[at].tolist(), columns[body.matrix.indices[at]], strict=True)
    form = quicksum(c * x for c, x in pairs)
    guard, one = columns[block.guard.indices[row]], bool(block.value[row] == 1)
    lower, upper = float(body.lower[row]), float(body.upper[row])
    if np.isfinite(upper):
        scip.addConsIndicator(ExprCons(form, None, upper), guard, one)
    if np.isfinite(lower):
        scip.addConsIndicator(ExprCons(form, lower, None), guard, one)
