"""Ctrl-C, SIGTERM and SIGKILL during a solve: the incumbent is kept, and no solver is left over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from driven_models import NO_CBC, knapsack, some_solvers
from suite import one_in

from treemip.core.model.answer import Limits
from treemip.core.model.values import violation
from treemip.core.solving import child
from treemip.core.solving.process import run_installed

HERE = Path(__file__).parents[1]

INTERRUPTED = """
import json, re, sys
from pathlib import Path
from driven_models import knapsack
from treemip.core.files.undo import leave_on_signals
from treemip.core.model.answer import Limits
from treemip.core.solving.interrupt import stoppable
from treemip.core.solving.process import run_installed

solver, folder, found, wait = sys.argv[1], Path(sys.argv[2]), sys.argv[3], float(sys.argv[4])
since = []

def on_progress(progress):
    if re.search(found, (folder / "log.txt").read_text(), re.M):
        since.append(progress.seconds)
        if progress.seconds - since[0] >= wait:
            print("running", flush=True)

leave_on_signals()  # as the command line does
with stoppable():
    answer = run_installed(knapsack(), solver, Limits(time=60), None, on_progress, keep=folder)
print(json.dumps([answer.status, None if answer.values is None else answer.values.tolist()]))
"""

FOUND = {
    "gurobi": r"^(H\s|Found heuristic)",
    "cplex": "^Found incumbent",
    "xpress": "Solution found",
    "copt": r"^H\s",
    "cpsat": "^#1 ",
}
"""What logs say of a first incumbent, and not `Hardware`. Packages of Python are slow to begin, and
how slow depends on the machine; Xpress then hears Ctrl-C by itself until the runner's handler is
back."""


@NO_CBC
@pytest.mark.parametrize("number", one_in(2, [signal.SIGTERM, signal.SIGHUP]))
def test_other_signals_keep_the_incumbent(number: signal.Signals, tmp_path: Path) -> None:
    demand_incumbent_after("cbc", tmp_path, number)


@NO_CBC
def test_what_is_ended_for_being_late_was_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """CBC says that it was stopped by Ctrl-C: by treemip, with nobody at the keyboard."""
    monkeypatch.setattr(child, "LATE", -29.0)  # as if the limit of 30 s were long past
    answer = run_installed(knapsack(), "cbc", Limits(time=30))
    assert (answer.status, answer.has_solution) == ("time_limit", True)


@some_solvers
def test_ctrl_c_keeps_the_incumbent(solver: str, tmp_path: Path) -> None:
    demand_incumbent_after(solver, tmp_path, signal.SIGINT)


@some_solvers
def test_no_solver_outlives_a_treemip_that_is_killed(solver: str, tmp_path: Path) -> None:
    running = solving(solver, tmp_path, found="", wait=0.0)
    children = children_of(running.pid)
    running.kill()
    running.communicate()
    end = time.monotonic() + 10
    while any(map(is_running, children)):
        assert time.monotonic() < end
        time.sleep(0.01)


def demand_incumbent_after(solver: str, folder: Path, number: int) -> None:
    found, wait = (FOUND[solver], 0.3) if solver in FOUND else ("", 4 if solver == "mosek" else 1)
    running = solving(solver, folder, found, wait)
    children = children_of(running.pid)
    running.send_signal(number)
    out, err = running.communicate(timeout=50)
    assert (running.returncode, err) == (0, "")
    status, values = json.loads(out.splitlines()[-1])
    assert status == "interrupted"
    if solver not in ("glpk", "lp_solve"):  # which write nothing then
        assert violation(knapsack(), np.array(values)) < 1e-6
    assert not any(map(is_running, children))


def solving(solver: str, folder: Path, found: str, wait: float) -> subprocess.Popen[str]:
    """A solve that has run for some seconds since its log first had what is to be found."""
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, solver, str(folder), found, str(wait)],
        cwd=HERE,
        env=os.environ | {"PYTHONPATH": f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
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
