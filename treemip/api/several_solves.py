"""What solves of several objectives and of several rounds share: a time limit, and reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from treemip.core.solving.handover import for_solving

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.result import Result
    from treemip.core.model.answer import OnProgress, Progress
    from treemip.core.resolve.settings.strategy import StrategySpec
    from treemip.core.strategy.settings import Settings

Run = Callable[["Compiled", "Settings", int, "OnProgress | None"], "Result"]
"""Solves the model of an objective or of a round; its number, from 1 on, is the third argument."""


class SharedLimit:
    """The time limit of all solves together, which begins now; None without one.

    spent: seconds of it that are gone, of which half of the limit stays free.
    """

    def __init__(self, given: Settings, strategy: StrategySpec, spent: float) -> None:
        self.limit = strategy.time_limit if given.time_limit is None else given.time_limit
        self._free = for_solving(self.limit, spent, 0.0)
        self._began = time.perf_counter()

    @property
    def gone(self) -> float:
        """Seconds."""
        return time.perf_counter() - self._began

    def part(self, given: Settings, solves: int) -> Settings:
        """The settings of the next solve, with its part of what is left for so many solves."""
        if self._free is None:
            return given
        return replace(given, time_limit=max(0.0, self._free - self.gone) / solves)


def later(
    tell: OnProgress | None, gone: float, objective_number: int | None = None
) -> OnProgress | None:
    """Reports of one solve of several, with the seconds of all; `gone`: those of the solves before.
    objective_number: of the objective, where there are several."""
    if tell is None:
        return None

    def report(progress: Progress) -> None:
        seconds = progress.seconds + gone
        tell(replace(progress, seconds=seconds, objective_number=objective_number))

    return report


def summed(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    """Seconds by stage, of two solves together."""
    return {stage: one.get(stage, 0.0) + other.get(stage, 0.0) for stage in {**one, **other}}
