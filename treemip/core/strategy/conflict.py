"""Which rows of an infeasible model contradict each other: an irreducible infeasible subset.

The deletion filter of Chinneck and Dravnieks (Locating minimal infeasible constraint sets in
linear programs, ORSA Journal on Computing, 1991): rows are left out as long as the rest stays
infeasible, first whole families, then halves of what is left of them. It holds for models with
integers as well, where a solver's own search from a dual ray does not.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from treemip.core.model.blocks import NO_QUADRATIC, Rows
from treemip.core.model.model import Model
from treemip.core.registry import solvers
from treemip.core.solvers.highs.model import load
from treemip.core.solvers.highs.solve import heed_stop, limit_seconds, run_to_end
from treemip.core.solving.arrays import assemble
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.outcome import CHECK_SECONDS


@dataclass(frozen=True)
class Conflict:
    """`feasible`: None when it was not found out in time. `rows`: for each family that is part of
    the conflict, its block and the numbers of its rows, int64; with the variables' bounds and
    integrality they have no solution. `irreducible`: proven that none of them can be left out.
    """

    feasible: bool | None
    rows: tuple[tuple[Rows, np.ndarray], ...]
    irreducible: bool


def find_conflict(model: Model, limit: float = inf) -> Conflict:
    """The conflict among the rows of `model`, found by HiGHS within `limit` seconds.

    When the time is over, the rows found by then: they have no solution, but may be too many.
    Raises E601 for models HiGHS cannot take, E602 without highspy, KeyboardInterrupt at a signal.
    """
    trial = _Filter(model, limit)
    feasible = trial.feasible()
    if feasible is False and trial.feasible(presolve=False):  # presolve has erred
        feasible = True
    if feasible is not False:
        return Conflict(feasible, (), False)
    for first, stop in trial.families():
        trial.leave_out(np.arange(first, stop))
    for first, stop in trial.families():
        if trial.kept[first]:
            trial.shrink(np.arange(first, stop))
    conflicting = []
    for block, (first, stop) in zip(model.rows, trial.families(), strict=True):
        rows = np.flatnonzero(trial.kept[first:stop])
        conflicting += [(block, rows)] if len(rows) else []
    return Conflict(False, tuple(conflicting), trial.decided)


class _Filter:
    """A model in HiGHS without objective, whose rows can be left out."""

    def __init__(self, model: Model, limit: float) -> None:
        self.model = model
        self.until = time.perf_counter() + limit
        nothing = replace(
            model.objective, constant=0.0, linear=np.zeros(0), quadratic=NO_QUADRATIC, slots=None
        )
        bare = replace(model, objective=nothing)
        self.arrays = assemble(bare, solvers()["highs"])
        # The stubs of highspy do not know changeRowsBounds.
        self.highs: Any = load(bare, self.arrays)[0]
        self.watch = Watch()
        heed_stop(self.highs, self.watch)
        self.kept = np.ones(self.arrays.rows, bool)
        self.decided = True

    def families(self) -> list[tuple[int, int]]:
        """First row and stop of every block."""
        stops = np.cumsum([block.length for block in self.model.rows]).tolist()
        return list(zip([0, *stops[:-1]], stops, strict=True))

    def feasible(self, presolve: bool = True) -> bool | None:
        """Whether what is kept has a solution; None when time does not suffice to tell, which
        without presolve is CHECK_SECONDS at most."""
        left = self.until - time.perf_counter()
        if left <= 0:
            return None
        self.highs.setOptionValue("presolve", "choose" if presolve else "off")
        seconds = left if presolve else min(left, CHECK_SECONDS)
        limit_seconds(self.highs, seconds, self.arrays)
        self.highs.clearSolver()
        if self.watch.run(partial(run_to_end, self.highs), stop=lambda: None):
            raise KeyboardInterrupt
        return {"kOptimal": True, "kInfeasible": False}.get(self.highs.getModelStatus().name)

    def leave_out(self, rows: np.ndarray) -> bool:
        """Leave the rows out for good when the others stay infeasible."""
        open_end = np.full(len(rows), inf)
        self._bound(rows, -open_end, open_end)
        feasible = self.feasible()
        if feasible is False:
            self.kept[rows] = False
            return True
        self.decided = self.decided and feasible is not None
        self._bound(rows, self.arrays.row_lower[rows], self.arrays.row_upper[rows])
        return False

    def shrink(self, rows: np.ndarray) -> None:
        """Leave out what can be of rows that cannot be left out together, or were not tried."""
        if len(rows) == 1:
            return
        for half in np.array_split(rows, 2):
            if not self.leave_out(half):
                self.shrink(half)

    def _bound(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        self.highs.changeRowsBounds(len(rows), rows.astype(np.int32), lower, upper)
