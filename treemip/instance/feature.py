"""What becomes of one raw column: read, filled in, and turned into columns of x."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from operator import index
from typing import Any

import numpy as np

from treemip.instance.binning import Thermometer
from treemip.instance.column import Column
from treemip.instance.levels import Levels
from treemip.instance.missing import refuse
from treemip.instance.onehot import OneHot
from treemip.instance.place import Place
from treemip.instance.scale import AsIs, MinMax, Standard

Finish = AsIs | Thermometer | OneHot
FINISHES: dict[str, Any] = {
    finish.kind: finish for finish in (AsIs, MinMax, Standard, Thermometer, OneHot)
}


@dataclass(frozen=True)
class Feature:
    """A raw column as it was fitted on the training part.

    It is read as one number per row: itself, or with `levels` the position of its level. `fill`
    stands in for a missing one. `finish` turns the numbers into columns of x; without it the
    column is a categorical one that is kept out of x; `unseen_zero` is then whether a value that
    training did not have is taken, as none of the categories.
    """

    column: str
    levels: Levels | None
    fill: float | None
    finish: Finish | None
    unseen_zero: bool | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of x it becomes."""
        levels = self.levels.names if self.levels else ()
        return self.finish.names(self.column, levels) if self.finish else ()

    def read(self, column: Column, place: Place) -> np.ndarray:
        """float64 (M,): the number, or the level's position, -1 for one not seen in training.

        Raises TreemipError: E303 missing, E304 no number, E309 a level not seen.
        """
        missing = column.missing
        if self.fill is None and missing.any():
            refuse(self.column, missing, place)
        if self.levels is None:
            values = column.numbers.copy()
            if np.isnan(values).any():
                self._all_numbers(np.isnan(values) & ~missing, column, place)
        else:
            codes = self.levels.codes(column)
            self._all_known((codes < 0) & ~missing, column, place)
            values = codes.astype(np.float64)
        if self.fill is not None:
            values[missing] = self.fill
        return values

    def encode(self, column: Column, place: Place) -> np.ndarray:
        """float64 (M, columns of x); raises as `read`, and E304 where a number grows too large."""
        assert self.finish is not None, "a kept column has no place in x"
        encoded = self.finish.apply(self.read(column, place))
        if not np.isfinite(encoded).all():
            wild = np.flatnonzero(~np.isfinite(encoded).all(axis=1))
            what = f"{place.row(int(wild[0]))} has {column.text(int(wild[0]))} in '{self.column}'"
            place.fail("E304", f"{what}, too large to be scaled", column=self.column)
        return encoded

    def _all_numbers(self, wrong: np.ndarray, column: Column, place: Place) -> None:
        for k in np.flatnonzero(wrong)[:1].tolist():
            what = f"{place.row(k)} has '{column.text(k)}' in column '{self.column}'"
            message = f"{what}, which holds finite numbers"
            remedy = f'if it stands for a missing value, say  missing … marks "{column.text(k)}";'
            place.fail("E304", message, remedy, column=self.column)

    def _all_known(self, unknown: np.ndarray, column: Column, place: Place) -> None:
        allowed = self.finish.unseen_zero if isinstance(self.finish, OneHot) else self.unseen_zero
        if allowed:
            return
        for k in np.flatnonzero(unknown)[:1].tolist():
            what = f"{place.row(k)} has '{column.text(k)}' in column '{self.column}'"
            message = f"{what}, which is none of the values known from training or from its order"
            remedy = ""
            if isinstance(self.finish, OneHot):
                remedy = "encode onehot(unseen = zero)  gives such rows 0 in all its columns"
            elif self.unseen_zero is not None:
                remedy = (
                    "encode keep(unseen = zero)  sends such rows right where the column is tested"
                )
            place.fail("E309", message, remedy, column=self.column)

    def to_json(self) -> dict[str, Any]:
        kept = {} if self.unseen_zero is None else {"unseen_zero": self.unseen_zero}
        return {
            "column": self.column,
            "levels": self.levels.to_json() if self.levels else None,
            "fill": self.fill,
            "finish": {"kind": self.finish.kind, **asdict(self.finish)} if self.finish else None,
            **kept,
        }

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Feature:
        levels = Levels.from_json(given["levels"]) if given["levels"] is not None else None
        finish = _finish_from_json(given["finish"]) if given["finish"] is not None else None
        fill = given["fill"]
        filled = None if fill is None else _number(fill)
        return cls(str(given["column"]), levels, filled, finish, given.get("unseen_zero"))


def _finish_from_json(given: dict[str, Any]) -> Finish:
    values = {name: value for name, value in given.items() if name != "kind"}
    kind = FINISHES[given["kind"]]
    if kind is OneHot:
        kept = tuple(index(k) for k in values.pop("kept"))
        if not isinstance(values.get("unseen_zero", False), bool) or min(kept, default=0) < 0:
            raise ValueError("no one-hot encoding")
        return OneHot(kept, **values)
    if kind is Thermometer:
        return Thermometer(tuple(_number(edge) for edge in values.pop("edges")), **values)
    finish: Finish = kind(**{name: _number(value) for name, value in values.items()})
    if isinstance(finish, MinMax) and finish.low > finish.high:
        raise ValueError("the ends of a scale are exchanged")
    return finish


def _number(given: Any) -> float:
    """A finite one. Raises ValueError."""
    if not isinstance(given, int | float) or not isfinite(given):
        raise ValueError(f"{given!r} is not a number")
    return float(given)
