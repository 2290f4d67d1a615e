"""Run a fresh process and say what it cost."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Cost:
    """cpu: user and system seconds of the process; wall: seconds; peak: resident MB at most."""

    cpu: float
    wall: float
    peak: float


@dataclass(frozen=True)
class Ran:
    """What a command cost, its exit code, and what it wrote on stdout and on stderr."""

    cost: Cost
    code: int
    output: str
    errors: str


def measure(command: list[str]) -> Cost:
    """Cost of the command; CalledProcessError with its output where it fails.

    A child starts with its parent's peak memory on Linux, so this module and its callers
    import nothing large.
    """
    ran = measured(command)
    if ran.code:
        raise subprocess.CalledProcessError(ran.code, command, ran.output + ran.errors)
    return ran.cost


def measured(command: list[str], cores: str = "", patience: float | None = None) -> Ran:
    """Run the command, whatever comes of it.

    cores: the cores it may use, as `taskset -c` takes them. patience: seconds after which it is
    killed.
    """
    command = ["taskset", "-c", cores, *command] if cores else command
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors, env=_environment())
        if patience is not None:
            end = threading.Timer(patience, process.kill)
            end.start()
        _, status, usage = os.wait4(process.pid, 0)
        if patience is not None:
            end.cancel()
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    unit = 2**20 if sys.platform == "darwin" else 2**10
    cost = Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / unit)
    return Ran(cost, process.returncode, *texts)


def _environment() -> dict[str, str]:
    """That of this process, but modules may keep their bytecode.

    An installer compiles the packages it installs; a checkout installed as editable is compiled
    at its first import, unless this variable forbids it, and then at every one.
    """
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def summary(costs: list[Cost]) -> Cost:
    """Medians of CPU and wall seconds, and the largest peak."""
    return Cost(
        median(cost.cpu for cost in costs),
        median(cost.wall for cost in costs),
        max(cost.peak for cost in costs),
    )
