"""Which ways to part points formulations have at a branch: an executable specification.

A `Candidate` is a tree as far as terms and side constraints can see it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.optimize import linprog

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

    def where(self, features_count: bool) -> Lines:
        """Where nothing speaks of features, a split may have them all."""
        if not features_count:
            self.supports = [frozenset(range(self.x.shape[1]))]
        return self

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
