"""What the trees of a sweep are compared by: accuracy, mean squared error, or their objective."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from treemip.core.model.tolerances import ROUNDING
from treemip.core.tree.score import AnyScore


@dataclass(frozen=True)
class Measure:
    """title: in tables. column: of a run's results, behind `train_` or `test_`. sign: 1 where
    more is better, -1 where less is. beside: other columns that are shown, with their titles."""

    title: str
    column: str
    sign: int
    beside: tuple[tuple[str, str], ...] = ()

    def good(self, value: float, best: float, within: float) -> bool:
        """Whether a value is as good as the best one but for a share 1 - within of its size."""
        return self.sign * (best - value) <= (1 - within) * abs(best) + ROUNDING


ACCURACY = Measure("accuracy", "accuracy", 1)
MSE = Measure("MSE", "mse", -1, (("MAE", "mae"), ("R2", "r2")))
LEAST_OBJECTIVE = Measure("objective", "objective", -1)
GREATEST_OBJECTIVE = Measure("objective", "objective", 1)

_OF_PARTS = ("accuracy", "mse", "mae", "r2", "objective")

SCORED = tuple(f"{part}_{name}" for part in ("train", "test") for name in _OF_PARTS)
"""The columns of a run's results that `scored` gives."""


def scored(train: AnyScore | None, test: AnyScore | None) -> dict[str, float | None]:
    """The scores of a tree on both parts; None for what its leaves do not have."""
    parts = (("train", train), ("test", test))
    return {f"{part}_{name}": getattr(of, name, None) for part, of in parts for name in _OF_PARTS}


def measure_of(rows: Iterable[dict[str, Any]]) -> Measure:
    """What runs are compared by: accuracy where leaves predict the label's classes, the mean
    squared error where they predict a label that is a number, else the spec's objective."""
    objectives: set[str] = set()
    for row in rows:
        if row.get("train_accuracy") is not None:
            return ACCURACY
        if row.get("train_mse") is not None:
            return MSE
        if row.get("train_objective") is not None:
            objectives.add(row["sense"])
    if not objectives:
        return ACCURACY
    return GREATEST_OBJECTIVE if "maximize" in objectives else LEAST_OBJECTIVE
