"""Points that no hyperplane separates: certificates by linear programming, checked independently of
it.

S-OCT (6a), (6b) and (5) ask, at a branch with the points L on its left and R on its right, for
a . x_i <= b over L, a . x_i - eps >= b over R and |a|_1 <= 1; the bounds -1 <= a, b <= 1 cut off
nothing with features in [0, 1]. OCT-H has mu on the left side instead. By linear programming
duality, the widest such gap is the least |sum_R q_i x_i - sum_L q_i x_i|_inf over q >= 0 that sum
to 1 on each side. Multipliers q for which that is below eps prove that no hyperplane parts the
points with q > 0, whatever the others do.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from treemip.core.model.tolerances import CERTIFIED, PROGRAM_BAND
from treemip.core.solvers.highs.model import run, silent_highs
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import Diagnostic, TreemipError

Support = tuple[tuple[int, ...], tuple[int, ...]]
"""Points on one side and points on the other, in order."""


class Supports:
    """Finds inseparable supports among points x (M, p) that a hyperplane must part by `gap`.

    With a gap of 0 hulls must meet, up to rounding: points that some hyperplane parts, however
    narrowly, are in no support.
    """

    def __init__(self, x: np.ndarray, gap: float, rng: np.random.Generator) -> None:
        varied = np.ptp(x, axis=0) > 0
        self.x, self.gap, self.rng = x[:, varied], gap, rng

    def among(
        self,
        left: np.ndarray,
        right: np.ndarray,
        most: int,
        until: float = np.inf,
        seen: np.ndarray | None = None,
    ) -> list[Support]:
        """Up to `most` supports among points left and right, none where a gap parts them.

        Random prices on the points vary the supports; those found before cost more. Fewer may be
        found by `until` of time.perf_counter(). seen: float64 (M,), how often each point was in a
        support, where that is remembered from call to call and fades: halved by each support, with
        1 more for its points (Boutilier et al. 2023, section 4.1).
        """
        if not len(left) or not len(right):
            return []
        rng, columns = self.rng, len(left) + len(right)
        points = np.concatenate([left, right])
        first = rng.random(columns) if seen is None else rng.random(columns) + seen[points]
        program = self._program(left, right, first)
        penalty, every = np.zeros(columns), np.arange(columns, dtype=np.int32)
        supports: list[Support] = []
        for turn in range(most):
            if turn and time.perf_counter() > until:
                break
            if turn:
                program.changeColsCost(columns, every, 0.5 * rng.random(columns) + penalty)
            q = _multipliers(program)
            if q is None:
                break
            support = self._checked(left, right, q)
            if support is not None:
                supports.append(support)
            if seen is None:
                penalty[q > CERTIFIED] += 1.0
            else:
                seen *= 0.5
                seen[points[q > CERTIFIED]] += 1.0
                penalty = seen[points]
        return supports

    def _program(self, left: np.ndarray, right: np.ndarray, cost: np.ndarray) -> Any:
        """The multipliers of an inseparable support, if there is one, as a HiGHS model."""
        highspy = needed("highspy", "highs")
        features, columns = self.x.shape[1], len(left) + len(right)
        dense = np.zeros((columns, features + 2))
        dense[: len(left), :features] = self.x[left]
        dense[len(left) :, :features] = -self.x[right]
        dense[: len(left), features] = 1.0
        dense[len(left) :, features + 1] = 1.0
        at = np.nonzero(dense)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = columns, features + 2
        program.col_cost_ = cost
        program.col_lower_, program.col_upper_ = np.zeros(columns), np.full(columns, np.inf)
        width = max(self.gap - PROGRAM_BAND, 0.0)
        band = np.append(np.full(features, width), [0.0, 0.0])
        middle = np.append(np.zeros(features), [1.0, 1.0])
        program.row_lower_, program.row_upper_ = middle - band, middle + band
        matrix = program.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kColwise
        counts = np.bincount(at[0], minlength=columns)
        matrix.start_ = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        matrix.index_, matrix.value_ = at[1].astype(np.int32), dense[at]
        highs = silent_highs()
        for option, value in OPTIONS.items():
            highs.setOptionValue(option, value)
        highs.passModel(program)
        return highs

    def _checked(self, left: np.ndarray, right: np.ndarray, q: np.ndarray) -> Support | None:
        """The points with multipliers, where these prove by themselves that they are inseparable.

        Multipliers are cut off at CERTIFIED and brought to a sum of 1; then only rounding errors of
        1e-15 a term stand between the computed distance and the true one.
        """
        q = np.where(q > CERTIFIED, q, 0.0)
        one, other = q[: len(left)], q[len(left) :]
        if not one.any() or not other.any():
            return None
        one, other = one / one.sum(), other / other.sum()
        distance = np.abs(one @ self.x[left] - other @ self.x[right]).max(initial=0.0)
        if not distance <= (self.gap - CERTIFIED if self.gap else CERTIFIED):
            return None
        return tuple(left[one > 0].tolist()), tuple(right[other > 0].tolist())


OPTIONS = {"threads": 1, "presolve": "off"}


def _multipliers(program: Any) -> np.ndarray | None:
    """The optimum, None where the points can be parted. A solve that ends otherwise says neither:
    it is tried once more with presolve, on a scheduler of its own, and then raises E604."""
    run(program)
    if _status(program) not in ("Optimal", "Infeasible"):
        program.resetGlobalScheduler(True)
        program.clearSolver()
        program.setOptionValue("presolve", "on")
        program.run()
        program.setOptionValue("presolve", "off")
    status = _status(program)
    if status == "Infeasible":
        return None
    if status != "Optimal":
        raise TreemipError(
            Diagnostic.outside(
                "E604",
                f"HiGHS stopped with '{status}' on a linear program that seeks inseparable points",
                "scale the features, or solve without 'separate'",
            )
        )
    return np.array(program.getSolution().col_value)


def _status(program: Any) -> str:
    return str(program.modelStatusToString(program.getModelStatus()))
