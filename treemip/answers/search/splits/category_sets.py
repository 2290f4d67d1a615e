"""The split of one branch by a set of categories: the points of a category go to one side together.

A set's sums are those of its categories. For an objective that is a sum over points the best set
has all categories that are better off on the left. For other functions of the sums, all sets of few
categories are tried. Of many categories, the sets tried are those that begin an order of the
categories by their worth (Breiman et al. 1984, theorem 4.5, where one order has the best set); in
the best of these, categories are exchanged for as long as that helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from treemip.answers.search.candidate import Label
from treemip.answers.search.sums import Value
from treemip.core.model.tolerances import LEAST_DIVISOR, ROUNDING, SAME_WORTH
from treemip.core.tree.inputs import Inputs

MOST_ENUMERATED = 10
"""Categories at a branch all of whose sets are looked at."""
MOST_STEPS = 40  # exchanges of categories
DESCENTS = 4  # sets from which categories are exchanged
MIXTURES = (0.3, 1.0, 3.0)  # of another sum to the objective's

Price = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""What sets bool (n, v) add to the sums, (n, R), and to the value, (n,)."""


@dataclass(frozen=True)
class CategorySet:
    """Points with a category among `inputs` int64 go left. labels: of the two leaves, where those
    are free."""

    value: float
    inputs: np.ndarray
    labels: tuple[Label, Label] | None = None


def best_set(
    groups: np.ndarray, all_right: np.ndarray, value: Value, price: Price
) -> tuple[float, np.ndarray]:
    """The best value of a set of categories and the set, bool (v,).

    groups float64 (v, R): what the sums gain when a category's points go left instead of right;
    all_right (R,): the sums when all points go right. The set is neither empty nor everything, so
    that v is 2 at least.
    """

    def values(sets: np.ndarray) -> np.ndarray:
        added, extra = price(sets)
        return value(all_right + sets @ groups + added) + extra

    if len(groups) <= MOST_ENUMERATED:
        return _best(values, every_set(len(groups)))
    gains = np.unique(np.stack(list(_gains(groups, all_right, value))), axis=0)
    orders = np.unique(np.argsort(gains, axis=1, kind="stable"), axis=0)
    sets = np.unique(np.concatenate([beginnings(order) for order in orders]), axis=0)
    ranked = np.argsort(values(sets), kind="stable")[:DESCENTS]
    ends = [_exchanged_for_better(values, sets[start]) for start in ranked]
    return min(ends, key=lambda end: end[0])


def _exchanged_for_better(values: Value, chosen: np.ndarray) -> tuple[float, np.ndarray]:
    """The best that exchanges of one category reach from a set, and its value."""
    best = _best(values, chosen[None])
    for _ in range(MOST_STEPS):
        step = _best(values, neighbours(best[1]))
        if step[0] >= best[0] - SAME_WORTH:
            break
        best = step
    return best


def _best(values: Value, sets: np.ndarray) -> tuple[float, np.ndarray]:
    """The best of the sets bool (n, v), the first of equal ones."""
    worths = values(sets)
    at = int(worths.argmin())
    return float(worths[at]), sets[at]


def every_set(count: int) -> np.ndarray:
    """All subsets of `count` elements except the empty one and the whole, smaller ones first, bool
    (2^count - 2, count)."""
    number = np.arange(1, (1 << count) - 1)
    sets = (number[:, None] >> np.arange(count)) % 2 == 1
    return sets[np.argsort(sets.sum(axis=1), kind="stable")]


def beginnings(order: np.ndarray) -> np.ndarray:
    """The sets of the first elements of an order int64 (v,), bool (v - 1, v)."""
    rank = np.argsort(order)
    sets: np.ndarray = rank < np.arange(1, len(order))[:, None]
    return sets


