"""What an exact engine tells of itself while it runs: the best tree so far and its bound."""

from __future__ import annotations

import time
from math import inf, isfinite

from treemip.core.model.answer import OnProgress, Progress, relative_gap

EVERY = 1.0
"""Seconds between two reports, where there is no better tree."""

SOON = 0.1
"""And where there is one."""


class Reports:
    """best, low: the objective of the best tree and what none is below, both to be minimized.
    sign: -1 where the spec's objective is maximized."""

    def __init__(self, on_progress: OnProgress | None = None, sign: float = 1.0) -> None:
        self.on_progress, self.sign = on_progress, sign
        self.best, self.low = inf, -inf
        self.began = time.perf_counter()
        self._next, self._last = self.began + EVERY, self.began

    def better(self, objective: float) -> None:
        """A tree with that objective has been found."""
        if objective < self.best:
            self.best = objective
            self._next = min(self._next, self._last + SOON)

    def ruled_out(self, low: float) -> None:
        """No tree has an objective below `low`."""
        self.low = max(self.low, low)

    @property
    def due(self) -> bool:
        return self.on_progress is not None and time.perf_counter() >= self._next

    def tick(self) -> None:
        """Reports, where it is time for it; called again and again."""
        if self.due:
            self.tell()

    def tell(self) -> None:
        """Reports what is known."""
        if self.on_progress is None:
            return
        self._last = time.perf_counter()
        self._next = self._last + EVERY
        objective = self.sign * self.best if isfinite(self.best) else None
        low = min(self.low, self.best)
        bound = self.sign * low if isfinite(low) else None
        gap = relative_gap(objective, bound)
        self.on_progress(Progress(self._last - self.began, objective, bound, gap, 0, "engine"))
