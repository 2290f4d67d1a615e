"""How numbers or levels become columns of x: as they are, scaled, binned or one-hot.

Each encoding is fitted on the training part and applied to any rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treemip.core.model.arrays import unique
from treemip.core.model.tolerances import SAME_EDGE
from treemip.core.resolve.settings.data_spec import Binning, Scaling, number_text


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


# ---------------------------------------------------------------------------------------- binning


@dataclass(frozen=True)
class Thermometer:
    """One column [v >= edge] for each edge, edges ascending."""

    kind: ClassVar[str] = "thermometer"
    edges: tuple[float, ...]

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{column}>={number_text(edge)}" for edge in self.edges)

    def holds(self, values: np.ndarray) -> np.ndarray:
        """bool (M, edges) from float64 (M,)."""
        return (values >= np.array(self.edges)[:, None]).T

    def apply(self, values: np.ndarray) -> np.ndarray:
        """float64 (M, edges) of 0 and 1 from float64 (M,)."""
        return self.holds(values).astype(np.float64)


def fit_bins(binning: Binning, values: np.ndarray) -> Thermometer:
    """The edges that training values float64 (N,) call for; there may be none.

    Raises OverflowError for quantiles of values whose range is no double.
    """
    if binning.kind == "quantile":
        with np.errstate(over="ignore"):
            if not np.isfinite(values.max() - values.min()):
                raise OverflowError
        edges = quantile_edges(values, binning.count)
    else:
        edges = np.array(binning.values) if binning.values else midpoints(values)
    return Thermometer(tuple(edges.tolist()))


def quantile_edges(values: np.ndarray, count: int) -> np.ndarray:
    """Inner edges of `count` bins of equal frequency.

    The edges are the linearly interpolated quantiles 0, 1/count, … 1; one within 1e-8 of its
    predecessor goes, as in scikit-learn's KBinsDiscretizer, then the first and the last go.
    """
    # Positions j (N-1) / count as whole number and rest: where the rest is 0 the edge must be the
    # data value itself, which 0.6000000000000001 (N-1) would miss, and [v >= edge] with it.
    below, rest = np.divmod(np.arange(count + 1) * (len(values) - 1), count)
    above = np.minimum(below + 1, len(values) - 1)
    ordered = np.partition(values, unique(np.append(below, above)))
    low, high = ordered[below], ordered[above]
    share = rest / count
    # From the nearer end, as numpy interpolates.
    edges = np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share))
    distinct = edges[np.diff(edges, prepend=-np.inf) > SAME_EDGE]
    return distinct[1:-1]


def midpoints(values: np.ndarray) -> np.ndarray:
    """A number between each two consecutive distinct values, above the lower one.

    Halfway, except between neighbouring doubles, where it is the upper one.
    """
    distinct = unique(values)
    below, above = distinct[:-1], distinct[1:]
    middle = below / 2 + above / 2
    return np.where(middle <= below, above, middle)


# ---------------------------------------------------------------------------------------- one-hot


@dataclass(frozen=True)
class OneHot:
    """Columns for the levels with positions `kept`: all of them, or the second of two.

    Where `unseen_zero`, a row whose level was not there in training has 0 in all of them.
    """

    kind: ClassVar[str] = "onehot"
    kept: tuple[int, ...]
    unseen_zero: bool = False

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{column}={levels[k]}" for k in self.kept)

    def holds(self, values: np.ndarray) -> np.ndarray:
        """bool (M, kept) from level positions float64 (M,)."""
        return (values == np.array(self.kept)[:, None]).T

    def apply(self, values: np.ndarray) -> np.ndarray:
        """float64 (M, kept) of 0 and 1 from level positions float64 (M,)."""
        return self.holds(values).astype(np.float64)
