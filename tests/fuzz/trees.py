"""All trees on a few points: what a formulation allows, and what a spec says of each of them.

An executable specification, independent of treemip: a `Candidate` is a tree as far as terms and
side constraints can see it. `Splits` says which ways to part points a formulation has at a branch.
Trees are complete, of depth 1 or 2; branches and leaves are numbered from left to right and from
the top: branch 0 is the root, 1 and 2 its children.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np
from scipy.optimize import linprog

from .tables import Table

Points = frozenset[int]


@dataclass(frozen=True)
class Way:
    """How a branch parts the points that reach it: those that go left, and what it uses for it.

    `active` counts for `splits`. A way that `stops` is a leaf for what is below: all go left and
    no branch below is active. `sure`: within a solver's tolerance it may or may not be allowed.
    """

    left: Points
    uses: frozenset[int] = frozenset()
    active: bool = True
    stops: bool = False
    sure: bool = True


@dataclass(frozen=True)
class Candidate:
    """A tree on the table: leaf of each point (N,), class of each leaf (L,), features by branch."""

    ends: np.ndarray
    labels: np.ndarray
    uses: tuple[frozenset[int], ...]
    active: tuple[bool, ...]

    @property
    def leaves(self) -> int:
        return len(self.labels)

    def predicted(self) -> np.ndarray:
        return self.labels[self.ends]

    def sizes(self) -> np.ndarray:
        return np.bincount(self.ends, minlength=self.leaves)


Value = Callable[[Candidate, Table], float]
Kept = Callable[[Candidate, Table], bool]


# ---------------------------------------------------------------------- terms


def misclassified(tree: Candidate, table: Table) -> float:
    return float(table.weights[tree.predicted() != table.y].sum())


def errors(tree: Candidate, table: Table) -> float:
    return float((tree.predicted() != table.y).sum())


def accuracy(tree: Candidate, table: Table) -> float:
    right = table.weights[tree.predicted() == table.y].sum()
    return float(right / table.weights.sum())


def balanced_error(tree: Candidate, table: Table) -> float:
    recalls = [(tree.predicted()[table.y == k] == k).mean() for k in range(table.classes)]
    return float(1 - np.mean(recalls))


def splits(tree: Candidate, table: Table) -> float:
    return float(sum(tree.active))


def features_used(tree: Candidate, table: Table) -> float:
    return float(sum(len(u) for u in tree.uses))


def distinct_features(tree: Candidate, table: Table) -> float:
    return float(len(frozenset().union(*tree.uses)))


def leaves_used(tree: Candidate, table: Table) -> float:
    return float((tree.sizes() > 0).sum())


TERMS: dict[str, Value] = {
    "misclassified": misclassified,
    "accuracy": accuracy,
    "balanced_error": balanced_error,
    "splits": splits,
    "features_used": features_used,
    "distinct_features": distinct_features,
    "leaves_used": leaves_used,
}


# ---------------------------------------------------------------------- ways


class Splits:
    """Ways at a branch for points of x (N, p), encoded as the formulation takes them."""

    rootless = False  # whether a branch is active only below an active one

    def __init__(self, x: np.ndarray, tolerance: float = 1e-5) -> None:
        self.x = x
        self.tolerance = tolerance
        self.known: dict[Points, list[Way]] = {}

    @property
    def features(self) -> int:
        """How many there are to be used."""
        return self.x.shape[1]

    def at(self, here: Points) -> list[Way]:
        if here not in self.known:
            self.known[here] = list(dict.fromkeys(self.ways(here)))
        return self.known[here]

    def ways(self, here: Points) -> Iterator[Way]:
        raise NotImplementedError


class Thresholds(Splits):
    """BinOCT: one feature, a threshold between two of its values in the whole table."""

    def ways(self, here: Points) -> Iterator[Way]:
        for j, column in enumerate(self.x.T):
            for value in np.unique(column)[:-1]:
                yield Way(frozenset(i for i in here if column[i] <= value), frozenset([j]))


class Oct(Splits):
    """OCT: a threshold as well, one below all values too; or no split, which sends all right.

    Left-going points stay below the threshold, which is at most 1, so none sends all points left,
    but by a feature with the one value 0. They stay below it by the feature's least gap, which no
    two values within 1e-5 of each other have between them.
    """

    rootless = True

    def ways(self, here: Points) -> Iterator[Way]:
        yield Way(frozenset(), active=False)
        for j, column in enumerate(self.x.T):
            values = np.unique(column)
            yield Way(frozenset(), frozenset([j]))
            apart = values[:-1][np.diff(values) > 1e-5]
            for value in apart if len(values) > 1 else values:
                yield Way(frozenset(i for i in here if column[i] <= value), frozenset([j]))


class Flow(Splits):
    """FlowOCT: left where a 0/1 feature is 0; or the tree stops, and predicts there."""

    def ways(self, here: Points) -> Iterator[Way]:
        yield Way(here, active=False, stops=True)
        for j, column in enumerate(self.x.T):
            yield Way(frozenset(i for i in here if column[i] == 0), frozenset([j]))


@dataclass
class _Margin:
    """The widest gap that ||a||_1 <= 1, |b| <= 1 leaves between a.x <= b and a.x - gap >= b."""

    x: np.ndarray
    known: dict[tuple[Points, Points, frozenset[int]], float] = field(default_factory=dict)

    def __call__(self, left: Points, right: Points, uses: frozenset[int]) -> float:
        if not left or not right:
            # b = 1 or -1 with a = 0: a gap of at least 1 where the features are in [0, 1]
            return 1.0
        if not uses:
            return 0.0
        key = (left, right, uses)
        if key not in self.known:
            self.known[key] = self._of_one(key) if len(uses) == 1 else self._by_program(key)
        return self.known[key]

    def _of_one(self, key: tuple[Points, Points, frozenset[int]]) -> float:
        left, right, uses = key
        (j,) = uses
        low, high = self.x[sorted(left), j], self.x[sorted(right), j]
        return float(max(high.min() - low.max(), low.min() - high.max(), 0.0))

    def _by_program(self, key: tuple[Points, Points, frozenset[int]]) -> float:
        left, right, uses = key
        x = self.x[:, sorted(uses)]
        p = x.shape[1]
        # columns: a+, a-, b, gap
        rows = [np.r_[x[i], -x[i], -1.0, 0.0] for i in sorted(left)]
        rows += [np.r_[-x[i], x[i], 1.0, 1.0] for i in sorted(right)]
        rows.append(np.r_[np.ones(2 * p), 0.0, 0.0])
        limits = np.r_[np.zeros(len(rows) - 1), 1.0]
        bounds = [(0.0, None)] * (2 * p) + [(-1.0, 1.0), (0.0, None)]
        done = linprog(np.r_[np.zeros(2 * p + 1), -1.0], np.array(rows), limits, bounds=bounds)
        assert done.status == 0
        return float(-done.fun)


class Lines(Splits):
    """S-OCT: any hyperplane with a gap; points all to the left for nothing."""

    def __init__(self, x: np.ndarray, gap: float, tolerance: float = 1e-5) -> None:
        super().__init__(x, tolerance)
        self.gap, self.margin = gap, _Margin(x)
        supports = product((False, True), repeat=x.shape[1])
        self.supports = [frozenset(np.flatnonzero(s).tolist()) for s in supports]

    def ways(self, here: Points) -> Iterator[Way]:
        yield Way(here, active=False)
        for left, right in _parts(here, self.x):
            for uses in self.supports:
                gap = self.margin(left, right, uses)
                if gap >= self.gap - self.tolerance:
                    sure = gap >= self.gap + self.tolerance
                    yield Way(left, uses, active=bool(right), sure=sure)


class Hyperplanes(Lines):
    """OCT-H: as OCT, with hyperplanes; a split uses a feature at least."""

    rootless = True

    def ways(self, here: Points) -> Iterator[Way]:
        yield Way(frozenset(), active=False)
        for left, right in _parts(here, self.x):
            for uses in self.supports:
                gap = self.margin(left, right, uses)
                if uses and gap >= self.gap - self.tolerance:
                    yield Way(left, uses, sure=gap >= self.gap + self.tolerance)


def _parts(here: Points, x: np.ndarray) -> Iterator[tuple[Points, Points]]:
    """Both sides of every way to part points, equal ones together: no split tells them apart."""
    alike: dict[bytes, list[int]] = {}
    for i in sorted(here):
        alike.setdefault(x[i].tobytes(), []).append(i)
    for sides in product((False, True), repeat=len(alike)):
        chosen = zip(alike.values(), sides, strict=True)
        left = frozenset(i for some, side in chosen for i in some if side)
        yield left, here - left


# ---------------------------------------------------------------------- trees


@dataclass(frozen=True)
class Reference:
    """The best of all trees: `objective(candidate)`, `minimize` or not, under `keeps`.

    `labelled`: whether side constraints or the objective make the best class of a leaf depend on
    other leaves, so that all labels are tried. `min_leaf`: least points in a leaf that is used.
    """

    table: Table
    splits: Splits
    depth: int
    objective: Value
    minimize: bool
    keeps: tuple[Kept, ...] = ()
    labelled: bool = False
    error: np.ndarray | None = None
    min_leaf: int = 1

    @cached_property
    def everyone(self) -> Points:
        return frozenset(range(len(self.table.y)))

    def best(self) -> tuple[float, float]:
        """(with every way that tolerances may allow, with sure ones only); inf or -inf for none."""
        sign = 1.0 if self.minimize else -1.0
        loose = strict = np.inf
        for sure, tree in self.candidates():
            value = sign * self.objective(tree, self.table)
            if (
                value < strict
                and (value < loose or sure)
                and all(keeps(tree, self.table) for keeps in self.keeps)
            ):
                loose = min(loose, value)
                strict = min(strict, value) if sure else strict
        return sign * loose, sign * strict

    def candidates(self) -> Iterator[tuple[bool, Candidate]]:
        seen = set()
        for ways, ends in self._split():
            key = (ends.tobytes(), tuple(w.uses for w in ways), tuple(w.active for w in ways),
                   all(w.sure for w in ways))  # fmt: skip
            sizes = np.bincount(ends)
            if key in seen or (sizes[sizes > 0] < self.min_leaf).any():
                continue
            seen.add(key)
            for labels in self._labels(ends):
                uses, active = tuple(w.uses for w in ways), tuple(w.active for w in ways)
                yield key[-1], Candidate(ends, labels, uses, active)

    def _split(self) -> Iterator[tuple[tuple[Way, ...], np.ndarray]]:
        """Ways of all branches, and the leaf of each point."""
        none = Way(frozenset(), active=False)
        for root in self.splits.at(self.everyone):
            if self.depth == 1:
                yield (root,), self._ends((root.left, self.everyone - root.left))
                continue
            here = (root.left, self.everyone - root.left)
            below = []
            for part in here:
                ways = self.splits.at(part)
                if root.stops:
                    ways = [replace(none, left=part)]
                elif self.splits.rootless and not root.active:
                    ways = [w for w in ways if not w.active]
                below.append(ways)
            for left, right in product(*below):
                parts = (left.left, here[0] - left.left, right.left, here[1] - right.left)
                yield (root, left, right), self._ends(parts)

    def _ends(self, parts: tuple[Points, ...]) -> np.ndarray:
        ends = np.zeros(len(self.table.y), np.int64)
        for leaf, part in enumerate(parts):
            ends[list(part)] = leaf
        return ends

    def _labels(self, ends: np.ndarray) -> Iterator[np.ndarray]:
        """Classes of the leaves: all, or each leaf's cheapest by the price of an error."""
        leaves, classes = 2**self.depth, self.table.classes
        occupied = np.unique(ends)
        if self.labelled:
            for chosen in product(range(classes), repeat=len(occupied)):
                labels = np.zeros(leaves, np.int64)
                labels[occupied] = chosen
                yield labels
            return
        price = np.ones(len(ends)) if self.error is None else self.error
        worth = np.zeros((leaves, classes))
        np.add.at(worth, (ends, self.table.y), price)
        yield worth.argmax(axis=1)
