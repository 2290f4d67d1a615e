"""A job: commands of treemip run one after another in a process of their own, within limits.

The process is confined to a folder (`treemip.cli.confined`). What it prints is kept up to a length,
its progress is reported while it runs, and it can be asked to stop, which keeps what a solve has
found. No process outlives the job.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from treemip.study.sandbox.folder import Folder

ENTRY = "treemip.cli.confined"

PROGRESS = "progress.jsonl"
"""The file of the folder that is followed for progress: give it to `solve --log-json`."""

TICK = 0.2
"""Seconds between two readings of the progress."""

GRACE = 15.0
"""Seconds from asking a job to end to killing it: a large solve needs time to write its best
tree."""

LONGEST = 200_000
"""Characters of a command's output that are kept."""

KILLED = 137
"""The exit code of a command that was killed."""


@dataclass(frozen=True)
class JobLimits:
    """seconds: of the whole job. memory: bytes of address space. written: bytes of one file."""

    seconds: float = 60.0
    memory: int = 4 << 30
    written: int = 100_000_000


@dataclass(frozen=True)
class Command:
    """words: of a command line, such as ("solve", "a.tree"). needs: a file of the folder without
    which it is skipped."""

    words: tuple[str, ...]
    needs: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and its exit code; None if it was skipped."""

    code: int | None
    out: str = ""
    err: str = ""


Tell = Callable[[dict[str, Any]], None]
Ended = Callable[[int, Outcome], None]


class Job:
    """Commands to run in a folder; `run` once."""

    def __init__(
        self, folder: Folder, commands: Sequence[Command], limits: JobLimits | None = None
    ) -> None:
        self.folder, self.commands = folder, tuple(commands)
        self.limits = limits or JobLimits()
        self.overdue = False
        self._process: asyncio.subprocess.Process | None = None
        self._asked: float | None = None
        self._seen = 0

    async def run(self, tell: Tell | None = None, ended: Ended | None = None) -> list[Outcome]:
        """The outcome of each command. tell: called with each progress event. ended: called with
        the number of a command, from 0 on, and its outcome, when it has ended.

        If the job is cancelled, its process is killed.
        """
        request = {
            "folder": str(self.folder.path),
            "lent": [str(path) for path in self.folder.lent],
            "commands": [asdict(one) for one in self.commands],
            "limits": {**asdict(self.limits), "seconds": self.limits.seconds + 2 * GRACE},
        }
        with suppress(OSError):
            (self.folder.path / PROGRESS).unlink()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", ENTRY),
                cwd=self.folder.path,
                env=environment(self.folder.path),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=1 << 24,
                start_new_session=True,
            )
            watching = asyncio.create_task(self._watch(tell))
            try:
                found = await self._talk(self._process, json.dumps(request).encode(), ended)
            finally:
                watching.cancel()
            self._tell_new(tell)
        finally:
            self._kill()
        if len(found) < len(self.commands):
            found.append(Outcome(KILLED, "", f"it was ended{self._why()}"))
        return found + [Outcome(None)] * (len(self.commands) - len(found))

    async def _talk(
        self, process: asyncio.subprocess.Process, request: bytes, ended: Ended | None
    ) -> list[Outcome]:
        """Send the request; the outcomes of the commands that ended."""
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(request)
            await process.stdin.drain()
        process.stdin.close()
        found: list[Outcome] = []
        with suppress(ValueError):  # a line over the limit, which no command writes
            while line := await process.stdout.readline():
                outcome = self._outcome(line)
                if outcome is not None and len(found) < len(self.commands):
                    found.append(outcome)
                    if ended is not None:
                        ended(len(found) - 1, outcome)
        await process.wait()
        return found

    def stop(self) -> None:
        """Ask the running command to end with what it has."""
        self._asked = self._asked or time.monotonic()
        self._signal(signal.SIGTERM)

    async def _watch(self, tell: Tell | None) -> None:
        end = time.monotonic() + self.limits.seconds
        while True:
            await asyncio.sleep(TICK)
            self._tell_new(tell)
            now = time.monotonic()
            if self._asked is None and now > end:
                self.overdue = True
                self.stop()
            if self._asked is not None and now > self._asked + GRACE:
                self._kill()

    def _tell_new(self, tell: Tell | None) -> None:
        """Report the progress that was written since the last reading."""
        if tell is None:
            return
        with suppress(OSError), (self.folder.path / PROGRESS).open("rb") as file:
            file.seek(self._seen)
            *lines, rest = file.read().split(b"\n")
            self._seen = file.tell() - len(rest)
            for line in lines:
                with suppress(ValueError):
                    tell(json.loads(line))

    def _outcome(self, line: bytes) -> Outcome | None:
        with suppress(ValueError, TypeError):
            one = Outcome(**json.loads(line))
            return Outcome(one.code, self._shown(one.out), self._shown(one.err))
        return None

    def _why(self) -> str:
        if self.overdue:
            return f" after {self.limits.seconds:g} s, the limit here"
        return "" if self._asked is not None else " by the limits on memory and processor time here"

    def _shown(self, text: str) -> str:
        return self.folder.without_place(text[:LONGEST])

    def _signal(self, number: int) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    def _kill(self) -> None:
        """Kill the whole group, even if its leader has ended."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                kill_group(self._process)


def kill_group(process: asyncio.subprocess.Process) -> None:
    """Kill a process and those that it started; it alone if the system has no process groups.

    Raises ProcessLookupError if none of them is left.
    """
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def environment(folder: Path) -> dict[str, str]:
    """The environment of a job: without licences, tokens and other secrets of this process."""
    kept = ("LANG", "LC_ALL", "PYTHONPATH", "SYSTEMROOT", "VIRTUAL_ENV")
    own = {name: os.environ[name] for name in kept if name in os.environ}
    return {
        **own,
        "PATH": "",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NO_COLOR": "1",
    }
