"""Runs campaigns on several processes until the counts or the time are reached, and tells of it."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path

from .cases import PLURALS, Campaign, Case, Outcome
from .workers import Worker

SHOWN = 2  # faults with the same key that are shown in full
EVERY = 5.0  # seconds between two lines of progress


@dataclass
class Tally:
    """Cases that were run, what was counted, and faults."""

    campaigns: list[Campaign]
    done: Counter[str] = field(default_factory=Counter)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, outcome: Outcome) -> None:
        self.done[case.campaign] += 1
        self.counts.setdefault(case.campaign, Counter()).update(outcome.counts)
        if outcome.fault is not None:
            self.faults[outcome.fault] += 1
            self.keys[f"{case.campaign}: {outcome.fault}: {outcome.key}"] += 1

    @property
    def summary(self) -> str:
        """The last line."""
        ran = ", ".join(f"{self.done[c.name]} {c.unit}" for c in self.campaigns)
        faults = ", ".join(f"{self.faults[kind]} {word}" for kind, word in PLURALS.items())
        return f"fuzz: {ran}: {faults}"


def run(
    campaigns: list[Campaign],
    numbers: dict[str, int],
    seed: int,
    minutes: float,
    jobs: int,
    folder: Callable[[], Path],
) -> Tally:
    """`folder()` is where faults are saved, made when it is first asked for."""
    tally = Tally(campaigns)
    ends = time.monotonic() + 60 * minutes
    cases = _in_turn(campaigns, numbers, seed)
    workers = [Worker({c.name: c for c in campaigns}) for _ in range(jobs)]
    told = time.monotonic()
    try:
        while True:
            for worker in workers:
                if worker.case is None and time.monotonic() < ends:
                    case = next(cases, None)
                    if case is not None:
                        worker.give(case)
            busy = [w for w in workers if w.case is not None]
            if not busy:
                return tally
            _collect(busy, tally, folder)
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                _progress(tally, numbers, ends - told)
    finally:
        for worker in workers:
            worker.close()


def _collect(busy: list[Worker], tally: Tally, folder: Callable[[], Path]) -> None:
    """Take what is ready within a second, and what is past its deadline."""
    ready = wait([w.pipe for w in busy], timeout=1.0)
    for worker in busy:
        if worker.pipe not in ready and time.monotonic() < worker.deadline:
            continue
        case = worker.case
        assert case is not None
        outcome = worker.take()
        tally.add(case, outcome)
        if outcome.fault is not None:
            show_fault(case, outcome, tally, folder)


def show_fault(case: Case, outcome: Outcome, tally: Tally, folder: Callable[[], Path]) -> None:
    """The first few with the same key in full, with their files; of the others one line."""
    said = f"{case}: {outcome.fault}: {outcome.key.splitlines()[0] if outcome.key else ''}"
    if tally.keys[f"{case.campaign}: {outcome.fault}: {outcome.key}"] > SHOWN:
        print(said, flush=True)
        return
    saved = folder() / str(case).replace(":", "-")
    saved.mkdir(parents=True, exist_ok=True)
    for name, content in outcome.files.items():
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        (saved / name).write_bytes(data)
    again = f"python -m tests.fuzz --replay {case}"
    (saved / "fault.txt").write_text(f"{said}\n{outcome.text}\n\n{again}\n")
    body = "\n".join(f"    {line}" for line in outcome.text.splitlines())
    print(f"\n{said}\n{body}\n  again: {again}\n  files: {saved}\n", flush=True)


def _in_turn(campaigns: list[Campaign], numbers: dict[str, int], seed: int) -> Iterator[Case]:
    """Cases of all campaigns, each as far along as the others."""
    given = dict.fromkeys(numbers, 0)
    total = sum(numbers[c.name] for c in campaigns)
    for _ in range(total):
        name = min(
            (c.name for c in campaigns if given[c.name] < numbers[c.name]),
            key=lambda n: (given[n] + 1) / numbers[n],
        )
        yield Case(name, seed, given[name])
        given[name] += 1


def _progress(tally: Tally, numbers: dict[str, int], left: float) -> None:
    done = ", ".join(f"{tally.done[c.name]}/{numbers[c.name]} {c.unit}" for c in tally.campaigns)
    print(f"{done}; {sum(tally.faults.values())} faults; {left / 60:.1f} min left",
          file=sys.stderr, flush=True)  # fmt: skip
