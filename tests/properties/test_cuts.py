"""SVM1-ODT's valid inequalities cut off no optimum (Zhu et al. 2020, Proposition 1)."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import compiled, random_table, table
from suite import one_in

CUTS = ("leaf_purity", "scarce_leaf", "pigeonhole")


def optimum(x: np.ndarray, y: np.ndarray, cuts: tuple[str, ...]) -> tuple[float, dict[str, int]]:
    made = compiled("svm1_odt", table(x, y), 1, cuts=cuts)
    result = made.solve("scip", start="none", feasibility=1e-9)
    assert result.status == "optimal"
    assert result.objective is not None
    assert result.verified, result.report
    rows = {r.name: r.length for r in made.model.rows if r.name in CUTS}
    return result.objective, rows


@pytest.mark.parametrize(("seed", "classes"), one_in(2, range(2), [2, 3, 4]))
def test_the_optimum_stays(classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = random_table(rng, 6, 2, classes)
    y[:classes] = range(classes)
    without, none = optimum(x, y, ())
    with_all, rows = optimum(x, y, CUTS)
    assert with_all == pytest.approx(without, rel=1e-6)
    assert none == {}
    # scarce_leaf is for at least as many classes as leaves, pigeonhole for more of them
    expected = {"leaf_purity": 2, "scarce_leaf": 2, "pigeonhole": 1}
    assert {k: v for k, v in rows.items() if v} == {
        k: v for k, v in expected.items() if k != "pigeonhole" or classes > 2
    }


def test_they_raise_the_bound_of_the_relaxation() -> None:
    x, y = random_table(np.random.default_rng(0), 6, 2, 4)
    y[:4] = range(4)
    bounds = [
        compiled("svm1_odt", table(x, y), 1, cuts=cuts).stats(relaxation=True)["lp_bound"]
        for cuts in ((), CUTS)
    ]
    assert bounds[0] == pytest.approx(0, abs=1e-9)
    assert bounds[1] >= 1
