"""CPLEX's problem is the model: names, limits, parts, optimum."""

from __future__ import annotations

import numpy as np
import pytest
from live_models import TOLD, empty_row, prioritized
from probes import indicators, valid_cut, with_cut
from small_models import knapsack, rows, small

from treemip.core.solvers.cplex import to_cplex

pytest.importorskip("cplex", reason="cplex is an optional target")


@pytest.mark.parametrize("name", TOLD)
def test_the_optimum_is_the_same(name):
    model, best, cuts = TOLD[name]
    with to_cplex(model, cuts) as made:
        made.solve()
        assert made.solution.get_objective_value() == pytest.approx(best, abs=1e-5)


def test_names_and_limits_are_those_of_files():
    block = rows([[1.0, 2.0], [0.0, 1.0]], [-1.0, 1.0], [3.0, 1.0], name="low")
    model = small("cb", [0.0, 0.0], (block,), [-np.inf, 0], [5, 1])
    with to_cplex(model) as made:
        assert made.variables.get_names() == ["v0", "v1"]
        assert made.variables.get_lower_bounds() == [-1e20, 0.0]
        assert made.variables.get_types() == ["C", "B"]
        constraints = made.linear_constraints
        assert constraints.get_names() == ["low(1)", "low(2)"]
        assert constraints.get_senses() == ["R", "E"]
        assert constraints.get_rhs() == [-1.0, 1.0]
        assert constraints.get_range_values() == [4.0, 0.0]


def test_indicators_keep_their_names():
    with to_cplex(indicators()[0]) as made:
        found = made.indicator_constraints
        assert found.get_names() == ["one", "two", "three", "four"]
        assert found.get_complemented() == [0, 1, 0, 1]


@pytest.mark.parametrize("cuts", ["lazy", "user"])
def test_cuts_are_what_was_asked_for(cuts):
    model, _ = with_cut() if cuts == "lazy" else valid_cut()
    with to_cplex(model, cuts) as made:
        advanced = made.linear_constraints.advanced
        assert made.linear_constraints.get_names() == ["cap"]
        found = advanced.get_num_lazy_constraints(), advanced.get_num_user_cuts()
        assert found == ((1, 0) if cuts == "lazy" else (0, 1))


def test_a_start_is_found_again():
    model = knapsack(30, 2)
    with to_cplex(model, start=np.zeros(30)) as made:
        assert made.MIP_starts.get_num() == 1
        made.parameters.mip.limits.solutions.set(1)
        made.solve()
        assert made.solution.get_objective_value() == 0


def test_priorities():
    with to_cplex(prioritized()) as made:
        assert [order[:2] for order in made.order.get()] == [(0, 0), (1, 7)]


@pytest.mark.parametrize(("lower", "status"), [(1.0, 103), (0.0, 101)])
def test_a_row_without_entries_counts(lower, status):
    with to_cplex(empty_row(lower)) as made:
        made.solve()
        assert made.solution.get_status() == status


def test_a_model_without_rows():
    with to_cplex(small("cb", [1.0, 2.0], sense="maximize")) as made:
        made.solve()
        assert made.solution.get_objective_value() == 3
