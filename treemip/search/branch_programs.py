"""The hyperplane of one branch of a margin tree for given points, sides and features.

A hyperplane is (w, b), float64 (p + 1,): a point is at w . x + b, and goes left where that is
below 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.search.branch_rows import BranchModel, SideRows
from treemip.search.node_svm import Programs, solve_programs

KEPT = 2e-9  # what rows that must hold are kept by, more than rounding
MOST_KNOWN = 4000
MOST_NUMBERS = 1 << 22  # in the rows of the programs solved together
SMALL = 1e-9  # of the greatest coefficient; what is smaller is rounding


@dataclass(frozen=True)
class Hyperplane:
    """plane (p + 1,); value: of its program, infinite where no hyperplane keeps these sides.

    held float64 (N,): by how much the value would fall for a unit less of what each point's side
    asks for, where it must be kept.
    """

    plane: np.ndarray
    value: float
    held: np.ndarray


class BranchPrograms:
    """x float64 (N, p). share float64 (nodes,): the weight of each branch in a price of the
    greatest norm; 1 in all."""

    def __init__(self, model: BranchModel, x: np.ndarray) -> None:
        self.model, self.x = model, x
        self.one = np.concatenate([x, np.ones((len(x), 1))], axis=1)
        self.features = x.shape[1]
        self.share = np.zeros(model.square.shape[0])
        self._known: dict[tuple[object, ...], Hyperplane] = {}

    # ------------------------------------------------------------------------ worth

    def position(self, plane: np.ndarray, points: np.ndarray) -> np.ndarray:
        """w . x + b of the points, int64 (m,), float64 (m,)."""
        at: np.ndarray = self.one[points] @ plane
        return at

    def norm(self, node: int, plane: np.ndarray) -> float:
        """What the hyperplane itself costs, without prices of the greatest norm."""
        w = plane[:-1]
        return float(
            0.5 * self.model.square[node] @ (w * w) + self.model.absolute[node] @ np.abs(w)
        )

    def widest(self, planes: np.ndarray) -> float:
        """What the greatest norm costs; planes float64 (nodes, p + 1)."""
        half = 0.5 * (planes[:, :-1] ** 2).sum(axis=1)
        return sum(one.price * float((one.scale * half).max()) for one in self.model.widest)

    def losses(self, node: int, left: bool, plane: np.ndarray) -> np.ndarray:
        """What each of all points costs at a branch on that side, float64 (N,)."""
        side = self.model.sides[node, left]
        soft = np.isfinite(side.price) & (side.point >= 0)
        short = np.maximum(side.least[soft] - side.rows[soft] @ plane, 0.0)
        return np.bincount(side.point[soft], side.price[soft] * short, len(self.x))

    # --------------------------------------------------------------------- programs

    def on_sides(
        self, node: int, left: np.ndarray, right: np.ndarray, support: np.ndarray
    ) -> Hyperplane:
        """The best hyperplane with these points on its sides, both bool (N,)."""
        key = (node, left.tobytes(), right.tobytes(), support.tobytes(), self.share[node])
        if key not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            rows = self._rows(node, left, right)
            planes, values, duals = self._solved(node, rows, support[None])
            hard = np.isinf(rows.price) & (rows.point >= 0)
            held = np.bincount(rows.point[hard], duals[0, hard], len(self.x))
            self._known[key] = Hyperplane(planes[0], float(values[0]), held)
        return self._known[key]

    def free(
        self,
        node: int,
        points: np.ndarray,
        supports: np.ndarray,
        wish: SideRows | None = None,
        factor: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The best hyperplanes for these points, bool (N,), wherever they go from here.

        supports bool (K, p), all of as many features. wish: rows beside the branch's own.
        factor float64 (N,): of the points' prices. Gives planes (K, p + 1) and values (K,).
        """
        rows = self._rows(node, points, np.zeros_like(points), hard=False)
        if factor is not None:
            of_point = np.where(rows.point >= 0, factor[rows.point], 1.0)
            rows = SideRows(rows.rows, rows.point, rows.least, rows.price * of_point)
        if wish is not None:
            rows = SideRows.joined([rows, wish])
        planes, values, _ = self._solved(node, rows, supports)
        return planes, values

    def has_sides(self, node: int) -> bool:
        """Whether a point's side has rows that must hold."""
        sides = (self.model.sides[node, left] for left in (True, False))
        return any(bool((np.isinf(s.price) & (s.point >= 0)).any()) for s in sides)

    def _rows(self, node: int, left: np.ndarray, right: np.ndarray, hard: bool = True) -> SideRows:
        to_left, to_right = (self.model.sides[node, side] for side in (True, False))
        own = to_left.take(to_left.point < 0)
        rows = SideRows.joined([own, to_left.of(left), to_right.of(right)])
        if not hard:
            return rows.take(np.isfinite(rows.price) | (rows.point < 0))
        must = np.isinf(rows.price)
        return SideRows(
            rows.rows, rows.point, np.where(must, rows.least + KEPT, rows.least), rows.price
        )

    def _solved(
        self, node: int, rows: SideRows, supports: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        count = len(supports)
        planes = np.zeros((count, self.features + 1))
        values, duals = np.zeros(count), np.zeros((count, len(rows.least)))
        size = int(supports[0].sum()) if count else 0
        chunk = max(1, MOST_NUMBERS // max(1, len(rows.least) * (size + 1)))
        for start in range(0, count, chunk):
            at = slice(start, start + chunk)
            planes[at], values[at], duals[at] = self._together(node, rows, supports[at])
        return planes, values, duals

    def _together(
        self, node: int, rows: SideRows, supports: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Programs of as many features each, solved at once."""
        count, used = len(supports), [np.flatnonzero(s) for s in supports]
        size = len(used[0])
        columns = np.stack([np.append(u, self.features) for u in used])
        matrix = rows.rows[:, columns].transpose(1, 0, 2)
        square = self._square(node)[columns]
        linear, least, price = np.zeros(columns.shape), rows.least, rows.price
        absolute = np.append(self.model.absolute[node], 0.0)[columns][:, :size]
        if absolute.any():  # a column a_j with -a_j <= w_j <= a_j for each feature
            bounds = np.zeros((2 * size, 2 * size + 1))
            feature = np.arange(size)
            for half, sign in ((0, 1.0), (size, -1.0)):
                bounds[half + feature, feature] = sign
                bounds[half + feature, size + 1 + feature] = 1.0
            wide = np.zeros((count, matrix.shape[1], size))
            matrix = np.concatenate([matrix, wide], axis=2)
            matrix = np.concatenate([matrix, np.tile(bounds, (count, 1, 1))], axis=1)
            least = np.concatenate([least, np.zeros(2 * size)])
            price = np.concatenate([price, np.full(2 * size, np.inf)])
            square = np.concatenate([square, np.zeros((count, size))], axis=1)
            linear = np.concatenate([linear, absolute], axis=1)
        solved = solve_programs(
            Programs(np.ascontiguousarray(matrix), least, price, square, linear)
        )
        planes = np.zeros((count, self.features + 1))
        np.put_along_axis(planes, columns, solved.z[:, : size + 1], axis=1)
        w = planes[:, :-1]
        if not len(rows.least) or absolute.any():
            w[np.abs(w) <= SMALL * np.abs(w).max(axis=1, initial=0.0)[:, None]] = 0.0
        return planes, solved.value, solved.multipliers[:, : len(rows.least)]

    def _square(self, node: int) -> np.ndarray:
        square = self.model.square[node].copy()
        for one in self.model.widest:
            square += one.price * self.share[node] * one.scale[node]
        return np.append(square, 0.0)
