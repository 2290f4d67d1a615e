"""From values to a tree: what a tolerance left behind, and points that end at branches."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import treemip
from treemip.api.result import Result
from treemip.core.tree.readout import by_name, routed_by_solution

pytest.importorskip("pyscipopt")

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.25, 0.0], [0.75, 1.0]])
Y = np.array([0, 1, 1, 0, 0, 0])
ONE_FEATURE = "subject to few {t in branches}: sum {j in features} uses[t,j] <= 1;"


@cache
def exclusive_or(rest: str = ONE_FEATURE) -> Result:
    """At the root, whose violations cost next to nothing, (9) and (10) hold with equality."""
    text = (
        'data "t" { label class; } topology complete(depth = 2);'
        f"split margin by margot(C = level(1: 0.001, 2: 100), M_xi = 100); {rest}"
    )
    result = treemip.loads(text, (X, Y)).compile().solve("scip", start="none")
    assert result.verified and result.tree is not None
    return result


def tampered(result: Result, family: str, position: int, by: float) -> np.ndarray:
    values = result.answer.values.copy()
    values[result.compiled.model.block(family).start + position] += by
    return values


def test_a_point_on_the_hyperplane_that_a_tolerance_sends_left_is_sent_right_again() -> None:
    result = exclusive_or()
    tree = result.tree
    heights = X @ tree.weights[0] - tree.threshold[0]
    assert heights[heights > -1e-6].min() == pytest.approx(0, abs=2e-6)
    values = tampered(result, "offset", 0, -5e-7 - heights[heights > -1e-6].min())
    again = result.compiled.result(replace(result.answer, values=values), {}, [])
    assert again.verified, again.report
    assert again.report.repaired == (1,)
    assert again.tree.route(X).tolist() == tree.route(X).tolist()
    spoiled = -values[result.compiled.model.block("offset").start]
    assert 0 < spoiled - again.tree.threshold[0] < 1e-6
    assert again.tree.weights.tolist() == result.tree.weights.tolist()


def test_a_coefficient_that_is_switched_off_is_exactly_0() -> None:
    result = exclusive_or()
    model = result.compiled.reformed.original
    off = int(np.flatnonzero(result.values["uses"] == 0)[0])
    dust = by_name(model, tampered(result, "coef", off, 3e-8))
    assert dust["coef"][off] == 0 and result.values["coef"][off] == 0


def test_a_greater_one_is_left_for_the_verification_to_find() -> None:
    result = exclusive_or()
    off = int(np.flatnonzero(result.values["uses"] == 0)[0])
    values = tampered(result, "coef", off, 1e-3)
    again = result.compiled.result(replace(result.answer, values=values), {}, [])
    assert not again.verified
    assert any("'uses_off'" in p for p in again.report.problems)


def test_points_end_at_the_branches_that_the_model_knows() -> None:
    result = exclusive_or()
    instance = result.compiled.instance
    ends = routed_by_solution(instance, result.values)
    assert set(ends.tolist()) <= set(instance.topology.last_branches.tolist())
    assert result.tree.path(X)[np.arange(len(X)), ends].all()


def test_points_end_at_leaves_where_the_spec_mentions_them() -> None:
    result = exclusive_or("minimize svm + misclassified;")
    ends = routed_by_solution(result.compiled.instance, result.values)
    assert ends.tolist() == result.tree.route(X).tolist()
