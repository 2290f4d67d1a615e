"""Splits that are more than one relation, as trees whose branches or answers rows tie together.

decisions/036: three-way splits, boxes and decision diagrams need no word of their own. Each spec
here is solved through the model and compared with an enumeration of what it is meant to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, product

import numpy as np
import pytest
from suite import one_in

import treemip

THREE_WAYS = """
topology shape "(. (. .))";
split univariate by binoct;
subject to
  both_test {f in features}: coef[root,f] = coef[right(root),f];
"""
BOX = """
topology shape "((. (. .)) .)";
split univariate by binoct;
subject to
  one_answer_outside {l in leaves, k in classes : l != left(right(left(root)))}:
    label[l,k] = label[right(root),k];
"""
DIAGRAM = """
topology complete(depth = 3);
split univariate by binoct;
subject to
  same_feature {f in features}: coef[left(right(root)),f] = coef[right(left(root)),f];
  same_left    {k in classes}:
    label[left(left(right(root))),k] = label[left(right(left(root))),k];
  same_right   {k in classes}:
    label[right(left(right(root))),k] = label[right(right(left(root))),k];
"""


def points(seed: int, count: int = 14) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.integers(0, 5, (count, 2))
    y = ((x[:, 0] > 1) & (x[:, 0] <= 3) & (x[:, 1] <= 2)).astype(int)
    y[random.integers(0, count, 3)] ^= 1
    y[:2] = 0, 1
    return x, y


def errors(y: np.ndarray, cell: np.ndarray) -> int:
    """Points that are not of the majority class of their cell."""
    right = (np.bincount(y[cell == one]).max() for one in np.unique(cell))
    return len(y) - int(sum(right))


def cuts(values: np.ndarray) -> list[float]:
    """Between neighbouring values, and beyond both ends."""
    known = np.unique(values)
    middle = [(low + high) / 2 for low, high in pairwise(known.tolist())]
    return [float(known[0]) - 1, *middle, float(known[-1]) + 1]


def left_of(x: np.ndarray) -> Iterator[np.ndarray]:
    """All ways of a univariate split to send points left, bool (N,)."""
    for feature in range(2):
        for cut in cuts(x[:, feature]):
            yield x[:, feature] <= cut


def solved(x: np.ndarray, y: np.ndarray, text: str) -> treemip.Result:
    """Of the text over points x int (N, p) with classes y (N,)."""
    features = dict(zip("abc", x.T, strict=False))
    columns = {**features, "class": [str(one) for one in y]}
    spec = 'data "made" { label class; scale minmax; }' + text
    result = treemip.loads(spec, data=columns).compile().solve("scip", start="none", time_limit=60)
    assert result.status == "optimal" and result.verified, result.problems
    return result


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_a_split_into_three_intervals(seed: int) -> None:
    x, y = points(seed)
    least = min(
        errors(y, (x[:, f] > low).astype(int) + (x[:, f] > high))
        for f in range(2)
        for low, high in product(cuts(x[:, f]), repeat=2)
        if low <= high
    )
    assert solved(x, y, THREE_WAYS).train_errors == least


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_a_box_has_one_answer_outside(seed: int) -> None:
    x, y = points(seed)
    sides = list(left_of(x))
    least = len(y)
    for first, second, third in product(sides, repeat=3):
        inside = first & ~second & third
        for answers in product(range(2), repeat=2):
            given = np.where(inside, *answers)
            least = min(least, int((given != y).sum()))
    result = solved(x, y, BOX)
    assert result.train_errors == least
    assert result.tree is not None
    leaves, heap = result.tree.topology.leaves, result.tree.topology.heap
    outside = leaves[heap[leaves] != 10]
    assert len(np.unique(result.tree.leaf_class[outside])) == 1


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_two_branches_of_a_diagram_are_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.integers(0, 2, (16, 3)), random.integers(0, 2, 16)
    sides, least = [column == 0 for column in x.T], len(y)
    for root, left, right in product(sides, repeat=3):
        # Ways 00, 01 and 10, 11: the two in the middle meet in one branch.
        way = np.where(root, np.where(left, 0, 1), np.where(right, 1, 3))
        least = min(least, sum(fewest(y, sides, way == one) for one in (0, 1, 3)))
    assert solved(x, y, DIAGRAM).train_errors == least


def fewest(y: np.ndarray, sides: Iterable[np.ndarray], here: np.ndarray) -> int:
    """Errors among the points `here` of the best split of them."""
    return min(errors(y[here], side[here].astype(int)) for side in sides) if here.any() else 0
