"""Claims that a model is infeasible or a solution optimal are checked without presolve."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driven_models import exact_in_memory, market_split
from small_models import rows, small

from treemip.api.program import loads
from treemip.cli.main import main
from treemip.core.model.answer import Limits
from treemip.core.model.tolerances import FEASIBILITY
from treemip.core.solvers.scip import solve as scip
from treemip.core.solving import outcome
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.outcome import Outcome, confirmed, confirmed_optimum
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.strategy.conflict import find_conflict

WRONGLY_INFEASIBLE = """var u {k in 1..2} integer >= -2, <= 1;
minimize min(max {k in 1..2} (k * u[k] - 1), norminf(u[*]));
subject to r0: min(max {k in 1..2} (k * u[k] - 1), max {k in 1..2} (k * u[k] - 1)) >= 0;
"""
"""Of this model HiGHS 1.15.1's presolve drops the integrality of u, and takes what it finds then
for no solution."""

CLAIM = Outcome("infeasible", None, float("nan"), 3)
POINT = np.array([1.0])


@exact_in_memory
def test_a_feasible_model_is_solved(solver: str) -> None:
    answer = solve(loads(WRONGLY_INFEASIBLE).compile().model, solver)
    zero = pytest.approx(0.0, abs=FEASIBILITY)  # rows bound the objective, and may be missed so far
    assert (answer.status, answer.objective, answer.bound) == ("optimal", zero, zero)


@exact_in_memory
def test_the_message_of_a_wrong_claim(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever presolve finds, it is taken to have called the model infeasible."""
    monkeypatch.setattr(
        f"treemip.core.solvers.{solver}.solve.confirmed",
        lambda claim, again, watch: confirmed(CLAIM, again, watch),
    )
    answer = solve(loads(WRONGLY_INFEASIBLE).compile().model, solver)
    zero = pytest.approx(0.0, abs=FEASIBILITY)
    assert (answer.status, answer.objective, answer.bound) == ("optimal", zero, zero)
    assert answer.message == (
        "the solver's presolve called the model infeasible, which it is not; "
        "solved without presolve"
    )


@exact_in_memory
def test_an_infeasible_model_stays_infeasible(solver: str) -> None:
    answer = solve(small("bic", [1, 1, 1], (rows([[1, 1, 1]], 9, 99),)), solver)
    assert (answer.status, answer.values, answer.message) == ("infeasible", None, "")


def checked(*seconds: Outcome, limit: float | None = None) -> tuple[Outcome, list[float]]:
    """What a claim becomes by what solves without presolve say, and the seconds they are given."""
    given: list[float] = []
    answers: Iterator[Outcome] = iter(seconds)

    def again(most: float) -> Outcome:
        given.append(most)
        return next(answers)

    return confirmed(CLAIM, again, Watch(limit)), given


def test_a_claim_that_is_confirmed_is_the_first_solve_s() -> None:
    for status in ("infeasible", "infeasible_or_unbounded"):
        second = Outcome(status, None, float("nan"), 99)  # type: ignore[arg-type]
        assert checked(second) == (CLAIM, [outcome.CHECK_SECONDS])


def test_a_claim_that_time_does_not_suffice_to_confirm() -> None:
    late, given = checked(Outcome("time_limit", None, 0.0, 5), limit=2.0)
    assert (late.status, late.nodes) == ("infeasible", 3)
    assert late.message == (
        "infeasible by the solver's presolve; not confirmed without presolve in 2 s"
    )
    assert given == [pytest.approx(2.0, abs=0.1)]


def test_a_solve_that_finds_a_solution_goes_on_to_its_end() -> None:
    best = Outcome("optimal", POINT, 1.0, 7)
    for found in (best, Outcome("unbounded", None, 0.0, 7)):
        second, given = checked(Outcome("time_limit", POINT, 0.0, 5), found)
        assert (second.status, second.values is POINT) == (found.status, found is best)
        assert given == [outcome.CHECK_SECONDS, float("inf")]


def test_no_rows_of_a_feasible_model_conflict() -> None:
    pytest.importorskip("highspy")
    conflict = find_conflict(loads(WRONGLY_INFEASIBLE).compile().model)
    assert (conflict.feasible, conflict.rows) == (True, ())


def test_other_outcomes_are_not_checked() -> None:
    def never(seconds: float) -> Outcome:
        raise AssertionError(seconds)

    for one in (Outcome("optimal", POINT, 1.0, 1), Outcome("unbounded", None, 0.0, 1)):
        assert confirmed(one, never, Watch()) is one
    watch = Watch()
    watch.stopping.set()
    assert confirmed(CLAIM, never, watch) is CLAIM


