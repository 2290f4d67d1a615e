"""Missing values as part of the encoding, so that the tree decides where they go.

A feature with missing values becomes several parts. In each of them a missing value is another
number, so a split sends missing values to a side of its choice: "missingness incorporated in
attributes" (Twala, Jones, Hand 2008, "Good methods for coping with missing data in decision
trees", Pattern Recognition Letters 29, 950-956).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from treemip.core.instance.encodings import Finish, Number, Thermometer, scale_class
from treemip.core.instance.encodings.finish import finite, finites, require_normal_spread
from treemip.core.model.arrays import unique
from treemip.core.resolve.settings.data_spec import Scaling

MISSING = "missing"
"""What the level of missing values is called, as in `colour=missing`."""


@dataclass(frozen=True)
class Indicator(Finish):
    """One column that is 0 where a value is present."""

    kind: ClassVar[str] = "indicator"
    binary: ClassVar[bool] = True

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return (f"{column}={MISSING}",)

    def holds(self, values: np.ndarray) -> np.ndarray:
        return np.zeros((len(values), 1), bool)


@dataclass(frozen=True)
class Part:
    """The columns that `finish` makes of present values; in a row without a value, `missing`.

    `missing` has a number for each of the columns. `end` is the training value next to the place of
    missing values: values beyond it count as the end, so that none is taken for a missing one.
    """

    finish: Finish
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

    def to_json(self) -> dict[str, Any]:
        end = {} if self.end is None else {"end": self.end}
        return {"finish": self.finish.to_json(), "missing": list(self.missing), **end}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Part:
        finish, end = finish_from_json(saved["finish"]), saved.get("end")
        missing = finites(saved["missing"])
        if len(missing) != finish.apply(np.zeros(1)).shape[1] or not missing:
            raise ValueError("a missing value has too few or too many numbers")
        if end is not None and not isinstance(finish, Number):
            raise ValueError("only a column of numbers as they are has an end")
        return cls(finish, missing, None if end is None else finite(end))


@dataclass(frozen=True)
class Apart(Finish):
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

    def turns(self) -> list[float]:
        return [number for part in self.parts for number in part.finish.turns()]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "parts": [part.to_json() for part in self.parts]}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Apart:
        return cls(**saved | {"parts": tuple(map(Part.from_json, saved["parts"]))})


def finish_from_json(saved: dict[str, Any]) -> Finish:
    """Raises LookupError, TypeError and ValueError for what no encoding wrote."""
    fields = {name: value for name, value in saved.items() if name != "kind"}
    finish: Finish = Finish.by_kind[saved["kind"]].from_json(fields)
    return finish


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
    if scaling is not None and scaling.kind != "none":
        require_normal_spread(np.array([below, above]))
    arguments = scaling.arguments if scaling else ()

    def part(place: float, end: float) -> Part:
        finish = scale_class(scaling).fit_beside(arguments, values, place)
        return Part(finish, (float(finish.apply(np.array([place]))[0, 0]),), end)

    return Apart((part(below, low), part(above, high)))


def bins_with_sides(bins: Thermometer, values: np.ndarray) -> Apart:
    """[v >= e], [v >= e or missing], and whether the value is missing.

    Without the second where all present training values float64 (N,) are on one side of e: it
    would be constant, or the third.
    """
    edges = np.array(bins.edges)
    inner = tuple(edges[(edges > values.min()) & (edges <= values.max())].tolist())
    parts = [Part(bins, (0.0,) * len(edges)), Part(Thermometer(inner), (1.0,) * len(inner))]
    return Apart((*(part for part in parts if part.missing), INDICATOR))


def levels_with_missing(levels: Finish) -> Apart:
    """The 0/1 columns of levels, and one more for missing values."""
    columns = levels.apply(np.zeros(1)).shape[1]
    return Apart((Part(levels, (0.0,) * columns), INDICATOR))


def with_indicator(finish: Finish, fill: float) -> Apart:
    """The columns with missing values filled in, and whether the value is missing."""
    filled = tuple(finish.apply(np.array([fill]))[0].tolist())
    return Apart((*([Part(finish, filled)] if filled else []), INDICATOR))


# ---------------------------------------------------------------------- single columns of x


def part_of(finish: Finish | None, position: int) -> tuple[Part | None, Finish | None, int]:
    """The part that a column of x belongs to, None where missing values are not kept apart, with
    the encoding of what is present, and the column's position in it."""
    if not isinstance(finish, Apart):
        return None, finish, position
    part, place = finish.places[position]
    return part, part.finish, place


def scale_of(finish: Finish | None, position: int = 0) -> Number | None:
    """How a column of x scales a present number; None for 0/1 columns and kept ones."""
    scale = part_of(finish, position)[1]
    return scale if isinstance(scale, Number) else None


def finishes_of(finish: Finish | None) -> tuple[Finish, ...]:
    """The encodings of present values, one for each part."""
    if isinstance(finish, Apart):
        return tuple(part.finish for part in finish.parts)
    return () if finish is None else (finish,)
