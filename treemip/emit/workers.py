"""Threads for solvers, each used again and again.

SCIP 10 gives every thread that ever computes a derivative in it one of 64 numbers and never takes
one back, so that a process which solves each model on a thread of its own crashes in the end.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.memory import REMEDY

STACK = 64 * 2**20
"""Bytes. Solvers recurse deeply, and a thread's default stack is 0.5 MB on some systems."""

Work = Callable[[], None]

_idle: list[Worker] = []


def start(work: Work, done: Work) -> None:
    """Run `work`, which raises nothing, then `done`, on another thread than the caller's.

    When `done` is called the thread can be had again, so solves in a row share one. Raises E405
    as `begin` does.
    """
    try:
        worker = _idle.pop()
    except IndexError:
        worker = Worker()
    worker.jobs.put((work, done))


def begin(thread: threading.Thread) -> None:
    """Start it. Raises E405 where there is no memory for its stack, or no leave for one more."""
    try:
        thread.start()
    except RuntimeError as error:
        message = f"there is not enough memory: {error}"
        raise TreemipError(Diagnostic.outside("E405", message, REMEDY)) from error


class Worker:
    """A thread that waits for work. It does not keep the program from ending."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[tuple[Work, Work]] = SimpleQueue()
        usual = threading.stack_size()
        try:
            threading.stack_size(max(usual, STACK))
            begin(threading.Thread(target=self._run, name="treemip-solver", daemon=True))
        finally:
            threading.stack_size(usual)

    def _run(self) -> None:
        while True:
            self._one()

    def _one(self) -> None:
        """One job; its names end with it, or an idle thread would keep a model alive."""
        work, done = self.jobs.get()
        try:
            work()
        finally:
            _idle.append(self)
            done()


if hasattr(os, "register_at_fork"):  # a forked process has none of its parent's threads
    os.register_at_fork(after_in_child=_idle.clear)
