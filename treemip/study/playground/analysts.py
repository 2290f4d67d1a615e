"""The pool of processes that analyse texts: which one takes a request, and when one is ended."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from itertools import count
from typing import Any

from treemip.study.playground.denied import Denied
from treemip.study.playground.limits import LOOK, Limits
from treemip.study.sandbox.folder import Folder
from treemip.study.sandbox.job import environment, kill_group

ENTRY = "treemip.study.playground.analysis"

START = 60.0
"""Seconds that a process may take to start."""

MEMORY = 2 << 30
"""Bytes of address space of one process, without its stack."""

TEXTS, DATA = "texts", "data"
"""The two lanes of a visitor's requests, see `Analysts`."""

WAITING = 200
"""Most requests that may wait for a process."""

Json = dict[str, Any]


class TooSlow(Exception):
    """The process took too long and was ended, or ended by itself."""


class Analyst:
    """One process with a folder of its own; it is started when first asked."""

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self.shared, self.limits = folder, limits
        self.visitor = ""
        self.busy = False
        self.process: asyncio.subprocess.Process | None = None
        self._folder: Folder | None = None

    async def ask(self, request: Json, seconds: float) -> Json:
        """Raises TooSlow."""
        if self.process is None or self.process.returncode is not None:
            await self.start()
        try:
            found = await asyncio.wait_for(self._line(request), seconds)
        except (TimeoutError, OSError, ValueError):
            self.end()
            raise TooSlow from None
        except asyncio.CancelledError:
            self.end()  # its late answer would be taken for that of the next request
            raise
        if found["grown"]:
            self.end()
        answer: Json = found["answer"]
        return answer

    async def start(self) -> None:
        """Raises TooSlow."""
        self.end()
        self._folder = Folder(self.limits.folder, self.shared.path)
        self.process = await asyncio.create_subprocess_exec(
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
        process = self.process
        assert process is not None and process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
        found: Json = json.loads(line)  # ValueError where it has ended
        return found

    def end(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                kill_group(self.process)
            self.process = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None


class Analysts:
    """A visitor's requests go to the same process where it is free, since that has read the
    visitor's table already.

    A visitor has two lanes, each with one request running at a time: one for texts, and one for
    data, whose requests may take long and never get the last free process. Of several requests of
    one kind that wait, only the latest is answered, since it is about the current text.
    """

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self.all = [Analyst(folder, limits) for _ in range(max(2, limits.analysts))]
        self._change = asyncio.Condition()
        self._numbers = count()
        self._latest: dict[tuple[str, str], int] = {}
        self._running: set[tuple[str, str]] = set()
        self._waiting = 0

    async def start(self) -> None:
        """Start the processes before anybody waits for one."""
        for one in self.all:
            if not one.busy:
                one.busy = True
                with suppress(TooSlow):
                    await one.start()
                await self._free(one)

    async def ask(
        self, visitor: str, kind: str, request: Json, seconds: float = LOOK, lane: str = TEXTS
    ) -> Json | None:
        """The answer; None if a later request of the same kind came before this one began.

        Raises TooSlow, and Denied if too many are waiting.
        """
        if self._waiting >= WAITING:
            raise Denied(503, "too many requests are waiting", "try again in a moment")
        number = self._latest[visitor, kind] = next(self._numbers)
        self._waiting += 1
        try:
            async with self._change:
                self._change.notify_all()
                await self._change.wait_for(
                    lambda: self._is_old(visitor, kind, number) or self._may_begin(visitor, lane)
                )
                if self._is_old(visitor, kind, number):
                    return None
                analyst = self._chosen(visitor)
                analyst.busy, analyst.visitor = True, visitor
                self._running.add((visitor, lane))
        finally:
            self._waiting -= 1
        try:
            return await analyst.ask({**request, "visitor": visitor}, seconds)
        finally:
            self._running.discard((visitor, lane))
            if not self._is_old(visitor, kind, number):
                del self._latest[visitor, kind]
            await self._free(analyst)

    def _is_old(self, visitor: str, kind: str, number: int) -> bool:
        return self._latest.get((visitor, kind)) != number

    def _may_begin(self, visitor: str, lane: str) -> bool:
        idle = sum(not one.busy for one in self.all)
        return (visitor, lane) not in self._running and idle > (lane != TEXTS)

    def _chosen(self, visitor: str) -> Analyst:
        idle = [one for one in self.all if not one.busy]
        return next((one for one in idle if one.visitor == visitor), idle[0])

    async def _free(self, analyst: Analyst) -> None:
        analyst.busy = False
        async with self._change:
            self._change.notify_all()

    async def end(self) -> None:
        ended = [one.process for one in self.all if one.process is not None]
        for one in self.all:
            one.end()
        await asyncio.gather(*(process.wait() for process in ended))
