"""Numbers as their rank among the training values, which no outlier presses together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treemip.core.instance.encodings.finish import Number, require_normal_spread
from treemip.core.model.arrays import unique


@dataclass(frozen=True)
class Rank(Number):
    """0, 1/(K-1), … 1 at the K distinct training values `values`, linear in between, and 0 or 1
    beyond them. A feature with one training value is 0 everywhere."""

    kind: ClassVar[str] = "rank"
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values or (np.diff(self.values) <= 0).any():
            raise ValueError("the values of ranks do not ascend")

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        """Of its own, since sums over it are none over the raw column."""
        return (f"{column} (rank)",)

    @property
    def constant(self) -> float | None:
        return 0.0 if len(self.values) == 1 else None

    def apply(self, values: np.ndarray) -> np.ndarray:
        if len(self.values) == 1:
            return np.zeros((len(values), 1))
        known, last = np.array(self.values), len(self.values) - 1
        inside = np.clip(values, known[0], known[-1])
        below = np.clip(np.searchsorted(known, inside, "right") - 1, 0, last - 1)
        # Each step is monotone in floating point, so that the whole is: share is at most 1.
        share = (inside - known[below]) / (known[below + 1] - known[below])
        return ((below + share) / last)[:, None]

    def unscaled(self, value: float) -> float:
        ranks = np.arange(len(self.values)) / max(1, len(self.values) - 1)
        return float(np.interp(value, ranks, self.values))

    def described(
        self, shown: Callable[[float], str], low: float | None, high: float | None
    ) -> str:
        ends = f"{shown(self.values[0])} .. {shown(self.values[-1])} becomes 0 .. 1"
        return f"{ends} by rank among {len(self.values)} values"

    @classmethod
    def fit(cls, arguments: tuple[float, ...], values: np.ndarray) -> Number:
        require_normal_spread(values)
        return cls(tuple(unique(values).tolist()))
