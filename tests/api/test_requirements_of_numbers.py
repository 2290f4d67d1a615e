"""Requirements of one line where leaves predict numbers: the optimum is the best of all trees."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest

import treemip

COLUMNS = {
    "a": np.array([0, 0, 1, 1, 2, 2, 3, 3, 0, 3]),
    "b": np.array([0, 2, 0, 1, 2, 0, 1, 2, 1, 0]),
}
PRICE = np.array([6.0, 0, 9, 8, 7, 4, 5, 3, 1, 2])
TEXT = """data "d" {{ label price number; scale minmax; }}
topology complete(depth = {depth});
split univariate by ort(min_leaf = 1, squared = 1, alpha = 0);
subject to
  wish: {wish};
"""
CUTS = [(name, cut + 0.5) for name in COLUMNS for cut in range(COLUMNS[name].max())]
Split = tuple[str, float]


class Grown(NamedTuple):
    """The splits of a tree, the first at its root, and the points of each leaf, bool (N,)."""

    splits: list[Split]
    leaves: list[np.ndarray]

    def loss(self) -> float:
        """The squared errors of the best constants, as a share of those of one constant."""
        parts = [PRICE[leaf] for leaf in self.leaves]
        return float(sum(p.var() * len(p) for p in parts) / (PRICE.var() * len(PRICE)))


def grown(depth: int, here: np.ndarray) -> Iterator[Grown]:
    """All trees on the points `here`, without empty leaves."""
    yield Grown([], [here])
    if not depth:
        return
    for name, cut in CUTS:
        low, high = here & (COLUMNS[name] < cut), here & (COLUMNS[name] > cut)
        if low.any() and high.any():
            for one, other in itertools.product(grown(depth - 1, low), grown(depth - 1, high)):
                splits = [(name, cut), *one.splits, *other.splits]
                yield Grown(splits, [*one.leaves, *other.leaves])


def first_is(tree: Grown, name: str) -> bool:
    return bool(tree.splits) and tree.splits[0][0] == name


def follows(tree: Grown, name: str, sign: int) -> bool:
    """Of a tree of depth 1: whether its means do not fall, or not rise, along a column. One whose
    means do would have one constant, which is another tree."""
    if not first_is(tree, name):
        return True
    low, high = (PRICE[leaf].mean() for leaf in tree.leaves)
    return bool(sign * low <= sign * high)


WISHES: dict[str, tuple[int, Callable[[Grown], bool]]] = {
    "monotone(a, down)": (1, lambda tree: follows(tree, "a", -1)),
    "monotone(b, down)": (1, lambda tree: follows(tree, "b", -1)),
    "first_split(b)": (2, lambda tree: first_is(tree, "b")),
    "first_split(a)": (2, lambda tree: first_is(tree, "a")),
    "at_most_features(1)": (2, lambda tree: len({name for name, _ in tree.splits}) <= 1),
}


def best(depth: int, holds: Callable[[Grown], bool] = lambda _: True) -> float:
    trees = grown(depth, np.ones(len(PRICE), bool))
    return min(tree.loss() for tree in trees if holds(tree))


@pytest.mark.parametrize("wish", WISHES)
def test_the_optimum_is_the_best_of_all_trees(wish: str) -> None:
    depth, holds = WISHES[wish]
    data = {**COLUMNS, "price": PRICE}
    result = treemip.loads(TEXT.format(depth=depth, wish=wish), data=data).compile()
    solved = result.solve(time_limit=60)
    assert (solved.status, solved.verified) == ("optimal", True)
    assert solved.objective == pytest.approx(best(depth, holds), abs=1e-6)


def test_the_wishes_cost_something() -> None:
    costly = {w for w, (depth, holds) in WISHES.items() if best(depth, holds) > best(depth) + 1e-3}
    assert costly >= {"monotone(a, down)", "first_split(b)", "at_most_features(1)"}


@pytest.mark.parametrize(
    "wish",
    ["parity(sex, 0.1)", "equal_opportunity(sex, limit = 0.1)", "accuracy_at_least(sex, 0.5)"],
)
def test_words_about_classes_say_so(wish: str) -> None:
    text = TEXT.format(depth=1, wish=wish).replace("number;", "number; group sex;")
    data = {**COLUMNS, "sex": ["f", "m"] * 5, "price": PRICE}
    with pytest.raises(treemip.TreemipError) as raised:
        treemip.loads(text, data=data).compile()
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "E206" and diagnostic.remedy
    assert "needs a label of classes, but 'price' is read as numbers" in diagnostic.message
