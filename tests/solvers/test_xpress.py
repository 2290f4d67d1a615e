"""Xpress's problem is the model: names, limits, parts, optimum."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from live_models import TOLD, empty_row
from probes import indicators, ranged_square, with_cut
from small_models import knapsack, rows, small

from treemip.core.solvers.xpress import to_xpress

xp = pytest.importorskip("xpress", reason="xpress is an optional target")


@pytest.fixture(autouse=True)
def community_licence():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", TOLD)
def test_the_optimum_is_the_same(name):
    model, best, cuts = TOLD[name]
    made = to_xpress(model, cuts)
    made.optimize()
    assert made.attributes.objval == pytest.approx(best, abs=1e-5)


def test_a_product_between_two_limits():
    model, best = ranged_square()
    made = to_xpress(model)
    made.optimize()
    assert made.attributes.objval == pytest.approx(best, abs=1e-5)


def test_names_and_limits_are_those_of_files():
    block = rows([[1.0, 2.0], [0.0, 1.0]], [-1.0, 1.0], [3.0, 1.0], name="low")
    made = to_xpress(small("cb", [0.0, 0.0], (block,), [-np.inf, 0], [5, 1]))
    assert [v.name for v in made.getVariable()] == ["v0", "v1"]
    assert (made.getLB(), made.getUB()) == ([-1e20, 0.0], [5.0, 1.0])
    assert [c.name for c in made.getConstraint()] == ["low(1)", "low(2)"]
    assert list(made.getRowType(0, 1)) == ["R", "E"]
    assert (made.getRHS(0, 1), made.getRHSRange(0, 0)) == ([3.0, 1.0], [4.0])


def test_indicators_keep_their_names():
    made = to_xpress(indicators()[0])
    columns, complement = made.getIndicators(0, 4)
    assert (columns[1:], complement) == ([3, 3, 4, 4], [0, 1, -1, 1, -1])
    assert [c.name for c in made.getConstraint()] == ["choice", "one", "two", "three", "four"]


def test_lazy_rows_are_delayed(tmp_path):
    made = to_xpress(with_cut()[0], "lazy")
    made.writeProb(str(tmp_path / "m.lp"), "l")
    assert "\nDelayed rows\nlate:" in (tmp_path / "m.lp").read_text()


def test_a_start_is_found_again():
    made = to_xpress(knapsack(30, 2), start=np.zeros(30))
    found = []
    made.addIntsolCallback(lambda p, data: found.append(p.attributes.lpobjval), None, 0)
    made.optimize()
    assert found[0] == 0


@pytest.mark.parametrize(("lower", "status"), [(1.0, "INFEASIBLE"), (0.0, "OPTIMAL")])
def test_a_row_without_entries_counts(lower, status):
    made = to_xpress(empty_row(lower))
    made.optimize()
    assert made.attributes.solstatus.name == status