def neighbours(chosen: np.ndarray) -> np.ndarray:
    """The sets with one category more, one fewer, or one for another; bool (n, v)."""
    one = np.eye(len(chosen), dtype=bool)
    inside, outside = one[chosen], one[~chosen]
    swaps = (inside[:, None] | outside[None]).reshape(-1, len(chosen))
    sets = chosen ^ np.concatenate([one, swaps])
    return sets[sets.any(axis=1) & ~sets.all(axis=1)]


def _gains(groups: np.ndarray, all_right: np.ndarray, value: Value) -> Iterator[np.ndarray]:
    """Orders to try, the categories that are better off on the left first: by the value of each
    alone where all others go right, go left, or are half here and half there; by each sum, upwards
    and downwards; and by the first one, the objective's, with each other mixed in. float64 (v,)
    each."""
    everything = groups.sum(axis=0)
    yield value(all_right + groups)
    yield -value(all_right + everything - groups)
    middle = all_right + everything / 2
    yield value(middle + groups / 2) - value(middle - groups / 2)
    size = np.abs(groups).max(axis=0)
    for row in np.flatnonzero(size > 0):
        one = groups[:, row] / size[row]
        yield from (one, -one)
        for share in MIXTURES if row and size[0] else ():
            yield from (groups[:, 0] / size[0] + sign * share * one for sign in (1.0, -1.0))


def purest_set(inputs: Inputs, x: np.ndarray, counts: np.ndarray) -> CategorySet | None:
    """The set of least Gini impurity, as CART takes it; its value is comparable to `purest_cut`'s.

    x float64 (m, inputs), counts (m, K): the weight of each point under each class. Categories are
    ordered by their share of each class in turn; of two classes this has the best set. None where
    no column has two categories.
    """
    best: CategorySet | None = None
    for of_column in present(inputs, x):
        groups = x[:, of_column].T @ counts
        shares = groups / np.maximum(groups.sum(axis=1, keepdims=True), LEAST_DIVISOR)
        orders = np.argsort(-shares, axis=0, kind="stable").T
        sets = np.concatenate([beginnings(order) for order in orders])
        left = sets @ groups
        sides = left, counts.sum(axis=0) - left
        pure = sum((s**2).sum(axis=1) / np.maximum(s.sum(axis=1), LEAST_DIVISOR) for s in sides)
        at = int(np.argmax(pure))
        if best is None or -pure[at] < best.value - ROUNDING:
            best = CategorySet(-float(pure[at]), of_column[sets[at]])
    return best


def present(inputs: Inputs, x: np.ndarray, every: bool = False) -> list[np.ndarray]:
    """Of each kept column that parts the points x (m, inputs), the categories that they have, or
    with `every` all of its categories."""
    parting = []
    for column in range(inputs.columns):
        of_column = inputs.categories(column)
        own = of_column[x[:, of_column].any(axis=0)]
        if len(own) > 1:
            parting.append(of_column if every else own)
    return parting


def random_set(
    inputs: Inputs, x: np.ndarray, classes: np.ndarray, rng: np.random.Generator
) -> np.ndarray | None:
    """The inputs of a random set that parts the points x (m, inputs); None where none does.

    classes int64 (m,): of three sets two begin the order of categories by their share of a random
    class, the others are of any categories.
    """
    columns = present(inputs, x)
    if not columns:
        return None
    of_column = columns[int(rng.integers(len(columns)))]
    size = int(rng.integers(1, len(of_column)))
    order = rng.permutation(len(of_column))
    if rng.random() < 2 / 3:
        has = x[:, of_column] != 0
        share = has[classes == rng.choice(classes)].sum(axis=0) / has.sum(axis=0)
        order = order[np.argsort(-share[order], kind="stable")]
    return np.sort(of_column[order[:size]])


def exchanged(inputs: Inputs, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The inputs of a set that differs by one random category from that of weights (inputs,)."""
    of_column = inputs.categories(inputs.column_of(weights))
    sets = neighbours(weights[of_column] != 0)
    if not len(sets):
        return np.flatnonzero(weights)
    return of_column[sets[int(rng.integers(len(sets)))]]
