"""Trees of any shape on tiny data: shapes, and for each formulation all ways to split some points.

A way to split the points S at a branch is the subset that goes left, with what it costs there. It
is found without anything of treemip: by thresholds, or by a small linear or quadratic program for
each subset.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product

import numpy as np
from scipy.optimize import LinearConstraint, linprog, minimize

Shape = tuple  # () is a leaf, (left, right) a branch
Points = frozenset[int]

LEAF: Shape = ()
FIXED = [
    "(. .)",
    "((. .) .)",
    "(. (. .))",
    "((. .) (. .))",
    "((. (. .)) .)",
    "(((. .) .) .)",
    "(((. .) (. .)) .)",
    "(. (. ((. .) .)))",
]
"""One leaf on one side only, both sides, zigzags, depths 1 to 4."""


def read(text: str) -> Shape:
    """The shape that a drawing such as "((. .) .)" has."""
    found: Shape = literal_eval(text.replace(".", "()").replace(" ", ","))
    return found


def drawn(shape: Shape) -> str:
    return f"({drawn(shape[0])} {drawn(shape[1])})" if shape else "."


def random_shape(rng: np.random.Generator, leaves: int) -> Shape:
    """A branch with so many leaves, at most 4 deep for 5 leaves, each size of a side as likely."""
    if leaves == 1:
        return LEAF
    left = int(rng.integers(1, leaves))
    return (random_shape(rng, left), random_shape(rng, leaves - left))


def depth(shape: Shape) -> int:
    return 1 + max(map(depth, shape)) if shape else 0


@dataclass
class Ways:
    """All ways to split points of x (N, p), with classes y (N,); costs by (points, left)."""

    x: np.ndarray
    y: np.ndarray
    last: bool = False  # whether a branch whose children are leaves is another case
    stops: bool = False  # whether a branch may be a leaf
    leaf_price: float = 1.0
    known: dict[tuple, float | None] = field(default_factory=dict)

    def price(self, here: Points, left: Points, outer: tuple[bool, bool]) -> float | None:
        """Cost at the branch; None where the points cannot be parted so.

        outer: whether the left and the right child are leaves.
        """
        raise NotImplementedError

    def all(self, here: Points, outer: tuple[bool, bool]) -> Iterator[tuple[Points, float]]:
        """Each subset of `here` that can go left, with its cost."""
        for size in range(len(here) + 1):
            for chosen in combinations(sorted(here), size):
                left = frozenset(chosen)
                key = (here, left, outer if self.last else None)
                if key not in self.known:
                    self.known[key] = self.price(here, left, outer)
                cost = self.known[key]
                if cost is not None:
                    yield left, cost

    def leaf(self, here: Points) -> float:
        counts = np.bincount(self.y[sorted(here)], minlength=1)
        return self.leaf_price * (len(here) - int(counts.max()))

    def best(self, shape: Shape, here: Points) -> float:
        """Least cost of a tree of the shape on some points."""
        if not shape:
            return self.leaf(here)
        key = ("best", drawn(shape), here)
        if key not in self.known:
            outer = (not shape[0], not shape[1])
            costs = [
                cost + self.best(shape[0], left) + self.best(shape[1], here - left)
                for left, cost in self.all(here, outer)
            ]
            self.known[key] = min([*costs, *([self.leaf(here)] if self.stops else [])])
        found = self.known[key]
        assert found is not None
        return found

    @cached_property
    def everyone(self) -> Points:
        return frozenset(range(len(self.y)))

    def random(self, shape: Shape, rng: np.random.Generator) -> np.ndarray:
        """The heap number of the leaf of each point in a random tree of the shape, (N,).

        Of its splits none costs 1 or more, as a missing margin would.
        """
        ends = np.zeros(len(self.y), np.int64)

        def place(below: Shape, number: int, here: Points) -> None:
            if not below:
                ends[sorted(here)] = number
                return
            found = self.all(here, (not below[0], not below[1]))
            ways = [left for left, cost in found if cost < 1]
            left = ways[int(rng.integers(len(ways)))]
            place(below[0], 2 * number, left)
            place(below[1], 2 * number + 1, here - left)

        place(shape, 1, self.everyone)
        return ends


class Thresholds(Ways):
    """One feature at a value between two of the whole table; BinOCT's and FlowOCT's splits."""

    def price(self, here: Points, left: Points, outer: tuple[bool, bool]) -> float | None:
        for column in self.x.T:
            for low in np.unique(column)[:-1]:
                if left == {i for i in here if column[i] <= low}:
                    return 0.0
        return None


class WithoutSplit(Thresholds):
    """OCT's: a branch may also send all points right, which no threshold has to part."""

    def price(self, here: Points, left: Points, outer: tuple[bool, bool]) -> float | None:
        return super().price(here, left, outer) if left else 0.0


