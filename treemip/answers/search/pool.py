"""What a search remembers: its best few trees, and how long it has found no better one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.core.model.tolerances import SAME_WORTH

SIZE = 5
WAIT = 1.5  # seconds without a better tree before a search ends early, at least
PATIENCE = 2.0  # times the seconds that the last better tree took
LASTING = 5.0  # the same where nothing but a search finds better ones
STARTS = 50  # starts without a better tree before it ends, at least
MANY = 300  # starts that need not wait for so many seconds


class Entry(NamedTuple):
    """value: in units of the objective, to be minimized; overlap: the narrowest gap below 0.
    shape: equal for trees that send every point the same way."""

    value: float
    overlap: float
    tree: Candidate
    shape: bytes

    @property
    def rank(self) -> tuple[float, float]:
        return self.value, self.overlap


class Pool:
    """The best trees by value, of equal ones those with the widest gap. Trees of one shape count as
    one, or copies of one would fill the pool."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, value: float, gap: float, tree: Candidate, shape: bytes) -> None:
        entry = Entry(round(value, 9), -gap, tree, shape)
        same = [k for k, other in enumerate(self.entries) if other.shape == shape]
        if same:
            self.entries[same[0]] = min(self.entries[same[0]], entry, key=lambda e: e.rank)
        else:
            self.entries.append(entry)
        self.entries.sort(key=lambda e: e.rank)
        del self.entries[SIZE:]

    def random(self, rng: np.random.Generator) -> Candidate:
        return self.entries[int(rng.integers(len(self.entries)))].tree


class Stall:
    """When to stop a search: after `patience` times as long as the last better tree took, and at
    least WAIT seconds and STARTS starts. On a tiny table, MANY starts and `patience` times as many
    as the last better tree took are enough."""

    def __init__(self) -> None:
        self.patience = PATIENCE
        self.best, self.start, self.at = (True, np.inf), 0, 0.0

    def note(self, standing: tuple[bool, float], starts: int, seconds: float) -> None:
        if standing < (self.best[0], self.best[1] - SAME_WORTH):
            self.best, self.start, self.at = standing, starts, seconds

    def over(self, starts: int, seconds: float) -> bool:
        since = starts - self.start
        if since >= max(MANY, self.patience * self.start):
            return True
        return since >= STARTS and seconds - self.at >= max(WAIT, self.patience * self.at)
