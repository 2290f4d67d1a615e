"""One proof by several processes: the sweep of the root is here, and what it asks of its cuts is
answered by workers.

How many cuts are under way, and what each of them knows, is as in one process, so that any number
of workers finds the same tree. A task is some of the questions that wait, of a tenth of a second
together.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from treemip.answers.engines.plans import Side
from treemip.answers.engines.questions import Answer, Question, read_answer, write_answer
from treemip.answers.engines.reports import Reports
from treemip.answers.engines.separable import Separable
from treemip.answers.engines.sweep import Sweep
from treemip.core.compiled.build import source_hash
from treemip.core.files.atomic import replacing
from treemip.core.solving.backends import Hands, abandoned, content_of
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused

LEAST_DEPTH = 3  # of a tree whose cuts are worth being sent
SECONDS = 0.1  # of a task, where its questions are short
PARTS = 2  # of the questions that wait, for each worker, so that none is long without any
WAIT = 0.05  # seconds between two looks at signals and progress
GRACE = 2.0  # seconds in which workers that are out of time say what they have
TIMES = 3  # that a task whose process was lost is begun again
LONG = 1e8  # seconds: with a time limit, tasks heed signals
PROBLEM = "problem.json"


def solve(task: Separable, depth: int, below: float, hands: Hands) -> Side:
    """As `Separable.solve` for all points below the root. Raises E902 for a folder of another
    problem, E604 where processes were lost again and again."""
    task.top = depth
    every = np.arange(len(task.costs))
    proof = Proof(task, hands)
    side = Sweep(task, 0, depth, every, below, ask=proof.ask).run()
    task.report(depth, side.exact, side.relaxed)
    return side


@dataclass(eq=False)
class Ticket:
    """A question, and its answer once it is there."""

    question: Question
    answer: Answer | None = None


@dataclass(eq=False)
class Batch:
    """Questions that are answered by one task, and how many times that was lost."""

    tickets: list[Ticket]
    lost: int = 0


class Proof:
    """What is asked about one problem."""

    def __init__(self, task: Separable, hands: Hands) -> None:
        self.task, self.hands, self.workers = task, hands, hands.workers
        self.digest = digest_of(task)
        self.folder = None if hands.folder is None else _opened(hands, self.digest)
        hands.problem = hands.problem or self.digest
        problem = replace(task.problem, reports=Reports(), threads=1)
        self.content = pickle.dumps((problem, task.costs, task.price))
        self.shared = self.workers.share(self.content)
        self.queue: deque[Ticket] = deque()
        self.again: deque[Batch] = deque()
        self.flight: dict[Future[Any], Batch] = {}
        self.seconds = inf  # that a question takes, on average of the latest

    def ask(
        self, question: Question, rows: tuple[np.ndarray, np.ndarray]
    ) -> Callable[[], Answer | None]:
        ticket = Ticket(question)
        if self.folder is not None:
            ticket.answer = read_answer(self._path(question))
        if ticket.answer is None:
            self.queue.append(ticket)
            self._take_all(future for future in list(self.flight) if future.done())
            if len(self.queue) * self.seconds >= SECONDS:
                self._send()
        return partial(self.wait, ticket)

    def wait(self, ticket: Ticket) -> Answer | None:
        while ticket.answer is None:
            if self.task.late and (
                asked_to_stop() or time.perf_counter() > self.task.until + GRACE
            ):
                return None
            self._send()
            done, _ = wait(self.flight, WAIT, FIRST_COMPLETED)
            self._take_all(done)
        return ticket.answer

    def _take_all(self, done: Iterable[Future[Any]]) -> None:
        for future in done:
            self._take(future, self.flight.pop(future))

    def _send(self) -> None:
        while (free := self.workers.count - len(self.flight)) > 0:
            if self.again:
                batch = self.again.popleft()
            elif self.queue:
                most = 1 if self.seconds == inf else int(SECONDS / max(self.seconds, 1e-4))
                size = max(1, min(most, -(-len(self.queue) // (PARTS * free))))
                batch = Batch([self.queue.popleft() for _ in range(min(size, len(self.queue)))])
            else:
                return
            questions = [ticket.question for ticket in batch.tickets]
            left = min(LONG, max(0.0, self.task.until - time.perf_counter()))
            arguments = source(), self.digest, self.shared, questions, left
            self.flight[self.workers.submit(answers, *arguments)] = batch

    def _take(self, future: Future[Any], batch: Batch) -> None:
        """What a task has found; one that was lost is begun again. Raises E604."""
        try:
            seconds, found = future.result()
        except self.workers.lost as error:
            batch.lost += 1
            if batch.lost > TIMES:
                raise _lost(error) from error
            self.shared = self.workers.share(self.content)
            self.again.append(batch)
            return
        except (TreemipError, MemoryError):
            raise
        except Exception as error:
            raise _failed(error) from error
        each = seconds / len(found)
        self.seconds = each if self.seconds == inf else 0.7 * self.seconds + 0.3 * each
        for ticket, answer in zip(batch.tickets, found, strict=True):
            ticket.answer = answer
            if answer.complete:
                self._keep(ticket.question, answer)

    def _keep(self, question: Question, answer: Answer) -> None:
        """A disk that is full ends the keeping and not the proof."""
        if self.folder is None:
            return
        try:
            write_answer(self._path(question), answer)
        except TreemipError as error:
            self.folder, self.hands.unwritten = None, tuple(error.diagnostics)

    def _path(self, question: Question) -> Path:
        assert self.folder is not None
        return self.folder / f"{question.key(self.digest)}.npz"


def _lost(error: BaseException) -> TreemipError:
    message = f"{TIMES + 1} workers died at the same task: {error}".split("\n", 1)[0]
    remedy = "perhaps for lack of memory; with a folder to resume from the rest is not lost"
    return TreemipError(Diagnostic.outside("E604", message, remedy))


def _failed(error: BaseException) -> TreemipError:
    message = f"a worker failed: {type(error).__name__}: {error}".split("\n", 1)[0]
    remedy = "workers need the same treemip and its packages: docs/cluster.md"
    return TreemipError(Diagnostic.outside("E604", message, remedy))


def _opened(hands: Hands, digest: str) -> Path:
    """The folder of answers. Raises E902 where it is another problem's: the first one that a solve
    asks about says whose it is."""
    folder = hands.folder
    assert folder is not None
    if hands.problem is not None:
        return folder
    path, own = folder / PROBLEM, {"treemip": source(), "problem": digest}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            if json.loads(path.read_text(encoding="utf-8")) != own:
                raise _of_another(folder)
        elif any(folder.iterdir()):
            raise refused(f"the folder '{folder}' has files of others", "name a new or empty one")
    except (OSError, NotADirectoryError) as error:
        raise refused(f"the folder '{folder}' cannot be used: {error}", "name another") from error
    except ValueError as error:
        raise _of_another(folder) from error
    with replacing(path) as file:
        file.write(json.dumps(own).encode())
    return folder


def _of_another(folder: Path) -> TreemipError:
    message = f"the folder '{folder}' has the proof of another problem, or of another treemip"
    return refused(message, "name another folder; data, spec and version must be the same")


@cache
def source() -> str:
    """Of all that answers questions: another treemip may answer otherwise."""
    digest = hashlib.sha256(source_hash().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def digest_of(task: Separable) -> str:
    """SHA-256 of all that decides answers, but for what is asked of the tree as a whole."""
    problem, digest = task.problem, hashlib.sha256(source().encode())
    conditions, topology, bins = problem.conditions, problem.topology, task.bins
    arrays = [
        *(bins.rank, bins.start, bins.feature, bins.last, task.costs, task.price, task.stats),
        *(conditions.low, conditions.high, conditions.jump, topology.left, topology.right),
    ]
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape};".encode() + np.ascontiguousarray(array).data)
    numbers = (task.constant, task.leaf_price, task.step, problem.unsplit, task.tolerance)
    settings = (task.window, task.few, task.kept, task.patience, task.part, task.per_pair)
    digest.update(repr((numbers, settings)).encode() + pickle.dumps(task.curve))
    return digest.hexdigest()


# ------------------------------------------------------------------ in a worker


class Abandoned(Exception):
    """Nobody waits for the answers."""


class Heeding(Reports):
    """Reports to nobody, and ends a task that nobody waits for."""

    def __init__(self) -> None:
        super().__init__()
        self.gone, self.next = abandoned(), 0.0

    def tick(self) -> None:
        if (now := time.perf_counter()) > self.next:
            self.next = now + WAIT
            if self.gone():
                raise Abandoned


_here = threading.local()  # tasks in threads of one process have a problem of their own each


def answers(
    code: str, digest: str, shared: Any, questions: list[Question], seconds: float
) -> tuple[float, list[Answer]]:
    """A task: the answers, and the seconds they took. Raises E604 in another treemip."""
    if code != source():
        message, remedy = "a worker has another treemip", "install the same one there"
        raise TreemipError(Diagnostic.outside("E604", message, remedy))
    if getattr(_here, "digest", None) != digest:
        problem, costs, price = pickle.loads(content_of(shared))
        _here.task, _here.digest = Separable(problem, costs, price), digest
    task: Separable = _here.task
    task.problem = replace(task.problem, reports=Heeding())
    began = time.perf_counter()
    task.until = began + seconds
    found = [_answered(task, question) for question in questions]
    return time.perf_counter() - began, found


def _answered(task: Separable, question: Question) -> Answer:
    task.complete, task.evaluated, task.top = True, 0, question.depth + 1
    order = task.bins.order[task.bins.feature[question.cut]]
    position = int(np.count_nonzero(task.bins.goes_left(question.cut)))
    subtree = task.subtree if task.compiled is None else task.compiled.side
    left, right = question.answered(subtree, (order[:position], order[position:]))
    return Answer(left, right, None, task.evaluated, task.complete)
