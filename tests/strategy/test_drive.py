"""Installed solvers as child processes: each with the real one where it is, skipped else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from driven_models import (
    infeasible,
    knapsack,
    market_split,
    maximum,
    missing,
    model,
    solvers,
    unbounded,
)

from treemip.emit.solve import solve
from treemip.model.answer import Limits, Progress
from treemip.model.blocks import Quadratic
from treemip.model.model import Model
from treemip.model.tape_values import violation
from treemip.source.diagnostic import TreemipError
from treemip.strategy import child
from treemip.strategy.drive import drive
from treemip.strategy.installed import INSTALLED

HERE = Path(__file__).parent
NO_CBC = pytest.mark.skipif(bool(missing("cbc")), reason=missing("cbc"))


def code_of(raised: pytest.ExceptionInfo[TreemipError]) -> str:
    (diagnostic,) = raised.value.diagnostics
    return diagnostic.code


@solvers
def test_a_maximum_with_a_constant(solver: str) -> None:
    answer = drive(maximum(), solver)
    assert answer.values == pytest.approx([0, 2, 0.5])
    assert answer.objective == pytest.approx(15.5)
    if solver == "lp_solve":  # whose proofs are not believed
        assert (answer.status, answer.bound) == ("feasible", None)
    else:
        assert (answer.status, answer.gap) == ("optimal", 0)
        assert answer.bound == pytest.approx(15.5)
    assert answer.solver == solver
    assert answer.start_accepted is None


@solvers
def test_no_solution(solver: str) -> None:
    answer = drive(infeasible(), solver)
    assert (answer.status, answer.values, answer.bound) == ("infeasible", None, None)
    answer = drive(unbounded(), solver)
    assert answer.status in ("unbounded", "infeasible_or_unbounded")
    assert answer.values is None


@solvers
def test_time_for_an_incumbent(solver: str) -> None:
    answer = drive(knapsack(), solver, Limits(time=1))
    assert answer.status == "time_limit"
    assert answer.values is not None and answer.objective is not None
    assert violation(knapsack(), answer.values) < 1e-6
    assert answer.bound is None or answer.bound > answer.objective
    assert answer.seconds < 10


@solvers
def test_time_for_nothing(solver: str) -> None:
    answer = drive(market_split()[0], solver, Limits(time=1))
    assert (answer.status, answer.values, answer.gap) == ("time_limit", None, None)


@solvers
def test_a_gap_that_is_good_enough(solver: str) -> None:
    if solver == "lp_solve":
        pytest.skip("lp_solve needs minutes for this gap")
    answer = drive(knapsack(), solver, Limits(gap=0.1, threads=1, time=60))
    assert answer.status == "gap_limit"
    assert answer.objective is not None and answer.values is not None
    assert answer.bound is None or answer.bound <= answer.objective * 1.12


@solvers
def test_a_start_is_used(solver: str) -> None:
    split, solution = market_split()
    answer = drive(split, solver, Limits(time=2), solution)
    entry = INSTALLED[solver]
    takes = [c for c in (entry.program, entry.package_call) if c is not None and c.start]
    assert answer.start_accepted is bool(takes)
    assert (answer.values is not None) == bool(takes)


@solvers
def test_random_models_agree_with_highs(solver: str) -> None:
    pytest.importorskip("highspy")
    random = np.random.default_rng(1)
    for _ in range(6):
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
        expected, found = solve(small, "highs"), drive(small, solver)
        if solver == "lp_solve" and found.has_solution:
            assert (found.status, expected.status) == ("feasible", "optimal")
            assert violation(small, found.values) < 1e-4
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
    if INSTALLED[solver].products:
        answer = drive(quadratic, solver)
        assert (answer.status, answer.objective) == ("optimal", pytest.approx(-0.25, abs=1e-5))
    else:
        with pytest.raises(TreemipError, match="takes no products") as raised:
            drive(quadratic, solver)
        assert code_of(raised) == "E601"


@solvers
def test_quadratic_rows(solver: str) -> None:
    """x + y is greatest on the circle x^2 + y^2 <= 2 at x = y = 1; b is 0."""
    form = Quadratic(np.array([0, 0]), np.array([0, 1]), np.array([0, 1]), np.ones(2))
    linear = model("ccb", [1, 1, -1], [[0, 0, 1]], 2, 5, sense="maximize")
    rows = replace(linear.rows[0], quadratic=form)
    if INSTALLED[solver].products:
        answer = drive(linear.with_(rows=(rows,)), solver)
        assert (answer.status, answer.objective) == ("optimal", pytest.approx(2, abs=1e-4))
        assert answer.values == pytest.approx([1, 1, 0], abs=1e-3)
    else:
        with pytest.raises(TreemipError, match="has no quadratic rows") as raised:
            drive(linear.with_(rows=(rows,)), solver)
        assert code_of(raised) == "E601"


def with_products(linear: Model, products: Quadratic) -> object:
    return replace(linear.objective, quadratic=products)


@solvers
def test_all_limits_at_once(solver: str) -> None:
    """Every option a solver has is one that it takes without a word."""
    entry = INSTALLED[solver]
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
    answer = drive(
        maximum(), solver, Limits(**{k: v for k, v in every.items() if k in call.options})
    )
    assert answer.objective == pytest.approx(15.5)
    for name in every.keys() - call.options.keys() - {"threads"}:
        with pytest.raises(TreemipError, match=f"takes no {name.replace('_', ' ')}") as raised:
            drive(maximum(), solver, Limits(**{name: every[name]}))
        assert code_of(raised) == "E902"


def missing_program(solver: str) -> bool:
    import shutil

    entry = INSTALLED[solver]
    return entry.program is None or not any(map(shutil.which, entry.program.programs))


def test_a_missing_solver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TreemipError) as raised:
        drive(maximum(), "cbc")
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "E602"
    assert diagnostic.message == "CBC is not installed: no program 'cbc' on PATH"
    assert diagnostic.remedy == "apt install coinor-cbc, or https://github.com/coin-or/Cbc"


# ------------------------------------------------------- commands of the user's own


def command(code: str, tmp_path: Path, *words: str) -> str:
    script = tmp_path / "solver.py"
    script.write_text(f"import signal, sys, time\n{code}\n")
    return f"command:{sys.executable} {script} {' '.join(words)}"


SOLVE = """
answer = "objective value: -15.5\\nx_1(7) 2 (obj:-2)\\nx_2(7) 0.5 (obj:-3)\\n"
answer += "objective_constant 1 (obj:-10)\\n"
"""


def test_a_command_that_writes_a_file(tmp_path: Path) -> None:
    line = command(
        f"{SOLVE}open(sys.argv[2], 'w').write(answer)", tmp_path, "{model}", "{solution}"
    )
    answer = drive(maximum(), line)
    assert (answer.status, answer.objective) == ("feasible", 15.5)


def test_a_command_that_prints(tmp_path: Path) -> None:
    answer = drive(maximum(), command(f"{SOLVE}print(answer, end='')", tmp_path, "{model}"))
    assert answer.values == pytest.approx([0, 2, 0.5])


def test_limits_of_a_command(tmp_path: Path) -> None:
    line = command(f"assert sys.argv[2] == '7'\n{SOLVE}print(answer, end='')", tmp_path)
    answer = drive(maximum(), f"{line} {{model}} {{threads}}", Limits(threads=7))
    assert answer.has_solution
    with pytest.raises(TreemipError, match="takes no threads"):
        drive(maximum(), f"{line} {{model}}", Limits(threads=7))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("command:", "E902"),
        ("command:cbc model.mps", "E902"),
        ("command:'cbc {model}", "E902"),
        ("command:no_such_program_anywhere {model} {solution}", "E602"),
    ],
)
def test_commands_that_cannot_be_run(line: str, code: str) -> None:
    with pytest.raises(TreemipError) as raised:
        drive(maximum(), line)
    assert code_of(raised) == code


def test_a_command_that_fails(tmp_path: Path) -> None:
    line = command("print('no licence'); sys.exit(3)", tmp_path, "{model}", "{solution}")
    with pytest.raises(TreemipError, match=r"ended with code 3 .* no licence") as raised:
        drive(maximum(), line)
    assert code_of(raised) == "E604"


def test_half_a_file_is_refused(tmp_path: Path) -> None:
    line = command(f"{SOLVE}open(sys.argv[2], 'w').write(answer[:-20])", tmp_path)
    with pytest.raises(TreemipError, match="cut off") as raised:
        drive(maximum(), f"{line} {{model}} {{solution}}")
    assert code_of(raised) == "E606"


def test_files_are_kept_and_older_ones_not_believed(tmp_path: Path) -> None:
    keep = tmp_path / "kept"
    good = command(f"{SOLVE}open(sys.argv[2], 'w').write(answer)", tmp_path)
    drive(maximum(), f"{good} {{model}} {{solution}}", keep=keep)
    assert {path.name for path in keep.iterdir()} == {"model.mps", "solution.sol", "log.txt"}
    with pytest.raises(TreemipError, match="wrote no solution"):
        drive(maximum(), command("pass", tmp_path, "{model}", "{solution}"), keep=keep)


def test_what_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "LATE", 0.2)
    monkeypatch.setattr(child, "GRACE", 0.3)
    stubborn = (
        "for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n"
        f"{SOLVE}open(sys.argv[2], 'w').write(answer[:60])\ntime.sleep(60)"
    )
    begun = time.perf_counter()
    line = command(stubborn, tmp_path, "{model}", "{solution}")
    answer = drive(maximum(), line, Limits(time=0.5))
    assert time.perf_counter() - begun < 10
    assert (answer.status, answer.values) == ("time_limit", None)


def test_what_prints_for_ever_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_OUTPUT", 2**20)
    line = command("while True: print('objective value: 3')", tmp_path, "{model}")
    with pytest.raises(TreemipError, match="was stopped: it printed more than 1 MB") as raised:
        drive(maximum(), line)
    assert code_of(raised) == "E604"


def test_the_incumbent_of_one_that_ends_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "LATE", 0.1)
    polite = (
        f"{SOLVE}def end(*_):\n    open(sys.argv[2], 'w').write(answer); sys.exit(0)\n"
        "signal.signal(signal.SIGINT, end)\ntime.sleep(60)"
    )
    heard: list[Progress] = []
    answer = drive(
        maximum(),
        command(polite, tmp_path, "{model}", "{solution}"),
        Limits(time=0.5),
        on_progress=heard.append,
    )
    assert (answer.status, answer.objective) == ("time_limit", 15.5)
    assert heard and heard[-1].seconds > 0.3


@NO_CBC
def test_the_log_is_shown_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    drive(maximum(), "cbc")
    assert capfd.readouterr() == ("", "")
    drive(maximum(), "cbc", Limits(log=True))
    assert "Welcome to the CBC MILP Solver" in capfd.readouterr().out


INTERRUPTED = """
import json, sys
from driven_models import knapsack
from treemip.model.answer import Limits
from treemip.strategy.drive import drive

