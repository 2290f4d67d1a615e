"""Installed solvers as child processes: each with the real one where it is, skipped else.

Commands of one's own are in test_own_commands.py, interrupts in test_ended_solvers.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from driven_models import (
    NO_CBC,
    code_of,
    infeasible,
    knapsack,
    market_split,
    maximum,
    model,
    solvers,
    some_solvers,
    unbounded,
)

from treemip.core.model.answer import Limits
from treemip.core.model.blocks import Quadratic
from treemip.core.model.model import Model
from treemip.core.model.values import violation
from treemip.core.registry import installed
from treemip.core.solving.process import run_installed
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError

UNPROVEN = ("lp_solve", "cpsat")
"""lp_solve's proofs are not believed, nor are CP-SAT's where columns are real."""


@solvers
def test_no_solution(solver: str) -> None:
    answer = run_installed(infeasible(), solver)
    if solver == "cpsat":  # which has rounded the real column
        assert (answer.status, answer.values, answer.bound) == ("no_solution", None, None)
        answer = run_installed(unbounded(), solver)
        assert (answer.status, answer.values) == ("unbounded", None)
        return
    assert (answer.status, answer.values, answer.bound) == ("infeasible", None, None)
    answer = run_installed(unbounded(), solver)
    assert answer.status in ("unbounded", "infeasible_or_unbounded")
    assert answer.values is None


@solvers
def test_time_for_an_incumbent(solver: str) -> None:
    answer = run_installed(knapsack(), solver, Limits(time=1))
    assert answer.status == "time_limit"
    assert answer.values is not None and answer.objective is not None
    assert violation(knapsack(), answer.values) < 1e-6
    assert answer.bound is None or answer.bound > answer.objective
    assert answer.seconds < 10


@some_solvers
def test_time_for_nothing(solver: str) -> None:
    answer = run_installed(market_split()[0], solver, Limits(time=1))
    assert (answer.status, answer.values, answer.gap) == ("time_limit", None, None)


@solvers
def test_a_gap_that_is_good_enough(solver: str) -> None:
    if solver == "lp_solve":
        pytest.skip("lp_solve needs minutes for this gap")
    answer = run_installed(knapsack(), solver, Limits(gap=0.1, threads=1, time=60))
    assert answer.status == "gap_limit"
    assert answer.objective is not None and answer.values is not None
    assert answer.bound is None or answer.bound <= answer.objective * 1.12


@solvers
def test_a_start_is_used(solver: str) -> None:
    split, solution = market_split()
    entry = installed()[solver]
    takes = [c for c in (entry.program, entry.package_call) if c is not None and c.start]
    # With a start it ends at once, and without one it finds nothing.
    answer = run_installed(split, solver, Limits(time=30 if takes else 1), solution)
    assert answer.start_accepted is bool(takes)
    assert (answer.values is not None) == bool(takes)


@solvers
@pytest.mark.parametrize("count", [2, pytest.param(6, marks=pytest.mark.truth)])
def test_random_models_agree_with_highs(solver: str, count: int) -> None:
    pytest.importorskip("highspy")
    random = np.random.default_rng(1)
    for _ in range(count):
        kinds = "".join(random.choice(list("bic"), 5))
        matrix = random.integers(-6, 7, (3, 5))
        small = model(
            kinds,
            random.integers(-9, 10, 5).tolist(),
            matrix,
            random.integers(0, 15, 3) / 2,
            random.integers(1, 4, 5),
            low=-random.integers(0, 3, 5),
            sense=str(random.choice(["minimize", "maximize"])),
            constant=float(random.integers(-20, 20)),
        )
        expected, found = solve(small, "highs"), run_installed(small, solver)
        if solver in UNPROVEN and found.status == "feasible":
            assert expected.status == "optimal"
            assert violation(small, found.values) < 1e-4
        elif solver == "cpsat" and found.status == "no_solution":
            assert expected.status == "infeasible"
        else:
            assert found.status == expected.status
            assert found.objective == pytest.approx(expected.objective, abs=1e-4)


@solvers
def test_products(solver: str) -> None:
    products = Quadratic(*(np.array([k]) for k in (0, 0, 0)), np.array([1.0]))
    linear = model("cb", [-1, 0], [[1, 1]], 1)
    quadratic = Model(
        linear.name, linear.variables, linear.rows, objective=with_products(linear, products)
    )
    if takes_products(solver):
        answer = run_installed(quadratic, solver)
        assert (answer.status, answer.objective) == ("optimal", pytest.approx(-0.25, abs=1e-5))
    else:
        with pytest.raises(TreemipError, match="takes no products") as raised:
            run_installed(quadratic, solver)
        assert code_of(raised) == "E601"


@solvers
def test_quadratic_rows(solver: str) -> None:
    """x + y is greatest on the circle x^2 + y^2 <= 2 at x = y = 1; b is 0."""
    form = Quadratic(np.array([0, 0]), np.array([0, 1]), np.array([0, 1]), np.ones(2))
    linear = model("ccb", [1, 1, -1], [[0, 0, 1]], 2, 5, sense="maximize")
    rows = replace(linear.rows[0], quadratic=form)
    if takes_products(solver):
        answer = run_installed(linear.with_(rows=(rows,)), solver)
        assert (answer.status, answer.objective) == ("optimal", pytest.approx(2, abs=1e-4))
        assert answer.values == pytest.approx([1, 1, 0], abs=1e-3)
    else:
        with pytest.raises(TreemipError, match="has no quadratic rows") as raised:
            run_installed(linear.with_(rows=(rows,)), solver)
        assert code_of(raised) == "E601"


def takes_products(solver: str) -> bool:
    mps = installed()[solver].caps.mps
    return mps is not None and mps.objective


def with_products(linear: Model, products: Quadratic) -> object:
    return replace(linear.objective, quadratic=products)


@solvers
def test_all_limits_at_once(solver: str) -> None:
    """Every option a solver has is one that it takes without a word."""
    entry = installed()[solver]
    call = entry.program if entry.program and not missing_program(solver) else entry.package_call
    assert call is not None
    every = {
        "time": 9.5,
        "gap": 1e-5,
        "absolute_gap": 1e-5,
        "threads": 1,
        "seed": 3,
        "feasibility": 1e-7,
    }
    answer = run_installed(
        maximum(), solver, Limits(**{k: v for k, v in every.items() if k in call.options})
    )
    assert answer.objective == pytest.approx(15.5)
    for name in every.keys() - call.options.keys() - {"threads"}:
        with pytest.raises(TreemipError, match=f"takes no {name.replace('_', ' ')}") as raised:
            run_installed(maximum(), solver, Limits(**{name: every[name]}))
        assert code_of(raised) == "E902"


def missing_program(solver: str) -> bool:
    import shutil

    entry = installed()[solver]
    return entry.program is None or not any(map(shutil.which, entry.program.programs))


def test_a_missing_solver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TreemipError) as raised:
        run_installed(maximum(), "cbc")
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "E602"
    assert diagnostic.message == "CBC is not installed: no program 'cbc' on PATH"
    assert diagnostic.remedy == "apt install coinor-cbc, or https://github.com/coin-or/Cbc"


@NO_CBC
def test_the_log_is_shown_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    run_installed(maximum(), "cbc")
    assert capfd.readouterr() == ("", "")
    run_installed(maximum(), "cbc", Limits(log=True))
    assert "Welcome to the CBC MILP Solver" in capfd.readouterr().out
