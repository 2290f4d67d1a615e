"""What a search has found, and how it tells of it meanwhile."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import isfinite

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import Completion
from treemip.core.model.answer import OnProgress, Progress, relative_gap
from treemip.core.tree.residuals import Violation

EVERY = 0.5  # seconds between two routine reports


@dataclass(frozen=True)
class Found:
    """A solution: values by variable, nan where only a solver can say; its objective in the spec's
    sense, by the sums where values are unknown; its tree."""

    completion: Completion
    objective: float
    tree: Candidate
    seconds: float


class Reports:
    """Tells of each better solution at once, and else once in EVERY seconds."""

    def __init__(self, on_progress: OnProgress | None, sign: float) -> None:
        self.on_progress, self.sign = on_progress, sign
        self._told: Found | None = None
        self._at = -EVERY

    def tell(self, seconds: float, best: Found | None, goal: float, starts: int) -> None:
        """seconds: since the search began. goal: a value, to be minimized, that no tree is below.
        starts: trees tried so far."""
        known = self._told is best
        if self.on_progress is None or (known and seconds < self._at + EVERY):
            return
        self._at, self._told = seconds, best
        objective = None if best is None else best.objective
        bound = self.sign * goal if isfinite(goal) else None
        gap = relative_gap(objective, bound)
        self.on_progress(Progress(seconds, objective, bound, gap, starts, "search"))


@dataclass(frozen=True)
class TooNarrow:
    """What a tree would be worth, in the spec's sense, whose points are only `gap` apart at a
    hyperplane, where the formulation asks for `needed`."""

    objective: float
    gap: float
    needed: float


@dataclass(frozen=True)
class SearchReport:
    """best: None where no tree was feasible; then `failed` counts the families that failed.

    not_handed: why no solver gave the best tree its best numbers, where it should have. cut_off:
    of a tree that violates cuts of the spec and no other row, the worst row of each. narrow: a much
    better tree among many points, whose gap is too narrow."""

    best: Found | None
    starts: int
    seconds: float
    failed: Counter[str]
    met_bound: bool
    not_handed: str = ""
    cut_off: tuple[Violation, ...] = ()
    narrow: TooNarrow | None = None
