"""A tree over raw columns: what each branch asks of a row before it is encoded.

A split that depends on one column becomes a comparison with a number, or a set of its values, and
sends every double the same way as encoding and multiplying does (`raw_limits.py`). Splits of
several columns stay sums, with the encoding of each column beside its weight, to be computed in the
order of `routing.weighted_sum`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from operator import ge, gt, le, lt

import numpy as np

from treemip.core.instance.encoder import Encoder
from treemip.core.instance.encodings import Line, Number, Thermometer
from treemip.core.instance.feature import Feature
from treemip.core.instance.missing_columns import (
    MISSING,
    Indicator,
    Part,
    part_of,
    scale_of,
)
from treemip.core.source.diagnostic import TreemipError, fail
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.routing import weighted_sum
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_limits import NO_VALUE, encoded, limit_of

UNSEEN = -1
"""In place of the position of a level: a value that training did not have."""

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class Limit:
    """Left when `value operator number` holds of a numeric column; operator: <, <=, > or >=.

    missing: whether a missing value goes left; None where the tree has no side for one.
    """

    feature: Feature
    operator: str
    number: float
    missing: bool | None = None

    def holds(self, value: float) -> bool:
        """Whether a present value goes left."""
        return bool(COMPARE[self.operator](value, self.number))

    @property
    def opposite(self) -> Limit:
        missing = None if self.missing is None else not self.missing
        return Limit(self.feature, OPPOSITE[self.operator], self.number, missing)


@dataclass(frozen=True)
class Missing:
    """Left when the column has no value if `left`, else when it has one."""

    feature: Feature
    left: bool

    @property
    def opposite(self) -> Missing:
        return Missing(self.feature, not self.left)


@dataclass(frozen=True)
class Values:
    """Left when the level of a categorical column is in `left`, positions.

    UNSEEN stands for values that training did not have, and is there only where the encoding takes
    them; NO_VALUE likewise for missing ones.
    """

    feature: Feature
    left: frozenset[int]

    @property
    def opposite(self) -> Values:
        return Values(self.feature, frozenset(positions(self.feature)) - self.left)

    @property
    def missing(self) -> bool | None:
        """Whether a missing value goes left; None where the tree has no side for one."""
        return NO_VALUE in self.left if self.feature.keeps_missing else None


@dataclass(frozen=True)
class Term:
    """weight times what a raw value becomes: a scaled number; with `edge` whether it is that great;
    of a categorical column `table[level]`, and the last entry for one that training did not have.

    `missing` is what a missing value becomes, where the encoding keeps it apart; `part` the part of
    the encoding that the column of x belongs to.
    """

    feature: Feature
    weight: float
    edge: float | None = None
    table: tuple[float, ...] | None = None
    missing: float | None = None
    part: Part | None = None

    @property
    def finish(self) -> Number | Indicator:
        finish = self.feature.finish if self.part is None else self.part.finish
        assert isinstance(finish, Number | Indicator)
        return finish


@dataclass(frozen=True)
class Sum:
    """Left when the sum of the terms, added in their order, is <= threshold, or < if `strict`."""

    terms: tuple[Term, ...]
    threshold: float
    strict: bool


Split = Limit | Missing | Values | Sum


@dataclass(frozen=True)
class Leaf:
    """others: leaves that answer the same, and of which the branch above is left out."""

    node: int
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Branch:
    node: int
    split: Split
    left: Branch | Leaf
    right: Branch | Leaf


Path = tuple[tuple[Branch, bool], ...]
"""The branches above a node, from the root down, and whether it is on their left."""


@dataclass(frozen=True)
class RawTree:
    """A tree whose branches ask for raw columns.

    Branches that every row passes the same way and those whose leaves all answer the same, with the
    same probabilities where it has these, are left out. A randomized tree keeps all of its
    branches, and all its splits are sums. shares float64 (nodes, K): as of `Tree.shares`; None
    where leaves predict values or choose from a group, and where they are not known.
    """

    tree: Tree
    root: Branch | Leaf
    shares: np.ndarray | None = None

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The raw columns that some branch or value asks for, in the encoder's order."""
        asked = {f.column for split in splits(self.root) for f in features_of(split)}
        if self.predicts_values:
            sums = [self.value_of(leaf) for leaf in self.leaves]
            asked |= {f.column for value in sums for f in features_of(value)}
        encoder = self.tree.fitted_encoder()
        return tuple(f for f in (*encoder.features, *encoder.kept) if f.column in asked)

    @property
    def is_randomized(self) -> bool:
        return isinstance(self.tree, RandomizedTree)

    @property
    def predicts_values(self) -> bool:
        return self.tree.answer.kind == "value"

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The leaves that rows can reach, from left to right."""
        return tuple(node.node for node, _ in paths(self.root) if isinstance(node, Leaf))

    def value_of(self, leaf: int) -> Sum:
        """The terms that a leaf adds to its constant, which is `base[leaf]` of the answer."""
        slopes = self.tree.value_answer.slopes[leaf]
        of_features = list(origins(self.tree.fitted_encoder()))
        used = np.flatnonzero(slopes).tolist()
        return Sum(tuple(term_of(*of_features[j], float(slopes[j])) for j in used), 0.0, False)

    def base_of(self, leaf: int) -> float:
        return float(self.tree.value_answer.base[leaf])


def raw_tree(tree: Tree) -> RawTree:
    """The tree over raw columns, with the probabilities of classes where they are known. Raises
    E701 where the tree has no encoder."""
    tree.fitted_encoder()
    shares = known_shares(tree)
    return RawTree(tree, _below(tree, shares, 0), shares)


def known_shares(tree: Tree) -> np.ndarray | None:
    """`RawTree.shares` of a tree."""
    if tree.answer.kind == "value" or (tree.answer.kind == "class" and not tree.predicts_label):
        return None
    try:
        return tree.shares
    except TreemipError:
        return None


def branches(node: Branch | Leaf) -> Iterator[Branch]:
    """All branches from the node down, each before those on its left, then those on its right."""
    return (each for each, _ in paths(node) if isinstance(each, Branch))


def splits(node: Branch | Leaf) -> Iterator[Split]:
    """All splits from the node down."""
    return (branch.split for branch in branches(node))


def paths(node: Branch | Leaf, path: Path = ()) -> Iterator[tuple[Branch | Leaf, Path]]:
    """Every node from this one down, with the branches above it."""
    yield node, path
    if isinstance(node, Branch):
        yield from paths(node.left, (*path, (node, True)))
        yield from paths(node.right, (*path, (node, False)))


def features_of(split: Split) -> tuple[Feature, ...]:
    return tuple(t.feature for t in split.terms) if isinstance(split, Sum) else (split.feature,)


def level_names(feature: Feature) -> tuple[str, ...]:
    assert feature.levels is not None
    return feature.levels.names


def positions(feature: Feature) -> list[int]:
    """The levels of a categorical column that a row may have, UNSEEN and NO_VALUE among them."""
    others = [UNSEEN] * feature.takes_unseen + [NO_VALUE] * feature.keeps_missing
    return [*others, *range(len(level_names(feature)))]


def levels_left(split: Missing | Values) -> frozenset[int]:
    """The levels of a categorical column that go left, as of `positions`."""
    if isinstance(split, Values):
        return split.left
    none = frozenset({NO_VALUE})
    return none if split.left else frozenset(positions(split.feature)) - none


def named_levels(split: Missing | Values, missing: bool = True) -> tuple[bool, list[str]]:
    """Names of levels, and whether a row goes left that has one of them; else one that has none
    does. They are the fewer ones, unless values that training did not have go with the others.

    missing: whether missing values are among them, where they have a side.
    """
    left, feature = levels_left(split), split.feature
    names = dict(enumerate(level_names(feature)))
    if missing and feature.keeps_missing:
        names[NO_VALUE] = MISSING
    inside = 2 * sum(k in left for k in names) <= len(names)
    if feature.takes_unseen:
        inside = UNSEEN not in left
    return inside, [name for k, name in names.items() if (k in left) == inside]


def _below(tree: Tree, shares: np.ndarray | None, node: int) -> Branch | Leaf:
    node = tree.applied(node)
    if tree.topology.is_leaf[node]:
        return Leaf(node)
    split = split_of(tree, node)
    children = int(tree.topology.left[node]), int(tree.topology.right[node])
    if isinstance(split, bool):
        return _below(tree, shares, children[0] if split else children[1])
    left, right = (_below(tree, shares, child) for child in children)
    if (
        isinstance(left, Leaf)
        and isinstance(right, Leaf)
        and _one_answer(tree, shares, left, right)
    ):
        return Leaf(left.node, (*left.others, right.node, *right.others))
    return Branch(node, split, left, right)


def _one_answer(tree: Tree, shares: np.ndarray | None, left: Leaf, right: Leaf) -> bool:
    """Whether two leaves answer the same, which matters to a randomized tree."""
    if isinstance(tree, RandomizedTree):
        return False
    if shares is not None and not np.array_equal(shares[left.node], shares[right.node]):
        return False
    return tree.answer.is_same(np.array([left.node, right.node]))


def split_of(tree: Tree, node: int) -> Split | bool:
    """A branch's split; true or false where every row goes left or right."""
    places = list(origins(tree.fitted_encoder()))
    used = np.flatnonzero(tree.weights[node]).tolist()
    columns = {places[j][0].column for j in used}
    if not isinstance(tree, RandomizedTree) and len(columns) == 1:
        one = _of_one_column(tree, node, places[used[0]][0], [places[j][1] for j in used])
        if one is not None:
            return one
    terms = tuple(term_of(*places[j], float(tree.weights[node, j])) for j in used)
    return Sum(terms, float(tree.threshold[node]), tree.strict)


