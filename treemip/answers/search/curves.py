"""How the best answer of a leaf follows from what its points are worth: one of K labels, or a
value or shares of classes for which there is a formula.

What points are worth in a leaf is then a sum of a few functions of its answer, a curve: the sums of
the leaf's points at a few answers say where it is least.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from treemip.answers.search.leaf_answers import LABEL_TABLE, LeafAnswers, leaf_bounds, value_range
from treemip.core.instance.instance import Instance
from treemip.core.model.tolerances import EQUAL, KNOWN_ROW, LEAST_RATE
from treemip.core.resolve.sorts import CLASS

PROBES = 5
"""Values at which it is seen whether the objective is quadratic in them; a parabola needs three."""

NO_BEST = "some points have no best value"


class OneOf:
    """The best of K labels by worth float64 (..., K), to be minimized."""

    def best(self, worth: np.ndarray) -> np.ndarray:
        """The labels of least worth, (...)."""
        return worth.argmin(axis=-1)

    def least(self, worth: np.ndarray) -> np.ndarray:
        """The least worth, float64 (...)."""
        least: np.ndarray = worth.min(axis=-1)
        return least


ONE_OF = OneOf()


@dataclass(frozen=True)
class Parabola:
    """Sums of quadratic functions of a leaf's value, known at three values: `middle`, and `step`
    below and above it. low, high: the bounds of the value, perhaps infinite. What it chooses is the
    value itself."""

    middle: float
    step: float
    low: float = -np.inf
    high: float = np.inf

    @property
    def places(self) -> tuple[float, float]:
        """The bounds of the value in steps from the middle."""
        return (self.low - self.middle) / self.step, (self.high - self.middle) / self.step

    @classmethod
    def probes(cls, instance: Instance) -> tuple[Parabola, LeafAnswers] | None:
        """A parabola over the range of values, and the values at which it is tested."""
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

    @staticmethod
    def fits(worth: np.ndarray) -> bool:
        """Whether worth float64 (..., PROBES) is quadratic along its last axis."""
        first, _, middle, _, last = np.moveaxis(worth, -1, 0)
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        slope, bend = (last - first) / 2, (first + last) / 2 - middle
        for k, place in ((1, -0.5), (3, 0.5)):
            there = middle + slope * place + bend * place**2
            if (np.abs(there - worth[..., k]) > size).any():
                return False
        return True

    def weights(self, values: np.ndarray) -> np.ndarray:
        """How the worth at a value is made of that at the three, float64 (..., 3)."""
        t = (np.asarray(values, float) - self.middle) / self.step
        return np.stack([t * (t - 1) / 2, 1 - t * t, t * (t + 1) / 2], axis=-1)

    def best(self, worth: np.ndarray) -> np.ndarray:
        """The value of least worth, float64 (...), for worth (..., 3) at the three values."""
        return self.middle + self.step * self._place(worth, (self.low, self.high))

    def least(self, worth: np.ndarray) -> np.ndarray:
        """The least worth, float64 (...)."""
        return self._at(worth, self._place(worth, (self.low, self.high)))

    def lowest(self, worth: np.ndarray) -> np.ndarray:
        """What worth is not below at any value, float64 (...); -inf where it has no least value."""
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
        """What points are worth at most, (...), where `why_not` has no objection."""
        most: np.ndarray = worth.max(axis=-1)
        return most

    def is_convex(self, worth: np.ndarray) -> bool:
        """Whether the best value follows from any sum of worth (..., 3): each has one, or is the
        same at all values."""
        return bool(np.isfinite(self.lowest(worth)).all())

    def why_not(self, worth: np.ndarray) -> str:
        """Why what points are worth (M, 3) has no least or no greatest value, "" where it has: each
        has its best value between the three."""
        if not self.is_convex(worth):
            return NO_BEST
        best = self.middle + self.step * self._place(worth, (-np.inf, np.inf))
        far = self.step * (1 + KNOWN_ROW)
        if (np.abs(best - self.middle) > far).any():
            return "some points have their best value beyond those of the label"
        return ""


@dataclass(frozen=True)
class LogLinear:
    """Sums of functions a + b v - c log v of a leaf's value v, with c >= 0, as likelihoods of times
    and counts are: known at three values `at`. low, high: the bounds of the value; 0 is LEAST_RATE.
    What it chooses is the value itself."""

    at: tuple[float, float, float]
    low: float
    high: float

    @classmethod
    def probes(cls, instance: Instance) -> tuple[LogLinear, LeafAnswers] | None:
        """Below the variable's upper bound, and the values at which it is tested."""
        low, high = leaf_bounds(instance)
        if not 0 <= low < high < np.inf:
            return None
        tried = low + (high - low) * np.array([1e-3, 1.0, 1e-2, 0.3, 0.1])
        return cls(tuple(tried[::2].tolist()), max(low, LEAST_RATE), high), LeafAnswers.among(tried)

    @property
    def answers(self) -> LeafAnswers:
        """The three values."""
        return LeafAnswers.among(np.array(self.at))

    @property
    def middle(self) -> float:
        return self.at[1]

    @staticmethod
    def _basis(values: np.ndarray) -> np.ndarray:
        """(..., 3)"""
        return np.stack([np.ones_like(values), values, -np.log(values)], axis=-1)

    @cached_property
    def inverse(self) -> np.ndarray:
        """a, b and c by the worth at the three values, (3, 3)."""
        return np.linalg.inv(self._basis(np.array(self.at)))

    def fits(self, worth: np.ndarray) -> bool:
        """Whether worth float64 (..., PROBES) is such a function along its last axis."""
        own, others = worth[..., ::2], worth[..., 1::2]
        values = self.low + (self.high - self.low) * np.array([1.0, 0.3])
        there = own @ self.weights(values).T
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        return bool((np.abs(there - others) <= size).all())

    def weights(self, values: np.ndarray) -> np.ndarray:
        """How the worth at a value is made of that at the three, float64 (..., 3)."""
        return self._basis(np.maximum(np.asarray(values, float), LEAST_RATE)) @ self.inverse

    def best(self, worth: np.ndarray) -> np.ndarray:
        """The value of least worth, float64 (...), for worth (..., 3) at the three values."""
        best = self._place(worth @ self.inverse.T)
        return np.where(best > LEAST_RATE, best, 0.0)

    def least(self, worth: np.ndarray) -> np.ndarray:
        """The least worth, float64 (...)."""
        parts = worth @ self.inverse.T
        return self._at(parts, self._place(parts))

    lowest = least

    def greatest(self, worth: np.ndarray) -> np.ndarray:
        """The greatest worth, float64 (...): at one of the bounds, since it is convex."""
        parts = worth @ self.inverse.T
        ends = [self._at(parts, np.full(parts.shape[:-1], end)) for end in (self.low, self.high)]
        return np.maximum(*ends)

    def is_convex(self, worth: np.ndarray) -> bool:
        """As of a parabola, for worth (..., 3)."""
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        return bool((worth @ self.inverse[2] >= -size).all())

    def why_not(self, worth: np.ndarray) -> str:
        """Why what points are worth (M, 3) has no least value, "" where it has."""
        return "" if self.is_convex(worth) else NO_BEST

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


