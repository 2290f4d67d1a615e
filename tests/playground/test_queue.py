"""Who is served next, which request of an editor counts, and when a solve ends by itself."""

import asyncio
from dataclasses import dataclass

import pytest

pytest.importorskip("starlette")

from treemip.study.playground import analysts as pool
from treemip.study.playground import tasks
from treemip.study.playground.analysts import DATA, Analysts
from treemip.study.playground.denied import Denied
from treemip.study.playground.fair_queue import FairQueue
from treemip.study.playground.limits import Limits
from treemip.study.playground.tasks import Task, Work
from treemip.study.playground.units import Units
from treemip.study.sandbox.folder import Folder

NOTHING = Work({}, {}, [], [], 1.0)


@dataclass
class Noted(Task):
    """A task that only notes its turn."""

    order: list[str] | None = None

    async def run(self):
        self.state = "running"
        self.order.append(self.visitor)
        await asyncio.sleep(0.01)
        self.finish()


def test_whoever_waited_longest_is_next():
    async def served():
        queue, order = FairQueue(Limits(workers=1, waiting_each=5)), []
        tasks = [Noted(v, NOTHING, Limits(), order=order) for v in "aaabac"]
        for task in tasks:
            queue.submit(task)
        assert queue.before(tasks[1]) > 0
        while any(task.state != "done" for task in tasks):
            await asyncio.sleep(0.01)
        return order

    order = asyncio.run(served())
    assert order == ["a", "b", "c", "a", "a", "a"]


def test_the_queue_is_bounded_for_each_and_for_all():
    async def filled():
        queue = FairQueue(Limits(workers=1, waiting_each=2, waiting=3))
        for visitor in "aaabb":
            try:
                queue.submit(Noted(visitor, NOTHING, Limits(), order=[]))
            except Denied as refusal:
                yield refusal
        for visitor in "ac":
            with pytest.raises(Denied, match="waiting already"):
                queue.submit(Noted(visitor, NOTHING, Limits(), order=[]))
        await queue.end()

    async def refusals():
        return [one async for one in filled()]

    (last,) = asyncio.run(refusals())
    assert last.status == 503 and "3 solves are waiting" in last.error


def test_old_answers_make_room():
    async def kept():
        queue = FairQueue(Limits(workers=1, answers=5000))
        for visitor in range(12):
            task = Noted(str(visitor), NOTHING, Limits(), order=[])
            queue.submit(task)
            while task.state != "done":
                await asyncio.sleep(0.005)
        return len(queue.tasks)

    assert asyncio.run(kept()) <= 6


def test_a_solve_that_nobody_follows_is_stopped(monkeypatch):
    monkeypatch.setattr(tasks, "ALONE", 0.0)

    class Endless:
        stopped = asyncio.Event()
        overdue = False

        def stop(self):
            self.stopped.set()

    async def watched(followed):
        task = Task("a", NOTHING, Limits())
        task.state, task._job, task.followers = "running", Endless(), int(followed)
        watching = asyncio.create_task(task._watch())
        await asyncio.wait([watching], timeout=1.3)
        watching.cancel()
        return task._job.stopped.is_set()

    assert asyncio.run(watched(False))
    Endless.stopped.clear()
    assert not asyncio.run(watched(True))


class Slow:
    """An analyst that answers after a while with the number of its request."""

    def __init__(self, *_):
        self.busy, self.visitor, self.process = False, "", None

    async def ask(self, request, seconds):
        await asyncio.sleep(0.05)
        return request["number"]

    def end(self):
        pass


def test_the_latest_request_counts_and_data_leave_a_process(monkeypatch):
    monkeypatch.setattr(pool, "Analyst", Slow)

    async def asked():
        with Folder() as folder:
            analysts = Analysts(folder, Limits(analysts=2))
            typed = [analysts.ask("a", "problems", {"number": n}) for n in range(5)]
            data = [analysts.ask(v, "data", {"number": v}, 1, DATA) for v in "xyz"]
            began = asyncio.get_running_loop().time()
            later = asyncio.create_task(asyncio.sleep(0.01))
            loads = asyncio.gather(*data)
            await later
            assert await analysts.ask("b", "problems", {"number": 7}) == 7
            quick = asyncio.get_running_loop().time() - began
            await loads
            return await asyncio.gather(*typed), quick

    answers, quick = asyncio.run(asked())
    assert answers[0] == 0 and answers[1:4] == [None] * 3 and answers[4] == 4
    assert quick < 0.14  # the three in the data's lane take 0.15 s, one after the other


@pytest.mark.parametrize("text", ["abc", "a\U0001f333b\U0001f333", "\ufeffa\U0001f333b", "a\r\nb"])
def test_units_and_offsets(text):
    units = Units(text)
    for offset in range(len(units.text) + 1):
        before = units.text[:offset].encode("utf-16-le")
        assert units.of(offset) == len(before) // 2 + text.startswith("\ufeff")
        assert units.offset(units.of(offset)) == offset
    assert units.offset(10_000) == len(units.text)
