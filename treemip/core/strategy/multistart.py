"""Several random starts of a local solver, the best solution kept.

Amaldi, Consolo and Manno, 2023, sect. 4, train each randomized tree from 10 random points, since
its training problem is not convex. The solver's model is built once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from treemip.core.model.answer import NO_LIMITS, Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.solvers.ipopt.solve import Ipopt
from treemip.core.solving.solve import choose, solve
from treemip.core.source.diagnostic import fail

STARTS = 10
"""Starts of a local solver, unless the spec or the caller says otherwise."""


def solve_from_starts(
    model: Model,
    solver: str = "auto",
    limits: Limits = NO_LIMITS,
    starts: int | None = None,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
    points: np.ndarray | None = None,
) -> Answer:
    """Solve by the solver named or chosen: Ipopt from several points, the others once.

    The others search everywhere, so `starts` and `points` say nothing to them. Raises E902 for a
    number of starts below 1, and what `solving.solve.solve` raises.
    """
    if starts is not None and starts < 1:
        fail("E902", f"'starts' is {starts}", remedy="a solve needs at least 1 starting point")
    name = choose(model) if solver == "auto" else solver
    if name != "ipopt":
        return solve(model, name, limits, start, on_progress)
    count = STARTS if starts is None else starts
    return multistart(model, limits, count, start, on_progress, points)


def multistart(
    model: Model,
    limits: Limits = NO_LIMITS,
    starts: int = STARTS,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
    points: np.ndarray | None = None,
) -> Answer:
    """The best of Ipopt's runs from `starts` points, drawn by `limits.seed`, 0 by default.

    Point k is the same however many there are, so more starts are never worse. `start`, float64
    (columns,) with nan where unknown, stands in for what it knows of the first point; a run from
    one without unknowns stays near it. `points` (k, columns) do so for the points after it, up to
    half of all. The time limit is for all runs together; each run counts as a node in what
    `on_progress` is told. Raises what `Ipopt` raises.
    """
    ipopt = Ipopt(model, limits, on_progress)
    near = 0 if start is None or np.isnan(start).any() else 1
    answer = ipopt.solve(points_of(ipopt, starts, start, points), near)
    return replace(answer, start_accepted=None if start is None else True)


def points_of(
    ipopt: Ipopt, starts: int, start: np.ndarray | None, points: np.ndarray | None
) -> Iterator[np.ndarray]:
    """The points that `multistart` begins from, float64 (columns,) each. Raises E607."""
    own = [start, *([] if points is None else points)][: max(1, (starts + 1) // 2)]
    first = [ipopt.point(number, point) for number, point in enumerate(own)]
    return chain(first, map(ipopt.point, range(len(own), starts)))
