"""Scaling of one number per row: fitted on the training part, replayed on any row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treemip.resolve.settings.data_spec import Scaling


@dataclass(frozen=True)
class AsIs:
    """The number itself."""

    kind: ClassVar[str] = "none"

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return (column,)

    def apply(self, values: np.ndarray) -> np.ndarray:
        """float64 (M, 1) from float64 (M,)."""
        return values[:, None]


AS_IS = AsIs()


@dataclass(frozen=True)
class MinMax(AsIs):
    """lower + (upper - lower) (v - low) / (high - low).

    low and high are the least and greatest training values, which become exactly lower and upper.
    Rows outside them lie outside [lower, upper]. A feature with one training value is `lower`
    everywhere.
    """

    kind: ClassVar[str] = "minmax"
    low: float
    high: float
    lower: float
    upper: float

    def apply(self, values: np.ndarray) -> np.ndarray:
        if self.low == self.high:
            return np.full((len(values), 1), self.lower)
        with np.errstate(over="ignore"):
            share = (values - self.low) / (self.high - self.low)
            scaled = self.lower + (self.upper - self.lower) * share
        # lower + (upper - lower) may round to a neighbour of upper. Below a share of 1 nothing
        # passes the upper end: (upper - lower) share is then at least one double smaller.
        return np.where(share == 1, self.upper, scaled)[:, None]


@dataclass(frozen=True)
class Standard(AsIs):
    """(v - mean) / deviation, the deviation of the training values with divisor N.

    A feature with one training value has deviation 0 and is 0 everywhere.
    """

    kind: ClassVar[str] = "standard"
    mean: float
    deviation: float

    def apply(self, values: np.ndarray) -> np.ndarray:
        if self.deviation == 0:
            return np.zeros((len(values), 1))
        with np.errstate(over="ignore"):
            return ((values - self.mean) / self.deviation)[:, None]


def fit_scale(scaling: Scaling | None, values: np.ndarray) -> AsIs:
    """The scaling fitted on training values float64 (N,). Raises OverflowError.

    That is where the values lie so far apart, or so near, that their spread is no normal double.
    """
    if scaling is None or scaling.kind == "none":
        return AS_IS
    low, high = float(values.min()), float(values.max())
    if low < high and not np.finfo(float).tiny <= high / 2 - low / 2 < np.finfo(float).max / 2:
        raise OverflowError
    if scaling.kind == "minmax":
        return MinMax(low, high, scaling.lower, scaling.upper)
    if low == high:
        return Standard(low, 0.0)
    with np.errstate(all="ignore"):
        mean, deviation = float(values.mean()), float(values.std())
    if not (np.isfinite(mean) and np.finfo(float).tiny <= deviation < np.inf):
        raise OverflowError
    return Standard(mean, deviation)
