"""What is HiGHS's own: the arrays it is given, convex objectives, refusals, options."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import knapsack, products, rows, small, span

from treemip.core.model.answer import Limits
from treemip.core.model.blocks import Quadratic
from treemip.core.model.model import Model
from treemip.core.registry import solvers
from treemip.core.solvers.highs.model import load
from treemip.core.solvers.highs.solve import (
    STATUS,
    limit_seconds,
    run_to_end,
    solve_highs,
    solve_ignoring_signals,
    to_highs,
)
from treemip.core.solving.arrays import assemble
from treemip.core.solving.interrupt import asked_to_stop, begin_search, stoppable
from treemip.core.source.diagnostic import TreemipError

highspy = pytest.importorskip("highspy")


def test_the_model_as_highs_has_it() -> None:
    first = rows([[1, 0, 2], [0, 0, 0]], [-np.inf, 0], [4, 0])
    last = rows([[0, 3, -5]], 1, np.inf)
    model = small("bic", [1, 2], (first, last), [0, -3, -np.inf], [1, 5, 5], "maximize", 7.5)
    highs = to_highs(model)
    highs.ensureColwise()
    lp = highs.getLp()
    assert (lp.num_col_, lp.num_row_, lp.offset_) == (3, 3, 7.5)
    assert lp.sense_ == highspy.ObjSense.kMaximize
    assert list(lp.col_cost_) == [1, 2, 0]
    assert list(lp.col_lower_) == [0, -3, -np.inf]
    assert list(lp.col_upper_) == [1, 5, 5]
    assert list(lp.row_lower_) == [-np.inf, 0, 1]
    assert list(lp.row_upper_) == [4, 0, np.inf]
    assert list(lp.a_matrix_.start_) == [0, 1, 2, 4]
    assert list(lp.a_matrix_.index_) == [0, 2, 0, 2]
    assert list(lp.a_matrix_.value_) == [1, 3, 2, -5]
    integer, real = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
    assert list(lp.integrality_) == [integer, integer, real]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_convex_objectives_against_their_formula(seed: int, size: int, maximize: bool) -> None:
    """The optimum of x'Mx + c'x without rows is -M^-1 c / 2."""
    random = np.random.default_rng(seed)
    factor = random.normal(size=(size, size))
    matrix = factor @ factor.T + np.eye(size)
    costs = random.normal(size=size)
    optimum = -np.linalg.solve(matrix, costs) / 2
    sign = -1.0 if maximize else 1.0
    first, second = np.triu_indices(size)
    shuffled = random.permutation(len(first))  # the order within a row is free
    coef = sign * np.where(first == second, 1.0, 2.0) * matrix[first, second]
    form = Quadratic(
        np.zeros(len(first), np.int64),
        first[shuffled].astype(np.int32),
        second[shuffled].astype(np.int32),
        coef[shuffled],
    )
    sense = "maximize" if maximize else "minimize"
    model = small("c" * size, sign * costs, (), -100, 100, sense, 3.0, form)
    answer = solve_highs(model)
    assert answer.status == "optimal"
    assert answer.values == pytest.approx(optimum, abs=1e-3)  # where the objective is flat
    expected = 3 + sign * (optimum @ matrix @ optimum + costs @ optimum)
    assert answer.objective == pytest.approx(expected, abs=1e-6)
    assert answer.bound == pytest.approx(expected, abs=1e-6)


SADDLE = products((0, 0, 0, 1.0), (0, 0, 1, 3.0), (0, 1, 1, 1.0))
CONVEX = products((0, 0, 0, 1.0))


@pytest.mark.parametrize(
    ("model", "words", "place"),
    [
        (small("cc", [1], quadratic=SADDLE), "'obj' is not convex", "objective"),
        (small("cc", [1], quadratic=CONVEX, sense="maximize"), "not convex", "objective"),
        (small("cb", [1], quadratic=CONVEX), "beside integer variables", "objective"),
    ],
)
def test_what_highs_cannot_take(model: Model, words: str, place: str) -> None:
    for act in (to_highs, solve_highs):
        with pytest.raises(TreemipError) as raised:
            act(model)
        (diagnostic,) = raised.value.diagnostics
        assert (diagnostic.code, diagnostic.span) == ("E601", span(place))
        assert words in diagnostic.message
        assert diagnostic.remedy == "solve with SCIP"


def test_quadratic_rows_are_refused() -> None:
    model = small("cc", [1], (rows([[1, 1]], 0, 1, CONVEX),))
    for act in (to_highs, solve_highs):
        with pytest.raises(TreemipError) as raised:
            act(model)
        (diagnostic,) = raised.value.diagnostics
        assert (diagnostic.code, diagnostic.span) == ("E601", span("rows"))
        assert diagnostic.message == "HiGHS has no quadratic rows: 'r' multiplies variables"


def test_what_highs_refuses_itself_is_told_in_its_words() -> None:
    with pytest.raises(TreemipError, match=r"HiGHS refuses the model: .*1e\+16") as raised:
        to_highs(small("cc", [1], (rows([[1e16, 1]], 0, 1),)))
    assert raised.value.diagnostics[0].code == "E604"


def test_dropped_coefficients_are_told() -> None:
    answer = solve_highs(small("bb", [1], (rows([[1, 1e-10]], 1, 1),)))
    assert answer.status == "optimal"
    assert answer.message == "HiGHS treats 1 coefficients of at most 1e-09 as zero"


def test_a_start_without_integers_is_not_accepted() -> None:
    answer = solve_highs(small("c", [1]), start=np.zeros(1))
    assert (answer.status, answer.start_accepted) == ("optimal", False)


def test_each_solve_may_have_its_own_number_of_threads() -> None:
    model = knapsack(20, 5)
    answers = [solve_highs(model, Limits(threads=count)) for count in (1, 2, 1)]
    assert {answer.status for answer in answers} == {"optimal"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, object]]:
    """The options that HiGHS is given, all of which it must accept."""
    asked: list[tuple[str, object]] = []
    given_option = highspy.Highs.setOptionValue

    def note(self: object, name: str, value: object) -> object:
        asked.append((name, value))
        status = given_option(self, name, value)
        assert status == highspy.HighsStatus.kOk
        return status

    monkeypatch.setattr(highspy.Highs, "setOptionValue", note)
    return asked


def test_options_reach_the_solver(asked: list[tuple[str, object]]) -> None:
    limits = Limits(
        time=9, gap=0.25, absolute_gap=2, threads=1, feasibility=1e-10, seed=7, log=False
    )
    solve_highs(knapsack(10, 2), limits)
    last = dict(asked)
    assert 8 < float(str(last.pop("time_limit"))) <= 9
    assert last == {
        "log_to_console": False,
        "mip_rel_gap": 0.25,
        "mip_abs_gap": 2,
        "threads": 1,
        "random_seed": 7,
        "mip_feasibility_tolerance": 1e-10,
        "primal_feasibility_tolerance": 1e-10,
    }


def test_optimality_is_proven_unless_a_gap_is_asked_for(asked: list[tuple[str, object]]) -> None:
    """By its own default HiGHS stops at 0.01 % and says "Optimal"."""
    solve_highs(knapsack(10, 2))
    assert ("mip_rel_gap", 0.0) in asked


def test_a_start_is_completed_within_a_part_of_the_limits(asked: list[tuple[str, object]]) -> None:
    usual = highspy.Highs().getOptionValue("mip_max_nodes")[1]
    start = np.array([np.nan, *np.zeros(9)])
    solve_highs(knapsack(10, 2), Limits(time=10), start)
    assert [value for name, value in asked if name == "mip_max_nodes"] == [500, usual]
    parts = [float(str(value)) for name, value in asked if name == "time_limit"]
    # for completing the start, for the solve, and for confirming its optimum
    assert parts == [pytest.approx(most, rel=0.3) for most in (2, 10, 10)]


def test_a_start_that_is_a_solution_goes_in_as_it_is(asked: list[tuple[str, object]]) -> None:
    answer = solve_highs(knapsack(10, 2), Limits(time=10, absolute_gap=1e9), np.zeros(10))
    assert [value for name, value in asked if name == "mip_max_nodes"] == []
    assert answer.start_accepted is True
    assert answer.values is not None


def test_statuses_are_those_of_the_solver() -> None:
    known = set(highspy.HighsModelStatus.__members__)
    failures = {"kNotset", "kModelEmpty"} | {
        f"k{stage}Error" for stage in ("Load", "Model", "Presolve", "Solve", "Postsolve")
    }
    assert known - STATUS.keys() == failures
    assert STATUS.keys() <= known


def _dense(letter: str) -> Model:
    rng = np.random.default_rng(1)
    dense = rows(rng.random((60, 60)), -np.inf, 20 + rng.random(60))
    return small(letter * 60, -rng.random(60), (dense,), upper=2.0 if letter == "c" else 0.0)


def test_what_is_done_with_an_answer_heeds_no_signal() -> None:
    with stoppable():
        begin_search()
        os.kill(os.getpid(), signal.SIGINT)
        assert asked_to_stop()
        assert solve_highs(_dense("c")).status == "interrupted"
        values = solve_ignoring_signals(_dense("c"))
    assert values == pytest.approx(solve_highs(_dense("c")).values)


@pytest.mark.parametrize("letter", ["c", "i"])
def test_each_solve_has_its_own_seconds(letter: str) -> None:
    """Of continuous models HiGHS adds up the seconds of all its solves."""
    model = _dense(letter)
    arrays = assemble(model, solvers()["highs"])
    highs, _ = load(model, arrays)
    run_to_end(highs)
    once = highs.getRunTime()
    for _ in range(40):
        highs.clearSolver()
        run_to_end(highs)
    highs.clearSolver()
    limit_seconds(highs, 20 * once, arrays)
    run_to_end(highs)
    assert highs.getModelStatus().name == "kOptimal"


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Not even the banner, which 1.16 prints when an object is made with its output on."""
    code = "from treemip.core.solvers.highs.model import silent_highs as new; new().addVar(0, 1)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert capfd.readouterr() == ("", "")


def test_programs_may_run_highs_with_other_numbers_of_threads() -> None:
    """HiGHS keeps the number of threads of a process's first run, and refuses others."""
    code = """
import highspy, numpy as np, treemip
from treemip.methods.selection.hull import cover
from treemip.core.solvers.highs.model import silent_highs
for threads in (2, 3):
    highs = silent_highs()
    highs.setOptionValue("threads", threads)
    highs.addVar(0, 1)
    highs.resetGlobalScheduler(True)
    assert highs.run() == highspy.HighsStatus.kOk
    spec = 'data "d" { label c; } topology complete(depth = 1); split univariate by binoct;'
    table = {"a": [0.0, 1.0, 2.0, 3.0], "c": ["n", "n", "y", "y"]}
    solved = treemip.loads(spec, data=table).compile().solve("highs", start="none", threads=1)
    assert solved.train_errors == 0
    highs.resetGlobalScheduler(True)
    assert highs.run() == highspy.HighsStatus.kOk
    cover(np.random.default_rng(0).uniform(size=(40, 2)))
"""
    subprocess.run([sys.executable, "-c", code], check=True)
