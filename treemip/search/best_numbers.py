"""The best numbers of a tree: what is continuous in a solution, its integers as they are.

A search places a hyperplane by the points it parts. Where the objective counts slack, norms or
other numbers, the model with its integers fixed is a linear or convex quadratic program and has the
best of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.model.answer import Limits
from treemip.model.blocks import Implications, Rows, fixed_columns
from treemip.model.model import Model
from treemip.model.sparse_rows import some_rows
from treemip.model.tolerances import TIGHT
from treemip.search.sums import Sums
from treemip.solving.solve import is_available, solve
from treemip.tree.residuals import guard_holds

SPLITS = ("coef", "bias")


def numbers_matter(sums: Sums) -> bool:
    """Whether the objective depends on more than where points go and what splits use."""
    if sums.opaque:
        return True
    families = [sums.families[name] for name in SPLITS if name in sums.families]
    return any(sums.structure[f.start : f.start + f.length].any() for f in families)


def best_numbers(model: Model, values: np.ndarray, seconds: float) -> np.ndarray | None:
    """A solution, float64 (columns,), with the integers of `values`, nan where unknown; or None.

    model: reformed, without functions. Special sets and nonlinear expressions are left alone.
    """
    if model.functions or model.special_sets or model.tape.steps or seconds <= 0:
        return None
    fixed = ~np.isnan(values) & model.integer
    held = [_held(block, values) for block in model.implications]
    if any(block is None for block in held):
        return None
    rows = (*model.rows, *(block for block in held if block is not None))
    variables = fixed_columns(model.variables, fixed, values)
    program = replace(model, variables=variables, rows=rows, implications=())
    answer = solve(program, _solver(model), Limits(time=seconds, feasibility=TIGHT))
    return None if answer.values is None else answer.values[: model.column_count]


def _held(block: Implications, values: np.ndarray) -> Rows | None:
    """The rows of the implications whose guard is true; None where that is not known."""
    if np.isnan(values[block.guard.indices]).any():
        return None
    return some_rows(block.body, np.flatnonzero(guard_holds(block, values)))


def _solver(model: Model) -> str:
    """HiGHS for linear programs, SCIP for convex quadratic ones: HiGHS 1.15 gives some up."""
    squares = model.objective.quadratic.count or any(b.quadratic.count for b in model.rows)
    preferred, other = ("scip", "highs") if squares else ("highs", "scip")
    return preferred if is_available(preferred) else other
