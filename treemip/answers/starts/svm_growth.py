"""Trees grown from the root down, each split the hyperplane of a linear SVM.

Boutilier, Michini, Zhou: Optimal multivariate decision trees (2023), section 5. At a branch, SVMs
of each class against each other one and against the rest, at eleven prices of slack, propose their
hyperplanes; the one of least Gini impurity is taken, or of least entropy or training error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from treemip.answers.search.gaps import widest_gap
from treemip.answers.starts.linear_svm import hinge_svm, squared_hinge_svm
from treemip.core.instance.trees import Forest
from treemip.core.model.tolerances import CLEARLY, ROUNDING, SAME_STEP
from treemip.core.solving.solve import is_available

PRICES = tuple(2.0**k for k in range(11))

WIDENED = 6
"""Hyperplanes of a branch whose widest gap is looked for, the best ones first."""

WIDEN_SECONDS = 1.0
"""Of the linear programs for one of them."""

# --------------------------------------------------------------------------------- criteria

Criterion = Callable[[np.ndarray], np.ndarray]


def gini(counts: np.ndarray) -> np.ndarray:
    """Gini impurity times the points' weight, float64 (...,), of weights by class (..., K)."""
    total = counts.sum(axis=-1)
    squares = (counts**2).sum(axis=-1)
    return total - np.divide(squares, total, out=np.zeros_like(total), where=total > 0)


def entropy(counts: np.ndarray) -> np.ndarray:
    """Shannon entropy in nats times the points' weight, as `gini`."""
    total = counts.sum(axis=-1, keepdims=True)
    ratio = np.divide(total, counts, out=np.ones_like(counts), where=counts > 0)
    return np.asarray((counts * np.log(ratio)).sum(axis=-1))


def errors(counts: np.ndarray) -> np.ndarray:
    """The weight of all classes but the heaviest, as `gini`."""
    return np.asarray(counts.sum(axis=-1) - counts.max(axis=-1))


CRITERIA: tuple[Criterion, ...] = (gini, entropy, errors)


# ----------------------------------------------------------------------------- hyperplanes


@dataclass(frozen=True)
class Boundary:
    """Points with weights . x <= threshold go left; float64 (p,), of 1-norm 1. Of the points it was
    made for: left bool (m,), and gap, the distance between those on the two sides."""

    weights: np.ndarray
    threshold: float
    left: np.ndarray
    gap: float

    def turned(self) -> Boundary:
        """The same with the sides exchanged."""
        return Boundary(-self.weights, -self.threshold, ~self.left, self.gap)


def boundaries(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, late: Callable[[], bool]
) -> Iterator[np.ndarray]:
    """SVMs of points x float64 (m, p) with classes y and weights: float64 (p + 1,) each.

    Each pair of classes with the hinge loss, each class against the rest with the squared hinge,
    as the paper takes them from scikit-learn's SVC and LinearSVC. Low prices come first; after
    the first one it ends when it is late.
    """
    classes = np.unique(y).tolist()
    pairs = [(hinge_svm, a, np.isin(y, (a, b))) for a, b in combinations(classes, 2)]
    ones = classes if len(classes) > 2 else classes[:1]
    everyone = np.ones(len(y), bool)
    problems = [*pairs, *((squared_hinge_svm, a, everyone) for a in ones)]
    for price in PRICES:
        for number, (svm, one, rows) in enumerate(problems):
            if (number or price > PRICES[0]) and late():
                return
            try:
                yield svm(x[rows], y[rows] == one, price * weight[rows])
            except np.linalg.LinAlgError:
                continue


def placed(x: np.ndarray, theta: np.ndarray, gap: float) -> Boundary | None:
    """The hyperplane with the weights of an SVM, amid the gap between points x (m, p) that is
    nearest to its own place; None where no gap along weights of 1-norm 1 is that wide."""
    size = np.abs(theta[:-1]).sum()
    if size <= ROUNDING:
        return None
    weights, own = theta[:-1] / size, -theta[-1] / size
    position = x @ weights
    order = np.sort(position)
    wide = np.flatnonzero(np.diff(order) >= max(gap * (1 + CLEARLY), SAME_STEP))
    if not len(wide):
        return None
    low, high = order[wide], order[wide + 1]
    nearest = int(np.maximum(low - own, own - high).argmin())
    threshold = float(low[nearest] / 2 + high[nearest] / 2)
    return Boundary(weights, threshold, position <= threshold, float((high - low)[nearest]))


def widened(x: np.ndarray, boundary: Boundary, least: float) -> Boundary | None:
    """The hyperplane in the widest gap that parts the points x as it does; None where that is
    narrower than `least`, or no linear programs can be solved."""
    if not (is_available("highs") or is_available("scip")):
        return None
    sides = x[boundary.left], x[~boundary.left]
    gap = widest_gap(*sides, boundary.weights, WIDEN_SECONDS, least * (1 + CLEARLY))
    if gap is None:
        return None
    weights, low, width = gap
    return Boundary(weights, low + width / 2, boundary.left, width)


