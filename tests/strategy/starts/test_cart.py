"""CART in arrays, beside scikit-learn's, and against every split there is."""

from __future__ import annotations

import time

import numpy as np
import pytest

from treemip.answers.starts.cart import Grown, grow
from treemip.core.instance.trees import Forest, from_heap


def complete(depth: int) -> Forest:
    return from_heap(np.arange(1, 2 ** (depth + 1)))


def gini(y: np.ndarray, weight: np.ndarray, classes: int) -> float:
    """The weighted Gini impurity of some points: their weight times sum p (1 - p)."""
    counts = np.bincount(y, weight, classes)
    return float(counts.sum() - (counts**2).sum() / counts.sum()) if counts.sum() else 0.0


def table(seed: int, points: int, columns: int, classes: int, values: int = 0):  # type: ignore[no-untyped-def]
    """Random points whose class depends on two columns; `values`: how many a column has."""
    draw = np.random.default_rng(seed)
    x = draw.random((points, columns))
    x = (np.floor(x * values) if values else x).astype(np.float32).astype(float)
    y = ((x[:, 0] + x[:, 1]) / x.max() / 2 * classes).astype(int).clip(0, classes - 1)
    noise = draw.random(points) < 0.2
    y[noise] = draw.integers(0, classes, noise.sum())
    return x, y, draw.integers(1, 4, points).astype(float)


def grown(x: np.ndarray, y: np.ndarray, weight: np.ndarray, topology: Forest) -> Grown:
    return grow(x, y, weight, int(y.max()) + 1, topology)


def impurity(found: Grown, y: np.ndarray, weight: np.ndarray) -> float:
    ends = [found.ends == node for node in found.classes]
    return sum(gini(y[at], weight[at], int(y.max()) + 1) for at in ends)


def errors(found: Grown, y: np.ndarray, weight: np.ndarray) -> float:
    return float(weight[found.predicted != y].sum())


TABLES = [(1, 60, 3, 2, 0), (2, 150, 4, 3, 0), (3, 200, 6, 4, 0), (4, 300, 2, 2, 0)]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("drawn", TABLES)
def test_it_is_as_good_as_scikit_learns(drawn: tuple[int, ...], depth: int) -> None:
    tree = pytest.importorskip("sklearn.tree")
    x, y, weight = table(*drawn)
    other = tree.DecisionTreeClassifier(max_depth=depth, random_state=0)
    other.fit(x, y, sample_weight=weight)
    theirs = other.apply(x)
    found = grown(x, y, weight, complete(depth))
    expected = sum(gini(y[theirs == n], weight[theirs == n], drawn[3]) for n in set(theirs))
    assert impurity(found, y, weight) == pytest.approx(expected)
    assert errors(found, y, weight) == pytest.approx(weight[other.predict(x) != y].sum())


@pytest.mark.parametrize("drawn", [(5, 80, 5, 2, 2), (6, 90, 4, 3, 3), (7, 120, 3, 5, 7)])
def test_every_split_is_the_best_of_its_node(drawn: tuple[int, ...]) -> None:
    """By trying all of them; columns of few values have many splits that are equal."""
    x, y, weight = table(*drawn)
    topology = complete(3)
    found = grown(x, y, weight, topology)
    assert found.splits
    for node, split in found.splits.items():
        here = np.isin(found.ends, below(topology, node))
        own = gini_of(x, y, weight, here, split.feature, split.threshold)
        every = [
            gini_of(x, y, weight, here, j, (low + high) / 2)
            for j in range(x.shape[1])
            for low, high in pairs(np.unique(x[here, j]))
        ]
        assert own == pytest.approx(min(every))


def below(topology: Forest, node: int) -> list[int]:
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        found.append(one)
        if not topology.is_leaf[one]:
            waiting += [int(topology.left[one]), int(topology.right[one])]
    return found


def pairs(values: np.ndarray) -> list[tuple[float, float]]:
    return list(zip(values[:-1].tolist(), values[1:].tolist(), strict=True))


def gini_of(  # type: ignore[no-untyped-def]
    x, y, weight, here: np.ndarray, feature: int, threshold: float
) -> float:
    left = x[:, feature] <= threshold
    sides = (here & left, here & ~left)
    return sum(gini(y[at], weight[at], int(y.max()) + 1) for at in sides)


def test_points_end_where_the_splits_send_them() -> None:
    x, y, weight = table(8, 200, 3, 3)
    topology = complete(4)
    found = grown(x, y, weight, topology)
    for row, end in zip(x, found.ends, strict=True):
        node = 0
        while node in found.splits:
            split = found.splits[node]
            left = row[split.feature] <= split.threshold
            node = int((topology.left if left else topology.right)[node])
        assert node == end


def test_it_stops_where_nothing_is_left_to_part() -> None:
    one = np.ones(4)
    pure = grown(np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), one, complete(3))
    assert pure.ends.tolist() == [1, 1, 2, 2]
    assert (pure.classes, pure.splits[0].threshold) == ({1: 0, 2: 1}, 1.5)
    alike = grown(np.zeros((4, 2)), np.array([0, 1, 1, 0]), one, complete(3))
    assert (alike.ends.tolist(), alike.classes, alike.splits) == ([0] * 4, {0: 0}, {})


def test_a_split_is_made_though_it_gains_nothing_yet() -> None:
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    found = grown(corners, np.array([0, 1, 1, 0]), np.ones(4), complete(2))
    assert errors(found, np.array([0, 1, 1, 0]), np.ones(4)) == 0


def test_neighbouring_numbers_are_parted() -> None:
    low = 1.0
    high = float(np.nextafter(low, 2))
    found = grown(np.array([[low], [high]]), np.array([0, 1]), np.ones(2), complete(1))
    assert found.ends.tolist() == [1, 2]
    assert low <= found.splits[0].threshold < high


def test_points_without_weight_count_for_nothing() -> None:
    x, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 0, 1, 1])
    found = grown(x, y, np.array([1.0, 0, 1, 1, 1, 1]), complete(1))
    assert found.splits[0].threshold == 3.5


def test_no_columns_are_no_splits() -> None:
    found = grown(np.zeros((3, 0)), np.array([0, 1, 1]), np.ones(3), complete(2))
    assert (found.ends.tolist(), found.classes) == ([0] * 3, {0: 1})


def test_it_is_fast_on_many_points() -> None:
    """17,898 x 8 at depth 3 takes a twentieth of a second or so; a loop over points minutes."""
    x, y, weight = table(9, 17_898, 8, 2)
    began = time.perf_counter()
    grown(x, y, weight, complete(3))
    assert time.perf_counter() - began < 10
