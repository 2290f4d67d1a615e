"""What exact solvers in memory owe their caller; they agree with each other and enumeration."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from driven_models import exact_in_memory
from hypothesis import given
from hypothesis import strategies as st
from small_models import knapsack, market_split, products, rows, small
from tape_models import mrct, random_data

import treemip.core.solving.solve as door
from treemip.core.model.answer import Answer, Limits, Progress
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.registry import in_memory, solvers
from treemip.core.solving.arrays import assemble
from treemip.core.solving.solve import choose, solve
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("highspy")
pytest.importorskip("pyscipopt")

EXACT = [name for name, entry in in_memory().items() if not entry.local]
NAN = float("nan")


def demand_feasible(model: Model, values: np.ndarray, tolerance: float = 1e-6) -> None:
    arrays = assemble(model, solvers()["scip"])
    matrix = arrays.matrix
    activity = np.zeros(arrays.rows)
    np.add.at(activity, matrix.row_of, matrix.data * values[matrix.indices])
    scale = tolerance * max(1.0, np.abs(activity).max(initial=0))
    assert (activity >= arrays.row_lower - scale).all()
    assert (activity <= arrays.row_upper + scale).all()
    assert (values >= arrays.lower - tolerance).all()
    assert (values <= arrays.upper + tolerance).all()
    whole = values[arrays.integer]
    assert np.abs(whole - np.round(whole)).max(initial=0) <= tolerance


def random_model(random: np.random.Generator, kinds: str) -> Model:
    columns, count = len(kinds), int(random.integers(1, 5))
    matrix = random.integers(-6, 7, (count, columns)) * (random.random((count, columns)) < 0.8)
    upper = random.integers(0, 15, count) / 2
    lower = np.where(random.random(count) < 0.5, -np.inf, upper - random.integers(0, 9, count))
    return small(
        kinds,
        random.integers(-9, 10, columns),
        (rows(matrix[:1], lower[:1], upper[:1]), rows(matrix, lower, upper)),
        -random.integers(0, 3, columns),
        random.integers(1, 4, columns),
        str(random.choice(["minimize", "maximize"])),
        float(random.integers(-20, 20)),
    )


@given(st.integers(0, 2**32 - 1), st.text("bic", min_size=1, max_size=8))
def test_the_solvers_agree(seed: int, kinds: str) -> None:
    model = random_model(np.random.default_rng(seed), kinds)
    exact = Limits(feasibility=1e-9)
    answers = [solve(model, name, exact) for name in EXACT]
    assert answers[0].status == answers[1].status
    assert answers[0].status in ("optimal", "infeasible")
    for answer in answers:
        if answer.values is not None:
            demand_feasible(model, answer.values)
            assert answer.objective == pytest.approx(answers[0].objective, abs=1e-5)
            assert answer.bound == pytest.approx(answer.objective, abs=1e-5)
            assert answer.gap == 0


@given(st.integers(0, 2**32 - 1), st.text("bi", min_size=1, max_size=6))
def test_enumeration_agrees(seed: int, kinds: str) -> None:
    model = random_model(np.random.default_rng(seed), kinds)
    arrays = assemble(model, solvers()["scip"])
    ranges = [np.arange(a, b + 1) for a, b in zip(arrays.lower, arrays.upper, strict=True)]
    points = np.array(list(product(*ranges)))
    dense = np.zeros((arrays.rows, arrays.columns))
    dense[arrays.matrix.row_of, arrays.matrix.indices] = arrays.matrix.data
    activity = points @ dense.T
    good = ((activity >= arrays.row_lower) & (activity <= arrays.row_upper)).all(axis=1)
    best = min if model.objective.sense == "minimize" else max
    worth = points[good] @ arrays.costs + model.objective.constant
    for name in EXACT:
        answer = solve(model, name)
        if good.any():
            assert answer.objective == pytest.approx(best(worth), abs=1e-6)
        else:
            assert answer.status == "infeasible"


@exact_in_memory
@pytest.mark.parametrize(
    ("model", "statuses"),
    [
        (small("bic", [1, 1, 1], (rows([[1, 1, 1]], 9, 99),)), {"infeasible"}),
        (small("c", [1], (rows([[2]], 3, 4),)), {"infeasible"}),
        (small("b", [1], (rows([[0]], 3, 4),)), {"infeasible"}),  # a row without columns
        (small("c", [1], lower=-np.inf), {"unbounded"}),
        (
            small("ic", [-1, 0], (rows([[1, -1]], 0, 0),), upper=np.inf),
            {"unbounded", "infeasible_or_unbounded"},
        ),
    ],
)
def test_no_solution(solver: str, model: Model, statuses: set[str]) -> None:
    answer = solve(model, solver)
    assert answer.status in statuses
    assert (answer.values, answer.objective, answer.bound, answer.gap) == (None, None, None, None)


@exact_in_memory
def test_no_rows_and_no_costs(solver: str) -> None:
    answer = solve(small("bc", [], constant=3), solver)
    assert (answer.status, answer.objective) == ("optimal", 3)


@exact_in_memory
def test_no_time(solver: str) -> None:
    answer = solve(knapsack(60, 20), solver, Limits(time=0))
    assert answer.status == "time_limit"
    assert (answer.values, answer.gap, answer.nodes) == (None, None, 0)
    assert answer.seconds < 5


@exact_in_memory
def test_time_for_an_incumbent(solver: str) -> None:
    model = knapsack(80, 40)
    answer = solve(model, solver, Limits(time=0.4))
    assert answer.status == "time_limit"
    demand_incumbent(model, answer)
    assert answer.seconds < 5


def demand_incumbent(model: Model, answer: Answer) -> None:
    """A solution of a maximisation that is not proven optimal, with a bound above it."""
    assert answer.values is not None
    assert answer.objective is not None and answer.bound is not None
    demand_feasible(model, answer.values)
    assert answer.objective < answer.bound
    assert answer.gap == pytest.approx((answer.bound - answer.objective) / answer.objective)


@exact_in_memory
@pytest.mark.parametrize("limits", [Limits(gap=0.05), Limits(absolute_gap=60)])
def test_gap_limits(solver: str, limits: Limits) -> None:
    model = knapsack(60, 20)
    answer = solve(model, solver, limits)
    assert answer.status == "gap_limit"
    demand_incumbent(model, answer)
    assert answer.gap is not None and answer.gap <= 0.05


@exact_in_memory
def test_progress(solver: str) -> None:
    heard: list[Progress] = []
    answer = solve(knapsack(80, 40), solver, Limits(time=0.6), on_progress=heard.append)
    known = [p for p in heard if p.objective is not None]
    objectives = [p.objective for p in known]
    assert objectives == sorted(objectives)  # of a maximisation
    assert objectives[-1] <= answer.objective + 1e-6
    bounds = [p.bound for p in heard if p.bound is not None]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] >= answer.objective
    assert [p.seconds for p in heard] == sorted(p.seconds for p in heard)
    last = known[-1]
    assert last.gap == pytest.approx((last.bound - last.objective) / last.objective)
    assert len(heard) < 60  # not one for every node


@exact_in_memory
def test_a_failing_progress_callback_fails_the_solve(solver: str) -> None:
    def on_progress(progress: Progress) -> None:
        raise RuntimeError("the display is gone")

    with pytest.raises(RuntimeError, match="the display is gone"):
        solve(knapsack(80, 40), solver, Limits(time=30), on_progress=on_progress)


@exact_in_memory
@pytest.mark.parametrize("known", [30, 18])
def test_a_start_is_completed_and_used(solver: str, known: int) -> None:
    model, solution = market_split()
    limits = Limits(time=30)  # it ends at the first solution
    assert solve(model, solver, Limits(time=0.3)).values is None  # too hard without
    start = np.where(np.arange(len(solution)) < known, solution, NAN)
    answer = solve(model, solver, limits, start)
    assert answer.start_accepted
    assert answer.values is not None
    demand_feasible(model, answer.values)


@exact_in_memory
def test_a_start_that_admits_no_solution(solver: str) -> None:
    limit = rows([[1, 1, 1]], -np.inf, 1)
    model = small("bbc", [1, 1, 1], (limit,), sense="maximize")
    answer = solve(model, solver, start=np.array([1, 1, NAN]))
    assert (answer.status, answer.objective) == ("optimal", pytest.approx(1))
    assert answer.start_accepted is False
    assert solve(model, solver, start=np.full(3, NAN)).start_accepted is False


@exact_in_memory
def test_a_start_with_real_values_that_miss_a_row(solver: str) -> None:
    model = small("bc", [-1, 0], (rows([[0.7, -1]], 0, 0),))
    answer = solve(model, solver, start=np.array([1, 0.69]))
    assert answer.start_accepted
    assert answer.values == pytest.approx([1, 0.7])


@exact_in_memory
def test_a_start_changes_no_bound(solver: str) -> None:
    limit = rows([[3, 2, 1, 1]], -np.inf, 4)
    model = small("bbic", [5, 4, 3, 1], (limit,), upper=[1, 1, 2, 1], sense="maximize")
    answer = solve(model, solver, start=np.array([1, 0, 1, 0.0]))
    assert answer.start_accepted
    assert (answer.status, answer.objective) == ("optimal", pytest.approx(10))


@exact_in_memory
def test_a_start_of_the_wrong_length(solver: str) -> None:
    with pytest.raises(TreemipError, match="shape"):
        solve(small("b", [1]), solver, start=np.zeros(2))


@exact_in_memory
def test_quiet(solver: str, capfd: pytest.CaptureFixture[str]) -> None:
    solve(knapsack(20, 5), solver, start=np.zeros(20))
    assert capfd.readouterr() == ("", "")


@exact_in_memory
def test_log(solver: str) -> None:
    code = (
        "from small_models import knapsack; from treemip.core.solving.solve import solve;"
        "from treemip.core.model.answer import Limits;"
        f"solve(knapsack(20, 5), {solver!r}, Limits(log=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert solver in done.stdout.casefold()


@exact_in_memory
def test_solves_beside_each_other(solver: str) -> None:
    found: list[float | None] = []
    model = knapsack(25, 5)
    threads = [
        threading.Thread(target=lambda: found.append(solve(model, solver).objective))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == pytest.approx([solve(model, solver).objective] * 2)


INTERRUPTED = """
import json, sys
from small_models import knapsack
from treemip.core.solving.interrupt import stoppable
from treemip.core.solving.solve import solve
from treemip.core.model.answer import Limits

