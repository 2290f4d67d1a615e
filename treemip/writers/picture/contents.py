"""What a picture of a tree shows, before it has a place: splits in raw units, leaves with points.

Branches that send all points one way are left out, and leaves of one answer below a branch are one,
as in the drawing as text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.core.tree.answers import DistributionAnswer, ValueAnswer
from treemip.core.tree.leaf_outcomes import Outcome
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.raw_units import in_raw_units
from treemip.core.tree.routing import logistic
from treemip.core.tree.tree import Tree
from treemip.writers.convert.arriving import ANYTHING, Arriving, column_split
from treemip.writers.convert.phrases import class_names, leaves_as_one
from treemip.writers.convert.sides import Wording, both_signs, sides_of
from treemip.writers.convert.words import addend, on_one_line, plus, short, sum_of
from treemip.writers.picture.linear_values import linear_value
from treemip.writers.picture.style import PLAIN, Style


@dataclass(frozen=True)
class Term:
    """A feature of a split of several. share: its effect, as a share of the largest one."""

    feature: str
    weight: float
    share: float


@dataclass(frozen=True)
class Split:
    """A branch. head: the column that it asks about, or what is asked where that is several.
    sides: what holds on the left and on the right. terms: of a split of several features, the
    largest effect first; `constant` is what their sum is compared with. counts int64 (n,): points,
    as `Tree.counts`; None where they are not known.

    chance: whether a point goes left with probability logistic(sum - constant).
    """

    heap: int
    head: str
    sides: tuple[str, str]
    terms: tuple[Term, ...]
    constant: float
    strict: bool
    chance: bool
    left: Split | Leaf
    right: Split | Leaf
    counts: np.ndarray | None = None

    @property
    def text(self) -> str:
        """The whole split in a line, without any shortening."""
        if not self.terms:
            return self.head if self.chance else self.sides[0]
        total = sum_of((term.weight, term.feature) for term in self.terms)
        if self.chance:
            constant = f" {plus(-self.constant)}" if self.constant else ""
            return f"left with probability logistic({total}{constant})"
        return f"{total} {'<' if self.strict else '≤'} {short(self.constant)}"

    @property
    def conditions(self) -> tuple[str, str]:
        """What holds on each side, by itself: of several features with the whole sum."""
        if not self.terms or self.chance:
            return (f"{self.text}: {self.sides[0]}", self.sides[1]) if self.chance else self.sides
        total = sum_of((term.weight, term.feature) for term in self.terms)
        return both_signs(total, "<" if self.strict else "<=", short(self.constant))


@dataclass(frozen=True)
class Leaf:
    """Leaves of one answer. heap: their numbers. answer: what they answer, in words. value: of a
    constant one. parts: of a value that depends on features the addends in raw units, the constant
    last; against: categories that count 0 in it. label: the class, of
    a distribution the most probable one; None of a value. chances float64 (K,): of a distribution,
    else None. counts int64 (n,): points, as `Tree.counts`; None where they are not known. likely:
    whether these points only reach the leaf most probably. outcome: of these points. folded: how
    many leaves are not shown that are below a branch which stands as a leaf."""

    heap: tuple[int, ...]
    answer: str
    parts: tuple[str, ...]
    label: int | None
    chances: np.ndarray | None
    counts: np.ndarray | None
    likely: bool
    value: float | None = None
    outcome: Outcome | None = None
    against: tuple[str, ...] = ()
    folded: int = 0


def term_text(term: Term, first: bool = False, style: Style = PLAIN) -> str:
    """`0.5 age` as the first of a sum, else `+ 0.5 age`."""
    return addend(term.weight, term.feature, first, style.number)


def contents(tree: Tree, counts: np.ndarray | None = None, style: Style = PLAIN) -> Split | Leaf:
    """The tree from the root down. counts int64 (nodes, n): points by leaf, as `Tree.counts`, of
    other points than the training part, whose outcomes are left out then."""
    if counts is not None:
        tree = replace(tree, counts=counts, outcomes=None)
    return _node(tree, 0, style, 0, ANYTHING)


def shown(text: str) -> str:
    """A name on one line, with nothing in it that is not printed."""
    return on_one_line(text.replace("\t", "\\t"))


def _node(tree: Tree, node: int, style: Style, depth: int, arriving: Arriving) -> Split | Leaf:
    """arriving: what can be there, which conditions are named by."""
    node = tree.applied(node)
    if leaves := leaves_as_one(tree, node):
        return _leaf(tree, leaves, style)
    sides = (int(tree.topology.left[node]), int(tree.topology.right[node]))
    asked = None if isinstance(tree, RandomizedTree) else column_split(tree, node)
    left, right = (
        _node(tree, side, style, depth + 1, arriving.after(asked, side == sides[0]))
        for side in sides
    )
    split = _split(tree, node, left, right, style, arriving)
    return _folded(split, style) if depth == style.depth else split


def _folded(split: Split, style: Style) -> Leaf:
    """A branch whose children are not shown, as one box with their points."""
    below = leaves_below(split)
    heap, counted = (split.heap,), split.counts
    text = f"{len(below)} {style.say('leaves below')}"
    return Leaf(heap, text, (), None, None, counted, below[0].likely, folded=len(below))


def splits_of(node: Split | Leaf) -> list[Split]:
    """A branch and those below it, the left ones first."""
    if isinstance(node, Leaf):
        return []
    return [node, *splits_of(node.left), *splits_of(node.right)]


def leaves_below(node: Split | Leaf) -> list[Leaf]:
    if isinstance(node, Leaf):
        return [node]
    return leaves_below(node.left) + leaves_below(node.right)


def _leaf(tree: Tree, leaves: list[int], style: Style) -> Leaf:
    answer, first = tree.answer, leaves[0]
    heap = tuple(tree.topology.heap[leaves].tolist())
    counts = None if tree.counts is None else tree.counts[leaves].sum(axis=0)
    likely = isinstance(tree, RandomizedTree)
    outcome = tree.outcomes.together(leaves) if tree.outcomes is not None and not likely else None
    if isinstance(answer, ValueAnswer):
        found = linear_value(tree, first)
        value = found.constant if not found.terms else None
        parts = _parts(found.terms, found.constant, style)
        text = " ".join(parts) if parts else style.number(found.constant)
        more = {"value": value, "outcome": outcome, "against": tuple(map(shown, found.against))}
        return Leaf(heap, text, parts, None, None, counts, likely, **more)  # type: ignore[arg-type]
    label = int(answer.leaf[first])
    chances = answer.shares[first] if isinstance(answer, DistributionAnswer) else None
    name = shown(class_names(tree)[label])
    return Leaf(heap, name, (), label, chances, counts, likely, outcome=outcome)


def _parts(terms: tuple[tuple[str, float], ...], constant: float, style: Style) -> tuple[str, ...]:
    parts = [
        addend(slope, shown(name), not k, style.number) for k, (name, slope) in enumerate(terms)
    ]
    return (*parts, plus(constant, style.number)) if parts and constant else tuple(parts)


def _split(
    tree: Tree,
    node: int,
    left: Split | Leaf,
    right: Split | Leaf,
    style: Style,
    arriving: Arriving,
) -> Split:
    heap, chance = int(tree.topology.heap[node]), isinstance(tree, RandomizedTree)
    counts = None if left.counts is None or right.counts is None else left.counts + right.counts
    if chance:
        terms, constant = _terms(tree, node)
        head = style.say("left with probability")
        if not terms:
            head += f" {style.number(float(logistic(np.array([-constant]))[0]))}"
        sides = style.say("left"), style.say("right")
        return Split(heap, head, sides, terms, constant, False, True, left, right, counts)
    one = sides_of(tree, node, Wording(style.say, style.number), arriving)
    if one is not None:
        both = shown(one.left), shown(one.right)
        head = shown(one.column)
        return Split(heap, head, both, (), 0.0, tree.strict, False, left, right, counts)
    terms, constant = _terms(tree, node)
    sign, number = ("<" if tree.strict else "<="), style.number(constant)
    both = both_signs(style.say("sum"), sign, number)
    head = style.say("weighted sum")
    return Split(heap, head, both, terms, constant, tree.strict, False, left, right, counts)


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