@dataclass(frozen=True)
class Shares:
    """Sums of s + sum over classes k of c[k] g[k](p) of a leaf's shares p of the K classes, where
    c >= 0 and g is a proper scoring rule: they are least at p = c / sum(c) (Gneiting and Raftery
    2007). Known at K + 1 shares. What it chooses are the shares, float64 (..., K)."""

    classes: int

    @classmethod
    def probes(cls, instance: Instance) -> tuple[Self, LeafAnswers] | None:
        """The shares that it is known at, and those at which it is tested."""
        predict, count = instance.spec.predict, len(instance.table.classes)
        assert predict is not None
        if not instance.spec.has_shares or predict.over != CLASS or count < 2:
            return None
        curve = cls(count)
        tried = np.empty((2 * count + 1, count))
        tried[::2], tried[1::2] = curve.known, curve._between
        return curve, LeafAnswers(LABEL_TABLE, len(tried), tried)

    @property
    def known(self) -> np.ndarray:
        """The shares that sums are known at, float64 (K + 1, K)."""
        alike = np.full(self.classes, 1 / self.classes)
        return np.vstack([alike, (alike + np.eye(self.classes)) / 2])

    @property
    def _between(self) -> np.ndarray:
        """Others, by which it is seen whether worth is such a sum, float64 (K, K)."""
        parts = 1.0 + np.arange(self.classes) + 3.0 * np.eye(self.classes)
        return np.asarray(parts / parts.sum(axis=1, keepdims=True))

    @property
    def answers(self) -> LeafAnswers:
        """Those."""
        return LeafAnswers(LABEL_TABLE, self.classes + 1, self.known)

    @property
    def middle(self) -> np.ndarray:
        alike: np.ndarray = self.known[0]
        return alike

    def _score(self, shares: np.ndarray) -> np.ndarray:
        """g float64 (..., K), for shares (..., K)."""
        raise NotImplementedError

    def _greatest(self, of_class: np.ndarray, whole: float) -> np.ndarray:
        """What c[k] g[k] of points, c float64 (..., K), add at most to leaves that have their best
        shares and a sum of all c up to `whole`, summed over k."""
        raise NotImplementedError

    def _basis(self, shares: np.ndarray) -> np.ndarray:
        score = self._score(np.asarray(shares, float))
        return np.concatenate([np.ones((*score.shape[:-1], 1)), score], axis=-1)

    @cached_property
    def inverse(self) -> np.ndarray:
        """s and c by the worth at the known shares, (K + 1, K + 1)."""
        return np.linalg.inv(self._basis(self.known))

    def fits(self, worth: np.ndarray) -> bool:
        """Whether worth float64 (..., 2 K + 1) is such a function along its last axis."""
        there = worth[..., ::2] @ self.weights(self._between).T
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        return bool((np.abs(there - worth[..., 1::2]) <= size).all())

    def weights(self, values: np.ndarray) -> np.ndarray:
        """How the worth at shares (..., K) is made of that at the known ones, (..., K + 1)."""
        return self._basis(np.maximum(values, LEAST_RATE)) @ self.inverse

    def parts(self, worth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """s float64 (...) and c (..., K), for worth (..., K + 1)."""
        parts = worth @ self.inverse.T
        return parts[..., 0], np.maximum(parts[..., 1:], 0.0)

    def best(self, worth: np.ndarray) -> np.ndarray:
        """The shares of least worth, float64 (..., K), for worth (..., K + 1)."""
        of_class = self.parts(worth)[1]
        # Weights of ten digits, from which sums over the known shares differ in the last ones.
        unit = 10.0 ** (np.floor(np.log10(max(float(of_class.max(initial=0.0)), LEAST_RATE))) - 9)
        of_class = np.rint(of_class / unit) * unit
        whole = of_class.sum(axis=-1, keepdims=True)
        some = whole > 0
        return np.where(some, of_class / np.where(some, whole, 1.0), self.middle)

    def least(self, worth: np.ndarray) -> np.ndarray:
        """The least worth, float64 (...)."""
        first, of_class = self.parts(worth)
        return first + self._least(of_class)

    lowest = least

    def _least(self, of_class: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def greatest(self, worth: np.ndarray) -> np.ndarray:
        """What each of all points adds at most to a leaf with its best shares, float64 (M,)."""
        first, of_class = self.parts(worth)
        most: np.ndarray = first + self._greatest(of_class, float(of_class.sum()))
        return most

    def is_convex(self, worth: np.ndarray) -> bool:
        """As of a parabola, for worth (..., K + 1)."""
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        return bool((worth @ self.inverse[1:].T >= -size).all())

    def why_not(self, worth: np.ndarray) -> str:
        """Why what points are worth (M, K + 1) has no least value, "" where it has."""
        return "" if self.is_convex(worth) else NO_BEST


class QuadraticShares(Shares):
    """The Brier score, g[k](p) = |p|^2 - 2 p[k]: at the best shares the Gini impurity."""

    def _score(self, shares: np.ndarray) -> np.ndarray:
        return np.asarray((shares**2).sum(axis=-1, keepdims=True) - 2 * shares)

    def _least(self, of_class: np.ndarray) -> np.ndarray:
        whole = of_class.sum(axis=-1)
        return -np.asarray((of_class**2).sum(axis=-1)) / np.where(whole > 0, whole, 1.0)

    def _greatest(self, of_class: np.ndarray, whole: float) -> np.ndarray:
        return np.asarray(of_class.sum(axis=-1) - 2 * of_class.min(axis=-1))


class LogShares(Shares):
    """The log-loss, g[k](p) = -log(p[k]): at the best shares the entropy."""

    def _score(self, shares: np.ndarray) -> np.ndarray:
        return -np.log(shares)

    def _least(self, of_class: np.ndarray) -> np.ndarray:
        return _times_log(of_class.sum(axis=-1)) - np.asarray(_times_log(of_class).sum(axis=-1))

    def _greatest(self, of_class: np.ndarray, whole: float) -> np.ndarray:
        """Weight v more of a class in a leaf of weight C adds (C + v) log(C + v) - C log(C) -
        v log(v) where it is the first, and less where it is not: at most v (1 + log(whole / v))."""
        some = of_class > 0
        ratio = whole / np.where(some, of_class, 1.0)
        return np.asarray(np.where(some, of_class * (1 + np.log(ratio)), 0.0).sum(axis=-1))


def _times_log(x: np.ndarray) -> np.ndarray:
    """x log(x), 0 at 0."""
    return np.asarray(x * np.log(np.where(x > 0, x, 1.0)))


Curve = Parabola | LogLinear | Shares
CURVES: tuple[type[Curve], ...] = (Parabola, LogLinear, QuadraticShares, LogShares)
"""In the order of the kernel's numbers, 1 being the first's."""

Choice = OneOf | Curve
"""How the label of a leaf follows from what its points are worth with each."""
