"""A solver for a model whose rows are separated: asked while it runs, or again and again."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np

from treemip.core.model.answer import Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.solving.lazy_rows import LazyRows
from treemip.core.solving.solve import choose, solve, takes_lazy
from treemip.core.strategy.settings import AUTOMATIC
from treemip.core.strategy.solvers import require_bound, require_kept, require_known, solve_with
from treemip.methods.separation.loop import solve_lazily


def solve_separating(
    model: Model,
    rows: LazyRows,
    solver: str,
    limits: Limits,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
    keep: Path | None = None,
) -> Answer:
    """As `solve_with`, with rows to separate. A solver that asks for none while it runs solves
    again and again, with a folder for each solve in `keep`. Raises E601 for a solver that proves no
    bound, and what `solve_with` raises."""
    require_known(solver)
    name = choose(model) if solver in AUTOMATIC else solver
    require_kept(name, keep)
    require_bound(name)
    if takes_lazy(model, name):
        return solve(model, name, limits, start, on_progress, rows)
    solves = count(1)

    def once(
        model: Model, limits: Limits, start: np.ndarray | None, tell: OnProgress | None
    ) -> Answer:
        folder = None if keep is None else keep / f"solve_{next(solves)}"
        return solve_with(model, name, limits, start, tell, keep=folder)

    return solve_lazily(model, rows, once, limits, start, on_progress)
