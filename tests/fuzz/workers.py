"""Processes that run cases, so that a crash or a hang is that of one case and ends nothing else."""

from __future__ import annotations

import faulthandler
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from .cases import HANG, TRACEBACK, Campaign, Case, Outcome, OutOfTime, judged

CONTEXT = get_context("fork")
RECYCLED = 400  # cases that a process runs before another takes its place
SHOWN = 3000  # characters of what a crashed process printed


class Worker:
    """A process with one case at a time."""

    def __init__(self, campaigns: dict[str, Campaign]) -> None:
        self.campaigns = campaigns
        self.folder = Path(tempfile.mkdtemp(prefix="treemip-fuzz-"))
        self.case: Case | None = None
        self.deadline = 0.0
        self._start()

    def _start(self) -> None:
        self.left = RECYCLED
        self.pipe, child = CONTEXT.Pipe()
        self.process = CONTEXT.Process(
            target=_serve, args=(child, self.campaigns, self.folder), daemon=True
        )
        self.process.start()
        child.close()

    def give(self, case: Case) -> None:
        if self.left == 0:
            self._stop()
            self._start()
        self.left -= 1
        self.case = case
        self.deadline = time.monotonic() + self.campaigns[case.campaign].wall
        self.pipe.send(case)

    def take(self) -> Outcome:
        """What came of the case; call it when the pipe is ready, or past the deadline."""
        assert self.case is not None
        campaign = self.campaigns[self.case.campaign]
        self.case = None
        try:
            if self.pipe.poll():
                outcome: Outcome = self.pipe.recv()
                return outcome
            text, fault = f"no answer after {campaign.wall:g} s", HANG
            key = f"{campaign.name}: no answer"
        except (EOFError, OSError):
            self.process.join()
            text, fault = f"the process ended with exit code {self.process.exitcode}", TRACEBACK
            key = f"{campaign.name}: crash {self.process.exitcode}"
        printed = self._printed()
        self._stop()
        self._start()
        return Outcome(fault, f"{text}\n{printed}", key)

    def _printed(self) -> str:
        log = self.folder / "log"
        return log.read_text(errors="replace")[-SHOWN:] if log.exists() else ""

    def _stop(self) -> None:
        """It waits for a case, or is past its deadline."""
        self.pipe.close()
        self.process.kill()
        self.process.join()

    def close(self) -> None:
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _serve(pipe: Connection, campaigns: dict[str, Campaign], folder: Path) -> None:
    signal.signal(signal.SIGINT, lambda *_: None)  # an ignored one would be so in commands too
    _print_into(folder / "log")
    while True:
        try:
            case = pipe.recv()
        except EOFError:
            os._exit(0)
        os.truncate(folder / "log", 0)
        pipe.send(run_bounded(campaigns[case.campaign], case, folder / "case"))


def run_bounded(campaign: Campaign, case: Case, folder: Path) -> Outcome:
    """Run a case within its bounds, in a folder that is there only meanwhile."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        with _memory(campaign.memory), _time(campaign.cpu):
            return judged(campaign, case, folder)
    except OutOfTime:  # between two lines of `judged`
        return Outcome(HANG, "out of time", f"{campaign.name}: out of time")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _time(seconds: float) -> Iterator[None]:
    """CPU time, so that a busy machine makes no hang; the parent has a limit of wall clock."""

    def alarm(*_: object) -> None:
        raise OutOfTime

    signal.signal(signal.SIGPROF, alarm)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@contextmanager
def _memory(more: int | None) -> Iterator[None]:
    if more is None or not os.path.exists("/proc/self/statm"):
        yield
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _print_into(path: Path) -> None:
    """All that is printed here, by solvers too, goes to a file; crashes add their stack to it."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    sys.stdout = os.fdopen(1, "w", buffering=1)
    sys.stderr = os.fdopen(2, "w", buffering=1)
    faulthandler.enable()
