"""Derived sets and trees against their definitions in plain loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance.derived import (
    bisect,
    class_thresholds,
    least_difference,
    least_gap,
    least_gap_moved,
    thresholds,
)
from treemip.core.model.arrays import Ragged, offsets_of

ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.1, 0.100001, 0.7]), st.integers(0, 2)),
    min_size=1,
    max_size=8,
)


def arrays(rows: list[tuple]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([r[:2] for r in rows], float), np.array([r[2] for r in rows])


def items(table: Ragged, row: int) -> list[float]:
    return table.items[table.offsets[row] : table.offsets[row + 1]].tolist()


@given(ROWS)
def test_thresholds(rows: list[tuple]) -> None:
    x, y = arrays(rows)
    found, pruned = thresholds(x, y), class_thresholds(x, y)
    for j in range(2):
        values = sorted({row[j] for row in rows})
        classes = {v: {row[2] for row in rows if row[j] == v} for v in values}
        all_of = [(a, b, a + (b - a) / 2) for a, b in pairwise(values)]
        assert items(found, j) == [m for _, _, m in all_of]
        assert items(pruned, j) == [
            m for a, b, m in all_of if not (classes[a] == classes[b] and len(classes[a]) == 1)
        ]


def test_a_threshold_always_parts_its_neighbours() -> None:
    low = 1.0
    x = np.array([[low], [np.nextafter(low, 2)], [np.finfo(float).max], [-np.finfo(float).max]])
    found = items(thresholds(x, np.zeros(4, int)), 0)
    for m, (a, b) in zip(found, pairwise(sorted(x[:, 0])), strict=True):
        assert a <= m < b


@given(ROWS)
def test_least_gap(rows: list[tuple]) -> None:
    x, _ = arrays(rows)
    for j in range(2):
        gaps = [b - a for a, b in pairwise(sorted({r[j] for r in rows})) if b - a > 1e-5]
        assert least_gap(x)[j] == min(gaps, default=1.0)


@given(ROWS)
def test_least_difference(rows: list[tuple]) -> None:
    x, _ = arrays(rows)
    for j in range(2):
        gaps = [b - a for a, b in pairwise(sorted({r[j] for r in rows}))]
        assert least_difference(x)[j] == min(1.0, *gaps, 1.0)


def test_the_example_where_pruning_loses_the_optimum() -> None:
    """Of the docstring: the pruned thresholds are fewer."""
    x = np.array([[4, 0], [0, 2], [5, 2], [3, 3], [2, 0], [1, 3]], float)
    y = np.array([1, 0, 0, 0, 0, 1])
    assert thresholds(x, y).lengths.tolist() == [5, 2]
    assert class_thresholds(x, y).lengths.tolist() == [4, 2]


@given(st.lists(st.integers(0, 9), min_size=0, max_size=4), st.data())
def test_bisect(lengths: list[int], data: st.DataObject) -> None:
    """Verwer and Zhang's Algorithm 1, family by family."""
    numbers = [
        sorted(data.draw(st.sets(st.integers(0, 50), min_size=n, max_size=n))) for n in lengths
    ]
    offsets = offsets_of(np.array(lengths, np.int64))
    forest = bisect(Ragged(offsets, np.array([v for one in numbers for v in one], float)))
    assert forest.families == len(numbers)

    def compare(node: int, family: int, low: int, high: int, heap: int, depth: int) -> int:
        th, mid = numbers[family], low + (high - low) // 2
        assert (forest.family[node], forest.heap[node], forest.depth[node]) == (family, heap, depth)
        found = [forest.values[k][node] for k in ("lo", "hi", "mid", "next")]
        assert found == [th[low], th[high], th[mid], th[min(mid + 1, high)]]
        if low == high:
            assert forest.left[node] == forest.right[node] == -1
            return 1
        left, right = int(forest.left[node]), int(forest.right[node])
        assert forest.parent[left] == forest.parent[right] == node
        count = compare(left, family, low, mid, 2 * heap, depth + 1)
        return 1 + count + compare(right, family, mid + 1, high, 2 * heap + 1, depth + 1)

    total = 0
    for family, one in enumerate(numbers):
        root = int(forest.roots[family])
        assert (root < 0) == (not one)
        if one:
            total += compare(root, family, 0, len(one) - 1, 1, 0)
            inner = [
                n for n in range(forest.size) if forest.family[n] == family and forest.left[n] >= 0
            ]
            assert forest.inner.take(np.array([family])).items.tolist() == inner
            deepest = max((int(forest.depth[n]) for n in inner), default=-1)
            assert forest.max_inner_depth[family] == deepest
    assert total == forest.size


@given(ROWS, st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0.0, 0.25, 1.5]))))
def test_least_gap_moved(rows: list[tuple], asked: list[tuple[int, float]]) -> None:
    x, _ = arrays(rows)
    features, radii = np.array([a for a, _ in asked], int), np.array([r for _, r in asked])
    found = least_gap_moved(x, features, radii)
    for (j, r), gap in zip(asked, found.tolist(), strict=True):
        ends = sorted({row[j] + m * r for row in rows for m in (-1, 0, 1)})
        gaps = [b - a for a, b in pairwise(ends) if b - a > 1e-5]
        assert gap == pytest.approx(min(gaps, default=1.0), abs=1e-9)
