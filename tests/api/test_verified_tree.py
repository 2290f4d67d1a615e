"""A tree that is better than the solution it was read from is shown with its best solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treemip
from treemip.api import verified_tree
from treemip.api.result import Result
from treemip.cli.results import _numbers
from treemip.model.values import objective_value
from treemip.tree.residuals import model_violations

X = [0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0]
TABLE = {"x": X, "c": ["n"] * 4 + ["y", "n"] + ["y"] * 4}
ROBUST = 'data "t" { label c; } topology complete(depth = 1); split univariate by roct(eps = 0.06);'
FREE = ("can_left", "can_right", "reached", "attacked")


@pytest.fixture(scope="module")
def best() -> Result:
    return treemip.loads(ROBUST, TABLE).compile().solve("highs", start="none")


def stopped(best: Result, moved: float = 0.0) -> Result:
    """What a solver that is stopped leaves: all points count as errors, which the rows allow.

    moved: by how much the threshold is another one.
    """
    compiled = best.compiled
    x = best.answer.values
    assert x is not None
    x = x.copy()
    for block in compiled.model.variables:
        here = slice(block.start, block.stop)
        x[here] = 1.0 if block.name in FREE else x[here] + moved * (block.name == "bias")
    worth = objective_value(compiled.model, x)
    assert worth == len(X)
    answer = replace(best.answer, values=x, objective=worth, bound=0.0, gap=None)
    return compiled.result(replace(answer, status="time_limit"), {}, [])


def test_values_that_follow_from_the_tree_are_what_they_mean(best: Result) -> None:
    found = stopped(best)
    assert found.tree is not None and best.tree is not None and found.report is not None
    assert found.objective == found.report.objective == found.report.tree_objective
    assert found.objective == best.objective
    assert found.tree.to_json() == best.tree.to_json()
    assert found.gap == 1.0 and found.optimality is not None and not found.optimality.proven
    assert found.answer.values is not None
    assert objective_value(found.compiled.model, found.answer.values) == found.objective


@pytest.mark.parametrize("moved", np.linspace(-0.1, 0.1, 21))
def test_a_threshold_that_rows_forbid_is_moved(best: Result, moved: float) -> None:
    """ROCT's gap may leave a threshold no room at which the tree is worth what it means."""
    found = stopped(best, moved)
    assert found.verified and found.report is not None and found.objective is not None
    assert found.objective == pytest.approx(found.report.tree_objective)
    assert best.objective is not None and best.objective <= found.objective < len(X)
    assert model_violations(found.compiled.stated, found.values) == []


def test_where_none_is_found_both_are_said(best: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verified_tree, "_solutions", lambda *_: iter(()))
    found = stopped(best)
    assert found.objective == len(X) and found.report is not None
    assert found.report.tree_objective == best.objective
    said = dict(_numbers(found))["tree's objective"]
    assert said.endswith("(no solution that is worth as much was found for this tree)")
