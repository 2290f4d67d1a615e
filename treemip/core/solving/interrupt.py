"""Running a solver so that a signal reaches the program at once, and may keep what was found.

Python notices a signal only between two steps of Python in the main thread. A solver called
there runs native code for minutes, so the signal would wait, or be raised inside one of the
solver's callbacks and take the incumbent with it. So the solver gets a thread of its own and
the main thread waits for whichever comes first, its end or a signal.

Signals are the program's that uses treemip: what its handlers raise, KeyboardInterrupt as a rule,
stops the solver and is raised. In a `stoppable` block the first signal is treemip's: it ends the
searches, and what they have found is kept.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from queue import SimpleQueue

from treemip.core.files.undo import handled_by
from treemip.core.model.answer import OnProgress, Progress
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.memory import REMEDY

TICK = 0.1
"""Seconds between two looks; a solver that was asked too early to stop is asked again."""

PATIENCE = 10.0
"""Seconds that a handler's exception waits for the solver to end. Then the solver goes on by itself
until it notices: no thread can be ended from outside."""


class _Shared:
    """What the searches of a `stoppable` block share. begun: the first of them has begun."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self.begun = False


_shared: ContextVar[_Shared | None] = ContextVar("shared", default=None)


@contextmanager
def stoppable() -> Iterator[None]:
    """The first signal in the block ends the searches that run or begin in it, and nothing else.

    What is done with their answers inside the block, such as saving them, is done in spite of
    it. A second signal, or one before the first search, does what it would do without the block.
    The signals are SIGINT and, in the command line alone, SIGTERM and SIGHUP.
    """
    shared = _Shared()
    token = _shared.set(shared)
    try:
        with _signals(shared.stopping, lambda: shared.begun):
            yield
    finally:
        _shared.reset(token)


@contextmanager
def stopping_together() -> Iterator[None]:
    """A `stoppable` block, unless there is one around it already."""
    with nullcontext() if _shared.get() is not None else stoppable():
        yield


def begin_search() -> None:
    """Tell the `stoppable` block that this runs in that a search has begun, one that looks at
    `asked_to_stop`."""
    shared = _shared.get()
    if shared is not None:
        shared.begun = True


def is_kept(error: BaseException) -> bool:
    """Whether to go on with what was found before the error: a signal's only in a `stoppable`
    block."""
    return isinstance(error, Exception) or _shared.get() is not None


def asked_to_stop() -> bool:
    """Whether a signal has ended the searches of the `stoppable` block that this runs in."""
    shared = _shared.get()
    return shared is not None and shared.stopping.is_set()


class Watch:
    """One solve as seen from outside: may it go on, what does it report.

    `limit` is the time limit in seconds. `stopping` is set when the solver should end soon and
    keep its incumbent; it is one for all searches of a `stoppable` block. `abandoned`: nobody waits
    for what the solver has found.
    """

    def __init__(self, limit: float | None = None, on_progress: OnProgress | None = None) -> None:
        self._shared = _shared.get() or _Shared()
        self.stopping = self._shared.stopping
        self.abandoned = False
        self._limit = limit
        self.begun = time.perf_counter()
        self.on_progress = on_progress
        self._error: BaseException | None = None
        self._last_report = -float("inf")

    @property
    def reports(self) -> bool:
        return self.on_progress is not None

    @property
    def seconds(self) -> float:
        """Wall clock since the watch was made."""
        return time.perf_counter() - self.begun

    def left(self, most: float) -> float:
        """Seconds of the limit that are left, `most` without a limit."""
        return most if self._limit is None else max(0.0, self._limit - self.seconds)

    def due(self) -> bool:
        """Whether a routine report is wanted again; solvers offer thousands a second."""
        return self.reports and self.seconds - self._last_report >= TICK

    def fail(self, error: BaseException) -> None:
        """End the search; `run` raises the error, the first one where there are several."""
        self._error = self._error or error
        self.stopping.set()

    def report(self, progress: Progress) -> None:
        """Hand a report on. What the callback raises ends the search and is raised by `run`."""
        if self.on_progress is None or self._error is not None:
            return
        self._last_report = self.seconds
        try:
            self.on_progress(progress)
        except BaseException as error:  # must not travel through the solver's native frames
            self.fail(error)

    def run(self, work: Callable[[], None], stop: Callable[[], None]) -> bool:
        """Run `work` to its end; True when the signal of a `stoppable` block stopped it.

        `stop` is called, perhaps repeatedly, while `stopping` is set. What a handler of signals
        raises is raised when the work has ended, after PATIENCE at most, and at once where the work
        was to stop already. Raises what `work` or the progress callback raised.
        """
        begun, done = threading.Event(), threading.Event()
        self._shared.begun = True

        def body() -> None:
            if self.abandoned:
                return
            begun.set()
            try:
                work()
            except BaseException as error:
                self._error = self._error or error

        try:
            start(body, done.set)
            while not done.wait(TICK):
                if self.stopping.is_set():
                    stop()
        except BaseException:
            self.abandoned = True
            if begun.is_set() and not self.stopping.is_set():
                self.stopping.set()
                _await_end(done, stop)
            raise
        if self._error is not None:
            raise self._error
        return self.stopping.is_set()


def _await_end(done: threading.Event, stop: Callable[[], None]) -> None:
    end = time.perf_counter() + PATIENCE
    stop()
    while not done.wait(TICK) and time.perf_counter() < end:
        stop()


@contextmanager
def _signals(stopping: threading.Event, searching: Callable[[], bool]) -> Iterator[None]:
    """While `searching`, the first signal sets `stopping`; all others go to the usual handler."""
    usual: dict[int, object] = {}

    def on_signal(number: int, frame: object) -> None:
        if searching() and not stopping.is_set():
            stopping.set()
            return
        before = usual.get(number)
        if callable(before):
            before(number, frame)
        raise KeyboardInterrupt

    with handled_by(on_signal) as handlers:
        usual.update(handlers)
        yield


# --------------------------------------------------- threads for solvers, each used again and again

STACK = 64 * 2**20
"""Bytes. Solvers recurse deeply, and a thread's default stack is 0.5 MB on some systems."""

Work = Callable[[], None]

_idle: list[Worker] = []

_making = threading.Lock()
"""The size of stacks is one for the whole process, and solves in several threads set it."""


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
    """Start the thread. Raises E405 if there is no memory for its stack or the limit is reached."""
    try:
        thread.start()
    except RuntimeError as error:
        message = f"not enough memory: {error}"
        raise TreemipError(Diagnostic.outside("E405", message, REMEDY)) from error


class Worker:
    """A thread that waits for work. It does not keep the program from ending.

    SCIP 10 gives every thread that ever computes a derivative in it one of 64 numbers and never
    takes one back, so that a process which solves each model on a thread of its own crashes in the
    end.
    """

    def __init__(self) -> None:
        self.jobs: SimpleQueue[tuple[Work, Work]] = SimpleQueue()
        with _making:
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
