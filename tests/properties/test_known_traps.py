"""Two places where a model of a published paper promises more, or reaches less, than it seems."""

from __future__ import annotations

import numpy as np
import pytest
from enumerated import least_errors
from formulations import compiled, table
from suite import one_in

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
PARITY = np.array([0, 1, 1, 0])


def xor(alpha1: float, eps: float):  # type: ignore[no-untyped-def]
    return compiled("svm1_odt", table(XOR, PARITY), 1, parameters={"alpha1": alpha1, "eps": eps})


def test_svm1_odt_may_buy_wrong_routings() -> None:
    """The paper's Table 6 has alpha1 = 30, eps = 0.0008: any routing costs 0.024 a point."""
    made = xor(30, 0.0008)
    assert [w.code for w in made.warnings] == ["W301"]
    assert "alpha1 * eps" in made.warnings[0].message
    result = made.solve("scip", start="none", feasibility=1e-9)
    assert result.status == "optimal"
    assert result.objective is not None and result.report is not None
    assert result.values["wrong"].sum() == 0
    assert result.objective < 1
    assert result.train_errors == 2
    assert not result.verified
    problems = " ".join(result.report.problems)
    assert f"objective is {result.objective:.9g}" in problems
    assert f"{result.report.tree_objective:.9g}" in problems


def test_svm1_odt_is_sound_where_routings_cost_more_than_errors() -> None:
    made = xor(1000, 0.01)
    assert made.warnings == []
    result = made.solve("scip", start="none", feasibility=1e-9)
    assert result.status == "optimal"
    assert result.values["wrong"].sum() == 1
    assert result.train_errors == 1
    assert result.verified, result.report


CROSSED = np.array([[4.0, 0.0], [0, 2], [5, 2], [3, 3], [2, 0], [1, 3]])
TWO_OF_SIX = np.array([1, 0, 0, 0, 0, 1])


@pytest.mark.parametrize(
    ("rest", "errors"),
    [("", 0), ("set cut_points {f in features} = class_thresholds(f);", 1)],
    ids=["all thresholds", "class boundaries"],
)
def test_binoct_at_class_boundaries_can_miss_the_optimum(rest: str, errors: int) -> None:
    assert least_errors(CROSSED, TWO_OF_SIX, 2) == 0
    result = compiled("binoct", table(CROSSED, TWO_OF_SIX), 2, rest).solve("scip", start="none")
    assert result.status == "optimal"
    assert result.objective == pytest.approx(errors, abs=1e-6)
    assert result.train_errors == errors
    assert result.verified


@pytest.mark.parametrize("seed", one_in(4, range(4)))
@pytest.mark.parametrize(("points", "depth"), [(14, 2), (10, 3)])
def test_binoct_never_tests_a_constant_feature(points: int, depth: int, seed: int) -> None:
    """It has no threshold: branches without points would choose it, others would split freely."""
    rng = np.random.default_rng(5)
    x = np.column_stack([np.zeros(points), rng.integers(0, 6, (points, 2))])
    y = rng.integers(0, 2, points)
    result = compiled("binoct", table(x, y), depth).solve(solver="highs", start="none", seed=seed)
    assert result.status == "optimal"
    assert result.verified
    assert result.train_errors == least_errors(x, y, depth)
    assert not np.any(result.values["coef"].reshape(-1, 3)[:, 0] > 0.5)
