"""Rows that are separated while a solver runs: the optimum is that of the model with all rows."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from lazy_models import Known, Subtours, split, tour
from small_models import rows, small, sparse

from treemip.core.model.answer import Answer, Limits
from treemip.core.registry import solvers
from treemip.core.solving.interrupt import stoppable
from treemip.core.solving.lazy_rows import ViolatedRows
from treemip.core.solving.optional import is_installed
from treemip.core.solving.solve import solve, takes_lazy
from treemip.core.source.diagnostic import TreemipError

ABLE = [s.name for s in solvers().values() if s.caps.lazy]
ONE = Limits(time=60, threads=1)


@pytest.fixture(params=ABLE)
def solver(request):
    if not is_installed(solvers()[request.param].package):
        pytest.skip(f"{request.param} is an optional solver")
    return request.param


# ------------------------------------------------------------------------ against all rows stated


@cache
def best(seed: int) -> Answer:
    """The answer for the random model with all rows.

    Rows broken by 1e-6 each, as solvers may, are worth 1e-5 at these costs.
    """
    return solve(split(seed)[0], "highs", Limits(feasibility=1e-9))


def compare(solver: str, seed: int) -> tuple[str, int]:
    """Status and number of violated rows of a random model, after comparing its optimum."""
    _, stated, source = split(seed)
    expected, answer = best(seed), solve(stated, solver, ONE, lazy=source)
    assert answer.status == expected.status, seed
    if expected.objective is not None:
        assert answer.objective == pytest.approx(expected.objective, abs=1e-5), seed
        assert answer.bound == pytest.approx(expected.objective, abs=1e-4), seed
    return answer.status, answer.separated.rows


def test_the_optimum_is_that_of_all_rows(solver):
    found = [compare(solver, seed) for seed in range(12)]
    assert {status for status, _ in found} == {"optimal", "infeasible"}
    assert sum(violated > 0 for _, violated in found) > 6


@pytest.mark.truth
def test_the_optimum_is_that_of_all_rows_in_many_models(solver):
    for seed in range(12, 330):
        compare(solver, seed)


def test_rows_that_no_point_satisfies(solver):
    """x + y >= 1 and x + y <= 0, both late."""
    late = Known(np.ones((2, 2)), np.array([1.0, -np.inf]), np.array([np.inf, 0.0]))
    answer = solve(small("bb", [1.0, 2.0]), solver, ONE, lazy=late)
    assert (answer.status, answer.values) == ("infeasible", None)


def test_columns_that_no_stated_row_mentions_are_not_fixed(solver):
    """Without rows y is best at 1 and x at 0; 5 x >= 4 y, which comes late, is worth it."""
    late = Known(np.array([[5.0, -4.0]]), np.array([0.0]), np.array([np.inf]))
    answer = solve(small("bb", [-1.0, 3.0], sense="maximize"), solver, ONE, lazy=late)
    assert answer.objective == pytest.approx(2.0)


def test_columns_that_only_late_rows_tell_apart(solver):
    """Twins, as far as stated rows go: 3 of 6 binaries, which late rows narrow to one choice."""
    pick = rows(np.ones((1, 6)), 3.0, 3.0)
    late = Known(np.eye(6)[[0, 2, 4]], np.full(3, -np.inf), np.zeros(3))
    answer = solve(small("bbbbbb", np.ones(6), (pick,)), solver, ONE, lazy=late)
    assert np.round(answer.values).tolist() == [0, 1, 0, 1, 0, 1]


# ---------------------------------------------------------------------- exponentially many rows


def test_a_shortest_tour_by_subtours(solver):
    """Cities in two clusters, whose degree rows alone are kept best by two tours."""
    random = np.random.default_rng(5)
    places = np.concatenate([random.random((3, 2)), 9 + random.random((4, 2))])
    lengths = np.linalg.norm(places[:, None] - places[None], axis=2)
    shortest = min(
        sum(lengths[a, b] for a, b in zip((0, *order), (*order, 0), strict=True))
        for order in permutations(range(1, 7))
    )
    alone = solve(tour(lengths), "highs")
    answer = solve(tour(lengths), solver, ONE, lazy=Subtours(7))
    assert alone.objective < shortest - 1
    assert (answer.status, answer.objective) == ("optimal", pytest.approx(shortest))
    assert answer.separated.rows > 0


def test_rows_from_fractional_points_cut_them_off(solver):
    """x + y + z <= 1 instead of its pairs: at (1/2, 1/2, 1/2) the pairs hold."""
    pairs = rows([[1, 1, 0], [1, 0, 1], [0, 1, 1]], -np.inf, 1.0)
    clique = Known(np.ones((1, 3)), np.array([-np.inf]), np.array([1.0]))
    model = small("bbb", [1.0, 1.0, 1.0], (pairs,), sense="maximize")
    answer = solve(model, solver, ONE, lazy=clique)
    assert answer.objective == pytest.approx(1.0)


def test_fractional_points_are_asked_about(solver):
    """A model whose root has a fractional relaxation, whatever presolve does to it."""
    asked = [False]
    for seed in range(10):
        _, stated, source = split(seed)
        solve(stated, solver, ONE, lazy=source)
        asked += source.asked
    assert not all(asked)
    assert any(asked)
    assert asked.count(False) > 5


# -------------------------------------------------------------------- errors, starts, interruption


class Raising:
    """A source that fails at its nth call."""

    def __init__(self, after: int) -> None:
        self.left = after

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        self.left -= 1
        if self.left < 0:
            raise ZeroDivisionError("of the source")
        return None


@pytest.mark.parametrize("after", [0, 1])
def test_what_a_source_raises_is_raised(solver, after):
    _, stated, _ = split(2)
    with pytest.raises(ZeroDivisionError, match="of the source"):
        solve(stated, solver, ONE, lazy=Raising(after))


class Returning:
    """A source that returns one thing always."""

    def __init__(self, answer: ViolatedRows) -> None:
        self.answer = answer

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        return self.answer


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (
            ViolatedRows(sparse([[0.0, 0.0, 1.0]]), np.array([9.0]), np.array([9.0])),
            "the separation returned a row over column 2 of a model of 2 columns",
        ),
        (
            ViolatedRows(sparse([[1.0, np.nan]]), np.array([9.0]), np.array([9.0])),
            "the separation returned a row with a coefficient or limit that is not a number",
        ),
        (
            ViolatedRows(sparse([[1.0, 1.0]]), np.array([9.0]), np.array([9.0, 9.0])),
            "the separation returned 1 rows with (1,) lower and (2,) upper limits",
        ),
    ],
)
def test_rows_that_are_none(solver, bad, words):
    with pytest.raises(TreemipError) as raised:
        solve(small("bb", [1.0, 1.0]), solver, ONE, lazy=Returning(bad))
    assert raised.value.diagnostics[0].code == "E604"
    assert raised.value.diagnostics[0].message == words


def test_rows_that_hold_at_the_point_do_not_come_back_for_ever(solver):
    held = ViolatedRows(sparse([[1.0, 1.0]]), np.array([-np.inf]), np.array([5.0]))
    answer = solve(small("bb", [-1.0, -1.0]), solver, ONE, lazy=Returning(held))
    assert (answer.status, answer.objective) == ("optimal", pytest.approx(-2.0))


@pytest.mark.parametrize("known", [3, 2])
def test_a_start_that_violates_a_late_row(solver, known):
    """(1, 1, 1) is best for the stated rows, whole or with its last value unknown."""
    pick = rows(np.ones((1, 3)), -np.inf, 3.0)
    late = Known(np.array([[1.0, 1.0, 0.0]]), np.array([-np.inf]), np.array([1.0]))
    start = np.where(np.arange(3) < known, 1.0, np.nan)
    model = small("bbb", [1.0, 2.0, 3.0], (pick,), sense="maximize")
    answer = solve(model, solver, ONE, start, lazy=late)
    assert answer.objective == pytest.approx(5.0)
    assert answer.start_accepted is False


def test_a_start_that_breaks_no_row(solver):
    _, stated, source = split(2)
    answer = solve(stated, solver, ONE, best(2).values, lazy=source)
    assert answer.start_accepted is True
    assert answer.objective == pytest.approx(best(2).objective, abs=1e-5)


class Slow:
    """A tour's source that takes its time, and tells when it was called."""

    def __init__(self, seconds: float = 0.3) -> None:
        self.seconds, self.source, self.called = seconds, Subtours(12), threading.Event()

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        self.called.set()
        time.sleep(self.seconds)
        return self.source.violated(x, integral)


