"""The time limit is kept by everything, and what a start has found is never lost."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treemip
from treemip.answers.starts import searched_start
from treemip.api import solving
from treemip.core.model.answer import Answer, Limits, Progress
from treemip.core.source.deadline import heed
from treemip.core.source.diagnostic import TreemipError
from treemip.core.strategy.incumbent import unsolved
from treemip.core.strategy.solvers import solve_with

TEXT = 'data "t" { label c; scale minmax; } topology complete(depth = 2); split oblique by soct;'


def table(points: int = 40) -> dict[str, list[Any]]:
    """Classes that no tree of depth 2 tells apart."""
    draw = np.random.default_rng(4)
    columns = {name: draw.random(points).round(2).tolist() for name in "abc"}
    return columns | {"c": draw.choice(["x", "y"], points).tolist()} | {"d": columns["c"]}


def compiled(text: str = TEXT) -> treemip.Compiled:
    return treemip.loads(text, data=table()).compile()


def test_scikit_learn_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys, treemip\n"
        f"t = {TEXT!r}\n"
        "data = {'a': [0., 1., 2., 3.], 'c': ['n', 'y', 'y', 'n']}\n"
        "r = treemip.loads(t, data=data).compile().solve(start='cart', time_limit=60)\n"
        "assert r.verified, r.status\n"
        "assert 'sklearn' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


@pytest.fixture
def solver_that(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """solver_that(does): an answer, an exception, or a function stands in for every solver."""

    def stand_in(does: Any) -> None:
        def solve_with(*arguments: Any, **options: Any) -> Answer:
            if isinstance(does, BaseException):
                raise does
            return does if isinstance(does, Answer) else does(*arguments)

        monkeypatch.setattr(solving, "solve_with", solve_with)

    return stand_in


CALLED = AssertionError("a solver was called")


@pytest.mark.parametrize("status", ["time_limit", "interrupted", "solver_limit", "no_solution"])
def test_a_starts_tree_outlives_a_solver_that_finds_nothing(
    solver_that: Callable[[Any], None], status: str
) -> None:
    solver_that(unsolved("none", status, 1.0))  # type: ignore[arg-type]
    result = compiled().solve(start="cart", time_limit=60, on_interrupt="keep")
    assert result.status == ("feasible" if status == "no_solution" else status)
    assert result.verified
    assert result.tree is not None
    assert result.bound == 40


def test_ctrl_c_while_the_model_is_handed_over_leaves_the_start(
    solver_that: Callable[[Any], None],
) -> None:
    solver_that(KeyboardInterrupt())
    result = compiled().solve(start="cart", time_limit=60, on_interrupt="keep")
    assert (result.status, result.verified) == ("interrupted", True)
    for how in ({"start": "none", "on_interrupt": "keep"}, {"start": "cart"}):
        with pytest.raises(KeyboardInterrupt):
            compiled().solve(time_limit=60, **how)


@pytest.mark.parametrize("solver", ["highs", "scip", "cbc", "glpk", "lp_solve"])
def test_every_solver_keeps_the_start(solver: str) -> None:
    """In a limit that leaves it no time to speak of, with or without a form for starts."""
    made = compiled()
    try:
        result = made.solve(solver, start="cart", time_limit=0.3)
    except TreemipError as error:
        if "is not installed" in str(error):
            pytest.skip(f"{solver} is not installed")
        raise
    assert result.tree is not None, result.status
    assert result.verified
    if result.status != "optimal":
        assert result.train_errors is not None
        assert result.train_errors <= 20


def test_no_solver_is_called_once_the_start_is_as_good_as_can_be(
    solver_that: Callable[[Any], None],
) -> None:
    data = {"a": [0.0, 1.0, 2.0, 3.0], "c": ["n", "y", "y", "n"]}
    made = treemip.loads(TEXT, data=data).compile()
    solver_that(CALLED)
    result = made.solve(start="cart")
    assert (result.status, result.objective, result.bound, result.gap) == ("optimal", 4, 4, 0)
    assert (result.answer.proven_by, result.verified) == ("objective", True)


def test_a_limit_of_nothing_calls_no_solver(solver_that: Callable[[Any], None]) -> None:
    solver_that(CALLED)
    result = compiled().solve(time_limit=0)
    assert (result.status, result.tree, result.bound) == ("time_limit", None, 40)
    assert result.answer.solver == "none"
    begun = compiled().solve("scip", start="cart", time_limit=0)
    assert (begun.verified, begun.answer.solver) == (True, "cart")


class Captured(Exception):
    """Ends a solve that has shown what it should."""


def test_seconds_that_are_gone_and_those_of_what_follows_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A model that took 8 seconds to build takes 2 to verify a tree of it."""
    given: list[float | None] = []

    def start(kind, instance, model, way, limits, stated, asked):  # type: ignore[no-untyped-def]
        given.append(asked.whole)
        raise Captured

    monkeypatch.setattr(solving, "warm_start", start)
    made = compiled()
    made.seconds.update(read=2.0, compile=6.0)
    for spent in (0.0, 50.0, 100.0):
        with pytest.raises(Captured):
            made.solve(time_limit=100, spent=spent)
    whole, less, none = given
    assert whole is not None
    assert less is not None
    assert 50 < whole <= 100 - 2
    assert less == none == 50  # half of the limit, however long the rest takes


