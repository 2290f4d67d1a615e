"""Estimates from right-censored times: Kaplan and Meier's survival, Nelson and Aalen's hazard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

TIME, EVENT = "time", "event"
"""What the library's module of survival times calls them, columns or parameters of the points."""


class Observed(NamedTuple):
    """Right-censored times of N points: the last time at which each was observed, float64 (N,);
    whether its event happened then, bool (N,); weights, float64 (N,)."""

    time: np.ndarray
    event: np.ndarray
    weight: np.ndarray

    def taken(self, rows: np.ndarray) -> Observed:
        """Some of the points: positions int64 (n,), or bool (N,)."""
        return Observed(*(column[rows] for column in self))


@dataclass(frozen=True)
class Curve:
    """What is estimated from n right-censored points at their T distinct times, all float64 (T,).

    time ascending; at_risk: weight of the points observed up to then; events: weight of those whose
    event happens then; survival: Kaplan and Meier's probability to be without the event after that
    time; hazard: Nelson and Aalen's cumulative hazard. Both are steps, constant up to the next time
    and from the last on; before the first they are 1 and 0.
    """

    time: np.ndarray
    at_risk: np.ndarray
    events: np.ndarray

    @property
    def survival(self) -> np.ndarray:
        return np.cumprod(1 - self.events / self.at_risk)

    @property
    def hazard(self) -> np.ndarray:
        return np.cumsum(self.events / self.at_risk)

    @property
    def median(self) -> float | None:
        """The first time at which survival is 1/2 or less; None where it stays above."""
        below = np.flatnonzero(self.survival <= 0.5)
        return float(self.time[below[0]]) if len(below) else None

    def survival_at(self, times: np.ndarray) -> np.ndarray:
        """float64, of the shape of `times`."""
        return _step(self.time, np.append(1.0, self.survival), times)

    def hazard_at(self, times: np.ndarray) -> np.ndarray:
        """float64, of the shape of `times`."""
        return _step(self.time, np.append(0.0, self.hazard), times)

    def to_json(self) -> dict[str, Any]:
        """Lists of T numbers each, and the median."""
        columns = ("time", "at_risk", "events", "survival", "hazard")
        return {name: getattr(self, name).tolist() for name in columns} | {"median": self.median}


def _step(time: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    return np.asarray(values[np.searchsorted(time, times, side="right")])


def curve_of(observed: Observed) -> Curve:
    """The curve of some points, one or more."""
    time, place = np.unique(observed.time, return_inverse=True)
    weight = np.bincount(place, observed.weight)
    events = np.bincount(place, observed.weight * observed.event)
    return Curve(time, np.cumsum(weight[::-1])[::-1], events)


def curves_by_leaf(leaf: np.ndarray, observed: Observed) -> dict[int, Curve]:
    """The curve of the points of each leaf that has any. leaf int64 (N,): of each point, as
    `Tree.route` gives it; the keys are these numbers in ascending order."""
    return {int(node): curve_of(observed.taken(leaf == node)) for node in np.unique(leaf)}
