"""The exact engine and the search where leaves choose treatments, against all trees."""

from __future__ import annotations

import numpy as np
import pytest
from reference.all_trees import AllTrees
from suite import one_in
from trials import (
    BUDGET,
    METHODS,
    PARITY,
    Columns,
    all_policies,
    allowed_under,
    best_value,
    estimates,
    random_trial,
    text_of,
    values,
)

import treemip
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.univariate import best_tree, fits
from treemip.answers.search.start import search
from treemip.api.result import Result

BY_THE_ENGINE = ("optimal", "verified", (), "engine")


def proven(text: str, columns: Columns) -> Result:
    result = treemip.loads(text, data=columns).compile().solve(time_limit=60)
    told = (result.status, result.verdict, result.problems, result.answer.solver)
    assert told == BY_THE_ENGINE
    return result


@pytest.mark.parametrize(("seed", "method"), one_in(11, range(20), METHODS))
def test_the_best_policy_is_proven_and_searched(seed: int, method: str) -> None:
    columns, depth = random_trial(seed, points=30, features=4), 1 + seed % 3
    worth = estimates(method, columns) / 30
    best = best_value(columns, worth, depth)
    result = proven(text_of(method, depth), columns)
    assert result.objective == pytest.approx(best, abs=1e-6)
    assert result.tree is not None
    given = result.tree.predict_numbers(result.compiled.instance.table.inputs)
    assert values(worth * 30, given[None])[0] == pytest.approx(best, abs=1e-6)
    model = treemip.loads(text_of(method, depth), data=columns).compile()
    searched = search(model.instance, model.stated, model.model, 5.0, 0)
    if depth < 3:
        assert searched.objective == pytest.approx(best, abs=1e-6)
    assert searched.objective <= best + 1e-6
    assert searched.bound >= best - 1e-6


@pytest.mark.parametrize(("seed", "method"), one_in(11, range(12), METHODS))
def test_constraints_on_treatments_are_proven(seed: int, method: str) -> None:
    columns = random_trial(seed if seed % 2 else seed + 13)
    policy = all_policies(columns, 2)
    worth = values(estimates(method, columns), policy)
    for rest in (BUDGET, PARITY + BUDGET):
        result = proven(text_of(method, 2, rest), columns)
        best = worth[allowed_under(rest, columns, policy)].max()
        assert result.objective == pytest.approx(best, abs=1e-6)


def test_a_price_of_splits_and_the_least_value() -> None:
    columns = random_trial(3, features=4)
    worth = estimates("dr", columns) / 12
    result = proven(text_of("dr", 3, "maximize policy_value - 0.1 * splits;"), columns)
    assert result.objective == pytest.approx(best_value(columns, worth, 3, 0.1), abs=1e-6)
    result = proven(text_of("dr", 3, "minimize policy_value;"), columns)
    assert result.objective == pytest.approx(-best_value(columns, -worth, 3), abs=1e-6)


PRICED = {
    "splits": lambda t: t.splits,
    "features_used": lambda t: t.splits,
    "distinct_features": lambda t: t.features,
    "leaves_used": lambda t: t.leaves,
}


@pytest.mark.parametrize(
    ("seed", "method", "term", "depth"), one_in(53, range(12), METHODS, PRICED, (1, 2, 3))
)
def test_prices_are_weighed_against_outcomes(seed: int, method: str, term: str, depth: int) -> None:
    """Against all trees, also where time runs out."""
    columns = random_trial(seed, points=8, features=2)
    price = 0.05 + 0.1 * (seed % 5)
    made = treemip.loads(
        text_of(method, depth, f"maximize policy_value - {price} * {term};"), data=columns
    ).compile()
    instance = made.instance
    spec = summed(instance)
    assert fits(instance, spec) is None
    worth = estimates(method, columns) / len(columns["sex"])
    inputs = np.column_stack([v for name, v in columns.items() if name.startswith("a")])
    every = AllTrees(f"prescriptive_{method}", inputs, worth.shape[1]).every(depth)
    value = np.take_along_axis(worth[None], every.predicted[:, :, None], axis=2).sum(axis=(1, 2))
    best = float((value - price * PRICED[term](every)).max())
    for seconds in (60.0, 0.0, 0.002):
        result = best_tree(instance, spec, seconds)
        assert result.bound >= best - 1e-9
        assert result.tree is None or result.value <= best + 1e-9
        assert result.value == pytest.approx(best) or not result.proven


def test_a_budget_at_depth_3_is_kept() -> None:
    """Two features tell all that depth 2 can part, so that depth 3 adds nothing."""
    columns = random_trial(5, points=10, features=2)
    policy = all_policies(columns, 2)
    worth = values(estimates("ipw", columns), policy)[allowed_under(BUDGET, columns, policy)]
    result = treemip.loads(text_of("ipw", 3, BUDGET), data=columns).compile().solve(time_limit=60)
    assert (result.status, result.verdict) == ("optimal", "verified")
    assert result.objective == pytest.approx(worth.max(), abs=1e-6)


@pytest.mark.parametrize("formulation", ["binoct", "flow_oct"])
def test_a_cost_for_each_point_and_class_is_proven(formulation: str) -> None:
    """A cost matrix: what class k costs where a point is given class m."""
    draw = np.random.default_rng(4)
    columns = {f"a{j}": draw.integers(0, 2, 40) for j in range(4)}
    columns["kind"] = draw.choice(["p", "q", "r"], 40)
    cost = np.array([[0, 5, 5], [9, 0, 1], [9, 1, 0.5]])
    text = f"""
data "t" {{ label kind; }}
topology complete(depth = 2);
split univariate by {formulation};
param cost {{k in classes, m in classes}} =
  if k = "r" and m = "r" then 0.5 else if k = m then 0 else if m = "p" then 9 else if k = "p" then 5
  else 1;
minimize sum {{i in points, m in classes}} cost[y[i],m] * predicts[i,m];
"""
    classes = np.unique(columns["kind"])
    of_point = cost[np.searchsorted(classes, columns["kind"])]
    best = -best_value(columns, -of_point, 2)
    assert proven(text, columns).objective == pytest.approx(best, abs=1e-6)
