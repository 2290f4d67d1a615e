"""What every encoding says of itself: its columns of x, and what readers of splits need to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np


@dataclass(frozen=True)
class Finish:
    """What numbers, or positions of levels, become, as it was fitted on the training part.

    kind: its name in tree.json. binary: whether its columns are 0 or 1 in all rows.
    """

    kind: ClassVar[str]
    binary: ClassVar[bool] = False
    by_kind: ClassVar[dict[str, type[Finish]]] = {}

    def __init_subclass__(cls) -> None:
        Finish.by_kind[cls.kind] = cls

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        """What the columns of x are called."""
        raise NotImplementedError

    def apply(self, values: np.ndarray) -> np.ndarray:
        """float64 (M, columns) from float64 (M,)."""
        return self.holds(values).astype(np.float64)

    def holds(self, values: np.ndarray) -> np.ndarray:
        """Of a binary one, bool (M, columns) from float64 (M,)."""
        raise NotImplementedError

    def turns(self) -> list[float]:
        """Numbers between which no column falls and then rises, or rises and then falls."""
        return []

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, **asdict(self)}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Self:
        """From the fields that `to_json` wrote, all numbers or tuples of them.

        Raises LookupError, TypeError and ValueError.
        """
        several = {field.name for field in fields(cls) if str(field.type).startswith("tuple")}
        return cls(**{k: finites(v) if k in several else finite(v) for k, v in saved.items()})


@dataclass(frozen=True)
class Line:
    """lower + (upper - lower) ((v - origin) / unit), computed in this order; `upper` where the
    quotient is 1."""

    origin: float
    unit: float
    lower: float = 0.0
    upper: float = 1.0

    @property
    def slope(self) -> float:
        return (self.upper - self.lower) / self.unit

    @property
    def offset(self) -> float:
        """What 0 becomes."""
        return self.lower - self.slope * self.origin


IDENTITY = Line(0.0, 1.0)


@dataclass(frozen=True)
class Number(Finish):
    """One column of x, which never falls where the number rises."""

    kind: ClassVar[str] = ""

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return (column,)

    @property
    def line(self) -> Line | None:
        """The line that the column is of the number, if it is one."""
        return None

    @property
    def constant(self) -> float | None:
        """What all numbers become, where training had a single one."""
        return None

    def unscaled(self, value: float) -> float:
        """A number that becomes `value`."""
        raise NotImplementedError

    def described(
        self, shown: Callable[[float], str], low: float | None, high: float | None
    ) -> str:
        """The scale in words, from `low` up to `high` where it ends there; may be empty."""
        return ""

    @classmethod
    def fit(cls, arguments: tuple[float, ...], values: np.ndarray) -> Number:
        """From training values float64 (N,) and what the setting has in brackets.

        Raises OverflowError where their spread is no normal double.
        """
        raise NotImplementedError

    @classmethod
    def fit_beside(cls, arguments: tuple[float, ...], values: np.ndarray, place: float) -> Number:
        """The same with missing values at `place`, outside of the training values."""
        return cls.fit(arguments, np.append(values, place))


def finite(value: Any) -> float:
    """A finite number of a file. Raises ValueError."""
    if not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


def finites(values: Iterable[Any]) -> tuple[float, ...]:
    """The same of several."""
    return tuple(map(finite, values))


def require_normal_spread(values: np.ndarray) -> None:
    """Raises OverflowError where values lie so far apart, or so near, that their spread is no
    normal double."""
    low, high = float(values.min()), float(values.max())
    if low < high and not np.finfo(float).tiny <= high / 2 - low / 2 < np.finfo(float).max / 2:
        raise OverflowError
