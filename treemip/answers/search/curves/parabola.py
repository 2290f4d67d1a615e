"""Sums of quadratic functions of a leaf's value, such as squared errors."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.search.curves.curve import NO_BEST, Curve
from treemip.answers.search.leaf_answers import LeafAnswers, leaf_bounds, value_range
from treemip.core.instance.instance import Instance
from treemip.core.model.tolerances import EQUAL, KNOWN_ROW

PROBES = 5
"""Values at which it is seen whether the objective is quadratic in them; a parabola needs three."""


@dataclass(frozen=True)
class Parabola(Curve):
    """Sums of quadratic functions of a leaf's value, known at three values: `middle`, and `step`
    below and above it. low, high: the bounds of the value, perhaps infinite. What it chooses is the
    value itself."""

    middle: float
    step: float
    low: float = -np.inf
    high: float = np.inf

    kernel = 1

    @classmethod
    def probes(cls, instance: Instance) -> tuple[Parabola, LeafAnswers] | None:
        ends = value_range(instance)
        if ends is None:
            return None
        low, high = ends
        if low == high:
            low, high = low - 1.0, high + 1.0
        middle, step = low + (high - low) / 2, (high - low) / 2
        parabola = cls(middle, step, *leaf_bounds(instance))
        return parabola, LeafAnswers.among(np.linspace(low, high, PROBES))

    @property
    def answers(self) -> LeafAnswers:
        """The three values."""
        return LeafAnswers.among(self.middle + self.step * np.array([-1.0, 0.0, 1.0]))

    @property
    def default(self) -> float:
        return self.middle

    def fits(self, worth: np.ndarray) -> bool:
        first, _, middle, _, last = np.moveaxis(worth, -1, 0)
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        slope, bend = (last - first) / 2, (first + last) / 2 - middle
        for k, place in ((1, -0.5), (3, 0.5)):
            there = middle + slope * place + bend * place**2
            if (np.abs(there - worth[..., k]) > size).any():
                return False
        return True

    def weights(self, values: np.ndarray) -> np.ndarray:
        t = (np.asarray(values, float) - self.middle) / self.step
        return np.stack([t * (t - 1) / 2, 1 - t * t, t * (t + 1) / 2], axis=-1)

    def best(self, worth: np.ndarray) -> np.ndarray:
        return self.middle + self.step * self._place(worth, (self.low, self.high))

    def least(self, worth: np.ndarray) -> np.ndarray:
        return self._at(worth, self._place(worth, (self.low, self.high)))

    def lowest(self, worth: np.ndarray) -> np.ndarray:
        first, middle, last = np.moveaxis(worth, -1, 0)
        slope, bend = (last - first) / 2, (first + last) / 2 - middle
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        flat = (np.abs(bend) <= size) & (np.abs(slope) <= size)
        free = self._at(worth, self._place(worth, (-np.inf, np.inf)))
        least = np.where(flat, np.minimum(np.minimum(first, middle), last), free)
        return np.where(flat | (bend > size), least, -np.inf)

    def _place(self, worth: np.ndarray, bounds: tuple[float, float]) -> np.ndarray:
        """Where worth is least, in steps from the middle."""
        first, middle, last = np.moveaxis(worth, -1, 0)
        slope, bend = (last - first) / 2, (first + last) / 2 - middle
        size = EQUAL * np.maximum(np.maximum(np.abs(first), np.abs(last)), np.abs(middle))
        convex = bend > size
        place = np.where(convex, -slope / np.where(convex, 2 * bend, 1.0), -np.sign(slope))
        place = np.where(convex | (np.abs(slope) > size), place, 0.0)
        low, high = ((bound - self.middle) / self.step for bound in bounds)
        return np.clip(place, low, high)

    @staticmethod
    def _at(worth: np.ndarray, place: np.ndarray) -> np.ndarray:
        first, middle, last = np.moveaxis(worth, -1, 0)
        value: np.ndarray = (
            middle + (last - first) / 2 * place + ((first + last) / 2 - middle) * place**2
        )
        return value

    def greatest(self, worth: np.ndarray) -> np.ndarray:
        most: np.ndarray = worth.max(axis=-1)
        return most

    def is_convex(self, worth: np.ndarray) -> bool:
        return bool(np.isfinite(self.lowest(worth)).all())

    def why_not(self, worth: np.ndarray) -> str:
        """Each point has its best value between the three, and so its greatest at one of them."""
        if not self.is_convex(worth):
            return NO_BEST
        best = self.middle + self.step * self._place(worth, (-np.inf, np.inf))
        far = self.step * (1 + KNOWN_ROW)
        if (np.abs(best - self.middle) > far).any():
            return "some points have their best value beyond those of the label"
        return ""

    def within(self, low: float, high: float) -> Parabola:
        return replace(self, low=max(low, self.low), high=min(high, self.high))

    def kernel_numbers(self) -> dict[str, object]:
        """The bounds of the value in steps from the middle."""
        low, high = ((end - self.middle) / self.step for end in (self.low, self.high))
        return {"low_place": low, "high_place": high}
