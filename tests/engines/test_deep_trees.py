"""Trees of depth 4 and 5: sets of points solved once, and what is known before the sweep."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in
from test_compiled import random_task, task_of

from treemip.answers.engines import first_bounds
from treemip.answers.engines.first_bounds import bound_by_parts, first_tree
from treemip.answers.engines.plans import rows_of
from treemip.answers.engines.separable import Separable

FORMS = ("binoct", "oct", "flow_oct", "ort", "ost")


def optimum(task: Separable, depth: int) -> tuple[float, int]:
    """And how many trees of depth 1 were evaluated."""
    task.evaluated = 0
    side = task.solve(0, depth, np.arange(len(task.problem.x)), np.inf)
    assert task.complete
    return side.exact, task.evaluated


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", one_in(3, range(8)))
def test_known_sets_change_no_optimum(form: str, seed: int) -> None:
    depth = 4 + seed % 4 // 3
    task = random_task(np.random.default_rng([seed, len(form), 25]), form, depth)
    worth, known = optimum(task, depth)
    task.known_bytes = 0.0
    without, all_of_them = optimum(task, depth)
    assert worth == pytest.approx(without, abs=1e-7 * max(1.0, float(task.most.sum())))
    assert known <= all_of_them


def test_sets_are_solved_once() -> None:
    rng = np.random.default_rng(2)
    data: dict = {f"a{j}": column for j, column in enumerate(rng.integers(0, 2, (8, 90)))}
    data["c"] = [str(k) for k in rng.integers(0, 2, 90)]
    task = task_of(
        'data "t" { label c; } topology complete(depth = 5); split univariate by binoct;', data
    )
    once = optimum(task, 5)
    task.known_bytes = 0.0
    often = optimum(task, 5)
    assert once[0] == often[0]
    assert once[1] < 0.8 * often[1]


@pytest.mark.parametrize("compiled", [True, False])
def test_no_tree_keeps_a_size_and_a_feature_parts_nothing(compiled: bool) -> None:
    """A feature without cuts was the next one then."""
    data = {"a": [0.0, 1.0, 1.0, 0.0], "b": [1.0, 0.0, 1.0, 0.0], "c": ["0", "1", "1", "0"]}
    text = (
        'data "t" { label c; bin thresholds; } topology complete(depth = 4); '
        "split univariate by flow_oct; minimize misclassified; "
        "subject to size {l in leaves}: points_in[l] >= 3;"
    )
    task = task_of(text, data)
    if not compiled:
        task.compiled = None
    assert np.isinf(task.solve(0, 4, np.array([1]), np.inf).exact)


@pytest.mark.parametrize("quick", [0.0, first_bounds.QUICK], ids=["a level at a time", "two"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", one_in(4, range(8)))
def test_what_is_known_before_the_sweep_is_true(
    form: str, seed: int, quick: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_bounds, "QUICK", quick)
    task = random_task(np.random.default_rng([seed, len(form), 26]), form, 4)
    every = np.arange(len(task.problem.x))
    worth, plan = first_tree(task, 0, 4, every)
    bound = bound_by_parts(task, 4, 1.0)
    best = optimum(task, 4)[0]
    size = 1e-7 * max(1.0, float(task.most.sum()))
    assert bound <= best + size
    assert worth >= best - size
    if plan is not None and task.curve is None and not task.problem.coupled:
        value = rows_of(task.problem, plan)[0] - task.problem.constant[0] - task.constant
        assert value == pytest.approx(worth, abs=size)


def test_a_bound_by_parts_where_parts_cannot_be_told_apart() -> None:
    rng = np.random.default_rng(3)
    data: dict = {f"a{j}": column for j, column in enumerate(rng.integers(0, 9, (3, 400)))}
    data["c"] = [str(k) for k in rng.integers(0, 2, 400)]
    task = task_of(
        'data "t" { label c; } topology complete(depth = 4); split univariate by binoct;', data
    )
    assert 0 < bound_by_parts(task, 4, 3.0) <= optimum(task, 4)[0]
