"""Shares of the classes in a leaf, by proper scoring rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from treemip.answers.search.curves.curve import Combination
from treemip.answers.search.leaf_answers import LABEL_TABLE, LeafAnswers
from treemip.core.instance.instance import Instance
from treemip.core.model.tolerances import LEAST_RATE
from treemip.core.resolve.sorts import CLASS


@dataclass(frozen=True)
class Shares(Combination):
    """Sums of s + sum over classes k of c[k] g[k](p) of a leaf's shares p of the K classes, where
    c >= 0 and g is a proper scoring rule: they are least at p = c / sum(c) (Gneiting and Raftery
    2007). Known at K + 1 shares. What it chooses are the shares, float64 (..., K)."""

    classes: int

    @classmethod
    def probes(cls, instance: Instance) -> tuple[Self, LeafAnswers] | None:
        predict, count = instance.spec.predict, len(instance.table.classes)
        assert predict is not None
        if not instance.spec.has_shares or predict.over != CLASS or count < 2:
            return None
        curve = cls(count)
        tried = np.empty((2 * count + 1, count))
        tried[::2], tried[1::2] = curve.known, curve.between
        return curve, LeafAnswers(LABEL_TABLE, len(tried), tried)

    @property
    def answers(self) -> LeafAnswers:
        return LeafAnswers(LABEL_TABLE, self.classes + 1, self.known)

    @property
    def known(self) -> np.ndarray:
        alike = np.full(self.classes, 1 / self.classes)
        return np.vstack([alike, (alike + np.eye(self.classes)) / 2])

    @property
    def between(self) -> np.ndarray:
        parts = 1.0 + np.arange(self.classes) + 3.0 * np.eye(self.classes)
        return np.asarray(parts / parts.sum(axis=1, keepdims=True))

    @property
    def default(self) -> np.ndarray:
        alike: np.ndarray = self.known[0]
        return alike

    def _score(self, shares: np.ndarray) -> np.ndarray:
        """g float64 (..., K), for shares (..., K)."""
        raise NotImplementedError

    def _greatest(self, of_class: np.ndarray, whole: float) -> np.ndarray:
        """What c[k] g[k] of points, c float64 (..., K), add at most to leaves that have their best
        shares and a sum of all c up to `whole`, summed over k."""
        raise NotImplementedError

    def basis(self, values: np.ndarray) -> np.ndarray:
        score = self._score(np.asarray(values, float))
        return np.concatenate([np.ones((*score.shape[:-1], 1)), score], axis=-1)

    def parts(self, worth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """s float64 (...) and c (..., K), for worth (..., K + 1)."""
        parts = worth @ self.inverse.T
        return parts[..., 0], np.maximum(parts[..., 1:], 0.0)

    def best(self, worth: np.ndarray) -> np.ndarray:
        of_class = self.parts(worth)[1]
        # Weights of ten digits, from which sums over the known shares differ in the last ones.
        unit = 10.0 ** (np.floor(np.log10(max(float(of_class.max(initial=0.0)), LEAST_RATE))) - 9)
        of_class = np.rint(of_class / unit) * unit
        whole = of_class.sum(axis=-1, keepdims=True)
        some = whole > 0
        return np.where(some, of_class / np.where(some, whole, 1.0), self.default)

    def least(self, worth: np.ndarray) -> np.ndarray:
        first, of_class = self.parts(worth)
        return first + self._least(of_class)

    def _least(self, of_class: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def greatest(self, worth: np.ndarray) -> np.ndarray:
        first, of_class = self.parts(worth)
        most: np.ndarray = first + self._greatest(of_class, float(of_class.sum()))
        return most

    def kernel_sums(self, costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By class, rather than what the other known shares cost more than the first."""
        base, of_class = self.parts(costs)
        return of_class.T, base


class QuadraticShares(Shares):
    """The Brier score, g[k](p) = |p|^2 - 2 p[k]: at the best shares the Gini impurity."""

    kernel = 3

    def _score(self, shares: np.ndarray) -> np.ndarray:
        return np.asarray((shares**2).sum(axis=-1, keepdims=True) - 2 * shares)

    def _least(self, of_class: np.ndarray) -> np.ndarray:
        whole = of_class.sum(axis=-1)
        return -np.asarray((of_class**2).sum(axis=-1)) / np.where(whole > 0, whole, 1.0)

    def _greatest(self, of_class: np.ndarray, whole: float) -> np.ndarray:
        return np.asarray(of_class.sum(axis=-1) - 2 * of_class.min(axis=-1))


class LogShares(Shares):
    """The log-loss, g[k](p) = -log(p[k]): at the best shares the entropy."""

    kernel = 4

    def _score(self, shares: np.ndarray) -> np.ndarray:
        return -np.log(np.maximum(shares, LEAST_RATE))

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
