"""Prescriptive trees: policy values against all trees, constraints on treatments, verification."""

from __future__ import annotations

import runpy

import numpy as np
import pytest
from suite import one_in
from trials import (
    BUDGET,
    DRUGS,
    METHODS,
    PARITY,
    PREDICTED,
    Columns,
    all_policies,
    allowed_under,
    estimates,
    random_trial,
    text_of,
    values,
)

import treemip
from treemip.api.result import Result
from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.score import ChoiceScore


def solved(text: str, columns: Columns, solver: str = "highs") -> Result:
    result = treemip.loads(text, data=columns).compile().solve(solver, time_limit=300)
    assert (result.status, result.verdict, result.problems) == ("optimal", "verified", ())
    assert result.report is not None and result.report.taken == ()
    return result


@pytest.mark.parametrize(("seed", "method"), one_in(17, range(1, 13, 2), METHODS))
def test_budgets_and_parity_of_treatments(seed: int, method: str) -> None:
    columns = random_trial(seed)
    policy = all_policies(columns, 2)
    worth = values(estimates(method, columns), policy)
    for rest in (BUDGET, PARITY, BUDGET + PARITY):
        allowed = allowed_under(rest, columns, policy)
        result = solved(text_of(method, 2, rest), columns)
        assert result.objective == pytest.approx(worth[allowed].max(), abs=1e-6)


def test_outcomes_below_zero_count() -> None:
    """The flow of a point cannot be withheld: with IPW's single sink it would be worth 0."""
    columns = random_trial(0)
    columns["outcome"] = -1.0 - np.arange(12.0)
    worth = estimates("ipw", columns)
    result = solved(text_of("ipw", 1), columns)
    assert result.objective == pytest.approx(values(worth, all_policies(columns, 1)).max())
    assert result.objective < 0


def test_outcomes_to_keep_low_are_minimized() -> None:
    columns = random_trial(2)
    result = solved(text_of("dr", 1, "minimize policy_value;"), columns)
    worth = values(estimates("dr", columns), all_policies(columns, 1))
    assert result.objective == pytest.approx(worth.min(), abs=1e-6)


def test_points_weigh_as_much_as_their_column_says() -> None:
    columns = random_trial(4)
    weight = np.arange(1.0, 13.0)
    text = text_of("ipw", 1).replace("label none;", "label none; weight w;")
    result = solved(text, {**columns, "w": weight})
    worth = estimates("ipw", columns) * weight[:, None] / weight.sum() * 12
    assert result.objective == pytest.approx(values(worth, all_policies(columns, 1)).max())


def test_the_tree_speaks_of_treatments() -> None:
    columns = random_trial(1)
    result = solved(text_of("dm", 1), columns)
    assert result.train_errors is None
    assert result.tree is not None
    assert result.tree.classes == ("high", "low", "none")
    assert set(result.tree.predict({f"a{j}": [0, 1] for j in range(3)})) <= set(DRUGS)


def refusal(text: str, columns: Columns) -> str:
    with pytest.raises(TreemipError) as caught:
        treemip.loads(text, data=columns).compile()
    (found,) = caught.value.diagnostics
    return f"{found.code}: {found.message}\n{found.remedy}"


def test_what_the_data_must_have() -> None:
    columns = random_trial(0)
    text = text_of("ipw", 1)
    assert refusal(text, {**columns, "a0": np.arange(12)}) == (
        "E307: prescriptive trees need features that are 0 or 1: add `bin quantile(5);` or "
        "`bin thresholds;` for numbers, `encode onehot;` for categories "
        "(it fails for point 3, feature 'a0')\n"
    )
    assert refusal(text, {**columns, "propensity": np.zeros(12)}) == (
        "E307: the column `propensity` is the probability of the treatment that the point "
        "received, above 0 and at most 1 (it fails for point 1)\n"
    )
    assert refusal(text, {**columns, "treatment": np.full(12, "none")}) == (
        "E307: the points of the training part need at least two treatments\n"
    )


def test_names_that_the_spec_has_to_give() -> None:
    columns = random_trial(0)
    assert refusal(text_of("dm", 1).replace(PREDICTED, ""), columns) == (
        "E201: 'prescriptive_dm' needs 'predicted_outcome', and nothing declares it\n"
        "declare  param predicted_outcome {…} = …;"
    )
    assert refusal(text_of("dm", 1).replace("group treatment, sex;", "use a0;"), columns) == (
        "E204: 'values' takes the name of a group column\n"
        "the data block names no group: group treatment;  or  group treatment from column;"
    )


SPECS = specs_path()


def test_the_table_of_the_spec_is_what_its_script_writes() -> None:
    made = runpy.run_path(str(SPECS / "data" / "trial.py"))["table"]().splitlines()
    kept = (SPECS / "data" / "trial.csv").read_text().splitlines()
    assert made[0] == kept[0] and len(made) == len(kept) == 201
    for a, b in zip(made[1:], kept[1:], strict=True):
        one, other = a.split(","), b.split(",")
        assert (one[3], one[-1]) == (other[3], other[-1])
        numbers = [list(map(float, [*row[:3], *row[4:-1]])) for row in (one, other)]
        assert numbers[0] == pytest.approx(numbers[1], abs=2e-4)


@pytest.mark.parametrize("depth", [1, pytest.param(2, marks=pytest.mark.truth)])
def test_the_spec_that_ships(depth: int) -> None:
    """Its measures, on the training and the test part, are numpy's."""
    text = (SPECS / "trial.tree").read_text().replace("depth = 2", f"depth = {depth}")
    result = treemip.loads(text, base=SPECS).compile().solve("highs", time_limit=300)
    assert (result.status, result.verdict) == ("optimal", "verified")
    data = result.compiled.instance.data
    assert data is not None and data.test is not None and result.tree is not None
    for part, score in ((data.train, result.train_score), (data.test, result.test_score)):
        assert isinstance(score, ChoiceScore)
        columns = {**part.numbers, "treatment": part.groups["treatment"][0]}
        given = np.array(result.tree.predict_numbers(part.inputs))
        rows = np.arange(len(given))
        true = np.column_stack([columns["true_0"], columns["true_1"]])
        predicted = np.column_stack([columns["predicted_0"], columns["predicted_1"]])
        follows = given == columns["treatment"]
        miss = columns["outcome"] - predicted[rows, columns["treatment"]]
        robust = predicted[rows, given] + follows * miss / columns["propensity"]
        assert score.objective == pytest.approx(robust.mean())
        assert score.measures == pytest.approx(
            {
                "true_value": true[rows, given].mean(),
                "regret": (true.max(axis=1) - true[rows, given]).mean(),
                "ipw_value": (follows * columns["outcome"] / columns["propensity"]).mean(),
            }
        )
