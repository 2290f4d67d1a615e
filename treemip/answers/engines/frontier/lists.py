"""All trees below a node for some points, by what they add to the rows: one for each sum, without
those that another tree dominates.

A mask says which options branches have and which labels leaves; left and right lists are joined by
outer sums. A branch whose children are leaves lists all its splits and labels at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from treemip.answers.engines.frontier.rows import Rows
from treemip.answers.engines.frontier.sweeps import Sweeps
from treemip.answers.engines.parts import undominated
from treemip.answers.search.candidate import Candidate

MOST_PARTS = 1 << 18  # trees in a list
MOST_JOINED = 1 << 23  # numbers in the outer sum of two lists: 64 MB
COMPARED = 1 << 13  # trees among which those that others dominate are looked for
KEPT = 40_000_000  # numbers in all lists that are kept for later: 0.3 GB
COLUMNS = 6  # numbers of a tree in a list, beside its rows
DIGITS = 9  # of the unit of a row, up to which trees add the same
IDLE, ASTRAY, BELOW = 4, 16, 2
"""How much less a split that parts nothing is wanted than none, no split that sends points another
way than the route does, and a split below a branch without one; of trees that add the same."""


class TooMany(Exception):
    """A list would be too long."""


class Late(Exception):
    """The time is used up."""


@dataclass(frozen=True)
class Mask:
    """options bool (branches, O) and labels bool (L, K) that are allowed."""

    options: np.ndarray
    labels: np.ndarray

    @classmethod
    def every(cls, rows: Rows) -> Mask:
        leaves, labels = rows.label.shape[:2]
        shape = rows.by_option.shape[:2]
        return cls(np.ones(shape, bool), np.ones((leaves, labels), bool))


@dataclass(frozen=True)
class Parts:
    """n trees below a node. rows float64 (n, W); bits int64 (n,): the features that they use, of
    those with a price; odd int64 (n,): how far a formulation is from having them, the less the
    better. option int64 (n,): of the branch, NO where the node is a leaf. source int64 (n,): which
    two lists of `below` the sides are from, NO where they are leaves. first, second int64 (n,): the
    numbers of the sides in these lists, or the labels of the leaves."""

    rows: np.ndarray
    bits: np.ndarray
    odd: np.ndarray
    option: np.ndarray
    first: np.ndarray
    second: np.ndarray
    source: np.ndarray
    below: tuple[tuple[Parts, Parts], ...] = ()

    def take(self, which: np.ndarray) -> Parts:
        return replace(self, **{name: getattr(self, name)[which] for name in ARRAYS})

    @property
    def count(self) -> int:
        return len(self.bits)

    def splits(self, rows: Rows) -> np.ndarray:
        """Whether the trees begin with a split, bool (n,)."""
        return np.logical_and(rows.options.splits[self.option], self.option != NO)


NO = -1
ARRAYS = tuple(one.name for one in fields(Parts)[:-1])  # all but `below`


class Lists:
    """The lists of one spec. late: whether the time is used up."""

    def __init__(self, rows: Rows, late: Callable[[], bool]) -> None:
        self.rows, self.late = rows, late
        self.known: dict[tuple[int, bytes, bytes], Parts] = {}
        self.size, self.sweeps = 0, Sweeps(rows.options)
        topology = rows.topology
        self.stats = rows.points.reshape(*rows.points.shape[:2], -1)
        self.under = [
            (
                rows.branch_number[self._at(topology.branches, node)],
                rows.leaf_number[self._at(topology.leaves, node)],
            )
            for node in range(topology.size)
        ]
        self.bounds = _Beside(self)

    def _at(self, nodes: np.ndarray, top: int) -> np.ndarray:
        """Those of the nodes that are a node or below it."""
        kept = [top in self.rows.topology.upwards(node) for node in nodes.tolist()]
        return nodes[np.array(kept, bool)]

    # ------------------------------------------------------------------------- lists

    def below(self, node: int, points: np.ndarray, mask: Mask) -> Parts:
        """The trees below a node for the points bool (M,) that the mask allows."""
        branches, leaves = self.under[node]
        own = mask.options[branches].tobytes() + mask.labels[leaves].tobytes()
        key = node, np.packbits(points).tobytes(), own
        found = self.known.get(key)
        if found is None:
            found = self._listed(node, points, mask)
            size = found.count * (self.rows.width + COLUMNS)
            if self.size + size <= KEPT:
                self.known[key] = found
                self.size += size
        return found

    def _listed(self, node: int, points: np.ndarray, mask: Mask) -> Parts:
        if self.late():
            raise Late
        topology = self.rows.topology
        if topology.is_leaf[node]:
            parts = self.leaf(node, points, mask)
        elif topology.is_leaf[[topology.left[node], topology.right[node]]].all():
            parts = self._stump(node, points, mask)
        else:
            parts = self._joined(node, points, mask)
        return self.bounds.kept(parts, node, points)

    def leaf(self, node: int, points: np.ndarray, mask: Mask) -> Parts:
        sums = self.stats[self.rows.kind[self.rows.leaf_number[node]]][points].sum(axis=0)
        rows, labels = self._labelled(node, sums[None], np.array([points.any()]), mask)
        none = np.zeros(len(labels), np.int64)
        return Parts(rows[0], none, none, none + NO, labels, none + NO, none + NO)

    def _labelled(
        self, node: int, sums: np.ndarray, occupied: np.ndarray, mask: Mask
    ) -> tuple[np.ndarray, np.ndarray]:
        """A leaf's rows float64 (u, k, W) for sums (u, K W) of its points, and its labels (k,).

        Where labels count in the objective alone there is the best one only, NO as its number."""
        rows = self.rows
        leaf = int(rows.leaf_number[node])
        at = np.flatnonzero(mask.labels[leaf])
        each = sums.reshape(len(sums), -1, rows.width) + rows.label[leaf]
        each += rows.occupied[leaf] * occupied[:, None, None]
        if not rows.free_labels or not len(at):
            return each[:, at], at
        best = each[:, :1].copy()
        if rows.curve is not None:
            best[:, 0, 0] = rows.curves[leaf].least(each[:, :, 0])
        else:
            best[:, 0, 0] = each[:, at, 0].min(axis=1)
        return best, np.array([NO])

    def alike(self, points: np.ndarray) -> np.ndarray:
        """Options that neither rows nor the points tell apart have one number, int64 (O,)."""
        parted = self.sweeps.alike(points)
        return self.rows.likeness * (int(parted.max()) + 1) + parted

    def choices(self, node: int, points: np.ndarray, mask: Mask) -> np.ndarray:
        """One of each kind of the options of a branch, int64."""
        at = np.flatnonzero(mask.options[self.rows.branch_number[node]])
        _, first = np.unique(self.alike(points)[at], return_index=True)
        return at[np.sort(first)]

    def odd(self, options: np.ndarray, idle: np.ndarray) -> np.ndarray:
        """How far options are from what formulations have, int64; idle: which part nothing."""
        split = self.rows.options.splits[options]
        astray = ~split & (options > 0)
        return idle * split * IDLE + astray * ASTRAY

    def _stump(self, node: int, points: np.ndarray, mask: Mask) -> Parts:
        rows, topology = self.rows, self.rows.topology
        if rows.width == 1:  # the best one is taken, whether others are like it or not
            options = np.flatnonzero(mask.options[rows.branch_number[node]])
        else:
            options = self.choices(node, points, mask)
        sides = topology.children(node)
        total, count = int(points.sum()), self.sweeps.counts(points)[options]
        idle = (count == 0) | (count == total)
        kinds = [int(rows.kind[rows.leaf_number[side]]) for side in sides]
        left = {kind: self.sweeps.sums(points, self.stats[kind])[options] for kind in set(kinds)}
        right = self.stats[kinds[1]][points].sum(axis=0) - left[kinds[1]]
        lists = [
            self._labelled(sides[0], left[kinds[0]], count > 0, mask),
            self._labelled(sides[1], right, count < total, mask),
        ]
        (low, first), (high, second) = lists
        shape = len(options), len(first), len(second)
        if int(np.prod(shape)) * rows.width > MOST_JOINED:
            raise TooMany
        added = rows.by_option[rows.branch_number[node], options]
        total = low[:, :, None] + high[:, None] + added[:, None, None]
        which = [index.ravel() for index in np.indices(shape)]
        odd = self.odd(options, idle)
        apart = idle[which[0]] & (first[which[1]] != second[which[2]])
        parts = Parts(
            total.reshape(-1, rows.width),
            rows.uses[options][which[0]],
            odd[which[0]] + apart,
            options[which[0]],
            first[which[1]],
            second[which[2]],
            np.full(len(which[0]), NO),
        )
        return self.merged(parts)

    def _joined(self, node: int, points: np.ndarray, mask: Mask) -> Parts:
        found: list[Parts] = []
        pending = 0
        for parts in self.by_option(node, points, mask):
            found.append(parts)
            pending += parts.rows.size
            if pending > MOST_JOINED:
                found = [self.merged(_together(found, self.rows.width))]
                pending = found[0].rows.size
        parts = self.merged(_together(found, self.rows.width))
        if parts.count > MOST_PARTS:
            raise TooMany
        return parts

    def by_option(self, node: int, points: np.ndarray, mask: Mask) -> Iterator[Parts]:
        """The trees of each option of a branch in turn."""
        yield from self.of_options(node, points, mask, self.choices(node, points, mask))

    def of_options(
        self, node: int, points: np.ndarray, mask: Mask, options: np.ndarray
    ) -> Iterator[Parts]:
        """The trees of some options of a branch, int64."""
        rows, topology = self.rows, self.rows.topology
        children = topology.children(node)
        count = self.sweeps.counts(points)[options]
        idle = (count == 0) | (count == points.sum())
        for option, odd in zip(options.tolist(), self.odd(options, idle).tolist(), strict=True):
            goes = rows.options.left[option]
            first = self.below(children[0], points & goes, mask)
            if not first.count:
                continue
            second = self.below(children[1], points & ~goes, mask)
            if not second.count:
                continue
            if first.count * second.count * rows.width > MOST_JOINED:
                raise TooMany
            yield self.bounds.kept(self._pairs(node, option, odd, first, second), node, points)

    def _pairs(self, node: int, option: int, odd: int, first: Parts, second: Parts) -> Parts:
        """The trees of one option of a branch, by those of its sides."""
        rows = self.rows
        added = rows.by_option[rows.branch_number[node], option]
        total = first.rows[:, None] + second.rows[None] + added
        a, b = (index.ravel() for index in np.indices((first.count, second.count)))
        below = first.odd[a] + second.odd[b] + odd
        if not rows.options.splits[option]:
            below += BELOW * (first.splits(rows)[a] + second.splits(rows)[b])
        return Parts(
            total.reshape(-1, rows.width),
            first.bits[a] | second.bits[b] | rows.uses[option],
            below,
            np.full(len(a), option),
            a,
            b,
            np.zeros(len(a), np.int64),
            ((first, second),),
        )

    def merged(self, parts: Parts) -> Parts:
        """The list without trees that add the same as another, or that another dominates."""
        if parts.count < 2:
            return parts
        rows, way = self.rows, self.rows.way
        keys = np.round(parts.rows / rows.scale, DIGITS)
        wanted, same = keys[:, way != 0], [*keys[:, way == 0].T, parts.bits]
        told = [*wanted[:, 1:].T, *same]
        order = np.lexsort([parts.odd, parts.rows[:, 0], *told])
        alike = np.ones(parts.count - 1, bool)
        for key in told:
            alike &= np.diff(key[order]) == 0
        parts = parts.take(order[np.append(True, ~alike)])
        if wanted.shape[1] > 1 and 1 < parts.count <= COMPARED:
            numbers = np.column_stack([parts.rows / rows.scale, parts.bits])
            parts = parts.take(np.sort(undominated(numbers, np.append(way, 0))))
        return parts

    # -------------------------------------------------------------------------- trees

    def plant(
        self, tree: Candidate, node: int, points: np.ndarray, mask: Mask, parts: Parts, one: int
    ) -> None:
        """Writes one tree of a list below a node of `tree`, for the points bool (M,)."""
        topology, option = self.rows.topology, int(parts.option[one])
        if option == NO:
            self._label(tree, node, points, mask, int(parts.first[one]))
            return
        self.rows.options.place(tree, node, option)
        goes, source = self.rows.options.left[option], int(parts.source[one])
        for side, (child, which) in enumerate(
            ((topology.left[node], parts.first[one]), (topology.right[node], parts.second[one]))
        ):
            here = points & (~goes if side else goes)
            if source == NO:
                self._label(tree, int(child), here, mask, int(which))
            else:
                self.plant(tree, int(child), here, mask, parts.below[source][side], int(which))

    def _label(
        self, tree: Candidate, node: int, points: np.ndarray, mask: Mask, label: int
    ) -> None:
        rows, leaf = self.rows, int(self.rows.leaf_number[node])
        if label == NO:  # the best one, by the objective
            sums = rows.points[rows.kind[leaf], points, :, 0].sum(axis=0) + rows.label[leaf, :, 0]
            if rows.curve is not None:
                tree.labels[leaf] = rows.curves[leaf].best(sums)
                return
            label = int(np.where(mask.labels[leaf], sums, np.inf).argmin())
        tree.labels[leaf] = label


def _together(parts: list[Parts], width: int) -> Parts:
    """The trees of several lists in one."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        none = np.zeros(0, np.int64)
        return Parts(np.zeros((0, width)), none, none, none, none, none, none)
    renumbered, below = [], list[tuple[Parts, Parts]]()
    for one in parts:
        source = np.where(one.source == NO, NO, one.source + len(below))
        renumbered.append(replace(one, source=source))
        below += one.below
    arrays = {name: np.concatenate([getattr(one, name) for one in renumbered]) for name in ARRAYS}
    return replace(parts[0], **arrays, below=tuple(below))


