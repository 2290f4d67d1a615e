"""The ways in which a branch may split points: all that a formulation may have, and perhaps more.

One too many costs time and a failed completion; one too few would make a proof wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.candidate import AWAY, Candidate
from treemip.answers.search.splits.category_sets import every_set
from treemip.core.instance.instance import Instance
from treemip.core.lower.linear import Linear
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import interval
from treemip.core.tree.category_form import CategoryForm
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.meaning import split_variables
from treemip.core.tree.splits import IN_SET, SET_THRESHOLD
from treemip.core.tree.tree_map import TreeMap

MOST_CATEGORIES = 12  # of one column: 4,094 sets
MOST_CELLS = 1 << 26  # options times points, a byte each
NO_FEATURE = -1


@dataclass(frozen=True)
class Options:
    """O ways. left bool (O, M): which of the distinct points go left. weights float64 (O, inputs)
    and threshold (O,): as a `Candidate` has them. feature int64 (O,): NO_FEATURE for no split and
    for sets. sets bool (O, V): the categories that go left. low, high float64 (O,): between what a
    threshold is.

    The first is no split, its points going where the route sends them. alone: whether options that
    part a branch's points alike are told apart by rows all the same, as codes of thresholds are.
    """

    inputs: Inputs
    left: np.ndarray
    weights: np.ndarray
    threshold: np.ndarray
    feature: np.ndarray
    sets: np.ndarray
    low: np.ndarray
    high: np.ndarray
    unsplit_left: bool
    alone: bool
    form: CategoryForm | None

    @property
    def count(self) -> int:
        return len(self.threshold)

    @cached_property
    def splits(self) -> np.ndarray:
        """Whether the options are splits, bool (O,)."""
        return np.asarray(self.weights.any(axis=1))

    def place(self, tree: Candidate, node: int, option: int) -> None:
        """Gives a branch of a tree the option."""
        tree.weights[node] = self.weights[option]
        tree.threshold[node] = self.threshold[option]


@dataclass(frozen=True)
class _Way:
    """Options of one kind: weights (inputs,) times `turn`, and where thresholds are between."""

    weights: np.ndarray
    threshold: float
    low: float
    high: float
    feature: int = NO_FEATURE


def options_of(instance: Instance, stated: Model, x: np.ndarray) -> Options:
    """The options of a spec for the points x float64 (M, inputs). Raises Refusal."""
    tree_map = TreeMap.of(instance)
    inputs, form, unsplit = tree_map.inputs, tree_map.categories, tree_map.unsplit_left
    if inputs.columns and form is None:
        raise Refusal("its route does not say which categories of a branch's column go left")
    listed = tree_map.listed_thresholds
    bias = _range(tree_map.affine("bias"), stated)
    route = split_variables(instance.spec)
    fractions = any(b.name in route and b.kind is Kind.CONTINUOUS for b in stated.variables)
    movable = listed is None and fractions
    none = np.zeros(inputs.width)
    ways = [_Way(none, 0.0, *bias)]
    if movable:
        ways.append(_Way(none, -AWAY if unsplit else AWAY, *bias))
    least, most = _range(tree_map.affine("coef"), stated)
    turns = [turn for turn, there in ((1.0, most > 0), (-1.0, least < 0)) if there]
    for j in range(inputs.features):
        for turn in turns:
            cuts = None if listed is None else turn * listed[j][:: int(turn)]
            ways += _of_feature(x[:, j], j, turn, cuts, movable, inputs.width)
    ways += [_of_set(inputs, one) for one in _sets(inputs)]
    if len(ways) * len(x) > MOST_CELLS:
        raise Refusal(f"{len(ways)} splits of {len(x)} points are too many")
    weights = np.array([way.weights for way in ways])
    threshold = np.array([way.threshold for way in ways])
    own = Options(
        inputs=inputs,
        left=np.array([_goes_left(way, x, unsplit) for way in ways]),
        weights=weights,
        threshold=threshold,
        feature=np.array([way.feature for way in ways]),
        sets=inputs.in_set(weights),
        low=np.array([way.low for way in ways]),
        high=np.array([way.high for way in ways]),
        unsplit_left=unsplit,
        alone=listed is not None,
        form=form,
    )
    if form is None:
        return own
    by_set = own.sets.any(axis=1)
    low, high = (np.where(by_set, form.bias, end) for end in (own.low, own.high))
    return replace(own, low=low, high=high)


def _goes_left(way: _Way, x: np.ndarray, unsplit: bool) -> np.ndarray:
    """Which points go left, bool (M,). unsplit: whether all do at a branch without a split."""
    if way.feature >= 0:  # compared without rounding
        left: np.ndarray = x[:, way.feature] * way.weights[way.feature] <= way.threshold
        return left
    used = np.flatnonzero(way.weights)
    if len(used):
        return np.any(x[:, used], axis=1)
    return np.full(len(x), unsplit if way.threshold == 0 else way.threshold > 0)


def _range(row: Linear | None, stated: Model) -> tuple[float, float]:
    """Between which values a concept is, by the bounds of the variables behind it."""
    if row is None:
        return -np.inf, np.inf
    low, high = interval(row.matrix(), row.constant, stated.lower, stated.upper)
    return float(low.min(initial=np.inf)), float(high.max(initial=-np.inf))


def demand_whole_weights(instance: Instance, stated: Model) -> None:
    """Raises Refusal where weights of splits, which rows count, may be fractions."""
    row = TreeMap.of(instance).affine("coef")
    if row is None or not stated.integer[row.matrix().indices].all():
        raise Refusal("it counts weights of splits that may be fractions")


def _of_feature(
    column: np.ndarray,
    feature: int,
    turn: float,
    listed: np.ndarray | None,
    movable: bool,
    width: int,
) -> list[_Way]:
    """Splits of one feature whose weight is `turn`: at the thresholds listed, or between any two
    values, and where thresholds are free, beyond them."""
    weights = np.zeros(width)
    weights[feature] = turn
    if listed is not None:
        return [_Way(weights, float(t), float(t), float(t), feature) for t in listed]
    values = np.unique(turn * column)
    far = max(AWAY, float(np.ptp(values)))
    ends = list(zip(values[:-1].tolist(), values[1:].tolist(), strict=True))
    ways = [_Way(weights, low + (high - low) / 2, low, high, feature) for low, high in ends]
    ways = [replace(way, threshold=way.low) if way.threshold >= way.high else way for way in ways]
    if movable or not ways:
        ways.append(_Way(weights, float(values[-1]) + far, float(values[-1]), np.inf, feature))
        ways.append(_Way(weights, float(values[0]) - far, -np.inf, float(values[0]), feature))
    return ways


def _of_set(inputs: Inputs, categories: np.ndarray) -> _Way:
    weights = np.zeros(inputs.width)
    weights[categories] = IN_SET
    return _Way(weights, SET_THRESHOLD, SET_THRESHOLD, SET_THRESHOLD)


def _sets(inputs: Inputs) -> list[np.ndarray]:
    """Every set of one kept column's categories that is not empty, the whole included."""
    sets: list[np.ndarray] = []
    for column in range(inputs.columns):
        of_column = inputs.categories(column)
        if len(of_column) > MOST_CATEGORIES:
            raise Refusal(
                f"a column of {len(of_column)} categories has too many sets; it takes "
                f"{MOST_CATEGORIES}"
            )
        sets += [of_column[chosen] for chosen in every_set(len(of_column))]
        sets.append(of_column)
    return sets
