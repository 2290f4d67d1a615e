"""The processes that look at texts: which one does, and the end of one that takes too long."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any

from treemip.study.playground.denied import Denied
from treemip.study.playground.limits import LOOK, Limits
from treemip.study.sandbox.folder import Folder
from treemip.study.sandbox.job import environment

ENTRY = "treemip.study.playground.analysis"

START = 60.0
"""Seconds that a process may take to start."""

MEMORY = 2 << 30
"""Bytes of addresses of one process, beside those of its stack."""

WAITING = 200
"""Requests that wait for a process."""

Json = dict[str, Any]


class TooSlow(Exception):
    """The process was ended, since it took too long or ended itself."""


class Analyst:
    """One process with a folder of its own; started when it is first asked."""

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self.shared, self.limits = folder, limits
        self.visitor = ""
        self.busy = False
        self._process: asyncio.subprocess.Process | None = None
        self._folder: Folder | None = None

    async def ask(self, request: Json, seconds: float) -> Json:
        """Raises TooSlow."""
        if self._process is None or self._process.returncode is not None:
            await self._start()
        try:
            return await asyncio.wait_for(self._line(request), seconds)
        except (TimeoutError, OSError, ValueError):
            self.end()
            raise TooSlow from None
        except asyncio.CancelledError:
            self.end()  # what it says now would answer the next request
            raise

    async def _start(self) -> None:
        self.end()
        self._folder = Folder(self.limits.folder, self.shared.path)
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", ENTRY),
            cwd=self._folder.path,
            env=environment(self._folder.path),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=1 << 25,
            start_new_session=True,
        )
        first = {
            "folder": str(self._folder.path),
            "most": self.limits.folder,
            "memory": MEMORY,
            "written": self.limits.folder,
        }
        try:
            await asyncio.wait_for(self._line(first), START)
        except (TimeoutError, OSError, ValueError):
            self.end()
            raise TooSlow from None

    async def _line(self, request: Json) -> Json:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
        found: Json = json.loads(line)  # ValueError where it has ended
        return found

    def end(self) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None


class Analysts:
    """All of them. A visitor's requests go to the same process where it is free, which knows the
    visitor's table already. One request of a visitor runs at a time, and of those that wait the
    latest, since it is about the text of now."""

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self.all = [Analyst(folder, limits) for _ in range(limits.analysts)]
        self.free = asyncio.Condition()
        self.latest: dict[tuple[str, str], int] = {}
        self.running: set[str] = set()
        self.waiting = 0

    async def ask(
        self, visitor: str, kind: str, request: Json, seconds: float = LOOK
    ) -> Json | None:
        """The answer; None where a later request of the same kind came before it began. Raises
        TooSlow, and Denied where too many wait."""
        if self.waiting >= WAITING:
            raise Denied(503, "too many people are typing now", "try again in a moment")
        number = self.latest[visitor, kind] = self.latest.get((visitor, kind), 0) + 1
        self.waiting += 1
        try:
            async with self.free:
                await self.free.wait_for(lambda: self._may_begin(visitor, kind, number))
                if self.latest.get((visitor, kind)) != number:
                    return None
                analyst = self._choose(visitor)
                analyst.busy, analyst.visitor = True, visitor
                self.running.add(visitor)
        finally:
            self.waiting -= 1
        try:
            return await analyst.ask({**request, "visitor": visitor}, seconds)
        finally:
            analyst.busy = False
            self.running.discard(visitor)
            if self.latest.get((visitor, kind)) == number:
                del self.latest[visitor, kind]
            async with self.free:
                self.free.notify_all()

    def _may_begin(self, visitor: str, kind: str, number: int) -> bool:
        if self.latest.get((visitor, kind)) != number:
            return True
        return visitor not in self.running and any(not one.busy for one in self.all)

    def _choose(self, visitor: str) -> Analyst:
        idle = [one for one in self.all if not one.busy]
        return next((one for one in idle if one.visitor == visitor), idle[0])

    def end(self) -> None:
        for one in self.all:
            one.end()