class _Beside:
    """What a tree can have beside the part below a node: parts that no rest makes one that keeps
    the rows are left out, as soon as their branches are decided."""

    def __init__(self, lists: Lists) -> None:
        self.rows = rows = lists.rows
        linear = np.ones(rows.width, bool)
        for fold in rows.folds:
            linear &= ~fold.to.any(axis=0)
        self.checked = np.flatnonzero(linear & (np.isfinite(rows.low) | np.isfinite(rows.high)))
        if not len(self.checked):
            return
        w = self.checked
        ends = []
        for best in (np.minimum, np.maximum):
            split = best.reduce(rows.by_option[:, :, w], axis=1)
            label, occupied = rows.label[:, :, w], rows.occupied[:, :, w]
            leaf = best.reduce(label + best(occupied, 0.0), axis=1)
            used = best(rows.anywhere[:, w], 0.0).sum(axis=0)
            each = best.reduce(rows.points[..., w], axis=2)
            fixed, by_point = [], []
            for branches, leaves in lists.under:
                fixed.append(
                    rows.constant[w]
                    + used
                    + np.delete(split, branches, axis=0).sum(axis=0)
                    + np.delete(leaf, leaves, axis=0).sum(axis=0)
                )
                kinds = np.unique(np.delete(rows.kind, leaves))
                by_point.append(best.reduce(each[kinds], axis=0) if len(kinds) else each[0] * 0)
            ends.append((fixed, by_point))
        (self.least, self.least_of_points), (self.most, self.most_of_points) = ends

    def kept(self, parts: Parts, node: int, points: np.ndarray) -> Parts:
        """The parts below a node for some points that others can make whole."""
        if not len(self.checked) or not parts.count:
            return parts
        rows, w = self.rows, self.checked
        others = ~points
        least = self.least[node] + self.least_of_points[node][others].sum(axis=0)
        most = self.most[node] + self.most_of_points[node][others].sum(axis=0)
        size = 2.0**-20 * rows.scale[w]
        own = parts.rows[:, w]
        fits = (own + least <= rows.high[w] + size) & (own + most >= rows.low[w] - size)
        whole = fits.all(axis=1)
        return parts if whole.all() else parts.take(np.flatnonzero(whole))