@pytest.mark.parametrize("ended_by", ["time", "signal"])
def test_the_engines_tree_is_the_answer_where_no_time_is_left(
    ended_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unproven(*arguments: Any) -> Any:
        searched, refusal = real(*arguments)
        return replace(searched, proven=False), refusal

    def search(self: Any, oblique: Any) -> Any:
        raise AssertionError("a search was made")

    real = searched_start.exact.answered
    monkeypatch.setattr(searched_start.exact, "answered", unproven)
    if ended_by == "time":
        monkeypatch.setattr(searched_start.SearchedStart, "_left", lambda self, most=None: 0.0)
    else:
        monkeypatch.setattr(searched_start, "asked_to_stop", lambda: True)
        monkeypatch.setattr(solving, "asked_to_stop", lambda: True)
    monkeypatch.setattr(searched_start.SearchedStart, "_search", search)
    text = 'data "t" { label c; } topology complete(depth = 1); split univariate by binoct;'
    data = {"a": [0.0, 1.0, 2.0, 3.0], "c": ["n", "y", "n", "y"]}
    result = treemip.loads(text, data=data).compile().solve(time_limit=60, on_interrupt="keep")
    assert (result.answer.solver, result.train_errors, result.verified) == ("engine", 1, True)


def test_what_the_start_takes_is_taken_from_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Limits] = []
    real = solve_with

    def slow(model, solver, limits, *rest):  # type: ignore[no-untyped-def]
        given.append(limits)
        time.sleep(0.3)
        return real(model, solver, limits, *rest)

    def quick(model, solver, limits, *rest):  # type: ignore[no-untyped-def]
        given.append(limits)
        return unsolved(solver, "time_limit", 0.0)

    monkeypatch.setattr("treemip.answers.starts.warm_start.solve_with", slow)
    monkeypatch.setattr(solving, "solve_with", quick)
    # A variable without a meaning on a tree has to be found by a solver.
    more = "var extra >= 1; minimize misclassified + extra;"
    compiled(TEXT + more).solve(start="cart", time_limit=100)
    first, second = given
    assert first.time is not None and 20 < first.time <= 25
    assert second.time is not None
    assert second.time <= 99.7


def test_a_bound_is_no_worse_than_no_errors_at_all(solver_that: Callable[[Any], None]) -> None:
    solver_that(Answer("time_limit", None, None, -1302.0, None, 1.0, 0, "scip", ""))
    text = TEXT + "minimize errors: misclassified + 0.5 * splits;"
    result = compiled(text).solve("scip", time_limit=2)
    assert (result.status, result.bound, result.answer.proven_by) == ("time_limit", 0, "objective")


WITHOUT_REACH = """data "t" { label c; scale minmax; }
topology complete(depth = 2);
split oblique;
var coef {t in branches, j in features} >= -1, <= 1;
var bias {t in branches} >= -1, <= 1;
minimize size: sum {t in branches} bias[t];
route left when dot(coef[t,*], x[i,*]) <= bias[t];
predict class argmax {k in classes} class_count[k];
"""


def test_a_start_that_the_formulation_cannot_have() -> None:
    with pytest.raises(TreemipError) as raised:
        compiled(WITHOUT_REACH).solve("scip", start="cart")
    assert str(raised.value) == (
        "error[E902]: the start 'cart' is not available: the formulation has no concept 'reach'\n"
        "  = help: leave it out, or define in the formulation what 'reach' is: concept reach …"
    )
    result = compiled(WITHOUT_REACH + "strategy { start cart; }").solve("scip", time_limit=60)
    assert result.status == "optimal"
    (warning,) = result.warnings
    assert warning.message == (
        "the spec's start 'cart' is ignored: the formulation has no concept 'reach'"
    )


def test_progress_tells_the_start_and_then_the_solver() -> None:
    seen: list[Progress] = []
    compiled().solve("highs", start="cart", time_limit=0.5, on_progress=seen.append)
    assert (seen[0].stage, seen[0].seconds) == ("start", 0.0)
    assert {p.stage for p in seen[1:]} == {"highs"}
    assert all(p.objective is not None for p in seen[1:])


def test_a_check_that_takes_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a formulation has millions of rows about sums of points."""
    monkeypatch.setattr(solving, "LATER", -1e6)
    monkeypatch.setattr(solving, "warm_start", lambda *_: heed("a tree was checked"))
    columns = {"x": [0, 1, 2, 3], "c": ["a", "b", "a", "b"]}
    text = 'data "t" { label c; } topology complete(depth = 1); split univariate by binoct;'
    program = treemip.loads(text, data=columns).compile()
    with pytest.raises(TreemipError, match="time was up while a tree was checked; fewer"):
        program.solve(time_limit=5, start="search")
    assert program.solve(time_limit=5).verified  # by the solver, without a start