def origins(encoder: Encoder) -> Iterator[tuple[Feature, int]]:
    """For each of the tree's inputs, its raw column, and its place among that column's inputs."""
    for feature in encoder.features:
        yield from ((feature, k) for k in range(len(feature.names)))
    for feature in encoder.kept:
        yield from ((feature, k) for k in range(len(feature.categories)))


def term_of(feature: Feature, place: int, weight: float) -> Term:
    missing = None
    if feature.keeps_missing:
        missing = float(encoded(feature, np.array([np.nan]))[0, place])
    if feature.levels is not None:
        levels = np.array([*range(len(level_names(feature))), UNSEEN], float)
        table = tuple(encoded(feature, levels)[:, place].tolist())
        return Term(feature, weight, table=table, missing=missing)
    part, finish, place = part_of(feature.finish, place)
    if isinstance(finish, Thermometer):
        return Term(feature, weight, edge=finish.edges[place], missing=missing, part=part)
    return Term(feature, weight, missing=missing, part=part)


# ---------------------------------------------------------------- splits of one column


def _of_one_column(
    tree: Tree, node: int, feature: Feature, places: list[int]
) -> Split | bool | None:
    """None where no comparison with one number is the same split."""
    weights = tree.weights[node][np.flatnonzero(tree.weights[node])]
    threshold = tree.threshold[node]

    def goes_left(values: np.ndarray) -> np.ndarray:
        total = weighted_sum(encoded(feature, values)[:, places], weights)
        return np.asarray(total < threshold if tree.strict else total <= threshold)

    if feature.levels is None:
        scales = [scale_of(feature.finish, place) for place in places]
        if len(scales) - scales.count(None) > 1:  # missing values below the others and above them
            return None
        found = limit_of(feature, goes_left)
        present = Limit(feature, *found) if isinstance(found, tuple) else found
        if not feature.keeps_missing or present is None:
            return present
        return _with_missing(feature, present, bool(goes_left(np.array([np.nan]))[0]))
    allowed = positions(feature)
    chosen = frozenset(np.array(allowed)[goes_left(np.array(allowed, float))].tolist())
    if len(chosen) in (0, len(allowed)):
        return bool(chosen)
    if chosen == {NO_VALUE} or chosen == set(allowed) - {NO_VALUE}:
        return Missing(feature, NO_VALUE in chosen)
    return Values(feature, chosen)


def _with_missing(feature: Feature, present: Limit | bool, missing: bool) -> Split | bool:
    """The split that sends missing values left or right, and present ones as it says."""
    if isinstance(present, Limit):
        return replace(present, missing=missing)
    return present if present == missing else Missing(feature, missing)


# ------------------------------------------------------------------------- scaled numbers


def scaling(finish: Number | Indicator) -> Line | float:
    """The line that numbers are scaled along, or the one value that all of them become.

    Raises TreemipError E902 for an encoding that is no line, of which no sum over raw columns is.
    """
    if isinstance(finish, Indicator):
        return 0.0
    if finish.constant is not None:
        return finish.constant
    if finish.line is None:
        message = f"a sum has a column of  scale {finish.kind};  which no other language has"
        fail("E902", message, remedy="write  scale minmax;  or splits of single columns")
    return finish.line
