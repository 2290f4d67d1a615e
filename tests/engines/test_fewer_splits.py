"""Some of a problem's splits alone: their trees are the problem's, and are found where rows leave
so little room that the first rounds over all splits end without a tree."""

from __future__ import annotations

import time

import numpy as np
import pytest

import treemip
from treemip.answers.engines import coupled
from treemip.answers.engines.coupled import Coupled
from treemip.answers.engines.plans import renumbered, rows_of
from treemip.answers.engines.problem import Problem, at_quantiles, with_splits
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.search.sum_builder import sums_of

RARE = 'minimize misclassified; subject to found: recall["rare"] >= 0.6;'
SIZES = "least {l in leaves}: points_in[l] >= 0.1 * card(points) * occupied[l];"


def rare(points: int, more: str = "") -> Problem:
    """A class that few points have, more of them where a is large."""
    draw = np.random.default_rng(0)
    x = draw.random((points, 3)).round(2)
    y = draw.random(points) < 0.02 + 0.2 * (x[:, 0] > 0.7)
    columns: dict = {name: column.tolist() for name, column in zip("abc", x.T, strict=True)}
    text = 'data "t" { label k; } topology complete(depth = 2); split univariate by binoct; ' + more
    data = columns | {"k": np.where(y, "rare", "usual").tolist()}
    instance = treemip.loads(text, data=data).instance
    return problem_of(instance, sums_of(instance, instance.table.distinct[1]))


def test_a_tree_of_some_splits_adds_the_same_to_the_rows_by_its_numbers_among_all() -> None:
    problem = rare(300, RARE)
    fewer, number = with_splits(problem, at_quantiles(problem, 4))
    assert fewer.bins.count == 3 * 5
    for cut in np.flatnonzero(~fewer.bins.last).tolist():
        plan = (cut, (5, 0, 1), 1)
        whole = renumbered(plan, number)
        assert isinstance(whole, tuple)
        assert problem.bins.threshold[whole[0]] == fewer.bins.threshold[cut]
        assert rows_of(problem, whole).tolist() == rows_of(fewer, plan).tolist()


def test_the_tree_by_few_splits_keeps_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = rare(1000, RARE + SIZES)
    monkeypatch.setattr(coupled, "FEWER", (5,))
    task = Coupled(problem, np.inf, time.perf_counter() + 60)
    task._by_fewer_splits()
    assert task.plan is not None
    objective, violation = problem.worth(rows_of(problem, task.plan))
    assert (objective, violation) == (task.best, 0)


def test_the_optimum_is_the_same_with_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = rare(300, RARE + SIZES)
    found = []
    for cells in (0, coupled.CELLS):
        monkeypatch.setattr(coupled, "CELLS", cells)
        task = Coupled(problem, np.inf, time.perf_counter() + 60)
        found.append((task.run(), task.best, task.complete))
    assert found[0] == found[1]
    assert found[0][2]


BARRED = (
    'data "t.csv" { label c; } topology complete(depth = 2); split univariate by binoct;'
    'minimize misclassified; subject to barred: coef[left(root),"a"] <= 0;'
)


def test_a_branch_that_may_have_no_split_leaves_no_tree() -> None:
    """The side that costs infinitely much says nothing of the others, not even by rounding."""
    columns = {"a": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "c": ["u", "v", "u", "v", "v", "u"]}
    model = treemip.loads(BARRED, data=columns).compile()
    with np.errstate(invalid="raise"):
        result = model.solve(time_limit=10)
    assert (result.status, result.answer.solver) == ("infeasible", "engine")


WEIGHTED = (
    'data "t.csv" { label c; } topology complete(depth = 3); split univariate by flow_oct;'
    "param class_weight {k in classes} = card(points) / (card(classes) * class_count[k]);"
    "minimize sum {i in points} class_weight[y[i]] * (1 - correct[i]) + distinct_features;"
)
BITS = ("10000", "10112", "11101", "11102", "11111", "00110", "11111", "01110", "01102", "10102")
BITS += ("10011", "11000", "00000", "10011")
"""Rows of four features and a class."""


def test_values_of_weighted_points_are_not_rounded() -> None:
    """All four features with one point of weight 14 / 15 wrong, not three with two points wrong: in
    single precision the better tree's value was above what a better one had to be below."""
    names = "pqrs"
    columns = {name: [float(row[j]) for row in BITS] for j, name in enumerate(names)}
    model = treemip.loads(WEIGHTED, data={**columns, "c": ["k" + row[4] for row in BITS]}).compile()
    result = model.solve(time_limit=20)
    assert (result.status, result.answer.solver) == ("optimal", "engine")
    assert result.objective == pytest.approx(4 + 14 / 15, abs=1e-9)
