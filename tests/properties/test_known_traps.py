"""Places where a published paper promises more, or its model reaches less, than it seems."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from formulations import compiled, table
from reference.leaf_sums import least_errors, thresholds
from suite import one_in

import treemip

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
    assert least_errors(thresholds(CROSSED), TWO_OF_SIX, 2) == 0
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
    assert result.train_errors == least_errors(thresholds(x), y, depth)
    assert not np.any(result.values["coef"].reshape(-1, 3)[:, 0] > 0.5)


IN_ROUNDS = """
data "memory" {{ label class; scale minmax; }}
topology complete(depth = 2);
split univariate by oct;
minimize misclassified;
strategy {{ select iterative rounds 1 eps 0{word}; }}
"""
EIGHT = {"a": [0, 1, 2, 3, 3.4, 4, 5, 6], "class": list("BABAABAB")}


def test_a_round_of_svm1_odt_s_algorithm_3_may_make_more_errors() -> None:
    """Proposition 2's proof takes the hull of J for one leaf's. CART makes 2 errors, at 2 and 4,
    and the points 3 and 3.4 of its middle leaf are left out, between 1 and 5. Both errors are right
    in a leaf of their own, where 3 and 3.4 are wrong."""
    result = treemip.loads(IN_ROUNDS.format(word=""), data=EIGHT).compile().solve()
    start, one = result.rounds
    assert (start.errors, one.errors) == (2, 3)
    selected = result.selected
    assert selected.whole.x[selected.rows, 0].tolist() == [0, 1 / 6, 2 / 6, 4 / 6, 5 / 6, 1]
    assert selected.whole.x[selected.rows[selected.heavy], 0].tolist() == [1 / 6, 5 / 6]
    (warning,) = (w for w in result.warnings if w.code == "W606")
    assert warning.message == (
        "round 1: 3 errors on all points, 2 before; the points around one that is left out may end"
        " in several leaves, and that one in a leaf between them"
    )
    result = treemip.loads(IN_ROUNDS.format(word=" together"), data=EIGHT).compile().solve()
    assert [one.errors for one in result.rounds] == [2, 2]
    assert result.rounds[1].promised


def test_every_best_tree_of_the_selected_points_makes_more_errors() -> None:
    """All ways to part the six selected points at three thresholds, each anywhere in its gap: of
    those with the least weight of errors, all get J right and make 3 errors on all points."""
    x, y = np.array(EIGHT["a"]), np.array(EIGHT["class"])
    weight = np.where(np.isin(x, [1, 5]), 3, np.where(np.isin(x, [3, 3.4]), 0, 1))
    found = []
    for cuts in combinations([0.5, 1.5, 2.5, 3.2, 3.7, 4.5, 5.5], 3):
        leaf = np.searchsorted(cuts, x)
        for labels in product("AB", repeat=4):
            wrong = np.array(labels)[leaf] != y
            heavy = int(wrong[weight == 3].sum())
            found.append((int(weight[wrong].sum()), heavy, int(wrong.sum())))
    least = min(found)[0]
    assert least == 1
    assert {(heavy, errors) for worth, heavy, errors in found if worth == least} == {(0, 3)}
