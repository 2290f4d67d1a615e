"""Which nodes of two trees belong together, in the units of the raw columns.

The cheapest way from one tree to the other: splits are kept, changed, replaced, added above a
subtree or removed from above one. Trees of different formulations and encodings are compared by
what their branches ask of a row before it is encoded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose
from typing import Literal

from treemip.core.instance.feature import Feature
from treemip.core.instance.missing_columns import MISSING
from treemip.core.tree.answers import ValueAnswer
from treemip.core.tree.randomized import RandomizedTree
from treemip.writers.convert.phrases import answer_text, chance_text, split_text
from treemip.writers.convert.raw_limits import NO_VALUE
from treemip.writers.convert.raw_splits import (
    UNSEEN,
    Branch,
    Leaf,
    Limit,
    RawTree,
    Sum,
    features_of,
    level_names,
    levels_left,
    paths,
)
from treemip.writers.convert.rules import sum_text

Kind = Literal["kept", "moved", "replaced", "removed", "added"]

SAME = 1e-9
"""Relative difference up to which two numbers are one that two encodings rounded differently."""

COSTS = {"kept": 0.0, "moved": 1.0, "replaced": 3.0}
SPLIT, LEAF = 2.0, 1.0
"""Of a split that is added or removed; of a leaf that is, or that answers otherwise."""

MOST_PAIRS = 250_000
"""Pairs of nodes up to which all ways are compared; above, nodes are paired by their place."""

Node = Branch | Leaf


@dataclass(frozen=True)
class Step:
    """What became of a split or a leaf. old, new: its node in the old and in the new tree, None
    where it has none. A leaf is "moved" where it answers otherwise."""

    kind: Kind
    old: Node | None
    new: Node | None

    @property
    def is_leaf(self) -> bool:
        return isinstance(self.old or self.new, Leaf)


def aligned(old: RawTree, new: RawTree) -> list[Step]:
    """The steps of the cheapest way, from the root down."""
    return _Alignment(old, new).steps


class _Alignment:
    def __init__(self, old: RawTree, new: RawTree) -> None:
        self.old, self.new = old, new
        self.costs: dict[tuple[int, int], float] = {}
        sizes = [sum(1 for _ in paths(tree.root)) for tree in (old, new)]
        self.anywhere = sizes[0] * sizes[1] <= MOST_PAIRS
        self.whole = {
            (side, node.node): sum(_weight(below) for below, _ in paths(node))
            for side, tree in enumerate((old, new))
            for node, _ in paths(tree.root)
        }
        self.steps = [*self._steps(old.root, new.root)]

    def cost(self, a: Node, b: Node) -> float:
        key = a.node, b.node
        if key not in self.costs:
            self.costs[key] = min(price for price, _, _ in self._ways(a, b))
        return self.costs[key]

    def _ways(self, a: Node, b: Node) -> Iterator[tuple[float, str, Node | None]]:
        """What each way to go on from two nodes costs, what it is, and the child that goes on."""
        if isinstance(a, Leaf) and isinstance(b, Leaf):
            yield (0.0 if same_answer(self.old, a, self.new, b) else LEAF), "pair", None
            return
        if isinstance(a, Branch) and isinstance(b, Branch):
            kind, mirrored = self._same(a, b)
            below = self._children(b, mirrored)
            price = self.cost(a.left, below[0]) + self.cost(a.right, below[1])
            yield COSTS[kind] + price, "pair", None
            if not self.anywhere:
                return
        if isinstance(b, Branch):
            for child, other in ((b.left, b.right), (b.right, b.left)):
                yield self.cost(a, child) + SPLIT + self.whole[1, other.node], "added", child
        if isinstance(a, Branch):
            for child, other in ((a.left, a.right), (a.right, a.left)):
                yield self.cost(child, b) + SPLIT + self.whole[0, other.node], "removed", child

    def _same(self, a: Branch, b: Branch) -> tuple[Kind, bool]:
        return same_split(self.old, a, self.new, b)

    def _children(self, b: Branch, mirrored: bool) -> tuple[Node, Node]:
        return (b.right, b.left) if mirrored else (b.left, b.right)

    def _steps(self, a: Node, b: Node) -> Iterator[Step]:
        _, way, child = min(self._ways(a, b), key=lambda each: each[0])
        if way == "added":
            assert isinstance(b, Branch) and child is not None
            yield Step("added", None, b)
            other = b.right if child is b.left else b.left
            yield from self._steps(a, child)
            yield from (Step("added", None, node) for node, _ in paths(other))
        elif way == "removed":
            assert isinstance(a, Branch) and child is not None
            yield Step("removed", a, None)
            other = a.right if child is a.left else a.left
            yield from self._steps(child, b)
            yield from (Step("removed", node, None) for node, _ in paths(other))
        elif isinstance(a, Branch) and isinstance(b, Branch):
            kind, mirrored = self._same(a, b)
            yield Step(kind, a, b)
            for one, other in zip((a.left, a.right), self._children(b, mirrored), strict=True):
                yield from self._steps(one, other)
        else:
            assert isinstance(a, Leaf) and isinstance(b, Leaf)
            yield Step("kept" if same_answer(self.old, a, self.new, b) else "moved", a, b)


def _weight(node: Node) -> float:
    return LEAF if isinstance(node, Leaf) else SPLIT


# ------------------------------------------------------------------------ two nodes


def same_split(old: RawTree, a: Branch, new: RawTree, b: Branch) -> tuple[Kind, bool]:
    """Whether a split is kept, moved to another threshold, set of values or weights of the same
    columns, or replaced by one of other columns; and whether left and right are exchanged."""
    one, two = a.split, b.split
    columns = [{feature.column for feature in features_of(split)} for split in (one, two)]
    if columns[0] != columns[1]:
        return "replaced", False
    if isinstance(one, Sum) or isinstance(two, Sum):
        same = isinstance(one, Sum) and isinstance(two, Sum) and _sum(one) == _sum(two)
        return ("kept" if same else "moved"), False
    if isinstance(one, Limit) and isinstance(two, Limit):
        mirrored = one.operator[0] != two.operator[0]
        other = two.opposite if mirrored else two
        same = isclose(one.number, two.number, rel_tol=SAME) and one.missing == other.missing
        # Which side a number itself is on is what the text says: encodings round it.
        same &= mirrored or branch_text(old, a) == branch_text(new, b)
        return ("kept" if same else "moved"), mirrored
    if isinstance(one, Limit) or isinstance(two, Limit):
        return "replaced", False
    if one.feature.levels is None or two.feature.levels is None:
        mirrored = one != two and getattr(one, "left", 0) != getattr(two, "left", 0)
        return "kept", mirrored
    left, right = ({_level(s.feature, k) for k in levels_left(s)} for s in (one, two))
    rest = {_level(two.feature, k) for k in levels_left(two.opposite)}
    if left in (right, rest):
        return "kept", left != right
    return "moved", len(left ^ rest) < len(left ^ right)


def _level(feature: Feature, position: int) -> str:
    special = {UNSEEN: "\0unseen", NO_VALUE: f"\0{MISSING}"}
    return special.get(position) or level_names(feature)[position]


def _sum(split: Sum) -> str:
    return sum_text(split, "<" if split.strict else "<=")


def same_answer(old: RawTree, a: Leaf, new: RawTree, b: Leaf) -> bool:
    """Whether two leaves answer the same."""
    one, two = old.tree.answer, new.tree.answer
    if isinstance(one, ValueAnswer) and isinstance(two, ValueAnswer):
        constant = not (one.slopes[a.node].any() or two.slopes[b.node].any())
        if constant:
            return isclose(old.base_of(a.node), new.base_of(b.node), rel_tol=SAME, abs_tol=SAME)
    return one.kind == two.kind and leaf_text(old, a) == leaf_text(new, b)


def leaf_text(tree: RawTree, leaf: Leaf) -> str:
    """What a leaf answers, in words."""
    return answer_text(tree.tree, leaf.node)


def branch_text(tree: RawTree, branch: Branch) -> str:
    """What a branch asks, in raw units."""
    if isinstance(tree.tree, RandomizedTree):
        return chance_text(tree.tree, branch.node)
    if isinstance(branch.split, Sum):
        return _sum(branch.split)
    return split_text(tree.tree, branch.node)


def node_text(tree: RawTree, node: Node) -> str:
    return leaf_text(tree, node) if isinstance(node, Leaf) else branch_text(tree, node)
