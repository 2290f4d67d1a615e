"""Other processes that a proof may be shared with: of this machine, or of a Dask cluster.

Each task goes to a process with room for it; a process that ends takes its task with it, and no
other.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from treemip.core.files.undo import end_with
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import Diagnostic, refused

BACKENDS = ("loky", "dask")
EXTRA = "sweep"
SCHEDULER = "DASK_SCHEDULER_ADDRESS"
COUNT = 1.0  # seconds between two looks at how many workers a cluster has


class Workers(ABC):
    """count: tasks at the same time. lost: what the future of a task raises whose process ended."""

    count: int
    lost: tuple[type[BaseException], ...] = (BrokenExecutor, CancelledError)

    @abstractmethod
    def share(self, content: bytes) -> Any:
        """What stands for the content among the arguments of tasks; they call `content_of`."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Begins a task, of which there are fewer than `count`."""

    @abstractmethod
    def close(self) -> None:
        """Ends all tasks."""


class Processes(Workers):
    """Of this machine: an executor for each, as one that is killed breaks its whole executor."""

    def __init__(self, count: int) -> None:
        needed("joblib", EXTRA)
        self.count = count
        self._all: list[Any] = []
        self._free: list[Any] = []
        self._folder = tempfile.TemporaryDirectory(prefix="treemip-")

    def share(self, content: bytes) -> Path:
        path = Path(self._folder.name) / str(len(os.listdir(self._folder.name)))
        path.write_bytes(content)
        return path

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        executor = self._free.pop() if self._free else self._new()
        try:
            future: Future[Any] = executor.submit(function, *arguments)
        except self.lost:  # it was killed without a task
            executor = self._new()
            future = executor.submit(function, *arguments)

        def ended(task: Future[Any]) -> None:
            if not task.cancelled() and not isinstance(task.exception(), self.lost):
                self._free.append(executor)

        future.add_done_callback(ended)
        return future

    def _new(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor

        made = ProcessPoolExecutor(1, initializer=begin_apart, initargs=(os.getpid(),))
        self._all.append(made)
        return made

    def close(self) -> None:
        for executor in self._all:
            executor.shutdown(wait=True, kill_workers=True)
        self._folder.cleanup()


class Cluster(Workers):
    """The Dask cluster that is connected, or that DASK_SCHEDULER_ADDRESS names."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        connect_to_dask(self._stack)
        distributed = needed("distributed", "dask")
        self._client = distributed.get_client()
        self.lost = (*self.lost, distributed.KilledWorker)
        self._executor = self._client.get_executor(pure=False)
        self._count, self._counted = 1, -COUNT

    @property
    def count(self) -> int:  # type: ignore[override]
        """Threads of all workers; some may come or go."""
        if (now := time.monotonic()) > self._counted + COUNT:
            self._count, self._counted = max(1, sum(self._client.nthreads().values())), now
        return self._count

    def share(self, content: bytes) -> Any:
        return self._client.scatter(content, broadcast=True, hash=False)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def close(self) -> None:
        self._executor.shutdown(wait=False)
        self._stack.close()


def content_of(shared: Any) -> bytes:
    """In a task: what was shared."""
    return shared.read_bytes() if isinstance(shared, Path) else bytes(shared)


def abandoned() -> Callable[[], bool]:
    """In a task: tells whether nobody waits for it any more."""
    if "distributed.worker" not in sys.modules:
        return lambda: False
    get_worker = sys.modules["distributed.worker"].get_worker
    try:
        worker = get_worker()
        key = worker.get_current_task()
    except ValueError:
        return lambda: False

    def gone() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return gone


class Hands:
    """The workers of a solve, begun when they are first asked for. folder: where answers are kept.
    used: whether anybody has asked. unwritten: why some answers are not kept."""

    def __init__(self, make: Callable[[], Workers], folder: Path | None) -> None:
        self._make, self.folder = make, folder
        self._workers: Workers | None = None
        self.unwritten: tuple[Diagnostic, ...] = ()
        self.problem: str | None = None  # the digest of the first one that was asked about

    @property
    def used(self) -> bool:
        return self.problem is not None

    @property
    def workers(self) -> Workers:
        if self._workers is None:
            self._workers = self._make()
        return self._workers

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()


_at_hand: ContextVar[Hands | None] = ContextVar("at_hand", default=None)


def at_hand() -> Hands | None:
    """The workers of the `sharing` block that this runs in."""
    return _at_hand.get()


@contextmanager
def sharing(backend: str, count: int, folder: Path | None) -> Iterator[Hands]:
    """Proofs in the block are shared with other processes.

    backend: one of BACKENDS. count: of processes of this machine. Raises E602 for a missing
    package, E902 without a cluster.
    """
    if backend not in BACKENDS:
        raise refused(f"unknown backend '{backend}'", f"one of {', '.join(BACKENDS)}")
    needed(*(("joblib", EXTRA) if backend == "loky" else ("distributed", "dask")))
    hands = Hands((lambda: Processes(count)) if backend == "loky" else Cluster, folder)
    if backend == "dask":
        _ = hands.workers  # a cluster that is missing is told at once
    token = _at_hand.set(hands)
    try:
        yield hands
    finally:
        _at_hand.reset(token)
        hands.close()


def connect_to_dask(stack: ExitStack) -> None:
    """Raises E602 without Dask, E902 without a cluster."""
    distributed = needed("distributed", "dask")
    with suppress(ValueError):
        distributed.get_client()
        return
    address = os.environ.get(SCHEDULER)
    if not address:
        remedy = f"set {SCHEDULER}=tcp://host:8786, or connect a distributed.Client first"
        raise refused("there is no Dask cluster", remedy)
    try:
        stack.enter_context(distributed.Client(address, timeout=10))
    except OSError as error:
        message = f"no Dask cluster answers at {address}"
        raise refused(message, "start one: dask scheduler") from error


def leave_signals_to(parent: int) -> None:
    """Leaves Ctrl-C to the parent of this process and, on Linux, ends with it."""
    if os.getpid() == parent or threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getppid() == parent:
        end_with(parent)


def begin_apart(parent: int) -> None:
    """What a worker of loky does before its first task: a parent that was killed meanwhile would
    leave it waiting for minutes."""
    leave_signals_to(parent)
    if os.getppid() != parent:
        os._exit(1)
