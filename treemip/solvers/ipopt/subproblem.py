"""Ipopt on some columns of a model, again and again: from each point with the others as they are.

The functions are built once for a set of columns. What the other columns fix enters as parameters
(model/restriction.py), so a call costs what the free columns cost.
"""

from __future__ import annotations

from weakref import WeakMethod

import numpy as np

from treemip.model.answer import Limits
from treemip.model.model import Model
from treemip.model.restriction import restricted
from treemip.solvers.ipopt.hessian import derivatives
from treemip.solvers.ipopt.model import to_casadi
from treemip.solvers.ipopt.solve import NEAR, solver_of, stopper
from treemip.solving.interrupt import Watch
from treemip.solving.optional import needed


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
        self._keep = stopper(ca, self.made, WeakMethod(self._ends))
        options = {**NEAR, "max_iter": iterations}
        functions = derivatives(self.made, self.part.model)
        self._solver = solver_of(self.made, functions, self._keep, limits, options)

    def solve(self, x: np.ndarray, slots: np.ndarray, watch: Watch) -> np.ndarray:
        """Where Ipopt ends from x, float64 (columns,), with `slots` of the model's tape there.

        The clock and the signals of `watch` end it early. What comes back is within the columns'
        bounds; whether it is a solution, and a better one, is for the caller to see.
        """
        made, part, self.watch = self.made, self.part, watch
        known = part.parameters(x, slots)
        shift = part.row_shift(x, slots, known)
        found = self._solver(
            x0=x[part.free],
            p=known,
            lbx=made.lower,
            ubx=made.upper,
            lbg=made.row_lower - shift,
            ubg=made.row_upper - shift,
        )
        moved = x.copy()
        values = np.array(found["x"], np.float64).ravel()
        moved[part.free] = np.clip(values, made.lower, made.upper)
        return moved

    def _ends(self, _: object) -> bool:
        return self.watch.left(np.inf) <= 0 or self.watch.stopping.is_set()
