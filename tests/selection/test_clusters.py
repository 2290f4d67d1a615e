"""Clusters: one class in one leaf, equal points told apart from the first."""

import numpy as np

from treemip.core.instance.trees import from_heap
from treemip.methods.selection.clusters import clusters, of_cart

COMPLETE = from_heap(np.arange(1, 8))


def test_equal_points_of_one_class_are_merged_and_those_of_two_are_not():
    x = np.array([[0.0], [1.0], [0.0], [0.0], [1.0]])
    y = np.array([0, 0, 0, 1, 0])
    one, other = clusters(x, y, np.zeros(5, np.int64))
    assert (one.rows.tolist(), one.copies.tolist()) == ([0, 1], [2, 4])
    assert one.original.tolist() == [0, 1]
    assert (other.rows.tolist(), other.size) == ([3], 1)
    assert one.all_rows.tolist() == [0, 1, 2, 4]


def test_clusters_part_the_points_by_leaf_and_class():
    rng = np.random.default_rng(0)
    x, y, leaf = rng.normal(size=(200, 2)), rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    found = clusters(x, y, leaf)
    assert np.sort(np.concatenate([c.all_rows for c in found])).tolist() == list(range(200))
    for one in found:
        assert len({*zip(y[one.all_rows].tolist(), leaf[one.all_rows].tolist(), strict=True)}) == 1


def test_distances_are_to_the_nearest_hyperplane_on_the_way():
    """Splits at 0.5 and, on the right, at 2.5."""
    x = np.array([[0.0], [0.0], [1.0], [2.0], [3.0], [3.0]])
    y = np.array([0, 0, 1, 1, 0, 0])
    part = of_cart(x, y, np.ones(6), 2, COMPLETE)
    assert part.predicted.tolist() == y.tolist()
    splits = {0.5: [0, 1, 2, 3, 4, 5], 2.5: [2, 3, 4, 5]}
    if part.leaf[0] != part.leaf[2]:
        nearest = [
            min(abs(v - t) for t, own in splits.items() if i in own) for i, v in enumerate(x[:, 0])
        ]
        assert part.distance.tolist() in (nearest, [abs(v - 0.5) for v in x[:2, 0]] + nearest[2:])


def test_without_points_or_splits():
    assert clusters(np.zeros((0, 2)), np.zeros(0, np.int64), np.zeros(0, np.int64)) == []
    part = of_cart(np.zeros((3, 1)), np.zeros(3, np.int64), np.ones(3), 1, COMPLETE)
    assert np.isinf(part.distance).all()
