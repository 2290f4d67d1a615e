"""Ipopt on some columns of a model, again and again: from each point with the others as they are.

The functions are built once for a set of columns. What the other columns fix enters as parameters
(model/restriction.py), so a call costs what the free columns cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakMethod

import numpy as np

from treemip.core.model.answer import Limits
from treemip.core.model.model import Model
from treemip.core.model.restriction import restricted
from treemip.core.model.tolerances import FEASIBILITY
from treemip.core.model.values import row_values
from treemip.core.solvers.ipopt.hessian import derivatives
from treemip.core.solvers.ipopt.model import to_casadi
from treemip.core.solvers.ipopt.solve import NEAR, solver_of, stopper
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.optional import needed

if TYPE_CHECKING:
    import casadi


class Subproblem:
    """The model in its columns `free`, bool (columns,), with proximal / 2 * |x - current x|^2 over
    those that are `near`, bool (columns,), in `iterations` iterations of Ipopt at most."""

    def __init__(
        self,
        model: Model,
        free: np.ndarray,
        near: np.ndarray,
        proximal: float,
        iterations: int,
        limits: Limits,
    ) -> None:
        ca = needed("casadi", "casadi")
        self.part = restricted(model, free, proximal, near)
        self.made = to_casadi(self.part.model, self.part.count)
        self.watch = Watch()
        self._tolerance = limits.feasibility or FEASIBILITY
        self._rows = self.made.row_lower, self.made.row_upper
        self._best = np.inf
        self._values: np.ndarray | None = None  # of the best iterate of a run
        self._keep = stopper(ca, self.made, WeakMethod(self._ends))
        options = {**NEAR, "max_iter": iterations}
        functions = derivatives(self.made, self.part.model)
        self._solver = solver_of(self.made, functions, self._keep, limits, options)

    def solve(self, x: np.ndarray, slots: np.ndarray, watch: Watch) -> np.ndarray:
        """The best of Ipopt's iterates from x, float64 (columns,), within bounds and rows; the last
        one if none is. `slots`: of the model's tape at x.

        The clock and the signals of `watch` end it early. Whether it is a solution, and a better
        one than x, is for the caller to see.
        """
        made, part, self.watch = self.made, self.part, watch
        known = needed("casadi", "casadi").DM(part.parameters(x, slots))
        body = row_values(part.whole, x, slots)
        lower, upper = part.bounds(x, body)
        # What the known columns add to each row is no part of the subproblem's rows.
        shift = body[part.rows] - _numbers(self._solver.get_function("nlp_g")(x[part.free], known))
        self._rows = made.row_lower - shift, made.row_upper - shift
        self._best, self._values = np.inf, None
        ends = {"lbx": lower, "ubx": upper, "lbg": self._rows[0], "ubg": self._rows[1]}
        found = self._solver(x0=np.clip(x[part.free], lower, upper), p=known, **ends)
        self._look(found["f"], found["x"], found["g"])
        values = _numbers(found["x"]) if self._values is None else self._values
        moved = x.copy()
        moved[part.free] = np.clip(values, lower, upper)
        return moved

    def _look(self, f: casadi.DM, x: casadi.DM, g: casadi.DM) -> None:
        """Keep an iterate that is the best so far within the rows."""
        if float(f) < self._best:
            body = _numbers(g)
            missed = np.maximum(self._rows[0] - body, body - self._rows[1]).max(initial=0.0)
            if missed <= self._tolerance:
                self._best, self._values = float(f), _numbers(x)

    def _ends(self, f: casadi.DM, x: casadi.DM, g: casadi.DM) -> bool:
        self._look(f, x, g)
        return self.watch.left(np.inf) <= 0 or self.watch.stopping.is_set()


def _numbers(values: casadi.DM) -> np.ndarray:
    found: np.ndarray = values.full().ravel()
    return found
