"""All nearly optimal trees: the same as brute force lists, each different on the data."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.engines.near_optimal import near_optimal
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.univariate import best_tree
from treemip.answers.search.agreement import by_meaning
from treemip.answers.search.candidate import Candidate
from treemip.core.instance.instance import Instance

Split = tuple[int, float]


def instance_of(x: np.ndarray, y: np.ndarray, depth: int, split: str, rest: str) -> Instance:
    columns = {f"a{j}": column for j, column in enumerate(x.T)} | {"c": [str(k) for k in y]}
    text = (
        f'data "t.csv" {{ label c; scale minmax; }} topology complete(depth = {depth});'
        f"split univariate by {split}; {rest}"
    )
    return treemip.loads(text, data=columns).instance


def trees_of(
    instance: Instance, within: float, most: int = 10_000, seconds: float = 60
) -> tuple[list[Candidate], bool]:
    """Within `within` of the optimum, and whether these are all."""
    spec = summed(instance)
    best = best_tree(instance, spec, 60.0).value
    listing = near_optimal(instance, spec, best + within, most, seconds)
    return listing.trees, listing.finished and not listing.dropped


def splits_of(x: np.ndarray) -> Iterator[tuple[Split, np.ndarray]]:
    for j, column in enumerate(x.T):
        for value in np.unique(column)[:-1]:
            yield (j, float(value)), column <= value


def structures(x: np.ndarray, rows: np.ndarray, depth: int) -> Iterator[object]:
    """Trees without labels: the points of a leaf, or a split and the two parts below it."""
    yield rows
    if depth == 0:
        return
    for split, left in splits_of(x[rows]):
        low, high = (structures(x, rows[side], depth - 1) for side in (left, ~left))
        yield from ((split, one, other) for one, other in product(list(low), list(high)))


def leaves(part: object) -> list[np.ndarray]:
    return [*leaves(part[1]), *leaves(part[2])] if isinstance(part, tuple) else [part]


def tells_apart(part: object, labels: Iterator[int]) -> set[int] | None:
    """The labels below a part; None where some branch has one label below it."""
    if not isinstance(part, tuple):
        return {next(labels)}
    low, high = tells_apart(part[1], labels), tells_apart(part[2], labels)
    return None if low is None or high is None or len(low | high) < 2 else low | high


def every(x: np.ndarray, y: np.ndarray, depth: int, price: float) -> list[float]:
    """The values of all trees with labels that are best, and different ones below each branch."""
    values = []
    for part in structures(x, np.arange(len(x)), depth):
        counts = [np.bincount(y[rows], minlength=2) for rows in leaves(part)]
        best = [np.flatnonzero(count == count.max()).tolist() for count in counts]
        if any(tells_apart(part, iter(labels)) for labels in product(*best)):
            wrong = sum(int(count.min()) for count in counts)
            values.append(wrong + price * (len(counts) - 1))
    return values


def case(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (9, 2)).astype(float)
    x[:2] = [[0, 0], [2, 2]]
    return x, np.append([0, 1], rng.integers(0, 2, 7))


@pytest.mark.parametrize(
    ("seed", "of", "depth"),
    one_in(5, range(6), [("oct", 0.0), ("oct", 0.4), ("binoct", 0.0)], [1, 2]),
)
def test_all_trees_within_the_tolerance(seed: int, of: tuple[str, float], depth: int) -> None:
    split, price = of
    x, y = case(seed)
    expected = sorted(every(x, y, depth, price))
    instance = instance_of(x, y, depth, split, f"minimize misclassified + {price} * splits;")
    trees, complete = trees_of(instance, 1.0)
    values = [by_meaning(instance, tree)[0] for tree in trees]
    assert complete
    assert values == sorted(values)
    assert values == pytest.approx([v for v in expected if v <= expected[0] + 1 + 1e-9])


@pytest.mark.parametrize(("seed", "split"), one_in(5, range(4), ["oct", "binoct"]))
def test_no_two_trees_part_the_points_alike(seed: int, split: str) -> None:
    x, y = case(seed)
    instance = instance_of(x, y, 2, split, "minimize misclassified;")
    trees, _ = trees_of(instance, 2.0)
    assert len(trees) > 1
    points = instance.table.inputs
    seen = {
        (tree.weights.tobytes(), tuple(tree.ends(points)), tuple(tree.labels)) for tree in trees
    }
    assert len(seen) == len(trees)


def test_the_best_ones_where_there_are_more() -> None:
    x, y = case(1)
    instance = instance_of(x, y, 2, "oct", "minimize misclassified;")
    every_tree, _ = trees_of(instance, 2.0)
    some, complete = trees_of(instance, 2.0, most=3)
    assert not complete
    values = [by_meaning(instance, tree)[0] for tree in every_tree]
    assert [by_meaning(instance, tree)[0] for tree in some] == values[:3]


def test_leaf_sizes_hold() -> None:
    x, y = case(2)
    rest = "minimize misclassified; subject to s {l in leaves}: points_in[l] >= 3 * occupied[l];"
    instance = instance_of(x, y, 2, "oct", rest)
    trees, complete = trees_of(instance, 2.0)
    assert complete
    assert trees
    assert not any(by_meaning(instance, tree)[1] for tree in trees)


def test_without_time_it_does_not_claim_to_be_complete() -> None:
    x, y = case(3)
    assert not trees_of(instance_of(x, y, 2, "oct", "minimize misclassified;"), 2.0, seconds=0)[1]


def test_refuses_rows_that_couple_leaves() -> None:
    x, y = case(3)
    rest = 'minimize misclassified; subject to r: recall["1"] >= 0.5;'
    with pytest.raises(Refusal, match="depth 1 to 2 whose leaves no constraint couples"):
        trees_of(instance_of(x, y, 2, "oct", rest), 2.0)
