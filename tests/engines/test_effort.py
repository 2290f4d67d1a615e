"""Deeper trees, limits on time, and trees to start from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference.leaf_sums import least_errors, thresholds
from suite import one_in

import treemip
from treemip.answers.engines import separable
from treemip.answers.engines.fronts import Fronts
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.parts import Parts
from treemip.answers.engines.separable import Separable
from treemip.answers.engines.univariate import EngineResult, best_tree
from treemip.answers.search.agreement import by_meaning
from treemip.answers.search.candidate import Candidate

COUPLED = 'minimize misclassified; subject to floor: recall["1"] >= 0.8;'


def answer(
    x: np.ndarray,
    y: np.ndarray,
    depth: int,
    seconds: float = 60,
    rest: str = "",
    incumbent: EngineResult | None = None,
) -> EngineResult:
    columns = {f"a{j}": column for j, column in enumerate(x.T)} | {"c": [str(k) for k in y]}
    text = (
        f'data "t.csv" {{ label c; }} topology complete(depth = {depth});'
        f"split univariate by binoct; {rest}"
    )
    instance = treemip.loads(text, data=columns).instance
    tree: Candidate | None = incumbent.tree if incumbent is not None else None
    result = best_tree(instance, summed(instance), seconds, tree)
    if result.tree is not None:
        value, violated = by_meaning(instance, result.tree)
        assert not violated
        assert value == pytest.approx(result.value)
    return result


def noise(seed: int, points: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(points, features)), rng.integers(0, 2, points)


@pytest.mark.parametrize("seed", one_in(5, range(16)))
def test_depth_3_is_the_best_of_all_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (14, 2)).astype(float)
    y = rng.integers(0, 2 + seed % 2, 14)
    result = answer(x, y, 3)
    assert result.proven
    assert result.value == least_errors(thresholds(x), y, 3)


@pytest.mark.parametrize("seed", one_in(4, range(8, 16)))
def test_depth_2_on_many_thresholds(seed: int) -> None:
    x, y = noise(seed, 30, 3)
    result = answer(x, y, 2)
    assert result.proven
    assert result.value == least_errors(thresholds(x), y, 2)


def test_no_pair_of_trees_is_listed_once_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round has hundreds of cuts, and the lists of each may take a second."""
    cut, lists = Fronts.cut, Fronts.lists
    up, after = False, 0

    def judged(fronts: Fronts, *args: Any) -> None:
        nonlocal up
        up = True
        cut(fronts, *args)

    def counted(fronts: Fronts, *args: Any) -> Parts:
        nonlocal after
        after += up
        return lists(fronts, *args)

    monkeypatch.setattr(separable, "kernel", lambda: None)
    monkeypatch.setattr(Fronts, "cut", judged)
    monkeypatch.setattr(Fronts, "lists", counted)
    monkeypatch.setattr(Separable, "late", property(lambda _: up))
    result = answer(*noise(28, 60, 3), 2, rest=COUPLED)
    assert up
    assert after == 0
    assert not result.proven
    assert result.bound <= result.value


def test_a_budget_of_one_feature_is_a_problem_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of trees of depth 1, whose bounds say little then, took 33 s on sonar."""
    monkeypatch.delattr(Fronts, "best")
    x, y = noise(33, 60, 6)
    few = "minimize misclassified; subject to few: distinct_features <= 1;"
    result = answer(x, y, 2, rest=few)
    assert result.proven
    assert result.value == min(answer(x[:, [j]], y, 2).value for j in range(6))


@pytest.mark.parametrize("rest", ["", COUPLED])
def test_a_tree_to_start_from_is_kept_where_none_is_better(rest: str) -> None:
    x, y = noise(30, 40, 3)
    first = answer(x, y, 2, 60, rest)
    second = answer(x, y, 2, 60, rest, first)
    assert first.proven and second.proven
    assert first.value == second.value
    assert second.tree is first.tree


def test_a_tree_to_start_from_counts_where_there_is_no_time() -> None:
    x, y = noise(31, 40, 3)
    first = answer(x, y, 2)
    second = answer(x, y, 2, 0.0, "", first)
    assert second.value == first.value
    assert second.tree is not None


def test_one_that_breaks_a_constraint_is_not_used() -> None:
    x, y = noise(32, 40, 3)
    free = answer(x, y, 2)
    bound = 'minimize misclassified; subject to floor: recall["1"] >= 0.97;'
    strict = answer(x, y, 2, 60, bound, free)
    assert strict.proven
    assert strict.value > free.value
    assert strict.tree is not free.tree


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("rest", ["", COUPLED])
def test_of_many_points_nothing_false_is_said_where_there_was_no_time(
    depth: int, rest: str
) -> None:
    """Of more than 16,384 points the kernel looks at the time after each feature."""
    x = np.repeat(np.arange(6.0), 3000)[:, None] * np.array([1.0, -1.0])
    y = (x[:, 0] > 2).astype(int)
    result = answer(x, y, depth, 0.0, rest)
    assert result.bound <= 0 and (result.tree is None or result.value >= 0)
    assert answer(x, y, depth, 60.0, rest).value == 0
