"""What a search has found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import Completion
from treemip.core.tree.residuals import Violation


@dataclass(frozen=True)
class Found:
    """A solution: values by variable, nan where only a solver can say; its objective in the spec's
    sense, by the sums where values are unknown; its tree."""

    completion: Completion
    objective: float
    tree: Candidate
    seconds: float


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
