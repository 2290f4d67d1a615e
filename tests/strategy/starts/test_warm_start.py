"""Warm starts: completed within their share of the time, and ended by Ctrl-C like all else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treemip
from treemip.answers.starts.problem import remaining
from treemip.answers.starts.warm_start import warm_start
from treemip.api import solving
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.text import to_text
from treemip.core.source.diagnostic import TreemipError
from treemip.core.strategy.solvers import solve_with

TABLE = {"a": [0.0, 1.0, 2.0, 3.0], "c": ["n", "y", "y", "n"]}
TEXT = (
    'data "table.csv" { label c; scale minmax; } topology complete(depth = 2);'
    "split univariate by oct;"
)


def compiled(more: str = "") -> treemip.Compiled:
    return treemip.loads(TEXT + more, data=TABLE).compile()


def test_a_cart_start_is_a_solution_of_the_model() -> None:
    made = compiled()
    found = warm_start("cart", made.instance, made.model, "scip", Limits())
    assert found.values is not None
    assert found.values.shape == (made.model.column_count,)
    assert (found.notes, found.stopped) == ((), None)


def test_none_is_no_start_and_another_word_is_refused() -> None:
    made = compiled()
    for kind in (None, "none"):
        assert warm_start(kind, made.instance, made.model, "scip", Limits()).values is None
    with pytest.raises(TreemipError, match="unknown start 'luck'"):
        warm_start("luck", made.instance, made.model, "scip", Limits())


def test_a_start_that_the_spec_forbids_is_a_warning() -> None:
    made = compiled("subject to none: splits <= 0;")
    found = warm_start("cart", made.instance, made.model, "scip", Limits())
    assert found.values is None
    (note,) = found.notes
    assert (note.code, note.message) == (
        "W601",
        "CART's routing is not feasible for this model: it violates 1 row of 'none'; "
        "solving without a start",
    )


def test_a_cut_that_alone_forbids_a_start_is_no_cut() -> None:
    text = TEXT + " cut half {l in leaves}: points_in[l] <= 0;"
    made = treemip.loads(text, data=TABLE).compile(cuts="half")
    found = warm_start("cart", made.instance, made.model, "scip", Limits())
    (note,) = found.notes
    assert found.values is None and note.span is not None
    assert "of 'half' only, and a cut must not exclude a solution" in note.message
    assert note.remedy == "check the inequality, or leave 'half' out of the cuts"


@pytest.mark.parametrize("found_one", [False, True])
def test_ctrl_c_while_a_start_is_completed_ends_the_solve(
    monkeypatch: pytest.MonkeyPatch, found_one: bool
) -> None:
    # A variable without a meaning on a tree has to be found by a solver.
    made = compiled("var extra >= 1; minimize misclassified + extra;")
    calls = []
    real = solve_with

    def stopped(*arguments: object, **options: object) -> Answer:
        calls.append(arguments)
        answer = real(*arguments, **options)  # type: ignore[arg-type]
        values = answer.values if found_one else None
        return replace(answer, status="interrupted", values=values)

    monkeypatch.setattr("treemip.answers.starts.warm_start.solve_with", stopped)
    result = made.solve("scip", start="cart", on_interrupt="keep")
    assert len(calls) == 1
    assert result.status == "interrupted"
    assert (result.tree is not None) == found_one
    assert result.answer.bound is None


def test_the_start_is_completed_in_a_quarter_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled("subject to few: splits <= 1;")
    limits: list[Limits] = []
    real = solve_with

    def watched(*arguments: object, **options: object) -> Answer:
        limits.append(arguments[2])  # type: ignore[arg-type]
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("treemip.answers.starts.warm_start.solve_with", watched)
    monkeypatch.setattr(solving, "solve_with", watched)
    before = to_text(made.model)
    made.solve("scip", start="cart", time_limit=80)
    assert 15 < limits[0].time <= 20  # what the tree's own completion has left of it
    assert limits[1].time is not None
    assert 50 < limits[1].time < 80
    assert to_text(made.model) == before


def test_what_is_left_of_limits() -> None:
    assert remaining(Limits(), 5).time is None
    assert remaining(Limits(time=7), 5) == Limits(time=2)
    assert remaining(Limits(time=7), 9).time == 0
    assert np.isclose(remaining(Limits(time=7, gap=0.1), 5).gap or 0, 0.1)


def test_nothing_is_proven_with_a_cut_that_a_solution_breaks() -> None:
    text = TEXT + " cut half {l in leaves}: points_in[l] <= 1; strategy { cuts half; start cart; }"
    result = treemip.loads(text, data=TABLE).compile().solve("highs")
    assert (result.status, result.objective, result.verified) == ("optimal", 0.0, True)
    assert result.optimality is not None
    version = result.answer.solver_version
    assert result.optimality.by == f"the objective's own bound, found by HiGHS {version}"

    worse = text.replace("points_in[l] <= 1", "points_in[l] <= 0 * occupied[l]")
    none = treemip.loads(worse, data=TABLE).compile().solve("highs")
    assert none.status == "no_solution"
    assert "violates only the cut 'half'" in none.answer.message


def test_the_engine_comes_before_a_start_that_the_spec_names_unless_a_solver_is_named() -> None:
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 1); '
        "split univariate by binoct; minimize misclassified; strategy { start cart; }"
    )
    data = {"a": [0, 1, 2, 3, 4, 5], "c": list("ppnnnp")}
    compiled = treemip.loads(text, data=data).compile()
    by_engine = compiled.solve()
    assert (by_engine.answer.solver, by_engine.objective) == ("engine", 1)
    by_solver = compiled.solve("highs")
    assert (by_solver.answer.solver, by_solver.objective) == ("highs", 1)


def test_a_start_that_the_completing_solver_does_not_take_is_a_warning() -> None:
    """SCIP cannot compute the logistic function of MRCT's explicit probabilities."""
    draw = np.random.default_rng(0)
    table = {"a": draw.random(12), "b": draw.random(12), "c": ["x", "y"] * 6}
    text = 'data "t" { label c positive "x"; scale minmax; } topology complete(depth = 1);'
    text += " split randomized by mrct(gamma = 40, explicit = 1);"
    made = treemip.loads(text, data=table).compile()
    begun = warm_start("cart", made.instance, made.model, "auto", Limits(time=4.0), made.stated)
    (note,) = begun.notes
    assert (begun.values, note.code) == (None, "W601")
