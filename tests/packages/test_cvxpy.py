"""CVXPY's problem has the model's optimum, keeps to DCP, and refuses what is not convex."""

from __future__ import annotations

import numpy as np
import pytest
from live_models import convex, linear, optimum
from small_models import products, rows, small

from treemip.core.packages.cvxpy import to_cvxpy
from treemip.core.source.diagnostic import TreemipError

cp = pytest.importorskip("cvxpy", reason="CVXPY is an optional target")


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize("seed", range(4))
def test_a_linear_program_has_the_same_optimum(seed, sense):
    model = linear(seed, sense=sense)
    problem = to_cvxpy(model)
    assert problem.is_dcp()
    assert problem.solve(solver=cp.CLARABEL) == pytest.approx(optimum(model), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_integers_and_binaries_stay_so(seed):
    pytest.importorskip("highspy", reason="CVXPY needs a solver for integers")
    model = linear(seed, kinds="ccbbi")
    problem = to_cvxpy(model)
    assert problem.solve(solver=cp.HIGHS) == pytest.approx(optimum(model), abs=1e-6)
    whole = problem.var_dict["v2"].value
    assert whole == pytest.approx(np.round(whole), abs=1e-6)


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize("seed", range(3))
def test_convex_products_have_the_same_optimum(seed, sense):
    model = convex(seed, sense)
    problem = to_cvxpy(model)
    assert problem.is_dcp()
    assert problem.solve(solver=cp.CLARABEL) == pytest.approx(optimum(model), abs=1e-5)


def test_a_fixed_binary_stays_fixed():
    model = small("bb", [-1.0, -1.0], (rows([[1.0, 1.0]], -np.inf, 2.0),), [0, 0], [0, 1])
    problem = to_cvxpy(model)
    assert problem.solve(solver=cp.HIGHS) == pytest.approx(-1)


def test_products_that_are_not_convex_are_refused_in_their_place():
    mixed = products((0, 0, 1, 1.0))
    with pytest.raises(TreemipError) as error:
        to_cvxpy(small("cc", [0.0, 0.0], quadratic=mixed))
    (said,) = error.value.diagnostics
    assert (said.code, said.span and said.span.text) == ("E601", "objective")
    assert said.message == "the products in the objective are not convex, and CVXPY takes no others"
    ball = products((0, 0, 0, 1.0))
    for lower, upper, message in (
        (0.5, np.inf, "the products in 'r' are not convex, and CVXPY takes no others"),
        (0.5, 1.0, "'r' bounds a product from both sides, which is not convex"),
    ):
        block = rows([[0.0]], lower, upper, quadratic=ball)
        with pytest.raises(TreemipError) as error:
            to_cvxpy(small("c", [1.0], (block,)))
        assert [d.message for d in error.value.diagnostics] == [message]
