"""Numbers as they are, or scaled along a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treemip.core.instance.encodings.doubles import double_at, ordinal
from treemip.core.instance.encodings.finish import IDENTITY, Line, Number, require_normal_spread


@dataclass(frozen=True)
class AsIs(Number):
    """The number itself."""

    kind: ClassVar[str] = "none"

    @property
    def line(self) -> Line | None:
        return IDENTITY

    def apply(self, values: np.ndarray) -> np.ndarray:
        return values[:, None]

    def unscaled(self, value: float) -> float:
        return value

    @classmethod
    def fit(cls, arguments: tuple[float, ...], values: np.ndarray) -> Number:
        return AS_IS


AS_IS = AsIs()


@dataclass(frozen=True)
class MinMax(Number):
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

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("the upper end of a scale is below the lower one")
        if self.lower >= self.upper:
            raise ValueError("the upper end of a scaled feature is not above the lower one")

    @property
    def line(self) -> Line | None:
        return Line(self.low, self.high - self.low, self.lower, self.upper)

    @property
    def constant(self) -> float | None:
        return self.lower if self.low == self.high else None

    def apply(self, values: np.ndarray) -> np.ndarray:
        if self.low == self.high:
            return np.full((len(values), 1), self.lower)
        with np.errstate(over="ignore"):
            share = (values - self.low) / (self.high - self.low)
            scaled = self.lower + (self.upper - self.lower) * share
        # lower + (upper - lower) may round to a neighbour of upper. Below a share of 1 nothing
        # passes the upper end: (upper - lower) share is then at least one double smaller.
        return np.where(share == 1, self.upper, scaled)[:, None]

    def unscaled(self, value: float) -> float:
        share = (value - self.lower) / (self.upper - self.lower)
        return self.low + share * (self.high - self.low)

    def turns(self) -> list[float]:
        """The least and greatest number whose share is 1, and their outer neighbours: the upper end
        is set, and may be above what the next larger number becomes."""
        if self.low == self.high:
            return []
        span = self.high - self.low

        def is_end(position: int) -> bool:
            with np.errstate(over="ignore"):
                return bool((np.float64(double_at(position)) - self.low) / span == 1)

        found = []
        for direction in (-1, 1):
            at, step = ordinal(self.high), 1
            while is_end(at + direction * step):
                step *= 2
            inside, outside = 0, step
            while outside - inside > 1:
                middle = (inside + outside) // 2
                if is_end(at + direction * middle):
                    inside = middle
                else:
                    outside = middle
            found += [double_at(at + direction * inside), double_at(at + direction * outside)]
        return found

    def described(
        self, shown: Callable[[float], str], low: float | None, high: float | None
    ) -> str:
        (first, lower), (last, upper) = (
            (given, own_end) if end is None else (end, float(self.apply(np.array([end]))[0, 0]))
            for end, given, own_end in ((low, self.low, self.lower), (high, self.high, self.upper))
        )
        return f"{shown(first)} .. {shown(last)} becomes {shown(lower)} .. {shown(upper)}"

    @classmethod
    def fit(cls, arguments: tuple[float, ...], values: np.ndarray) -> Number:
        require_normal_spread(values)
        return cls(float(values.min()), float(values.max()), *arguments)


@dataclass(frozen=True)
class Standard(Number):
    """(v - mean) / deviation, the deviation of the training values with divisor N.

    A feature with one training value has deviation 0 and is 0 everywhere.
    """

    kind: ClassVar[str] = "standard"
    mean: float
    deviation: float

    @property
    def line(self) -> Line | None:
        return Line(self.mean, self.deviation)

    @property
    def constant(self) -> float | None:
        return 0.0 if self.deviation == 0 else None

    def apply(self, values: np.ndarray) -> np.ndarray:
        if self.deviation == 0:
            return np.zeros((len(values), 1))
        with np.errstate(over="ignore"):
            return ((values - self.mean) / self.deviation)[:, None]

    def unscaled(self, value: float) -> float:
        return self.mean + value * self.deviation

    def described(
        self, shown: Callable[[float], str], low: float | None, high: float | None
    ) -> str:
        deviation = f"standard deviation {shown(self.deviation)} becomes 1"
        return f"mean {shown(self.mean)} becomes 0, {deviation}"

    @classmethod
    def fit(cls, arguments: tuple[float, ...], values: np.ndarray) -> Number:
        require_normal_spread(values)
        if values.min() == values.max():
            return cls(float(values.min()), 0.0)
        with np.errstate(all="ignore"):
            mean, deviation = float(values.mean()), float(values.std())
        if not (np.isfinite(mean) and np.finfo(float).tiny <= deviation < np.inf):
            raise OverflowError
        return cls(mean, deviation)

    @classmethod
    def fit_beside(cls, arguments: tuple[float, ...], values: np.ndarray, place: float) -> Number:
        """Of the values that are present, so that missing ones stay in their place."""
        constant = values.min() == values.max()
        return cls(float(values.min()), 1.0) if constant else cls.fit(arguments, values)
