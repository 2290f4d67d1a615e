"""A smaller model for a solver, with the same optimum, and the way back to all columns.

Only the solver sees it. Starts, engines, readout and verification keep to the model before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from treemip.core.model.answer import Answer
from treemip.core.model.model import Model
from treemip.core.reform.presolve.merge_points import merge_points
from treemip.core.reform.presolve.renaming import Renaming
from treemip.core.resolve.settings.strategy import NO_PRESOLVE
from treemip.core.source.diagnostic import fail
from treemip.core.source.suggest import did_you_mean, listed

PASSES: dict[str, Callable[[Model], Renaming | None]] = {"merge_points": merge_points}
"""By the names that users give them, in the order in which they run. None: nothing to do."""

DEFAULT = ("merge_points",)
"""What runs where nobody says anything: proven exact and measured to help (decision 032)."""


@dataclass(frozen=True)
class Step:
    """What one pass did."""

    name: str
    renaming: Renaming
    rows: int
    columns: int

    @property
    def became(self) -> str:
        """`1756 rows become 937, 599 columns become 347`."""
        model = self.renaming.model
        return (
            f"{self.rows} rows become {row_count(model)},"
            f" {self.columns} columns become {model.column_count}"
        )

    @property
    def text(self) -> str:
        """`63 of 132 points merged; 1756 rows become 937, 599 columns become 347`."""
        return f"{self.renaming.merged} of {self.renaming.points} points merged; {self.became}"


@dataclass(frozen=True)
class Presolved:
    """`model` in place of `original`, by `steps` one after the other."""

    original: Model
    model: Model
    steps: tuple[Step, ...] = ()

    def forward(self, values: np.ndarray) -> np.ndarray:
        """Values of the original's columns, float64 (..., columns), as values of `model`."""
        for step in self.steps:
            values = step.renaming.forward(values)
        return values

    def back(self, values: np.ndarray) -> np.ndarray:
        """Values of `model`'s columns as values of the original's, (columns,)."""
        for step in reversed(self.steps):
            values = step.renaming.back(values)
        return values

    def answer(self, answer: Answer) -> Answer:
        """An answer for `model` as one for the original: same objective, bound and status."""
        if answer.values is None:
            return answer
        return replace(answer, values=self.back(answer.values))


def presolved(model: Model, names: Iterable[str] = DEFAULT) -> Presolved:
    """The model after the passes of these names, in the order of PASSES."""
    wanted, current = set(names), model
    steps = []
    for name, run in PASSES.items():
        renaming = run(current) if name in wanted else None
        if renaming is not None:
            steps.append(Step(name, renaming, row_count(current), current.column_count))
            current = renaming.model
    return Presolved(model, current, tuple(steps))


def row_count(model: Model) -> int:
    """Rows and implications, which are rows to a solver that takes them."""
    return model.row_count + sum(block.length for block in model.implications)


def passes_named(names: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Names as a caller gives them: one, several, or "none"; None for None. Raises E902."""
    if names is None:
        return None
    given = (names,) if isinstance(names, str) else tuple(names)
    if given == (NO_PRESOLVE,):
        return ()
    for name in given:
        if name not in PASSES:
            known = [*PASSES, NO_PRESOLVE]
            message = f"there is no presolve '{name}'"
            remedy = did_you_mean(str(name), known) or f"choose among {listed(known, len(known))}"
            if name == NO_PRESOLVE:
                message, remedy = "the presolve 'none' excludes all others", "name it alone"
            fail("E902", message, remedy=remedy)
    return given