@exact_in_memory
def test_the_check_keeps_the_time_limit(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A market split, which no solver proves infeasible in a second, though one may claim it."""
    model = market_split()[0]
    monkeypatch.setattr(
        f"treemip.core.solvers.{solver}.solve.confirmed",
        lambda claim, again, watch: confirmed(CLAIM, again, watch),
    )
    answer = solve(model, solver, Limits(time=0.5))
    assert answer.seconds < 2.5


def test_the_command_line_says_that_a_claim_is_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("highspy")
    late = Outcome("time_limit", None, 0.0, 5)
    monkeypatch.setattr("treemip.core.solvers.highs.solve._without_presolve", lambda *_: late)
    spec = tmp_path / "none.tree"
    spec.write_text("var a binary; var b binary;\nminimize a;\nsubject to r: a + b >= 3;\n")
    assert main(["solve", str(spec), "--solver", "highs"]) == 3
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "infeasible by the solver's presolve; not confirmed without presolve in 10 s",
        "no solution; treemip diagnose names the requirements that exclude each other",
    ]


# ------------------------------------------------------------------------------- optima

LIGHT, HEAVY = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
COSTS = small("bbb", [3, 1, 2], (rows([[1, 1, 1]], 1, 9),))


def held(claim: Outcome, second: Outcome) -> Outcome:
    """What becomes of a claim about `COSTS` when the second solve ends so."""
    return confirmed_optimum(COSTS, claim, lambda seconds: second, Watch(5.0))


def test_an_optimum_that_is_confirmed_is_the_first_solve_s() -> None:
    claim = Outcome("optimal", LIGHT, 1.0, 3)
    assert held(claim, Outcome("optimal", LIGHT, 1.0, 99)) is claim


@pytest.mark.parametrize("bound", [0.0, -np.inf, 5.0])
def test_a_bound_that_proves_nothing_is_replaced_by_the_second_solve_s(bound: float) -> None:
    """HiGHS 1.16.0 may say so of an optimum that its presolve finds."""
    found = held(Outcome("optimal", LIGHT, bound, 0), Outcome("optimal", LIGHT, 1.0, 1))
    assert (found.status, found.bound, found.values) == ("optimal", 1.0, LIGHT)


@pytest.mark.parametrize("status", ["time_limit", "solver_limit"])
def test_a_bound_that_proves_nothing_stays_without_a_second_proof(status: Any) -> None:
    late = held(Outcome("optimal", LIGHT, 0.0, 0), Outcome(status, LIGHT, 1.0, 1))
    assert late.bound == 0.0


@pytest.mark.parametrize("status", ["optimal", "time_limit"])
def test_a_better_solution_takes_the_place_of_a_false_optimum(status: Any) -> None:
    found = held(Outcome("optimal", HEAVY, 2.0, 3), Outcome(status, LIGHT, 1.0, 9))
    assert (found.status, found.bound, found.nodes) == (status, 1.0, 9)
    assert found.values is LIGHT
    assert found.message == (
        "the solver's presolve called a worse solution optimal; solved without presolve"
    )


def test_an_optimum_that_time_does_not_suffice_to_confirm() -> None:
    late = held(Outcome("optimal", LIGHT, 1.0, 3), Outcome("time_limit", LIGHT, 0.5, 9))
    assert (late.status, late.bound, late.nodes) == ("optimal", 1.0, 3)
    assert late.message.startswith(
        "optimal by the solver's presolve; not confirmed without presolve in "
    )


def test_highs_confirms_optima_of_models_with_integers_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("highspy")
    asked: list[bool] = []

    def noted(model: Any, claim: Outcome, again: Any, watch: Watch) -> Outcome:
        asked.append(True)
        return confirmed_optimum(model, claim, again, watch)

    monkeypatch.setattr("treemip.core.solvers.highs.solve.confirmed_optimum", noted)
    assert solve(COSTS, "highs").objective == 1.0 and asked == [True]
    relaxed = small("ccc", [3, 1, 2], (rows([[1, 1, 1]], 1, 9),))
    assert solve(relaxed, "highs").objective == pytest.approx(1.0)
    assert solve(COSTS, "highs", Limits(gap=0.5)).status in ("optimal", "gap_limit")
    assert asked == [True]


CLOSE_POINTS = {
    "a1": [0.0, 1.0, 0.0, 1.0, 1 + 1e-9, 1 - 1e-9, 1 + 1e-9, 1.0, 0.0, 1.0, 1.0],
    "a2": [0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    "c": [f"k{k}" for k in (1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1)],
}


def test_scip_confirms_optima_with_functions_at_its_own_feasibility() -> None:
    """At 1e-9 SCIP 10.0.2 calls 7.202 optimal, the entropies of the 8 and 3 points of a1."""
    pytest.importorskip("pyscipopt")
    text = (
        'data "t.csv" { label c; scale minmax; } topology shape "(((. .) .) .)";\n'
        "split univariate by share_trees(alpha = 0, min_leaf = 1); minimize log_loss;"
    )
    compiled = loads(text, data=CLOSE_POINTS).compile()
    answer = solve(compiled.model, "scip", Limits(time=60))
    shares = np.array([2 / 5, 3 / 5, 1 / 3, 2 / 3])  # a2 has 5 and 6 points on its sides
    best = -float(np.array([2.0, 3.0, 2.0, 4.0]) @ np.log(shares))
    assert answer.status == "optimal" and answer.objective == pytest.approx(best, abs=1e-4)


def test_a_second_solve_that_fails_leaves_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyscipopt")
    compiled = loads("var v >= 1, <= 3; minimize log(v) + v;").compile()
    own, runs = scip._optimize, []

    def second_fails(model: Any, seconds: float) -> None:
        runs.append(seconds)
        if len(runs) == 2:
            raise TreemipError(Diagnostic.outside("E604", "SCIP: error in LP solver!", ""))
        own(model, seconds)

    monkeypatch.setattr(scip, "_optimize", second_fails)
    answer = solve(compiled.model, "scip")
    assert len(runs) == 2 and (answer.status, answer.objective) == ("optimal", pytest.approx(1.0))
    assert "not confirmed at 1e-06" in answer.message