# --------------------------------------------------------------------------------- growing


@dataclass(frozen=True)
class Part:
    """A grown node and what is below it. counts float64 (K,): the weights of its classes."""

    node: int
    counts: np.ndarray
    boundary: Boundary | None = None
    left: Part | None = None
    right: Part | None = None

    @property
    def errors(self) -> float:
        """Of the leaves below."""
        if self.left is None or self.right is None:
            return float(errors(self.counts))
        return self.left.errors + self.right.errors


class Grower:
    """Trees of the same points, by different criteria and gaps, which share the SVMs of a branch.

    x float64 (N, p), y and weight (N,), heavy (N, K): each point's weight under its class. sides
    int64 (nodes,): the class of each leaf where its side gives it, None where leaves have their
    majority's.
    """

    def __init__(
        self,
        x: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        heavy: np.ndarray,
        topology: Forest,
        sides: np.ndarray | None,
        late: Callable[[], bool],
    ) -> None:
        self.x, self.y, self.weight, self.heavy = x, y, weight, heavy
        self.topology, self.sides, self.late = topology, sides, late
        self.svms: dict[bytes, list[np.ndarray]] = {}
        self.gaps: dict[tuple[bytes, bytes, float], Boundary | None] = {}

    def grow(self, criterion: Criterion, gap: float) -> Part:
        """The whole tree. A branch ends where its points are of one class, where no SVM parts
        them that far (gap: along weights of 1-norm 1), and when it is late."""
        return self._grown(0, np.arange(len(self.y)), criterion, gap)

    def _grown(self, node: int, rows: np.ndarray, criterion: Criterion, gap: float) -> Part:
        counts = self.heavy[rows].sum(axis=0)
        bare = Part(node, counts)
        if self.topology.is_leaf[node] or np.count_nonzero(counts) <= 1 or (node and self.late()):
            return bare
        boundary = self._best(rows, counts, criterion, gap)
        if boundary is None:
            return bare
        boundary = self._oriented(node, boundary, boundary.left @ self.heavy[rows], counts)
        below = (
            self._grown(int(child[node]), rows[side], criterion, gap)
            for child, side in (
                (self.topology.left, boundary.left),
                (self.topology.right, ~boundary.left),
            )
        )
        return Part(node, counts, boundary, *below)

    def _best(
        self, rows: np.ndarray, counts: np.ndarray, criterion: Criterion, gap: float
    ) -> Boundary | None:
        """The hyperplane of least impurity that has the gap, or can be given it."""
        x = self.x[rows]
        places = (0.0, gap) if gap > 0 else (0.0,)
        proposed = [placed(x, theta, place) for theta in self._svms(rows) for place in places]
        splits = {one.left.tobytes(): one for one in proposed if one is not None}
        for one in proposed:  # of those that part the points alike, one with the gap
            if one is not None and one.gap >= gap:
                splits[one.left.tobytes()] = one
        if not splits:
            return None
        ordered = list(splits.values())
        left = np.stack([one.left for one in ordered]) @ self.heavy[rows]
        tries = WIDENED
        for at in (criterion(left) + criterion(counts - left)).argsort(kind="stable"):
            one = ordered[int(at)]
            if one.gap >= gap:
                return one
            tries -= 1
            if tries >= 0 and not self.late():
                wide = self._widened(rows, one, gap)
                if wide is not None:
                    return wide
        return None

    def _svms(self, rows: np.ndarray) -> list[np.ndarray]:
        key = rows.tobytes()
        if key not in self.svms:
            svms = boundaries(self.x[rows], self.y[rows], self.weight[rows], self.late)
            self.svms[key] = list(svms)
        return self.svms[key]

    def _widened(self, rows: np.ndarray, one: Boundary, gap: float) -> Boundary | None:
        key = rows.tobytes(), one.left.tobytes(), gap
        if key not in self.gaps:
            self.gaps[key] = widened(self.x[rows], one, gap)
        return self.gaps[key]

    def _oriented(
        self, node: int, boundary: Boundary, left: np.ndarray, counts: np.ndarray
    ) -> Boundary:
        """The hyperplane with the sides, of the two ways, that leave fewer errors in leaves right
        below: it matters where leaves have given classes, and where one side alone is a leaf."""
        here, there = self._missed(node, left, counts), self._missed(node, counts - left, counts)
        if here <= there:
            return boundary
        return boundary.turned()

    def _missed(self, node: int, left: np.ndarray, counts: np.ndarray) -> float:
        missed = 0.0
        for child, inside in ((self.topology.left, left), (self.topology.right, counts - left)):
            below = int(child[node])
            if self.topology.is_leaf[below]:
                own = None if self.sides is None else inside[self.sides[below]]
                missed += float(errors(inside) if own is None else inside.sum() - own)
        return missed
