"""Tasks: what a visitor waits for, from the queue to the answer, with its events on the way."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treemip.core.source.diagnostic import TreemipError
from treemip.study.playground.limits import ALONE, Limits
from treemip.study.playground.work import MADE, Step, commands, saved_tree
from treemip.study.sandbox.folder import Folder
from treemip.study.sandbox.job import Job, JobLimits, Outcome

MOST_EVENTS = 5000
"""Events of a task; after so many, progress is no longer reported."""

Json = dict[str, Any]


@dataclass
class Work:
    """files: texts by name. tables: uploaded tables by name, as paths. first, then: steps; those of
    `first` have `seconds` together."""

    files: Mapping[str, str]
    tables: Mapping[str, Path]
    first: list[Step]
    then: list[Step]
    seconds: float


@dataclass
class Task:
    """events: all so far. answer: its parts so far. followers: requests that follow the events.
    seen: when somebody last asked for it."""

    visitor: str
    work: Work
    limits: Limits
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    state: str = "queued"
    events: list[Json] = field(default_factory=list)
    answer: Json = field(default_factory=dict)
    followers: int = 0
    seen: float = field(default_factory=time.monotonic)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _job: Job | None = None
    _stopped: bool = False

    # ---------------------------------------------------------------------------- running

    async def run(self) -> None:
        """What goes wrong becomes part of the answer."""
        self.state = "running"
        watching = asyncio.create_task(self._watch())
        try:
            await self._run()
        except TreemipError as error:
            first = error.diagnostics[0]
            self.answer |= {"code": 2, "err": f"{first.message}\n{first.remedy}".strip()}
        except Exception:
            self.answer |= {"code": 2, "err": "the server could not run this"}
            raise
        finally:
            watching.cancel()
            self.finish()

    async def _run(self) -> None:
        with Folder(self.limits.folder) as folder:
            for name, text in self.work.files.items():
                folder.put(name, text)
            for name, path in self.work.tables.items():
                folder.put(name, path.read_bytes())
            (folder.path / MADE).mkdir()
            if self.work.first and not self._stopped:
                await self._steps(folder, self.work.first, self.work.seconds)
            # A solve that took all of its time leaves none for its pictures.
            left = [one for one in self.work.first if self._missing(one.part)]
            await self._steps(folder, [*left, *self.work.then], self.limits.later)

    def _missing(self, part: str) -> bool:
        there = part in self.answer or part in self.answer.get("without", {})
        return not there and part not in ("summary", "spec")

    async def _steps(self, folder: Folder, steps: list[Step], seconds: float) -> None:
        limits = JobLimits(seconds, self.limits.memory, self.limits.folder)
        self._job = Job(folder, commands(steps), limits)

        def ended(number: int, outcome: Outcome) -> None:
            self._take(folder, steps[number], outcome)

        outcomes = await self._job.run(self.tell_progress, ended)
        if self._job.overdue and steps is self.work.first:
            self.answer["overdue"] = seconds
        for step, outcome in zip(steps, outcomes, strict=True):
            if step.part == "summary" and "code" not in self.answer:
                self._take(folder, step, outcome)

    def _take(self, folder: Folder, step: Step, outcome: Outcome) -> None:
        """Make what a command produced a part of the answer, and tell the followers."""
        if step.part in ("summary", "spec"):
            self.answer |= {"code": outcome.code, "err": outcome.err}
            tree = saved_tree(folder)
            if tree is not None:
                self.answer["tree"] = tree
                self.tell({"event": "part", "part": "tree"})
        elif step.part == "check":
            self.answer["check"] = outcome.out + outcome.err
            self.tell({"event": "part", "part": "check"})
            return
        content = step.content(folder, outcome)
        if content is None:
            if outcome.code not in (None, 0) and step.part not in ("summary", "spec"):
                self.answer.setdefault("without", {})[step.part] = outcome.err[:2000]
            return
        where, _, key = step.part.partition(".")
        if key:
            self.answer.setdefault(where, {})[key] = content
        else:
            self.answer[where] = content
        self.tell({"event": "part", "part": where})

    def stop(self) -> None:
        """End with what has been found so far."""
        if self.state == "queued":
            self._stopped = True
            self.answer = {"code": 130, "err": "it was stopped before it began"}
            self.finish()
        elif self._job is not None and self.state == "running":
            self._job.stop()

    async def _watch(self) -> None:
        """End a solve that nobody follows."""
        while True:
            await asyncio.sleep(1)
            if not self.followers and time.monotonic() > self.seen + ALONE:
                self.stop()
                return

    # ------------------------------------------------------------------------------ events

    def tell_progress(self, event: Json) -> None:
        if event.get("event") == "end":
            self.answer["verdict"] = event
        self.tell({"event": "progress", **{k: v for k, v in event.items() if k != "event"}})

    def tell(self, event: Json) -> None:
        if self.events and self.events[-1] == event:
            return
        if len(self.events) >= MOST_EVENTS and event["event"] == "progress":
            return
        self.events.append(event)
        self._news.set()
        self._news = asyncio.Event()

    def finish(self) -> None:
        if self.state != "done":
            self.state = "done"
            self.tell({"event": "done", "code": self.answer.get("code", 0)})

    async def follow(self) -> AsyncIterator[Json]:
        """All events, from the first to `done`, as they come."""
        self.followers += 1
        try:
            at = 0
            while True:
                news = self._news
                for event in self.events[at:]:
                    yield event
                at = len(self.events)
                if self.state == "done":
                    return
                await news.wait()
        finally:
            self.followers -= 1
            self.touch()

    def touch(self) -> None:
        """Note that somebody asked for it just now."""
        self.seen = time.monotonic()

    @property
    def size(self) -> int:
        """Bytes of the answer, roughly."""
        parts = [*self.answer.values(), *self.answer.get("convert", {}).values()]
        texts = sum(len(one) for one in parts if isinstance(one, str))
        return 1000 + texts + 2 * len(json.dumps(self.answer.get("tree")))
