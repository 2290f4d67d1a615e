"""Every tree on a small table, thousands at a time: what a spec's words are worth on each of them.

An executable specification, on `ways`, which has the ways to part points. A term or a side
constraint is one numpy expression over many trees, so that tables may have more points, classes
and labels. Equal points go the same way everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from reference.shapes import LEAF, Shape
from reference.ways import Candidate, Points, Splits, Way

if TYPE_CHECKING:
    from fuzz.tables import Table

EMPTY = -1
BATCH = 1 << 21  # labels of points held at once


@dataclass(frozen=True)
class Trees:
    """T trees on a table of N points: ends int64 (T, N), labels int64 (T, L), EMPTY for a leaf
    without points, uses bool (T, B, p), active bool (T, B). answers: of one tree whose leaves have
    values or shares, what each point is given, (N,) or (N, K); else leaves have their best ones."""

    table: Table
    ends: np.ndarray
    labels: np.ndarray
    uses: np.ndarray
    active: np.ndarray
    answers: np.ndarray | None = None

    @property
    def given(self) -> np.ndarray:
        """The class that each point is given, int64 (T, N)."""
        return np.take_along_axis(self.labels, self.ends, axis=1)

    @property
    def right(self) -> np.ndarray:
        """Which points are classified correctly, bool (T, N)."""
        return self.given == self.table.y

    @property
    def sizes(self) -> np.ndarray:
        """How many points each leaf has, int64 (T, L)."""
        leaves = np.arange(self.labels.shape[1])
        return (self.ends[:, :, None] == leaves).sum(axis=1)

    def confusion(self, k: int, m: int) -> np.ndarray:
        """How many points of class k are given class m, (T,)."""
        return ((self.given == m) & (self.table.y == k)).sum(axis=1)

    def recall(self, k: int) -> np.ndarray:
        return self.right[:, self.table.y == k].mean(axis=1)

    def rate(self, group: int, k: int) -> np.ndarray:
        """The share of a group's points that are given class k, (T,)."""
        return (self.given[:, self.table.group == group] == k).mean(axis=1)

    def error_rate(self, group: int) -> np.ndarray:
        return 1 - self.right[:, self.table.group == group].mean(axis=1)

    @classmethod
    def one(
        cls,
        tree: Candidate,
        table: Table,
        feature_of: np.ndarray,
        answers: np.ndarray | None = None,
    ) -> Trees:
        """A single tree; the classes of leaves without points do not count. feature_of: the
        feature of each input that the tree's splits see."""
        uses = np.zeros((1, len(tree.uses), int(feature_of.max()) + 1), bool)
        for branch, some in enumerate(tree.uses):
            uses[0, branch, feature_of[list(some)]] = True
        labels = np.where(tree.sizes() > 0, tree.labels, EMPTY)
        active = np.array(tree.active)[None]
        return cls(table, tree.ends[None], labels[None], uses, active, answers)


Worth = Callable[[Trees], np.ndarray]
"""A number for each tree, float64 (T,)."""
Keeps = Callable[[Trees], np.ndarray]
"""Whether each tree keeps a side constraint, bool (T,)."""


def complete(depth: int) -> Shape:
    return (complete(depth - 1), complete(depth - 1)) if depth else LEAF


def leaves_of(shape: Shape) -> int:
    return leaves_of(shape[0]) + leaves_of(shape[1]) if shape else 1


@dataclass(frozen=True)
class Enumeration:
    """All trees of a shape of few branches by `splits`; `objective` is to be minimized.

    min_leaf: least number of points in a leaf that has any.
    """

    table: Table
    splits: Splits
    shape: Shape
    objective: Worth
    keeps: tuple[Keeps, ...] = ()
    min_leaf: int = 1

    def best(self) -> tuple[float, float]:
        """The optimum with every way that a tolerance may allow, and with the sure ones only;
        infinite where there is no tree."""
        loose = strict = np.inf
        for trees, sure in self.batches():
            value = self.objective(trees)
            kept = np.ones(len(value), bool)
            for keeps in self.keeps:
                kept &= keeps(trees)
            loose = min(loose, float(value[kept].min(initial=np.inf)))
            strict = min(strict, float(value[kept & sure].min(initial=np.inf)))
        return loose, strict

    def batches(self) -> Iterator[tuple[Trees, np.ndarray]]:
        """Trees, and which of them have sure ways only, bool (T,)."""
        held: list[tuple[np.ndarray, np.ndarray, tuple[Way, ...]]] = []
        size = 0
        for ends, ways in self._routings():
            labels = self._labels(ends)
            held.append((ends, labels, ways))
            size += len(labels) * len(ends)
            if size > BATCH:
                yield self._together(held)
                held, size = [], 0
        if held:
            yield self._together(held)

    def _together(
        self, held: list[tuple[np.ndarray, np.ndarray, tuple[Way, ...]]]
    ) -> tuple[Trees, np.ndarray]:
        features = self.splits.features
        each = np.repeat(np.arange(len(held)), [len(labels) for _, labels, _ in held])
        uses = np.zeros((len(held), leaves_of(self.shape) - 1, features), bool)
        for row, (_, _, ways) in enumerate(held):
            for branch, way in enumerate(ways):
                uses[row, branch, list(way.uses)] = True
        active = np.array([[way.active for way in ways] for _, _, ways in held])
        sure = np.array([all(way.sure for way in ways) for _, _, ways in held])
        ends = np.array([ends for ends, _, _ in held])
        labels = np.concatenate([labels for _, labels, _ in held])
        return Trees(self.table, ends[each], labels, uses[each], active[each]), sure[each]

    def _routings(self) -> Iterator[tuple[np.ndarray, tuple[Way, ...]]]:
        """The leaf of each point, int64 (N,), and the way of each branch; each of them once."""
        seen = set()
        everyone = frozenset(range(len(self.table.y)))
        for ways, parts in self._parted(self.shape, everyone):
            ends = np.zeros(len(self.table.y), np.int64)
            for leaf, part in enumerate(parts):
                ends[list(part)] = leaf
            sizes = np.bincount(ends)
            if (sizes[sizes > 0] < self.min_leaf).any():
                continue
            said = tuple((way.uses, way.active, way.sure) for way in ways)
            if (ends.tobytes(), said) not in seen:
                seen.add((ends.tobytes(), said))
                yield ends, ways

    def _parted(
        self, shape: Shape, here: Points, above: Way | None = None
    ) -> Iterator[tuple[tuple[Way, ...], tuple[Points, ...]]]:
        """Ways of the branches, each ahead of those below it, and the points of the leaves."""
        if not shape:
            yield (), (here,)
            return
        for way in self._ways(above, here):
            sides = zip(shape, (way.left, here - way.left), strict=True)
            below = [list(self._parted(part, points, way)) for part, points in sides]
            for (ways, parts), (more, others) in product(*below):
                yield (way, *ways, *more), parts + others

    def _ways(self, above: Way | None, here: Points) -> list[Way]:
        if above is not None and above.stops:
            return [Way(here, active=False, stops=True)]
        ways = self.splits.at(here)
        if self.splits.rootless and above is not None and not above.active:
            return [way for way in ways if not way.active]
        return ways

    def _labels(self, ends: np.ndarray) -> np.ndarray:
        """Every choice of classes for the leaves that have points, int64 (choices, L)."""
        occupied = np.unique(ends)
        choices = np.array(list(product(range(self.table.classes), repeat=len(occupied))))
        labels = np.full((len(choices), leaves_of(self.shape)), EMPTY)
        labels[:, occupied] = choices
        return labels