def random_tour() -> np.ndarray:
    places = np.random.default_rng(1).random((12, 2))
    return np.linalg.norm(places[:, None] - places[None], axis=2)


def test_ctrl_c_ends_the_search(solver):
    source = Slow()

    def interrupt() -> None:
        source.called.wait(30)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with stoppable():
        answer = solve(tour(random_tour()), solver, ONE, lazy=source)
    assert answer.status == "interrupted"


def test_a_time_limit_holds(solver):
    answer = solve(tour(random_tour()), solver, Limits(time=0.3, threads=1), lazy=Slow(0.4))
    assert answer.status == "time_limit"
    assert answer.seconds < 10


def test_progress_is_reported(solver):
    """SCIP reports at incumbents, the others now and then in their callbacks."""
    told = []
    solve(tour(random_tour()), solver, ONE, on_progress=told.append, lazy=Slow(0.1))
    assert told
    assert [p.seconds for p in told] == sorted(p.seconds for p in told)


# --------------------------------------------------------------------------------- who takes what


def test_a_solution_that_breaks_a_row_is_no_answer(monkeypatch, solver):
    """Whatever a solver's callbacks do, shared code asks once more."""
    late = Known(np.ones((1, 2)), np.array([-np.inf]), np.array([1.0]))
    monkeypatch.setattr("treemip.core.solving.separation.Separation.of_candidate", lambda *_: None)
    monkeypatch.setattr("treemip.core.solving.separation.Separation.of_relaxation", lambda *_: None)
    with pytest.raises(TreemipError) as raised:
        solve(small("bb", [-1.0, -1.0]), solver, ONE, lazy=late)
    assert raised.value.diagnostics[0].message == (
        f"{solver} returned a solution that breaks 1 of the rows that were separated while it ran"
    )


def test_a_model_without_integers_goes_to_scip():
    pytest.importorskip("pyscipopt", reason="pyscipopt is an optional solver")
    late = Known(np.array([[1.0, 1.0]]), np.array([0.5]), np.array([np.inf]))
    model = small("cc", [1.0, 2.0])
    answer = solve(model, "auto", ONE, lazy=late)
    assert (answer.solver, answer.status) == ("scip", "optimal")
    assert answer.objective == pytest.approx(0.5)
    assert not takes_lazy(model, "gurobi")
    with pytest.raises(TreemipError) as raised:
        solve(model, "gurobi", ONE, lazy=late)
    assert raised.value.diagnostics[0].message == (
        "Gurobi does not take rows of a model without integers that are separated while it runs"
    )


def test_a_solver_without_callbacks_refuses():
    with pytest.raises(TreemipError) as raised:
        solve(small("bb", [1.0, 1.0]), "highs", ONE, lazy=Subtours(3))
    (told,) = raised.value.diagnostics
    assert (told.code, told.message) == (
        "E601",
        "HiGHS does not take rows that are separated while it runs",
    )
    assert told.remedy == "solve with 'scip', 'gurobi', 'cplex', 'copt'"
