"""What requirements leave to spare, against counting, on the tree and on others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treemip
from treemip.api.baselines import at_random, baselines
from treemip.core.resources import specs_path
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.requirements import Requirement, requirements_on
from treemip.core.tree.requirements_on import Kept, constraints_on
from treemip.core.tree.score import score_of
from treemip.core.tree.standing import standing_for


@pytest.fixture(scope="module")
def credit() -> treemip.Result:
    return treemip.load(specs_path() / "credit.tree").compile().solve()


def test_slack_is_counted(credit) -> None:
    instance, tree = credit.compiled.instance, credit.tree
    recall, parity = requirements_on(instance, tree, credit.values)
    table = instance.table
    given = tree.predict_numbers(table.inputs)
    found = np.mean(given[table.y == 0] == 0)
    assert (recall.name, recall.sign, recall.right) == ("bad_recall", ">=", 0.7)
    assert recall.left == pytest.approx(found) and recall.slack == pytest.approx(found - 0.7)
    codes, names = table.groups["sex"]
    rate = {name: np.mean(given[codes == k] == 1) for k, name in enumerate(names)}
    gap = rate["female"] - rate["male"]
    assert parity.slack == pytest.approx(0.2 - abs(gap))
    assert recall.holds and parity.holds


def test_a_tree_that_misses_them_is_said_to(credit) -> None:
    instance, tree = credit.compiled.instance, credit.tree
    leaf = np.where(tree.topology.is_leaf, 1, -1)
    other = replace(tree, answer=ClassAnswer(leaf, tree.classes))
    recall, parity = requirements_on(instance, other, credit.values)
    assert recall.slack == pytest.approx(-0.7) and recall.holds is False and parity.holds


def test_baselines_are_those_that_solve_compares_with(credit) -> None:
    instance = credit.compiled.instance
    errors = {
        name: score_of(one, instance.table).errors
        for name, one in baselines(instance, credit.tree).items()
    }
    assert errors == credit.errors_of_others


def test_one_treatment_for_all_is_worth_the_mean_of_its_estimates() -> None:
    result = treemip.load(specs_path() / "trial.tree").compile().solve()
    instance = result.compiled.instance
    found = baselines(instance, result.tree)
    assert set(found) == {"control for all", "treated for all"}
    for one in found.values():
        chosen = one.predict_numbers(instance.table.inputs)
        assert len(set(chosen.tolist())) == 1 and one.classes[chosen[0]] in str(one)


@pytest.mark.parametrize("spec", ["trial", "trial_fair"])
def test_as_many_of_each_at_random_are_worth_the_mean_of_their_draws(spec: str) -> None:
    """By the estimates of Jo et al.: the mean over draws of who is given what, in the limit."""
    result = treemip.load(specs_path() / f"{spec}.tree").compile().solve(time_limit=60)
    instance, tree = result.compiled.instance, result.tree
    table, columns = instance.table, instance.values
    codes, names = table.groups["treatment"]
    outcome, chance = (columns[name].values for name in ("outcome", "propensity"))
    worth = np.empty((len(table.y), len(names)))
    for k, name in enumerate(names):
        predicted = columns["predicted_1" if name == "treated" else "predicted_0"].values
        worth[:, k] = predicted + np.where(codes == k, (outcome - predicted) / chance, 0)
    assert tree.classes == names
    rows = np.arange(len(worth))

    def mean(one: treemip.Tree) -> float:
        return float(worth[rows, one.predict_numbers(table.inputs)].mean())

    assert mean(tree) == pytest.approx(result.objective)
    given = tree.predict_numbers(table.inputs)
    rng = np.random.default_rng(1)
    draws = [worth[rows, rng.permutation(given)].mean() for _ in range(4000)]
    found = at_random(tree, table, mean)
    assert found == pytest.approx(np.mean(draws), abs=5 * np.std(draws) / 4000**0.5)
    assert mean(tree) > found
    assert at_random(tree, table, lambda one: mean(one) ** 2) is None
    assert at_random(replace(tree, answer=_all(tree, 0)), table, mean) is None


def _all(tree: treemip.Tree, k: int) -> ClassAnswer:
    leaf = np.where(tree.topology.is_leaf, k, -1)
    return ClassAnswer(leaf, tree.classes, tree.answer.of)


def test_rows_that_a_requirement_needs_are_no_requirements() -> None:
    data = {"a": [0, 1, 2, 3] * 3, "sex": list("mmf") * 4, "c": list("nyynyy") * 2}
    text = """data "d" { label c positive "y"; group sex; scale minmax; }
    topology complete(depth = 1);
    split univariate by oct;
    subject to
      rising: monotone(a, up);
      fair: parity(sex, 0.9);
    """
    result = treemip.loads(text, data=data).compile().solve(time_limit=60)
    instance, tree = result.compiled.instance, result.tree
    found = requirements_on(instance, tree, result.values)
    assert [one.name for one in found] == ["rising", "fair"]
    assert all(one.holds is not False for one in found)
    kept = constraints_on(instance, tree, result.values, instance.table)
    assert [(one.name, one.holds) for one in kept] == [("rising", True), ("fair", True)]


def test_of_a_formulation_in_the_spec_modules_alone_are_requirements() -> None:
    text = (specs_path() / "own_formulation.tree").read_text(encoding="utf-8")
    text = text.replace("class;", 'class positive "1"; group holding;', 1)
    text = text.replace("subject to", "subject to fair: parity(holding, 0.4);", 1)
    result = treemip.loads(text, base=specs_path()).compile().solve(time_limit=60)
    (found,) = requirements_on(result.compiled.instance, result.tree, result.values)
    assert (found.name, found.holds) == ("fair", True)


@pytest.mark.parametrize(
    ("known", "stands"),
    [
        ([True, True], 0),
        ([True, None, False, False], 2),
        ([True, None, None], 1),
        ([None, True], 0),
    ],
)
def test_the_row_that_stands_for_a_requirement(known: list[bool | None], stands: int) -> None:
    rows = [Kept(str(k), holds) for k, holds in enumerate(known)]
    assert standing_for(rows) is rows[stands]


def test_a_requirement_without_rows_holds() -> None:
    assert Requirement("a", "a: 1 <= 2").holds is True
    assert Requirement("a", "a: 1 <= 2", rows=3).holds is None


@pytest.mark.parametrize(
    ("slack", "text"),
    [
        (1.221e-15, "holds, slack 0"),
        (-3e-12, "holds, slack 0"),
        (0.05, "holds, slack 0.05"),
        (2e-5, "holds, slack 2e-05"),
        (None, "holds"),
    ],
)
def test_rounding_error_is_no_slack(slack: float | None, text: str) -> None:
    assert Kept("row", True, slack=slack).text == text
