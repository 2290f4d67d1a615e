"""A raw column as it was fitted on the training part: read, filled in, turned into columns of x."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treemip.core.instance.categories import Levels
from treemip.core.instance.columns import Column, read_numbers
from treemip.core.instance.encodings import Finish, OneHot
from treemip.core.instance.encodings.finish import finite
from treemip.core.instance.missing import NEW_ROWS, refuse
from treemip.core.instance.missing_columns import (
    MISSING,
    Apart,
    Indicator,
    finish_from_json,
    finishes_of,
)
from treemip.core.instance.row_location import RowLocation
from treemip.core.instance.written_numbers import odd_numbers
from treemip.core.resolve.settings.data_spec import as_text, number_text


@dataclass(frozen=True)
class Feature:
    """A raw column as it was fitted on the training part.

    It is read as one number per row: itself, or with `levels` the position of its level. `fill`
    stands in for a missing one. `finish` turns the numbers into columns of x; without it the
    column is a categorical one that is kept out of x; `unseen_zero` is then whether a value that
    training did not have is taken, as none of the categories, and `missing_level` whether a missing
    one is a category of its own. `without_side`: the spec asks for sides of missing values,
    training had none to learn them from, and `fill` is the median or mode.
    """

    column: str
    levels: Levels | None
    fill: float | None
    finish: Finish | None
    unseen_zero: bool | None = None
    missing_level: bool = False
    without_side: bool = False

    @property
    def keeps_missing(self) -> bool:
        """Whether the tree itself decides where missing values go."""
        return self.missing_level or isinstance(self.finish, Apart)

    @property
    def takes_unseen(self) -> bool:
        """Whether a value that training did not have is routed rather than refused."""
        return bool(getattr(self.finish, "unseen_zero", self.unseen_zero))

    @property
    def categories(self) -> tuple[str, ...]:
        """The values of a kept column, with that of missing ones."""
        assert self.levels is not None
        return (*self.levels.names, *([MISSING] if self.missing_level else []))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of x it becomes."""
        levels = self.levels.names if self.levels else ()
        return self.finish.names(self.column, levels) if self.finish else ()

    def read(self, column: Column, place: RowLocation) -> np.ndarray:
        """float64 (M,), not to be changed: the number, or the level's position, -1 for one not seen
        in training.

        NaN where the value is missing and the feature keeps missing values.

        Raises TreemipError: E303 missing, E304 no number, E309 a level not seen.
        """
        missing = column.missing
        if self.fill is None and not self.keeps_missing and missing.any():
            refuse(self.column, missing, place, NEW_ROWS)
        if self.levels is None:
            values = read_numbers(column)
            if np.isnan(values).any():
                values = values.copy()
                self._all_numbers(np.isnan(values) & ~missing, column, place)
        else:
            codes = self.levels.codes(column)
            self._all_known((codes < 0) & ~missing, column, place)
            values = codes.astype(np.float64)
        if missing.any() and (self.fill is not None or self.keeps_missing):
            values[missing] = np.nan if self.fill is None else self.fill
        return values

    @property
    def fill_text(self) -> str:
        """What stands in for a missing value, for a message."""
        assert self.fill is not None
        if self.levels is None:
            return f"{number_text(self.fill)}, its training median"
        return f"'{self.levels.names[int(self.fill)]}', its most frequent training value"

    def encode(self, column: Column, place: RowLocation) -> np.ndarray:
        """float64 (M, columns of x); raises as `read`, and E304 where a number grows too large."""
        assert self.finish is not None, "a kept column has no place in x"
        encoded = self.finish.apply(self.read(column, place))
        if not np.isfinite(encoded).all():
            wild = np.flatnonzero(~np.isfinite(encoded).all(axis=1))
            what = f"{place.row(int(wild[0]))} has {column.text(int(wild[0]))} in '{self.column}'"
            place.fail("E304", f"{what}, too large to be scaled", column=self.column)
        return encoded

    def _all_numbers(self, wrong: np.ndarray, column: Column, place: RowLocation) -> None:
        for k in np.flatnonzero(wrong)[:1].tolist():
            what = f"{place.row(k)} has '{column.text(k)}' in column '{self.column}'"
            message = f"{what}, which holds finite numbers"
            mark = as_text(column.text(k))
            remedy = f"if it stands for a missing value, write  missing … marks {mark};"
            if odd := odd_numbers(self.column, column.texts.levels):
                remedy = odd.remedy
            place.fail("E304", message, remedy, column=self.column)

    def _all_known(self, unknown: np.ndarray, column: Column, place: RowLocation) -> None:
        if self.takes_unseen:
            return
        for k in np.flatnonzero(unknown)[:1].tolist():
            what = f"{place.row(k)} has '{column.text(k)}' in column '{self.column}'"
            message = f"{what}, which is not among the values in the training part or in its order"
            remedy = ""
            if any(isinstance(each, OneHot) for each in finishes_of(self.finish)):
                remedy = "encode onehot(unseen = zero)  gives such rows 0 in all its columns"
            elif self.unseen_zero is not None:
                remedy = (
                    "encode keep(unseen = zero)  sends such rows right where the column is tested"
                )
            place.fail("E309", message, remedy, column=self.column)

    def to_json(self) -> dict[str, Any]:
        kept = {} if self.unseen_zero is None else {"unseen_zero": self.unseen_zero}
        kept |= {"missing_level": True} if self.missing_level else {}
        kept |= {"without_side": True} if self.without_side else {}
        return {
            "column": self.column,
            "levels": self.levels.to_json() if self.levels else None,
            "fill": self.fill,
            "finish": self.finish.to_json() if self.finish else None,
            **kept,
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Feature:
        levels = Levels.from_json(saved["levels"]) if saved["levels"] is not None else None
        finish = finish_from_json(saved["finish"]) if saved["finish"] is not None else None
        if isinstance(finish, Indicator):
            raise ValueError("an indicator of missing values stands alone")
        fill = saved["fill"]
        filled = None if fill is None else finite(fill)
        unseen, level = saved.get("unseen_zero"), saved.get("missing_level", False)
        if not isinstance(level, bool) or (level and finish is not None):
            raise ValueError("missing_level is not a truth value, or stands beside an encoding")
        without_side = saved.get("without_side", False)
        if not isinstance(without_side, bool) or (without_side and filled is None):
            raise ValueError("a feature without a side for missing values has no fill-in")
        return cls(str(saved["column"]), levels, filled, finish, unseen, level, without_side)
