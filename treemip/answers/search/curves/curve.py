"""What a curve is: how the best answer of a leaf follows from what its points are worth.

What points are worth in a leaf is a sum of a few functions of its answer: the sums of the leaf's
points at a few answers say where it is least. Where there is no such formula, a leaf has the best
of K labels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from treemip.answers.search.leaf_answers import LeafAnswers
from treemip.core.instance.instance import Instance
from treemip.core.model.tolerances import EQUAL

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


class Curve(ABC):
    """Sums of functions of a leaf's answer, known by the worth at k answers, (..., k), which is to
    be minimized. What it chooses is the answer itself, a value or shares of the classes.

    kernel: its number in the compiled kernel, 0 where numpy alone knows it.
    """

    kernel: ClassVar[int] = 0

    @classmethod
    @abstractmethod
    def probes(cls, instance: Instance) -> tuple[Self, LeafAnswers] | None:
        """The curve of a spec's leaves, and the answers at which it is tested, of which every
        second one is among its k. None where leaves have no such answers."""

    @abstractmethod
    def fits(self, worth: np.ndarray) -> bool:
        """Whether worth at the answers of `probes`, float64 (..., 2 k - 1), is such a sum."""

    @property
    @abstractmethod
    def answers(self) -> LeafAnswers:
        """The k answers at which it is known."""

    @property
    @abstractmethod
    def default(self) -> float | np.ndarray:
        """An answer that any leaf may have, before its best one is known."""

    @abstractmethod
    def weights(self, values: np.ndarray) -> np.ndarray:
        """The weights by which worth at the k answers gives the worth at others, float64 (...,
        k)."""

    @abstractmethod
    def best(self, worth: np.ndarray) -> np.ndarray:
        """The answer of least worth, (...)."""

    @abstractmethod
    def least(self, worth: np.ndarray) -> np.ndarray:
        """The least worth, float64 (...)."""

    def lowest(self, worth: np.ndarray) -> np.ndarray:
        """A lower bound on worth at any answer, float64 (...); -inf where nothing bounds it."""
        return self.least(worth)

    @abstractmethod
    def greatest(self, worth: np.ndarray) -> np.ndarray:
        """What each of all points may add at most to a leaf with its best answer, float64 (M,),
        where `why_not` has no objection."""

    @abstractmethod
    def is_convex(self, worth: np.ndarray) -> bool:
        """Whether each sum of worth (..., k) has a best answer, or is the same at all."""

    def why_not(self, worth: np.ndarray) -> str:
        """Why what points are worth (M, k) has no least or no greatest value, "" where it has."""
        return "" if self.is_convex(worth) else NO_BEST

    def within(self, low: float, high: float) -> Curve:
        """The curve of answers between these, where they are values."""
        return self

    def kernel_sums(self, costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sums that the kernel takes, (s, M), of points' costs float64 (M, k), and what points
        cost besides, (M,)."""
        return (costs[:, 1:] - costs[:, :1]).T, costs[:, 0]

    def kernel_numbers(self) -> dict[str, object]:
        """Fields of the kernel's task that are the curve's."""
        return {}


class Combination(Curve):
    """A curve whose functions are a basis: factors of them follow from the worth at the answers
    `known`, and say the worth at others, such as those `between`. The factors from number `convex`
    on are not negative."""

    convex: ClassVar[int] = 1

    @property
    @abstractmethod
    def known(self) -> np.ndarray:
        """The k answers, float64 (k, ...)."""

    @property
    @abstractmethod
    def between(self) -> np.ndarray:
        """The others of `probes`, float64 (k - 1, ...)."""

    @abstractmethod
    def basis(self, values: np.ndarray) -> np.ndarray:
        """The functions at answers (...), float64 (..., k)."""

    @cached_property
    def inverse(self) -> np.ndarray:
        """The factors by the worth at the k answers, (k, k)."""
        return np.linalg.inv(self.basis(self.known))

    def fits(self, worth: np.ndarray) -> bool:
        there = worth[..., ::2] @ self.weights(self.between).T
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        return bool((np.abs(there - worth[..., 1::2]) <= size).all())

    def weights(self, values: np.ndarray) -> np.ndarray:
        return self.basis(np.asarray(values, float)) @ self.inverse

    def is_convex(self, worth: np.ndarray) -> bool:
        size = EQUAL * max(1.0, float(np.abs(worth).max(initial=0.0)))
        return bool((worth @ self.inverse[self.convex :].T >= -size).all())


Choice = OneOf | Curve
"""How the label of a leaf follows from what its points are worth with each."""
