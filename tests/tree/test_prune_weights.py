"""Weights that only a solver's tolerance left go; weights that do something stay."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from small_trees import X, Y, stump

import treemip
from treemip.api.compiled import Compiled
from treemip.core.model.tolerances import FAINT_LOSS, FAINT_SHARE
from treemip.core.tree.prune_weights import are_columns, negligible_weights, prune_weights
from treemip.core.tree.readout import readout, routed_by_solution
from treemip.core.tree.score import score
from treemip.core.tree.tree import Tree
from treemip.core.tree.verify import VerifyReport, verify

SPECS = Path(__file__).parents[2] / "specs"
TABLE = Path(__file__).parents[1] / "truth" / "data" / "small_4-partitions_60.csv"

# What SCIP 10.0.2 found for TABLE with C = 10 at feasibility 1e-9, "optimal": a third branch that
# sends all its points right, with weights whose margin term is 2e-10.
FOUND = {
    "coef": [-7.6193367633742906, -4.63024033203355, 0, 0, 1.9714018e-05, -1.2900654e-07],
    "offset": [5.833462364738857, -1.0, 1.0000000463275376],
}


@cache
def margot(rows: str = "", depth: int = 2) -> Compiled:
    text = (
        f'data "{TABLE.name}" {{ label class positive 1; }} topology complete(depth = {depth});'
        f"split margin by margot; param C {{t in branches}} = 10; {rows}"
    )
    return treemip.loads(text, base=TABLE.parent).compile()


def solution(made: Compiled, given: dict[str, list[float]]) -> dict[str, np.ndarray]:
    """Points sent as the splits send them, and slack as little as it may be."""
    instance, model = made.instance, made.reformed.original
    values = {b.name: np.zeros(b.length) for b in model.variables}
    values |= {name: np.array(found, float) for name, found in given.items()}
    tree = readout(instance, values)
    path, x = tree.path(instance.table.inputs), instance.table.inputs
    ends = [t for t in tree.topology.branches if tree.topology.is_leaf[tree.topology.left[t]]]
    values["assign"] = path[:, ends].astype(float).ravel()
    sign = np.where(instance.table.y == list(instance.table.classes).index("1"), 1, -1)
    distance = x @ tree.weights.T - tree.threshold
    slack = np.where(path, np.maximum(0, 1 - sign[:, None] * distance), 0)
    values["slack"] = slack[:, tree.topology.branches].ravel()
    return values


def judged(made: Compiled, values: dict[str, np.ndarray]) -> tuple[Tree, VerifyReport]:
    instance, end = made.instance, routed_by_solution(made.instance, values)
    tree = readout(instance, values)
    return tree, verify(instance, made.reformed.original, values, tree, end)


def cleaned(
    made: Compiled, values: dict[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], Tree, VerifyReport]:
    return prune_weights(
        made.instance, made.reformed.original, values, lambda found: judged(made, found)
    )


def test_noise_of_a_branch_that_sends_all_one_way_is_no_feature() -> None:
    made = margot()
    before = solution(made, FOUND)
    tree, report = judged(made, before)
    assert report.verified and report.objective == pytest.approx(215.8323141)
    table = made.instance.table
    assert score(tree, table.inputs, table.y).features_used == 4
    values, tree, report = cleaned(made, before)
    found = score(tree, table.inputs, table.y)
    assert found.features == {1: ("x1", "x2"), 2: (), 3: ()}
    assert (found.effective_splits, found.weighted_splits) == (1, 1)
    assert report.verified and report.objective == pytest.approx(215.8323141)
    assert values["coef"].tolist() == [*FOUND["coef"][:4], 0, 0]


def test_a_threshold_makes_up_for_what_goes() -> None:
    """Points at the margin by their weights alone: without them they would be inside it."""
    made = margot()
    right = readout(made.instance, solution(made, FOUND)).path(made.instance.table.inputs)[:, 2]
    least = made.instance.table.x[right, 0].min()
    given = {
        "coef": [*FOUND["coef"][:4], 1e-3, 0],
        "offset": [*FOUND["offset"][:2], 1 - 1e-3 * least],
    }
    values, tree, report = cleaned(made, solution(made, given))
    assert report.verified
    assert not tree.weights[2].any()
    assert values["offset"][2] == pytest.approx(1, abs=1e-12)


def test_a_weight_that_a_constraint_asks_for_stays() -> None:
    made = margot('subject to asked {t in branches : t in right_children}: coef[t,"x1"] >= 1e-3;')
    given = {**FOUND, "coef": [*FOUND["coef"][:4], 1e-3, 0]}
    _, tree, report = cleaned(made, solution(made, given))
    assert report.verified
    assert tree.weights[2].tolist() == [1e-3, 0]


def test_a_weight_that_parts_points_stays() -> None:
    """Small as it is: all weights of the root are, and its points lie close to it."""
    assert negligible_weights(stump([1e-7], 5e-8), 0, np.array([[0.0], [1.0]])).tolist() == []
    x = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    assert negligible_weights(stump([1.0, 1e-3], 0.5), 0, x).tolist() == [1]
    assert negligible_weights(stump([1.0, 1e-1], 0.5), 0, x).tolist() == []


def test_a_negligible_weight_that_decides_on_a_point_stays() -> None:
    """The root's threshold lies between two points that only the second weight tells apart."""
    made = margot(depth=1)
    x, table = made.instance.table.x, made.instance.table
    nearest = np.argsort(x[:, 0])[:2]
    values = solution(made, {"coef": [1e-2, 0.0], "offset": [-1e-2 * x[nearest, 0].mean()]})
    tree, report = judged(made, values)
    assert report.verified
    after, own, _ = cleaned(made, values)
    assert own.path(table.inputs).tolist() == tree.path(table.inputs).tolist()
    assert after["coef"].tolist() == values["coef"].tolist()


