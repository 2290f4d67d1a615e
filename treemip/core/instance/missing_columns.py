"""Missing values as part of the encoding, so that the tree decides where they go.

A feature with missing values becomes several parts. In each of them a missing value is another
number, so a split sends missing values to a side of its choice: "missingness incorporated in
attributes" (Twala, Jones, Hand 2008, "Good methods for coping with missing data in decision
trees", Pattern Recognition Letters 29, 950-956).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from treemip.core.instance.encodings import AsIs, OneHot, Standard, Thermometer, fit_scale
from treemip.core.model.arrays import unique
from treemip.core.resolve.settings.data_spec import Scaling

MISSING = "missing"
"""What the level of missing values is called, as in `colour=missing`."""


@dataclass(frozen=True)
class Indicator:
    """One column that is 0 where a value is present."""

    kind: ClassVar[str] = "indicator"

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return (f"{column}={MISSING}",)

    def apply(self, values: np.ndarray) -> np.ndarray:
        return np.zeros((len(values), 1))


@dataclass(frozen=True)
class Part:
    """The columns that `finish` makes of present values; in a row without a value, `missing`.

    `missing` has a number for each of the columns. `end` is the training value next to the place of
    missing values: values beyond it count as the end, so that none is taken for a missing one.
    """

    finish: AsIs | Thermometer | OneHot | Indicator
    missing: tuple[float, ...]
    end: float | None = None

    @cached_property
    def lowest(self) -> bool:
        """Whether missing values are below the present ones, where there is an `end`."""
        assert self.end is not None
        return bool(self.missing[0] < self.finish.apply(np.array([self.end]))[0, 0])

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        names = self.finish.names(column, levels)
        if self.end is not None:
            return tuple(f"{n} ({MISSING} {'lowest' if self.lowest else 'highest'})" for n in names)
        if isinstance(self.finish, Thermometer) and any(self.missing):
            return tuple(f"{name} or {MISSING}" for name in names)
        return names

    def apply(self, values: np.ndarray) -> np.ndarray:
        """float64 (M, columns) from float64 (M,), NaN where a value is missing."""
        missing = np.isnan(values)
        present = np.where(missing, 0.0, values)
        if self.end is not None:
            present = (np.maximum if self.lowest else np.minimum)(present, self.end)
        return np.where(missing[:, None], np.array(self.missing), self.finish.apply(present))


@dataclass(frozen=True)
class Apart:
    """The columns of all parts. It is what a feature with missing values becomes, not a scaling."""

    kind: ClassVar[str] = "apart"
    parts: tuple[Part, ...]

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for part in self.parts for name in part.names(column, levels))

    def apply(self, values: np.ndarray) -> np.ndarray:
        """float64 (M, columns) from float64 (M,), NaN where a value is missing."""
        return np.hstack([part.apply(values) for part in self.parts])

    @cached_property
    def places(self) -> tuple[tuple[Part, int], ...]:
        """For each column, its part and its position there."""
        return tuple((part, k) for part in self.parts for k in range(len(part.missing)))

    @property
    def unseen_zero(self) -> bool:
        """Whether a value that training did not have is taken."""
        return any(getattr(part.finish, "unseen_zero", False) for part in self.parts)


INDICATOR = Part(Indicator(), (1.0,))


def numbers_with_sides(scaling: Scaling | None, values: np.ndarray) -> Apart:
    """Two columns: missing values below all present training values float64 (N,), and above them.

    They are as far away as consecutive distinct values are on average, 1 if there is one value.
    `minmax` scales each column with its missing values; `standard` takes mean and deviation from
    the values that are present. Raises OverflowError as `fit_scale`.
    """
    distinct = unique(values)
    low, high = float(distinct[0]), float(distinct[-1])
    with np.errstate(over="ignore"):
        gap = float((distinct[-1] - distinct[0]) / (len(distinct) - 1)) if low < high else 1.0
        below = float(min(low - gap, np.nextafter(low, -np.inf)))
        above = float(max(high + gap, np.nextafter(high, np.inf)))
    if not np.isfinite([below, above]).all():
        raise OverflowError
    fit_scale(scaling, np.array([below, above]))  # refuses what is too wide or too narrow
    kind = "none" if scaling is None else scaling.kind

    def part(place: float, end: float, other: float) -> Part:
        finish = fit_scale(scaling, np.array([place, other]))
        if kind == "standard":
            finish = Standard(low, 1.0) if low == high else fit_scale(scaling, values)
        return Part(finish, (float(finish.apply(np.array([place]))[0, 0]),), end)

    return Apart((part(below, low, high), part(above, high, low)))


def bins_with_sides(bins: Thermometer, values: np.ndarray) -> Apart:
    """[v >= e], [v >= e or missing], and whether the value is missing.

    Without the second where all present training values float64 (N,) are on one side of e: it
    would be constant, or the third.
    """
    edges = np.array(bins.edges)
    inner = tuple(edges[(edges > values.min()) & (edges <= values.max())].tolist())
    parts = [Part(bins, (0.0,) * len(edges)), Part(Thermometer(inner), (1.0,) * len(inner))]
    return Apart((*(part for part in parts if part.missing), INDICATOR))


def levels_with_missing(levels: OneHot) -> Apart:
    """A column for each level, and one more for missing values."""
    return Apart((Part(levels, (0.0,) * len(levels.kept)), INDICATOR))


def with_indicator(finish: AsIs | Thermometer | OneHot, fill: float) -> Apart:
    """The columns with missing values filled in, and whether the value is missing."""
    filled = tuple(finish.apply(np.array([fill]))[0].tolist())
    return Apart((*([Part(finish, filled)] if filled else []), INDICATOR))


# ---------------------------------------------------------------------- single columns of x


def part_of(finish: object, position: int) -> tuple[Part | None, object, int]:
    """The part that a column of x belongs to, None where missing values are not kept apart, with
    the encoding of what is present, and the column's position in it."""
    if not isinstance(finish, Apart):
        return None, finish, position
    part, place = finish.places[position]
    return part, part.finish, place


def scale_of(finish: object, position: int = 0) -> AsIs | None:
    """How a column of x scales a present number; None for 0/1 columns and kept ones."""
    scale = part_of(finish, position)[1]
    return scale if isinstance(scale, AsIs) else None


def finishes_of(finish: object) -> tuple[object, ...]:
    """The encodings of present values, one for each part."""
    return tuple(part.finish for part in finish.parts) if isinstance(finish, Apart) else (finish,)