def on_progress(progress):
    # Packages of Python are slow to begin.
    if progress.seconds > (1 if sys.argv[1] in ("cbc", "glpk", "lp_solve") else 4):
        print("running", flush=True)

answer = drive(knapsack(), sys.argv[1], Limits(time=60), None, on_progress)
print(json.dumps([answer.status, None if answer.values is None else answer.values.tolist()]))
"""


@NO_CBC
def test_sigterm_keeps_the_incumbent() -> None:
    demand_incumbent_after("cbc", signal.SIGTERM)


@solvers
def test_ctrl_c_keeps_the_incumbent(solver: str) -> None:
    demand_incumbent_after(solver, signal.SIGINT)


@solvers
def test_no_solver_outlives_a_treemip_that_is_killed(solver: str) -> None:
    running = solving(solver)
    children = children_of(running.pid)
    running.kill()
    running.communicate()
    end = time.monotonic() + 10
    while any(map(is_running, children)):
        assert time.monotonic() < end
        time.sleep(0.01)


def demand_incumbent_after(solver: str, number: int) -> None:
    running = solving(solver)
    children = children_of(running.pid)
    running.send_signal(number)
    out, err = running.communicate(timeout=50)
    assert (running.returncode, err) == (0, "")
    status, values = json.loads(out.splitlines()[-1])
    assert status == "interrupted"
    if solver not in ("glpk", "lp_solve"):  # which write nothing then
        assert violation(knapsack(), np.array(values)) < 1e-6
    assert not any(map(is_running, children))


def solving(solver: str) -> subprocess.Popen[str]:
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, solver],
        cwd=HERE,
        env=os.environ | {"PYTHONPATH": str(HERE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "running\n"
    assert len(children_of(running.pid)) == 2  # the solver and its guard
    return running


def is_running(pid: int) -> bool:
    """Not so when it has ended and nobody has asked how, as in a container without init."""
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


def children_of(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    if not found.exists():
        pytest.skip("needs Linux")
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(word) for task in tasks for word in (task / "children").read_text().split()]