def test_where_no_time_is_left_weights_stay() -> None:
    made = margot()
    values, judgements = solution(made, FOUND), 0

    def judge(found: dict[str, np.ndarray]) -> tuple[Tree, VerifyReport]:
        nonlocal judgements
        judgements += 1
        return judged(made, found)

    model = made.reformed.original
    after, _, report = prune_weights(made.instance, model, values, judge, lambda: True)
    assert (judgements, report.verified) == (1, True)
    assert after["coef"].tolist() == values["coef"].tolist()


def test_a_solution_that_is_not_verified_is_left_as_it_is() -> None:
    made = margot()
    values = solution(made, FOUND)
    values["slack"][:] = 0
    after, tree, report = cleaned(made, values)
    assert not report.verified
    assert after is values and tree.weights[2].any()


def test_no_columns_where_weights_are_integers_and_thresholds_a_number() -> None:
    text = (
        'data "t" { label class; bin thresholds; } topology complete(depth = 1); split univariate'
    )
    made = treemip.loads(f"{text} by flow_oct;", (X, Y)).compile()
    assert not are_columns(made.instance, made.reformed.original)
    assert are_columns(margot().instance, margot().reformed.original)


WEIGHT = st.builds(
    lambda mantissa, power: mantissa * 10.0**power, st.floats(-9, 9), st.integers(-8, 1)
)


@given(st.lists(WEIGHT, min_size=6, max_size=6), st.lists(WEIGHT, min_size=3, max_size=3))
def test_all_points_keep_their_way(coef: list[float], offset: list[float]) -> None:
    made = margot()
    before = solution(made, {"coef": coef, "offset": offset})
    tree, report = judged(made, before)
    assume(report.verified)
    _, own, after = cleaned(made, before)
    x = made.instance.table.inputs
    assert own.path(x).tolist() == tree.path(x).tolist()
    assert after.verified
    assert after.objective is not None and report.objective is not None
    assert after.objective <= report.objective + 3 * FAINT_LOSS * max(1, report.objective)
    for node in tree.topology.branches:
        gone = np.flatnonzero(tree.weights[node] != own.weights[node])
        assert not own.weights[node, gone].any()
        assert set(gone) <= set(negligible_weights(tree, int(node), x))
        differ = np.ptp(x[:, gone] * tree.weights[node, gone], axis=0).sum() if len(gone) else 0
        assert differ <= FAINT_SHARE * np.abs(x @ tree.weights[node] - tree.threshold[node]).max()


SMALL = 'data "t" { label class; scale minmax; } topology complete(depth = 1);'


@pytest.mark.parametrize("seed", [0, pytest.param(2, marks=pytest.mark.truth)])
def test_weights_of_a_randomized_tree_are_left_alone(seed: int) -> None:
    """Each is part of a probability, so none is without effect."""
    pytest.importorskip("casadi")
    small = treemip.loads(f"{SMALL} split randomized by mrct(gamma = 6);", (X, Y))
    program = treemip.load(SPECS / "iris_mrct.tree") if seed else small
    result = program.compile().solve("ipopt", starts=1, seed=seed)
    assert result.status == "locally_optimal"
    assert result.verified, result.report
