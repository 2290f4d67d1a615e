"""Clusters side by side: this process and others beside it, each with a part of them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.methods.selection.balanced import Balance, balance
from treemip.methods.selection.hull import Cover, Tell, cover

LEAST = 3000
"""Points of a part, below which a process of its own does not pay."""

MOST = 8


@dataclass(frozen=True)
class Task:
    """One cluster: x float64 (n, p), rows distinct; eps of a hull, None for a balanced one."""

    x: np.ndarray
    eps: float | None

    def run(self, tell: Tell | None = None) -> Cover | Balance:
        return balance(self.x) if self.eps is None else cover(self.x, self.eps, tell)


def run_all(tasks: Sequence[Task], threads: int, tell: Tell) -> list[Cover | Balance]:
    """What each task gives, in order; the same however many processes there are.

    tell: called with the number of points that are decided in all.
    """
    decided = [0] * (MOST + 1)

    def told(part: int, count: int) -> None:
        decided[part] = count
        tell(sum(decided))

    parts = _parts([len(task.x) for task in tasks], min(threads, MOST))
    answers: dict[int, Cover | Balance] = {}
    children = [_Child(n, [tasks[k] for k in part], told) for n, part in enumerate(parts[1:], 1)]
    try:
        first = run_part([tasks[k] for k in parts[0]], lambda c: told(0, c))
        answers |= zip(parts[0], first, strict=True)
        for part, child in zip(parts[1:], children, strict=True):
            own = [tasks[k] for k in part]
            found = child.answers() or run_part(own, lambda c: told(0, c))
            answers |= zip(part, found, strict=True)
    finally:
        for child in children:
            child.stop()
    return [answers[k] for k in range(len(tasks))]


def run_part(tasks: Sequence[Task], tell: Tell) -> list[Cover | Balance]:
    """Tasks one after another; tell: called with the points of those decided so far."""
    found: list[Cover | Balance] = []
    before = 0
    for task in tasks:
        found.append(task.run(lambda count, before=before: tell(before + count)))  # type: ignore[misc]
        before += len(task.x)
    tell(before)
    return found


def _parts(sizes: list[int], threads: int) -> list[list[int]]:
    """Positions by part, the largest cluster first, each to the part with the fewest points."""
    count = max(1, min(threads, sum(sizes) // LEAST))
    parts: list[list[int]] = [[] for _ in range(count)]
    loads = [0] * count
    for k in sorted(range(len(sizes)), key=lambda k: -sizes[k]):
        least = loads.index(min(loads))
        parts[least].append(k)
        loads[least] += sizes[k]
    return [parts[0], *(part for part in parts[1:] if part)]


class _Child:
    """A Python process with a part of the tasks; its messages are read as they come."""

    def __init__(self, number: int, tasks: list[Task], told: Any) -> None:
        path = os.pathsep.join(entry for entry in sys.path if entry)
        environment = {**os.environ, "PYTHONPATH": path}
        command = [sys.executable, "-m", "treemip.methods.selection.worker"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self.number, self.told, self.found = number, told, None
        self.thread = threading.Thread(target=self._talk, args=(tasks,), daemon=True)
        self.thread.start()

    def _talk(self, tasks: list[Task]) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            pickle.dump(tasks, self.process.stdin)
            self.process.stdin.close()
            while self.found is None:
                message = pickle.load(self.process.stdout)
                if isinstance(message, int):
                    self.told(self.number, message)
                else:
                    self.found = message
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return  # the process ended: its part is done in this one

    def answers(self) -> list[Cover | Balance] | None:
        """What the process found; None where it failed."""
        self.thread.join()
        return self.found

    def stop(self) -> None:
        if self.process.poll() is None and self.found is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None and not stream.closed:
                with suppress(OSError):  # of what was to be written to a process that has ended
                    stream.close()
