"""Runs a solver's Python package on an MPS file, in a Python process of its own.

    python -P solving/runner.py gurobi model.mps answer.json start=start.txt TimeLimit=10 MIPGap=0

Options have the solver's own names. It prints what its log does not tell alike for all solvers:
``treemip status …``, ``bound``, ``nodes``, ``version``, or ``treemip failed …``. SIGINT, SIGTERM
end the search, and the incumbent is written.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path

# The caller may have found treemip in a way that this new Python does not know.
sys.path.append(str(Path(__file__).parents[3]))

from treemip.core.solving.solver import Job

TICK = 0.05  # seconds


def main(solver: str, model: str, answer: str, *options: str) -> int:
    stopping = threading.Event()
    _heed(stopping)
    job: Job = import_module(f"treemip.core.solvers.{solver}").SOLVER.job(model)
    print("treemip version", job.version, flush=True)
    for option in options:
        name, _, value = option.partition("=")
        if name == "start":
            job.start(value, _values(value))
        else:
            job.set(name, value)
    _run(job, stopping)
    for name, value in job.finish(answer).items():
        print("treemip", name, value)
    sys.stdout.flush()
    return 0


def _heed(stopping: threading.Event) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())


def _run(job: Job, stopping: threading.Event) -> None:
    """Solve on a thread, since a signal reaches Python code in the main thread only."""
    failed: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            job.solve()
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    threading.Thread(target=work, daemon=True).start()
    while not done.wait(TICK):
        _heed(stopping)  # Xpress puts a handler of its own in place when it begins
        if stopping.is_set():
            job.stop()
    if failed:
        raise failed[0]


def _values(path: str) -> dict[str, float]:
    with open(path) as file:
        pairs = [line.split() for line in file if not line.startswith("#")]
    return {name: float(value) for name, value in pairs}


if __name__ == "__main__":
    try:
        code = main(*sys.argv[1:])
    except Exception as error:
        print(f"treemip failed {type(error).__name__}: {error}")
        code = 1
    sys.stdout.flush()
    os._exit(code)  # at once: some packages take seconds to clean up, or fail at it
