"""How far a point is from the hull of others: one linear program that stays warm."""

from __future__ import annotations

import numpy as np

from treemip.model.tolerances import HULL, TIGHT


class HullProgram:
    """min |x - sum_k share_k x_k - e|_1 + |1 - sum_k share_k|, share >= 0, |e| <= eps by feature.

    x float64 (n, p) are all points, of which `add` brings some in as columns k; eps (p,).
    """

    def __init__(self, x: np.ndarray, eps: np.ndarray) -> None:
        import highspy

        self.x, self.rows = x, np.arange(x.shape[1] + 1, dtype=np.int32)
        self.columns: list[int] = []
        self.place: dict[int, int] = {}
        self.solved = 0
        self.highs = highspy.Highs()
        for option, value in (
            ("output_flag", False),
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
        """Point k as a column."""
        column = np.append(self.x[k], 1.0)
        self.highs.addCol(0.0, 0.0, np.inf, len(self.rows), self.rows, column)
        self.place[k] = self.fixed + len(self.columns)
        self.columns.append(k)

    def remove(self, k: int) -> None:
        """Point k is a column no longer; it may be added again."""
        self.highs.changeColBounds(self.place[k], 0.0, 0.0)

    def solve(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """The distance of a point (p,), and the direction (p,) in which it is farther out than
        every column."""
        right = np.append(point, 1.0)
        self.highs.changeRowsBounds(len(self.rows), self.rows, right, right)
        self.highs.run()
        self.solved += 1
        if not self._optimal():
            self.highs.clearSolver()
            self.highs.run()
            if not self._optimal():
                raise ArithmeticError("HiGHS does not solve a linear program of the hull")
        dual = np.array(self.highs.getSolution().row_dual)
        return float(self.highs.getInfo().objective_function_value), dual[:-1]

    def _optimal(self) -> bool:
        return bool(self.highs.getModelStatus().name == "kOptimal")

    def combination(self) -> tuple[np.ndarray, np.ndarray]:
        """The columns that the last point is combined of, int64 (m,), and their shares (m,)."""
        values = np.array(self.highs.getSolution().col_value)[self.fixed :]
        used = np.flatnonzero(values > HULL)
        return np.array(self.columns, np.int64)[used], values[used] / values[used].sum()

    def holds_without(self, k: int) -> bool:
        """Whether point k is in the hull of the other columns."""
        self.highs.changeColBounds(self.place[k], 0.0, 0.0)
        distance, _ = self.solve(self.x[k])
        self.highs.changeColBounds(self.place[k], 0.0, np.inf)
        return distance <= HULL


def _no_entries(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros(size, np.int32), np.zeros(0, np.int32), np.zeros(0)
