"""The best hyperplane of one branch of a margin tree, for given points, sides and features.

Each is a convex quadratic program, and many of one size are solved at once by a primal-dual
interior-point method in numpy:

    min  1/2 z' diag(square) z + linear . z + sum over soft rows of price * xi
    s.t. rows z + xi >= least,  xi >= 0 on soft rows,  xi = 0 on the others,

with a few dozen columns at most and a row for each point. Newton's system is reduced to these
columns (Mehrotra's predictor-corrector; Ferris and Munson, Interior-point methods for massive
support vector machines, 2002), so a problem takes milliseconds whatever its prices.

A hyperplane is (w, b), float64 (p + 1,): a point is at w . x + b, and goes left where that is
below 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.answers.search.margin_trees.branch_rows import BranchModel, SideRows
from treemip.core.model.tolerances import NEGLIGIBLE, ROUNDING, SVM_FEASIBLE, SVM_GAP, SVM_KEPT

ITERATIONS = 60


@dataclass(frozen=True)
class Programs:
    """K programs of one size: rows float64 (K, n, m), square and linear (K, m), least (n,).

    price float64 (n,): of a unit that a row is short of, infinite where it must hold.
    """

    rows: np.ndarray
    least: np.ndarray
    price: np.ndarray
    square: np.ndarray
    linear: np.ndarray


@dataclass(frozen=True)
class Solutions:
    """z float64 (K, m), value (K,), infinite where a hard row fails; multipliers (K, n)."""

    z: np.ndarray
    value: np.ndarray
    multipliers: np.ndarray


def solve_programs(programs: Programs) -> Solutions:
    """The optima of the programs."""
    count, rows, columns = programs.rows.shape
    if not rows:
        return _without_rows(programs)
    solver = _Interior(programs)
    z, dual = np.zeros((count, columns)), np.zeros((count, rows))
    for _ in range(ITERATIONS):
        done = solver.converged
        if done.any():
            z[solver.which[done]], dual[solver.which[done]] = solver.z[done], solver.alpha[done]
            solver.keep(~done)
            if not len(solver.which):
                break
        if not solver.step():
            break
    z[solver.which], dual[solver.which] = solver.z, solver.alpha
    return Solutions(z, _values(programs, z), dual)


def _without_rows(programs: Programs) -> Solutions:
    count, rows, columns = programs.rows.shape
    return Solutions(np.zeros((count, columns)), np.zeros(count), np.zeros((count, rows)))


def _values(programs: Programs, z: np.ndarray) -> np.ndarray:
    """What each z is worth, infinite where a hard row does not hold or z is no number."""
    short = programs.least - _reached(programs.rows, z)
    soft = np.isfinite(programs.price)
    value = (0.5 * programs.square * z * z + programs.linear * z).sum(axis=1)
    value += np.maximum(short[:, soft], 0.0) @ programs.price[soft]
    missed = short[:, ~soft].max(axis=1, initial=0.0) > SVM_FEASIBLE
    return np.where(missed | ~np.isfinite(value), np.inf, value)


class _Interior:
    """The iterates of the programs that have not converged; `which` numbers them."""

    def __init__(self, programs: Programs) -> None:
        self.rows, self.least = programs.rows, programs.least
        self.square, self.linear = programs.square + ROUNDING, programs.linear
        count, _, columns = programs.rows.shape
        self.which = np.arange(count)
        self.soft = np.isfinite(programs.price)
        usual = float(np.median(programs.price[self.soft])) if self.soft.any() else 1.0
        self.price = np.where(self.soft, programs.price, 0.0)
        first = np.where(self.soft, programs.price / 2, max(usual, ROUNDING) / 2)
        self.z = np.zeros((count, columns))
        self.alpha = np.tile(first, (count, 1))  # multipliers of the rows
        self.mu = np.where(self.soft, self.alpha, 1.0)  # and of xi >= 0
        short = np.where(self.soft, np.maximum(self.least, 0.0) + 1.0, 0.0)
        self.xi = np.tile(short, (count, 1))
        self.over = np.where(self.soft, self.xi - self.least, 1.0)
        self.dual, self.primal = self._residuals

    def keep(self, some: np.ndarray) -> None:
        for name in (
            "which",
            "rows",
            "square",
            "linear",
            "z",
            "alpha",
            "mu",
            "xi",
            "over",
            "dual",
            "primal",
        ):
            setattr(self, name, getattr(self, name)[some])

    @property
    def _residuals(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the dual and the primal equations, (K, m) and (K, n)."""
        dual = self.square * self.z + self.linear - _transposed(self.rows, self.alpha)
        reached = _reached(self.rows, self.z)
        return dual, reached + self.xi - self.over - self.least

    @property
    def converged(self) -> np.ndarray:
        self.dual, self.primal = self._residuals
        dual, primal = self.dual, self.primal
        gap = (self.alpha * self.over + self.mu * self.xi).sum(axis=1)
        size = 0.5 * (self.square * self.z * self.z).sum(axis=1) + self.xi @ self.price
        small = SVM_FEASIBLE * (1.0 + np.abs(self.alpha).max(axis=1))
        near = (np.abs(primal).max(axis=1) <= SVM_FEASIBLE / 10) & (
            np.abs(dual).max(axis=1) <= small
        )
        return near & (gap <= SVM_GAP * (1e-3 + np.abs(size)))

    def step(self) -> bool:
        """One predictor-corrector step from where `converged` was asked; False where the numbers
        give out."""
        dual, primal = self.dual, self.primal
        pairs = self.rows.shape[1] + int(self.soft.sum())
        gap = (self.alpha * self.over + self.mu * self.xi).sum(axis=1)
        with np.errstate(all="ignore"):
            weight = 1.0 / (np.where(self.soft, self.xi / self.mu, 0.0) + self.over / self.alpha)
            weighted = self.rows * weight[:, :, None]
            system = np.matmul(weighted.transpose(0, 2, 1), self.rows)
            at = np.arange(self.z.shape[1])
            system[:, at, at] += self.square
            if not np.isfinite(system).all():
                return False
            aim = (-self.alpha * self.over, -self.mu * self.xi)
            try:
                moves = self._direction(system, weight, dual, primal, aim)
                far = self._length(moves)[:, None]
                _, alpha, mu, xi, over = moves
                ahead = (self.alpha + far * alpha) * (self.over + far * over)
                ahead += (self.mu + far * mu) * (self.xi + far * xi)
                centre = (ahead.sum(axis=1) / gap) ** 3 * gap / pairs
                centre = np.where(np.isfinite(centre), centre, 0.0)[:, None]
                aim = (
                    aim[0] - alpha * over + centre,
                    aim[1] + np.where(self.soft, centre - mu * xi, 0.0),
                )
                moves = self._direction(system, weight, dual, primal, aim)
            except np.linalg.LinAlgError:
                return False
            far = 0.995 * self._length(moves)[:, None]
        if not all(np.isfinite(move).all() for move in moves):
            return False
        for name, move in zip(("z", "alpha", "mu", "xi", "over"), moves, strict=True):
            setattr(self, name, getattr(self, name) + far * move)
        return True

    def _direction(
        self,
        system: np.ndarray,
        weight: np.ndarray,
        dual: np.ndarray,
        primal: np.ndarray,
        aim: tuple[np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, ...]:
        """Newton's step towards alpha * over + aim[0] and mu * xi + aim[1]."""
        short = np.where(self.soft, aim[1] / self.mu, 0.0)
        open_ = aim[0] / self.alpha - primal - short
        right = _transposed(self.rows, weight * open_) - dual
        z = np.linalg.solve(system, right[:, :, None])[:, :, 0]
        alpha = weight * (open_ - _reached(self.rows, z))
        over = (aim[0] - self.over * alpha) / self.alpha
        xi = np.where(self.soft, short + self.xi / self.mu * alpha, 0.0)
        return z, alpha, np.where(self.soft, -alpha, 0.0), xi, over

    def _length(self, moves: tuple[np.ndarray, ...]) -> np.ndarray:
        """How far each program may go along its step and stay inside, (K,), at most 1."""
        far = np.ones(len(self.which))
        for now, move in zip((self.alpha, self.mu, self.xi, self.over), moves[1:], strict=True):
            ratio = np.where(move < 0, -now / move, np.inf)
            far = np.minimum(far, ratio.min(axis=1))
        return far


def _reached(rows: np.ndarray, z: np.ndarray) -> np.ndarray:
    """rows @ z of each program, float64 (K, n)."""
    product: np.ndarray = np.matmul(rows, z[:, :, None])[:, :, 0]
    return product


def _transposed(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """rows' @ values of each program, float64 (K, m)."""
    product: np.ndarray = np.matmul(values[:, None, :], rows)[:, 0]
    return product


# -------------------------------------------------------------- hyperplanes of a branch


MOST_KNOWN = 4000
MOST_NUMBERS = 1 << 22  # in the rows of the programs solved together


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
            rows.rows, rows.point, np.where(must, rows.least + SVM_KEPT, rows.least), rows.price
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
            w[np.abs(w) <= NEGLIGIBLE * np.abs(w).max(axis=1, initial=0.0)[:, None]] = 0.0
        return planes, solved.value, solved.multipliers[:, : len(rows.least)]

    def _square(self, node: int) -> np.ndarray:
        square = self.model.square[node].copy()
        for one in self.model.widest:
            square += one.price * self.share[node] * one.scale[node]
        return np.append(square, 0.0)
