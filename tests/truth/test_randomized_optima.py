"""Randomized trees of Amaldi, Consolo and Manno (2023), trained as in their section 4."""

from __future__ import annotations

import numpy as np
import pytest
from truth_cases import SPECS

import treemip
from treemip.core.model.answer import Limits
from treemip.core.model.values import violation
from treemip.core.solvers.ipopt.solve import Ipopt
from treemip.core.strategy.multistart import multistart

pytest.importorskip("casadi")
pytestmark = pytest.mark.truth

IRIS = """data "iris.csv" { label class; scale minmax; }
topology complete(depth = 2);
split randomized by mrct;
"""


def test_best_of_ten_starts_on_iris_is_as_accurate_as_published():
    """gamma = 512, costs 0.5, 10 starts: Table 3 has 95 % and more on parts left out."""
    result = treemip.loads(IRIS, base=SPECS).compile().solve(starts=10)
    assert result.status == "locally_optimal"
    assert result.verified, result.report.problems
    assert 1 - result.train_errors / 150 >= 0.96


def test_one_start_in_three_finds_such_a_tree():
    """About 38 in 100 do, so ten starts all miss it for one seed in a hundred."""
    ipopt = Ipopt(treemip.loads(IRIS, base=SPECS).compile().model)
    found = [ipopt.solve([ipopt.point(number)]).objective for number in range(80)]
    assert sum(objective is not None and objective <= 2.5 for objective in found) >= 20


def test_probabilities_as_variables_reach_the_same_accuracy():
    """Their strategy (i); the same points of the split variables, another way to them."""
    text = IRIS.replace("by mrct", "by mrct(explicit = 1)")
    result = treemip.loads(text, base=SPECS).compile().solve(starts=3, seed=1, time_limit=120)
    assert result.verified, result.report.problems
    assert 1 - result.train_errors / 150 >= 0.96


def test_strong_global_regularization_leaves_two_features_at_most():
    """lambda = 2^5; a coefficient is zero up to 1e-7, as in their code."""
    text = IRIS + "minimize expected_cost + 32 * l0_global;\n"
    compiled = treemip.loads(text, base=SPECS).compile()
    result = compiled.solve(starts=10, seed=0, time_limit=240)
    assert result.verified, result.report.problems
    coef = result.values["coef"].reshape(3, 4)
    free = treemip.loads(IRIS, base=SPECS).compile().solve(starts=10, seed=0)
    used = (np.abs(coef) > 1e-3).any(axis=0).sum()
    assert 1 <= used <= 2 < (np.abs(free.values["coef"].reshape(3, 4)) > 1e-3).any(axis=0).sum()


@pytest.mark.parametrize(("points", "seed", "gamma"), [(6, 0, 4.0), (8, 1, 8.0), (8, 2, 5.0)])
def test_best_of_ten_starts_is_the_optimum_that_scip_proves(points, seed, gamma):
    """One feature, depth 1, through the language."""
    random = np.random.default_rng(seed)
    x = random.random(points)
    frame = {
        "x": x.tolist(),
        "class": ["ab"[int(v > 0.5)] for v in x + random.normal(0, 0.2, points)],
    }
    text = f"""data "memory" {{ label class; scale minmax; }}
topology complete(depth = 1);
split randomized by mrct(gamma = {gamma});
"""
    model = treemip.loads(text, data=frame).compile().model
    local = multistart(model)
    proven = (
        treemip.loads(text, data=frame).compile().solve("scip", start="none", time_limit=120).answer
    )
    assert (proven.status, proven.gap) == ("optimal", 0.0)
    assert local.objective == pytest.approx(proven.objective, abs=1e-6)
    assert violation(model, local.values) <= 1e-6
    assert multistart(model, Limits(seed=9)).objective >= proven.bound - 1e-6
