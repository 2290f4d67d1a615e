"""Which task runs next: a few at a time, one for each visitor, least recently served first."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict

from treemip.study.playground.denied import Denied
from treemip.study.playground.limits import UNUSED, Limits
from treemip.study.playground.tasks import Task


class FairQueue:
    """All tasks by id: waiting, running, and done ones whose answer is kept for a while."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.tasks: dict[str, Task] = {}
        self.waiting: list[Task] = []
        self.running: set[str] = set()
        self.served: OrderedDict[str, float] = OrderedDict()
        self._workers: set[asyncio.Task[None]] = set()

    def submit(self, task: Task) -> None:
        """Raises Denied (503) if too many are waiting."""
        self._settle()
        own = sum(one.visitor == task.visitor for one in self.waiting)
        if own >= self.limits.waiting_each:
            message = f"{own} of your solves are waiting already"
            raise Denied(503, message, "stop one of them, or wait until it is done")
        if len(self.waiting) >= self.limits.waiting:
            message = f"{len(self.waiting)} solves are waiting already"
            raise Denied(503, message, "try again later, or use treemip on your machine")
        self.tasks[task.id] = task
        self.waiting.append(task)
        self._begin()

    def get(self, id: str) -> Task:
        """Raises Denied (404)."""
        task = self.tasks.get(id)
        if task is None:
            raise Denied(404, "there is no such job, or its answer was dropped", "solve it again")
        return task

    def before(self, task: Task) -> int:
        """Tasks that run before this one."""
        return self.waiting.index(task) if task in self.waiting else 0

    def _begin(self) -> None:
        """Start what may start, and tell the others how many are ahead of them."""
        self.waiting = [one for one in self.waiting if one.state == "queued"]
        self.waiting.sort(key=lambda one: self.served.get(one.visitor, 0.0))
        for task in list(self.waiting):
            if len(self.running) >= self.limits.workers:
                break
            if task.visitor not in self.running:
                self.waiting.remove(task)
                self.running.add(task.visitor)
                self.served[task.visitor] = time.monotonic()
                worker = asyncio.create_task(self._run(task))
                self._workers.add(worker)
                worker.add_done_callback(self._workers.discard)
        for number, task in enumerate(self.waiting):
            task.tell({"event": "queued", "before": number})

    async def _run(self, task: Task) -> None:
        try:
            await task.run()
        finally:
            task.touch()
            self.running.discard(task.visitor)
            self._settle()
            self._begin()

    def _settle(self) -> None:
        """Drop old answers, and the oldest of the others while all together are too large."""
        now = time.monotonic()
        done = sorted((t for t in self.tasks.values() if t.state == "done"), key=lambda t: t.seen)
        whole = sum(task.size for task in done)
        for task in done:
            if now > task.seen + UNUSED or whole > self.limits.answers:
                whole -= task.size
                del self.tasks[task.id]
        while len(self.served) > 10_000:
            self.served.popitem(last=False)

    async def end(self) -> None:
        for worker in list(self._workers):
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