@dataclass
class Lines(Ways):
    """a.x <= b left, a.x >= b + gap right, ||a||_1 <= 1, |b| <= 1: S-OCT and OCT-H."""

    gap: float = 0.005

    def price(self, here: Points, left: Points, outer: tuple[bool, bool]) -> float | None:
        p = self.x.shape[1]
        rows, limits = [np.r_[np.ones(2 * p), 0.0]], [1.0]
        for i in here:
            sign = 1.0 if i in left else -1.0
            rows.append(sign * np.r_[self.x[i], -self.x[i], -1.0])
            limits.append(0.0 if i in left else -self.gap)
        bounds = [(0, None)] * (2 * p) + [(-1, 1)]
        found = linprog(np.zeros(2 * p + 1), np.array(rows), limits, bounds=bounds)
        return 0.0 if found.status == 0 else None


@dataclass
class Margins(Ways):
    """SVM1-ODT's node: alpha1 for each unit of missing margin, alpha2 for each of the 1-norm."""

    alpha1: float = 1000.0
    alpha2: float = 0.1
    eps: float = 0.01
    widest: float | None = None  # greatest weight

    def price(self, here: Points, left: Points, outer: tuple[bool, bool]) -> float | None:
        count, p = self.x.shape
        # columns: h+, h-, g, a slack for each point; distances g - h.x within [-1, 1] everywhere
        rows, limits = [], []
        for i in range(count):
            distance = np.r_[-self.x[i], self.x[i], 1.0, np.zeros(count)]
            slack = np.r_[np.zeros(2 * p + 1), np.eye(count)[i]]
            low = -1.0
            if i in here:
                side = distance if i in left else -distance
                rows += [-side, -side - slack]
                limits += [0.0, -self.eps]
            rows += [distance, -distance]
            limits += [1.0, -low]
        costs = np.r_[np.full(2 * p, self.alpha2), 0.0, np.full(count, self.alpha1)]
        bounds = [(0, self.widest)] * (2 * p) + [(None, None)] + [(0, None)] * count
        found = linprog(costs, np.array(rows), limits, bounds=bounds)
        assert found.status == 0
        return float(found.fun)


@dataclass
class Machines(Ways):
    """MARGOT's node: a soft-margin machine of its points, which it also routes to any branch.

    A point that goes to a leaf beside another leaf is on no side that the model knows.
    """

    last: bool = True
    leaf_price: float = 0.0
    C: float = 1.0
    eps: float = 0.001

    def price(self, here: Points, left: Points, outer: tuple[bool, bool]) -> float | None:
        if outer == (True, True):
            cost, sides = self.fit(here, None)
            return cost if left == sides & here else None
        cost, _ = self.fit(here, left)
        return cost if np.isfinite(cost) else None

    def fit(self, here: Points, left: Points | None) -> tuple[float, Points]:
        """Least 0.5 ||w||^2 + C * hinge losses, and the points of w.x + b < 0."""
        if not here:
            return 0.0, frozenset()
        p, members = self.x.shape[1], sorted(here)
        sign = np.where(self.y == 1, 1.0, -1.0)
        size = p + 1 + len(members)
        rows, limits = [], []
        for k, i in enumerate(members):
            row = np.zeros(size)
            row[: p + 1] = sign[i] * np.r_[self.x[i], 1.0]
            row[p + 1 + k] = 1.0
            rows.append(row)
            limits.append(1.0)
            if left is not None:
                route = np.zeros(size)
                route[: p + 1] = (-1.0 if i in left else 1.0) * np.r_[self.x[i], 1.0]
                rows.append(route)
                limits.append(self.eps if i in left else 0.0)

        def value(v: np.ndarray) -> float:
            return float(0.5 * v[:p] @ v[:p] + self.C * v[p + 1 :].sum())

        def slope(v: np.ndarray) -> np.ndarray:
            return np.r_[v[:p], 0.0, np.full(len(members), self.C)]

        start = linprog(np.zeros(size), -np.array(rows), -np.array(limits), bounds=_box(p, size))
        if start.status != 0:
            return np.inf, frozenset()
        found = minimize(
            value,
            start.x,
            jac=slope,
            bounds=_box(p, size),
            constraints=[LinearConstraint(np.array(rows), np.array(limits), np.inf)],
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        )
        side = self.x @ found.x[:p] + found.x[p]
        return float(found.fun), frozenset(np.flatnonzero(side < 0).tolist())


