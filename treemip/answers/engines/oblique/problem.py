"""A spec over oblique trees as whole-number losses of points, and the gap its hyperplanes keep."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

import numpy as np

from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.sums import Sums
from treemip.core.instance.trees import Forest
from treemip.core.model.tolerances import NO_COST, UNIT_LOSS, UNIT_RATIO

MOST_LOSS = 500  # units that one point may lose: the more distinct sums, the more clauses
FINEST = 1000  # a unit is no finer than this fraction of the smallest loss


@dataclass(frozen=True)
class ObliqueProblem:
    """x float64 (M, p): distinct points. loss int64 (M, K): how much worse a label is than the
    point's best one, in units. A tree's objective, to be minimized, is base + unit * its losses.

    gap: at each branch, a . x with |a|_1 <= 1 separates left from right points by at least this.
    norms float64 (nodes,): how great |a|_1 may be in the stated model; 1 where it is None.
    """

    topology: Forest
    x: np.ndarray
    loss: np.ndarray
    unit: float
    base: float
    gap: float
    norms: np.ndarray | None = None

    def norm(self, node: int) -> float:
        return 1.0 if self.norms is None else float(self.norms[node])

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """For each leaf, in the order of `topology.leaves`, the nodes from it up to below the
        root."""
        return tuple(tuple(self.topology.upwards(leaf)[:-1]) for leaf in self.topology.leaves)

    def objective(self, losses: int) -> float:
        """To be minimized."""
        return self.base + self.unit * losses

    def losses(self, objective: float) -> int:
        """The least whole number of units that is no better than an objective, to be minimized."""
        exact = (objective - self.base) / self.unit
        return int(np.ceil(exact - UNIT_LOSS))


def problem_of(
    sums: Sums, topology: Forest, x: np.ndarray, gap: float, norms: np.ndarray | None = None
) -> ObliqueProblem:
    """x float64 (M, p) are the points of `sums`, which know no constraints. Raises Refusal where
    the spec's objective is no sum over points of multiples of one number."""
    if sums.answers.values is not None:
        raise Refusal(f"its leaves have {'shares' if sums.answers.are_shares else 'values'}")
    if "bias" in sums.families or "coef" in sums.families:
        raise Refusal("it depends on where hyperplanes are, not only on which points they separate")
    if sums.opaque:
        raise Refusal(
            f"it depends on '{sums.opaque[0]}', which does not follow from splits and points"
        )
    if any(fold.to[:, 0].any() for fold in sums.folds):
        raise Refusal("its objective takes functions of sums, such as abs, max or a square")
    if 0 in sums.local_rows or sums.label[:, :, 0].any():
        raise Refusal("its objective treats leaves differently")
    if sums.structure[:, 0].any():
        raise Refusal("its objective has prices of splits or leaves")
    costs = sums.sign * sums.shared[:, :, 0]
    least = costs.min(axis=1, keepdims=True)
    loss, unit = in_units(costs - least)
    base = sums.sign * float(sums.constant[0]) + float(least.sum())
    return ObliqueProblem(topology, x, loss, unit, base, gap, norms)


def in_units(loss: np.ndarray) -> tuple[np.ndarray, float]:
    """The losses float64 (M, K) as int64 multiples of a unit. Raises Refusal where there is none
    that they are all multiples of, up to rounding."""
    sizes = np.unique(loss)
    sizes = sizes[sizes > NO_COST * max(1.0, float(np.abs(loss).max(initial=0.0)))]
    if not len(sizes):
        return np.zeros(loss.shape, np.int64), 1.0
    ratios = [Fraction(float(s / sizes[0])).limit_denominator(FINEST) for s in sizes]
    parts = lcm(*(r.denominator for r in ratios))
    common = gcd(*(int(r * parts) for r in ratios))
    unit = float(sizes[0]) * common / parts
    if sizes[-1] / unit > MOST_LOSS:
        raise Refusal("the points' losses are not small multiples of one number")
    whole = np.round(loss / unit)
    if not np.allclose(whole * unit, loss, rtol=UNIT_RATIO, atol=NO_COST):
        raise Refusal("the points' losses are not small multiples of one number")
    return whole.astype(np.int64), unit
