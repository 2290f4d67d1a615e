"""Binning of one number per row into 0/1 columns [v >= edge]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treemip.model.tolerances import SAME_EDGE
from treemip.model.unique import unique
from treemip.resolve.settings.data_spec import Binning, number_text

# Quantiles this near to one another are one edge, as in scikit-learn's KBinsDiscretizer.


@dataclass(frozen=True)
class Thermometer:
    """One column [v >= edge] for each edge, edges ascending."""

    kind: ClassVar[str] = "thermometer"
    edges: tuple[float, ...]

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{column}>={number_text(edge)}" for edge in self.edges)

    def apply(self, values: np.ndarray) -> np.ndarray:
        """float64 (M, edges) of 0 and 1 from float64 (M,)."""
        return (values[:, None] >= np.array(self.edges)).astype(np.float64)


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
    predecessor goes, then the first and the last go.
    """
    # Positions j (N-1) / count as whole number and rest: where the rest is 0 the edge must be the
    # data value itself, which 0.6000000000000001 (N-1) would miss, and [v >= edge] with it.
    below, rest = np.divmod(np.arange(count + 1) * (len(values) - 1), count)
    ordered = np.sort(values)
    low, high = ordered[below], ordered[np.minimum(below + 1, len(values) - 1)]
    share = rest / count
    # From the nearer end, as numpy interpolates.
    edges = np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share))
    kept = edges[np.diff(edges, prepend=-np.inf) > SAME_EDGE]
    return kept[1:-1]


def midpoints(values: np.ndarray) -> np.ndarray:
    """A number between each two consecutive distinct values, above the lower one.

    Halfway, except between neighbouring doubles, where it is the upper one.
    """
    distinct = unique(values)
    below, above = distinct[:-1], distinct[1:]
    middle = below / 2 + above / 2
    return np.where(middle <= below, above, middle)