def _box(p: int, size: int) -> list[tuple[float | None, float | None]]:
    return [(None, None)] * (p + 1) + [(0, None)] * (size - p - 1)


MAKERS: dict[str, Callable[[np.ndarray, np.ndarray], Ways]] = {
    "binoct": Thresholds,
    "flow_oct": lambda x, y: Thresholds(x, y, stops=True),
    "oct": WithoutSplit,
    "octh": Lines,
    "soct": Lines,
    "svm1_odt": Margins,
    "margot": Machines,
}


def branches(shape: Shape, number: int = 1) -> list[int]:
    """Heap numbers of the branches."""
    if not shape:
        return []
    return [number, *branches(shape[0], 2 * number), *branches(shape[1], 2 * number + 1)]


def leaves(shape: Shape, number: int = 1) -> list[int]:
    if not shape:
        return [number]
    return [*leaves(shape[0], 2 * number), *leaves(shape[1], 2 * number + 1)]


def widest_margins(x: np.ndarray, y: np.ndarray, shape: Shape, eps: float) -> float:
    """Least max_t 0.5 ||w_t||^2 + hinge losses of all branches, over all ways of all points.

    MM-SVM-OCT without a price of splits; x (N, p), y (N,) of 0 and 1. For each way a program in
    w and b of every branch, the losses of its points, and the greatest norm.
    """
    found = [_widest(x, y, branches(shape), ends, eps) for ends in _all_ends(shape, len(y))]
    return min(found)


def _all_ends(shape: Shape, count: int) -> Iterator[tuple[int, ...]]:
    return product(leaves(shape), repeat=count)


def _widest(
    x: np.ndarray, y: np.ndarray, nodes: list[int], ends: tuple[int, ...], eps: float
) -> float:
    p, sign = x.shape[1], np.where(y == 1, 1.0, -1.0)
    visits = [(i, t) for i, end in enumerate(ends) for t in nodes if _above(t, end)]
    first = {t: k * (p + 1) for k, t in enumerate(nodes)}
    slack = len(nodes) * (p + 1)
    size = slack + len(visits) + 1
    rows, limits = [], []
    for k, (i, t) in enumerate(visits):
        height = np.zeros(size)
        height[first[t] : first[t] + p + 1] = np.r_[x[i], 1.0]
        loss = np.eye(size)[slack + k]
        right = _above(2 * t + 1, ends[i])
        rows += [sign[i] * height + loss, height if right else -height]
        limits += [1.0, 0.0 if right else eps]
    bounds = [(None, None)] * slack + [(0, None)] * (len(visits) + 1)
    costs = np.r_[np.zeros(slack), np.ones(len(visits) + 1)]
    start = linprog(costs, -np.array(rows), -np.array(limits), bounds=bounds)
    if start.status != 0:
        return np.inf

    def norms(v: np.ndarray) -> np.ndarray:
        return v[-1] - 0.5 * np.array([v[k : k + p] @ v[k : k + p] for k in first.values()])

    def slopes(v: np.ndarray) -> np.ndarray:
        table = np.zeros((len(nodes), size))
        table[:, -1] = 1.0
        for row, k in enumerate(first.values()):
            table[row, k : k + p] = -v[k : k + p]
        return table

    origin = np.append(start.x[:-1], 0.0)
    origin[-1] = -norms(origin).min()
    done = minimize(
        lambda v: float(costs @ v),
        origin,
        jac=lambda v: costs,
        bounds=bounds,
        constraints=[
            {"type": "ineq", "fun": lambda v: np.array(rows) @ v - limits, "jac": lambda v: rows},
            {"type": "ineq", "fun": norms, "jac": slopes},
        ],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return float(done.fun) if done.success else np.inf


def _above(node: int, end: int) -> bool:
    """Whether a heap number is that of the node or of one below it."""
    return node == end >> (end.bit_length() - node.bit_length()) if node <= end else False
