"""A solver as a child process: its output kept, its end forced when it does not come.

The child has a process group of its own, so that Ctrl-C at the terminal reaches treemip alone,
which passes it on once and waits for the solver to write its incumbent. No child outlives
`run_child`, whatever ends it, nor treemip itself (`guarded`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from treemip.core.files.undo import undoing, uninterrupted
from treemip.core.model.answer import Progress
from treemip.core.solving.interrupt import TICK, Watch, begin
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail

GRACE = 10.0
"""Seconds that a solver has to end after each request; the requests become harsher."""

LATE = 5.0
"""Seconds beyond its time limit before a solver is asked to end; it may be finishing."""

MOST_OUTPUT = 2**28
"""Bytes: no log is so long, and a program that prints for ever fills the disk."""

CHUNK = 2**16


@dataclass(frozen=True)
class Ended:
    """How a child ended. stopped: by a signal to treemip; overdue: asked, after its time limit."""

    code: int
    stopped: bool
    overdue: bool


def run_child(
    command: list[str], folder: Path, output: Path, log: Path, watch: Watch, limit: float | None
) -> Ended:
    """Run `command` in `folder` until it ends; stdout goes to `output`, stderr to `log`, which may
    be the same file. `limit`: seconds, after which and `LATE` the child is stopped.

    Raises E604 when it cannot be started or prints more than MOST_OUTPUT.
    """
    with output.open("ab") as out, log.open("ab") as err, ExitStack() as stack:
        with uninterrupted():
            child = _started(command, folder, out, out if output == log else err)
            stack.enter_context(undoing(partial(_kill_group, child.pid)))
            stopper, overdue = _Stopper(child, watch), False
            stack.callback(stopper.kill)

        def work() -> None:
            nonlocal overdue
            while child.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    child.wait(TICK)
                if limit is not None and watch.seconds > limit + LATE:
                    overdue = True
                    stopper.ask()
                _require_end(command[0], output, log)
                if watch.due():
                    watch.report(Progress(watch.seconds, None, None, None, 0))

        with guarded(child.pid):
            stopped = watch.run(work, stopper.ask)
    return Ended(child.returncode, stopped, overdue)


def _started(
    command: list[str], folder: Path, out: BinaryIO, err: BinaryIO
) -> subprocess.Popen[bytes]:
    """The child, in a process group of its own. Raises E604."""
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    except OSError as error:
        message = f"'{command[0]}' cannot be started: {error.strerror or error}"
        raise TreemipError(Diagnostic.outside("E604", message)) from error


def _kill_group(group: int) -> None:
    """End a group and wait for its leader, from a handler of signals: Popen may hold its lock."""
    os.killpg(group, signal.SIGKILL)
    end = time.monotonic() + GRACE
    while time.monotonic() < end and os.waitpid(group, os.WNOHANG)[0] == 0:
        time.sleep(0.01)


def _require_end(name: str, *outputs: Path) -> None:
    if any(output.stat().st_size > MOST_OUTPUT for output in outputs):
        message = f"'{name}' was stopped: it printed more than {MOST_OUTPUT // 2**20} MB"
        fail("E604", message, remedy="run it alone to see what it prints")


class _Stopper:
    """Asks a child to end, and asks again, more harshly, when it does not. One whose answer nobody
    waits for is killed."""

    def __init__(self, child: subprocess.Popen[bytes], watch: Watch) -> None:
        self.child = child
        self.watch = watch
        self.asked = -float("inf")
        self.words = [signal.SIGINT, signal.SIGTERM]
        self.lock = threading.Lock()

    def ask(self) -> None:
        """Once in `GRACE` seconds the next signal; after the last one the child is killed."""
        with self.lock:
            if self.watch.abandoned:
                self.kill()
                return
            if self.watch.seconds - self.asked < GRACE:
                return
            self.asked = self.watch.seconds
            if self.words:
                self._send(self.words.pop(0))
            else:
                self.kill()

    def kill(self) -> None:
        """End it and all processes it started, at once, and wait for it."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child.pid, signal.SIGKILL)
        elif self.child.poll() is None:
            self.child.kill()
        self.child.wait()

    def _send(self, number: signal.Signals) -> None:
        """To the child's group: the solver may be behind a shell."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.child.pid, number)
            else:
                self.child.terminate()


class Echo:
    """Copies a growing file to stdout while the block runs."""

    def __init__(self, path: Path, wanted: bool) -> None:
        self.path, self.wanted = path, wanted
        self.over = threading.Event()

    def __enter__(self) -> None:
        if self.wanted:
            self.path.touch()
            self.thread = threading.Thread(target=self._copy, daemon=True)
            begin(self.thread)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        if self.wanted:
            self.thread.join()

    def _copy(self) -> None:
        # Where the log cannot be shown any more, the search goes on.
        with suppress(OSError), self.path.open("rb") as file:
            while not self.over.wait(TICK):
                self._pass_on(file)
            self._pass_on(file)

    def _pass_on(self, file: BinaryIO) -> None:
        while chunk := file.read(CHUNK):
            sys.stdout.write(chunk.decode("utf-8", "replace"))
        sys.stdout.flush()


# -------------------------------------------------------------------------- the end of this process

WAIT = 'read -r released || kill -KILL "-$1"'


@contextmanager
def guarded(group: int) -> Iterator[None]:
    """While the block runs, the process group does not outlive this process; on POSIX systems.

    A shell waits for a line from us. When instead its input ends, because the system closed it for
    a process that is no more, it kills the child's group. Linux could send the child a signal of
    its own accord (PR_SET_PDEATHSIG), but that has to be asked for between fork and exec, where a
    process with threads may deadlock, and it reaches no solver behind a script.
    """
    command = ["/bin/sh", "-c", WAIT, "treemip-guard", str(group)]
    if os.name != "posix" or not os.path.exists(command[0]):
        yield
        return
    nothing = subprocess.DEVNULL
    guard = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, start_new_session=True
    )
    try:
        yield
    finally:
        with suppress(OSError):  # somebody may have ended the guard
            guard.communicate(b"released\n")
