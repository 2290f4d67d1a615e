"""What a picture of a tree shows, before it has a place: splits in raw units, leaves with points.

Branches that send all points one way are left out, and leaves of one answer below a branch are one,
as in the drawing as text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.tree.answers import DistributionAnswer, ValueAnswer
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.raw_units import in_raw_units, value_in_raw_units
from treemip.core.tree.routing import logistic
from treemip.core.tree.tree import Tree
from treemip.writers.convert.draw import answer_text, class_names, leaves_as_one, split_text
from treemip.writers.convert.words import addend, on_one_line, plus, short, sum_of


@dataclass(frozen=True)
class Term:
    """A feature of a split of several. share: its effect, as a share of the largest one."""

    feature: str
    weight: float
    share: float


@dataclass(frozen=True)
class Split:
    """A branch. head: the column and relation of a split of one feature, `items` the categories
    that belong to it. terms: of a split of several features, the largest effect first; `constant`
    is what their sum is compared with.

    chance: whether a point goes left with probability logistic(sum - constant).
    """

    heap: int
    head: str
    items: tuple[str, ...]
    terms: tuple[Term, ...]
    constant: float
    strict: bool
    chance: bool
    left: Split | Leaf
    right: Split | Leaf

    @property
    def text(self) -> str:
        """The whole split in a line, without any shortening."""
        if not self.terms:
            return self.head + (f" {{{', '.join(self.items)}}}" if self.items else "")
        total = sum_of((term.weight, term.feature) for term in self.terms)
        if self.chance:
            constant = f" {plus(-self.constant)}" if self.constant else ""
            return f"left with probability logistic({total}{constant})"
        return f"{total} {'<' if self.strict else '<='} {short(self.constant)}"

    @property
    def question(self) -> str:
        """The whole split, as its box asks it."""
        return self.text if self.chance else f"{self.text}?"

    @property
    def ends(self) -> tuple[str, str]:
        """What stands before and behind the terms, each of which has a line of its own."""
        if self.chance:
            return "left with probability logistic(", f"{plus(-self.constant)} )"
        return "", f"{'<' if self.strict else '<='} {short(self.constant)}?"

    @property
    def answers(self) -> tuple[str, str]:
        """What the two edges are called."""
        return ("left", "right") if self.chance else ("yes", "no")


@dataclass(frozen=True)
class Leaf:
    """Leaves of one answer. heap: their numbers. answer: what they answer, in words. parts: of a
    value that depends on features the addends in raw units, the constant last. label: the class, of
    a distribution the most probable one; None of a value. chances float64 (K,): of a distribution,
    else None. counts int64 (n,): points, as `Tree.counts`; None where they are not known. likely:
    whether these points only reach the leaf most probably."""

    heap: tuple[int, ...]
    answer: str
    parts: tuple[str, ...]
    label: int | None
    chances: np.ndarray | None
    counts: np.ndarray | None
    likely: bool


def term_text(term: Term, first: bool = False) -> str:
    """`0.5 age` as the first of a sum, else `+ 0.5 age`."""
    return addend(term.weight, term.feature, first)


def contents(tree: Tree, counts: np.ndarray | None = None) -> Split | Leaf:
    """The tree from the root down. counts int64 (nodes, n): points by leaf, as `Tree.counts`."""
    counts = tree.counts if counts is None else counts
    return _node(tree, 0, counts)


def shown(text: str) -> str:
    """A name on one line, with nothing in it that is not printed."""
    return on_one_line(text.replace("\t", "\\t"))


def _node(tree: Tree, node: int, counts: np.ndarray | None) -> Split | Leaf:
    node = tree.applied(node)
    if leaves := leaves_as_one(tree, node):
        return _leaf(tree, leaves, None if counts is None else counts[leaves].sum(axis=0))
    left = _node(tree, int(tree.topology.left[node]), counts)
    right = _node(tree, int(tree.topology.right[node]), counts)
    return _split(tree, node, left, right)


def _leaf(tree: Tree, leaves: list[int], counts: np.ndarray | None) -> Leaf:
    answer, first = tree.answer, leaves[0]
    heap = tuple(tree.topology.heap[leaves].tolist())
    likely = isinstance(tree, RandomizedTree)
    if isinstance(answer, ValueAnswer):
        text, parts = shown(answer_text(tree, first)), _parts(tree, first)
        return Leaf(heap, text, parts, None, None, counts, likely)
    label = int(answer.leaf[first])
    chances = answer.shares[first] if isinstance(answer, DistributionAnswer) else None
    return Leaf(heap, shown(class_names(tree)[label]), (), label, chances, counts, likely)


def _parts(tree: Tree, leaf: int) -> tuple[str, ...]:
    constant, slopes = value_in_raw_units(tree, leaf)
    parts = [
        addend(float(slopes[j]), shown(tree.features[j]), first=not k)
        for k, j in enumerate(np.flatnonzero(slopes))
    ]
    return (*parts, plus(constant)) if parts and constant else tuple(parts)


def _split(tree: Tree, node: int, left: Split | Leaf, right: Split | Leaf) -> Split:
    heap, chance = int(tree.topology.heap[node]), isinstance(tree, RandomizedTree)
    head, constant = "", 0.0
    items: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    by_category = tree.by_category(node)
    if by_category is not None:
        head, items = f"{shown(by_category.column)} in", tuple(map(shown, by_category.left))
    elif chance or np.count_nonzero(tree.weights[node]) > 1:
        terms, constant = _terms(tree, node)
    if chance and not terms:
        head = f"left with probability {short(float(logistic(np.array([-constant]))[0]))}"
    elif not terms and not items:
        head = shown(split_text(tree, node))
    return Split(heap, head, items, terms, constant, tree.strict, chance, left, right)


def _terms(tree: Tree, node: int) -> tuple[tuple[Term, ...], float]:
    """The features of a hyperplane, the largest effect first, and its threshold."""
    plane = in_raw_units(tree, node)
    order = np.argsort(-plane.effect, kind="stable")
    order = order[plane.weights[order] != 0]
    largest = plane.effect.max(initial=0.0) or 1.0
    terms = tuple(
        Term(shown(tree.features[j]), float(plane.weights[j]), float(plane.effect[j] / largest))
        for j in order.tolist()
    )
    return terms, plane.threshold
