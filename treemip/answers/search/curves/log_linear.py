"""Likelihoods of times and counts, as functions of a leaf's rate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.search.curves.curve import Combination
from treemip.answers.search.leaf_answers import LeafAnswers, leaf_bounds
from treemip.core.instance.instance import Instance
from treemip.core.model.tolerances import LEAST_RATE


@dataclass(frozen=True)
class LogLinear(Combination):
    """Sums of functions a + b v - c log v of a leaf's value v, with c >= 0, as likelihoods of times
    and counts are: known at three values `at`. low, high: the bounds of the value; 0 is LEAST_RATE.
    What it chooses is the value itself."""

    at: tuple[float, float, float]
    low: float
    high: float

    kernel, convex = 2, 2

    @classmethod
    def probes(cls, instance: Instance) -> tuple[LogLinear, LeafAnswers] | None:
        """Below the variable's upper bound."""
        low, high = leaf_bounds(instance)
        if not 0 <= low < high < np.inf:
            return None
        tried = low + (high - low) * np.array([1e-3, 1.0, 1e-2, 0.3, 0.1])
        return cls(tuple(tried[::2].tolist()), max(low, LEAST_RATE), high), LeafAnswers.among(tried)

    @property
    def answers(self) -> LeafAnswers:
        return LeafAnswers.among(self.known)

    @property
    def known(self) -> np.ndarray:
        return np.array(self.at)

    @property
    def between(self) -> np.ndarray:
        return self.low + (self.high - self.low) * np.array([1.0, 0.3])

    @property
    def default(self) -> float:
        return self.at[1]

    def basis(self, values: np.ndarray) -> np.ndarray:
        values = np.maximum(values, LEAST_RATE)
        return np.stack([np.ones_like(values), values, -np.log(values)], axis=-1)

    def best(self, worth: np.ndarray) -> np.ndarray:
        best = self._place(worth @ self.inverse.T)
        return np.where(best > LEAST_RATE, best, 0.0)

    def least(self, worth: np.ndarray) -> np.ndarray:
        parts = worth @ self.inverse.T
        return self._at(parts, self._place(parts))

    def greatest(self, worth: np.ndarray) -> np.ndarray:
        """At one of the bounds, since it is convex."""
        parts = worth @ self.inverse.T
        ends = [self._at(parts, np.full(parts.shape[:-1], end)) for end in (self.low, self.high)]
        return np.maximum(*ends)

    def within(self, low: float, high: float) -> LogLinear:
        return replace(self, low=max(low, self.low), high=min(high, self.high))

    def kernel_numbers(self) -> dict[str, object]:
        """The bounds of the value, and a, b and c by what is worth more than the first."""
        parts = tuple(self.inverse[:, 1:].ravel().tolist())
        return {"low_place": self.low, "high_place": self.high, "parts": parts}

    def _place(self, parts: np.ndarray) -> np.ndarray:
        """Where worth is least, for a, b and c (..., 3)."""
        _, slope, events = np.moveaxis(parts, -1, 0)
        rising = slope > 0
        place = np.where(rising, np.maximum(events, 0.0) / np.where(rising, slope, 1.0), np.inf)
        return np.clip(place, self.low, self.high)

    def _at(self, parts: np.ndarray, place: np.ndarray) -> np.ndarray:
        first, slope, events = np.moveaxis(parts, -1, 0)
        value: np.ndarray = first + slope * place - events * np.log(place)
        return value