def on_progress(progress):
    if progress.objective is not None and progress.bound is not None:
        print("running", flush=True)

with stoppable():
    answer = solve(knapsack(80, 40), sys.argv[1], Limits(time=60), None, on_progress)
print(json.dumps([answer.status, answer.objective, answer.bound, answer.values.tolist()]))
"""


@exact_in_memory
def test_ctrl_c_keeps_the_incumbent(solver: str) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, solver],
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=40)
    assert (child.returncode, err) == (0, "")
    status, objective, bound, values = json.loads(out.splitlines()[-1])
    assert status == "interrupted"
    assert 0 < objective < bound
    demand_feasible(knapsack(80, 40), np.array(values))


def test_unknown_solver() -> None:
    with pytest.raises(TreemipError, match="did you mean 'highs'") as raised:
        solve(small("b", [1]), "higs")
    assert raised.value.diagnostics[0].code == "E902"
    with pytest.raises(TreemipError, match="'auto', 'highs', 'scip'"):
        solve(small("b", [1]), "cplex")


CONVEX, SADDLE = products((0, 0, 0, 1.0)), products((0, 0, 1, 1.0))

MODELS = {
    "linear": small("cc", [1]),
    "integer": small("cb", [1]),
    "convex": small("cc", [1], quadratic=CONVEX),
    "concave, maximised": small("cc", [1], quadratic=products((0, 0, 0, -1.0)), sense="maximize"),
    "convex, maximised": small("cc", [1], quadratic=CONVEX, sense="maximize"),
    "saddle": small("cc", [1], quadratic=SADDLE),
    "convex beside integers": small("cb", [1], quadratic=CONVEX),
    "quadratic rows": small("cc", [1], (rows([[1, 1]], 0, 1, CONVEX),)),
}


@pytest.mark.parametrize(
    ("name", "all_there", "without_scip", "without_highs"),
    [
        ("linear", "highs", "highs", "scip"),
        ("integer", "scip", "highs", "scip"),
        ("convex", "highs", "highs", "scip"),
        ("concave, maximised", "highs", "highs", "scip"),
        ("convex, maximised", "scip", "scip", "scip"),
        ("saddle", "scip", "scip", "scip"),
        ("convex beside integers", "scip", "scip", "scip"),
        ("quadratic rows", "scip", "scip", "scip"),
    ],
)
def test_choice(
    name: str,
    all_there: str,
    without_scip: str,
    without_highs: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert choose(MODELS[name]) == all_there
    monkeypatch.setattr(door, "is_installed", lambda package: package != "pyscipopt")
    assert choose(MODELS[name]) == without_scip
    monkeypatch.setattr(door, "is_installed", lambda package: package != "highspy")
    assert choose(MODELS[name]) == without_highs


@pytest.mark.parametrize("name", MODELS)
def test_the_chosen_solver_takes_the_model(name: str) -> None:
    answer = solve(MODELS[name])
    assert (answer.solver, answer.status) == (choose(MODELS[name]), "optimal")


def test_nonlinear_models_go_to_ipopt_and_those_with_integers_to_scip(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = mrct(*random_data(6, 1, 2), 1)
    assert choose(model) == "ipopt"
    block = replace(model.variables[-1], kind=Kind.BINARY)
    assert choose(model.with_(variables=(*model.variables[:-1], block))) == "scip"
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(TreemipError) as raised:
        solve(model)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, diagnostic.remedy) == ("E602", 'pip install "casadi>=3.6,<4"')


@exact_in_memory
def test_missing_package(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, solvers()[solver].package, None)
    with pytest.raises(TreemipError) as raised:
        solve(small("b", [1]), solver)
    (diagnostic,) = raised.value.diagnostics
    what = {"highs": "highspy", "scip": '"pyscipopt>=5.5,<7"'}[solver]
    assert (diagnostic.code, diagnostic.remedy) == ("E602", f"pip install {what}")
