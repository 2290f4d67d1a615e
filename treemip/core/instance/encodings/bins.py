"""Numbers as 0/1 columns, one for each edge that a number may reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treemip.core.instance.encodings.finish import Finish
from treemip.core.model.arrays import unique
from treemip.core.model.tolerances import SAME_EDGE
from treemip.core.resolve.settings.data_spec import number_text


@dataclass(frozen=True)
class Thermometer(Finish):
    """One column [v >= edge] for each edge, edges ascending."""

    kind: ClassVar[str] = "thermometer"
    binary: ClassVar[bool] = True
    edges: tuple[float, ...]

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{column}>={number_text(edge)}" for edge in self.edges)

    def holds(self, values: np.ndarray) -> np.ndarray:
        return (values >= np.array(self.edges)[:, None]).T

    def turns(self) -> list[float]:
        edges = np.array(self.edges)
        return [*np.nextafter(edges, -np.inf).tolist(), *edges.tolist()]


def fit_quantiles(arguments: tuple[float, ...], values: np.ndarray) -> Thermometer:
    """`bin quantile(k)`: inner edges of k bins of training values float64 (N,); there may be none.

    Raises OverflowError for values whose range is no double.
    """
    with np.errstate(over="ignore"):
        if not np.isfinite(values.max() - values.min()):
            raise OverflowError
    return Thermometer(tuple(quantile_edges(values, int(arguments[0])).tolist()))


def fit_thresholds(arguments: tuple[float, ...], values: np.ndarray) -> Thermometer:
    """`bin thresholds(…)`: these edges; without any, those between distinct training values."""
    return Thermometer(arguments or tuple(midpoints(values).tolist()))


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
