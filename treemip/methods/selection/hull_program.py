"""How far a point is from the hull of others, by one linear program that is solved from the last
basis."""

from __future__ import annotations

from typing import Any

import numpy as np

from treemip.core.model.tolerances import HULL, TIGHT
from treemip.core.solvers.highs.model import run, silent_highs
from treemip.core.source.diagnostic import Diagnostic, TreemipError

WIDTH = 8
"""Columns for each row and beside them, above which those that are not basic are left out."""

AT_ONCE = 4
"""Columns that come in together."""


class HullProgram:
    """min |x - sum_k share_k x_k - e|_1 + |1 - sum_k share_k|, share >= 0, |e| <= eps by feature.

    x float64 (n, p) are all points, of which `add` brings some in as columns k; eps (p,).
    """

    def __init__(self, x: np.ndarray, eps: np.ndarray) -> None:
        self.x, self.rows = x, np.arange(x.shape[1] + 1, dtype=np.int32)
        self.columns: list[int] = []
        self.known = np.zeros(0, np.int64)
        self.among = np.zeros(len(x), bool)  # which points have a column
        self.solved = 0
        self.highs: Any = silent_highs()
        for option, value in (
            ("threads", 1),
            ("presolve", "off"),
            ("primal_feasibility_tolerance", TIGHT),
            ("dual_feasibility_tolerance", TIGHT),
        ):
            self.highs.setOptionValue(option, value)
        size = len(self.rows)
        self.highs.addRows(size, np.zeros(size), np.zeros(size), 0, *_no_entries(size))
        for sign in (1.0, -1.0):
            self._unit_columns(size, 1.0, 0.0, np.full(size, np.inf), sign)
        if eps.any():
            self._unit_columns(size - 1, 0.0, -eps, eps, 1.0)
        self.fixed = self.highs.getNumCol()

    def _unit_columns(
        self, count: int, cost: float, low: np.ndarray | float, high: np.ndarray, sign: float
    ) -> None:
        lows = np.broadcast_to(np.asarray(low, float), count).copy()
        starts, rows = np.arange(count, dtype=np.int32), self.rows[:count]
        signs = np.full(count, sign)
        self.highs.addCols(count, np.full(count, cost), lows, high, count, starts, rows, signs)

    def add(self, k: int) -> None:
        """Let point k share in combinations."""
        self.known = np.append(self.known, k)

    def remove(self, k: int) -> None:
        """Let point k share in none any longer."""
        self.known = self.known[self.known != k]
        self._keep_columns(np.array(self.columns, np.int64) != k)

    def solve(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """The distance of a point (p,), and the direction (p,) in which it is farther out than
        every usable point.

        The program has columns for few of them: those that are farther out in the dual's direction
        come in until there are none.
        """
        if len(self.columns) > WIDTH * len(self.rows) + WIDTH:
            self._keep_columns(np.array(self.highs.getSolution().col_value)[self.fixed :] > 0)
        right = np.append(point, 1.0)
        self.highs.changeRowsBounds(len(self.rows), self.rows, right, right)
        while True:
            self._run()
            distance = float(self.highs.getInfo().objective_function_value)
            dual = np.array(self.highs.getSolution().row_dual)
            if distance <= HULL:
                return distance, dual[:-1]
            costs = self.x[self.known] @ dual[:-1] + dual[-1]
            violated = np.flatnonzero(costs > TIGHT)
            violated = violated[~self.among[self.known[violated]]]
            if not len(violated):
                return distance, dual[:-1]
            self._bring_in(self.known[violated[np.argsort(-costs[violated])[:AT_ONCE]]])

    def _bring_in(self, points: np.ndarray) -> None:
        size = len(self.rows)
        columns = np.append(self.x[points], np.ones((len(points), 1)), axis=1)
        zeros, infinite = np.zeros(len(points)), np.full(len(points), np.inf)
        starts = size * np.arange(len(points), dtype=np.int32)
        rows = np.tile(self.rows, len(points))
        count = len(points)
        self.highs.addCols(
            count, zeros, zeros, infinite, columns.size, starts, rows, columns.ravel()
        )
        self.columns += points.tolist()
        self.among[points] = True

    def _keep_columns(self, kept: np.ndarray) -> None:
        """Leave out the columns of the others."""
        out = (self.fixed + np.flatnonzero(~kept)).astype(np.int32)
        if len(out):
            self.highs.deleteCols(len(out), out)
            columns = np.array(self.columns, np.int64)
            self.among[columns[~kept]] = False
            self.columns = columns[kept].tolist()

    def _run(self) -> None:
        """Solve; from scratch where the last basis leads nowhere."""
        run(self.highs)
        self.solved += 1
        if not self._optimal():
            self.highs.clearSolver()
            self.highs.run()
            if not self._optimal():
                raise unsolved("a linear program of the hull")

    def _optimal(self) -> bool:
        return bool(self.highs.getModelStatus().name == "kOptimal")

    def combination(self) -> tuple[np.ndarray, np.ndarray]:
        """The columns that the last point is combined of, int64 (m,), and their shares (m,)."""
        values = np.array(self.highs.getSolution().col_value)[self.fixed :]
        used = np.flatnonzero(values > HULL)
        return np.array(self.columns, np.int64)[used], values[used] / values[used].sum()

    def holds_without(self, k: int) -> bool:
        """Whether point k is in the hull of the other usable points."""
        self.remove(k)
        distance, _ = self.solve(self.x[k])
        self.add(k)
        return distance <= HULL


def unsolved(program: str) -> TreemipError:
    """E312, where HiGHS fails."""
    message = f"HiGHS does not solve {program}"
    return TreemipError(Diagnostic.outside("E312", message, "leave `select` out of the strategy"))


def _no_entries(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros(size, np.int32), np.zeros(0, np.int32), np.zeros(0)
