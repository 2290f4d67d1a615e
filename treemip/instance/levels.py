"""The values of a nominal column: classes, groups, categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from treemip.instance.column import Column, is_numeric
from treemip.model.unique import unique
from treemip.resolve.settings.data_spec import number_text

# From here on neighbouring integers share a double, so such values (long identifiers) are texts.
EXACT = 2.0**53


@dataclass(frozen=True)
class Levels:
    """Names in their order, and whether cells are compared with them as numbers or as texts.

    As numbers, 1, 1.0 and 01 are one level, named 1.
    """

    names: tuple[str, ...]
    numeric: bool

    @classmethod
    def of(cls, column: Column, numeric: bool | None = None) -> Levels:
        """Every value present, sorted as numbers or by their text.

        As numbers where all values are, unless `numeric` says which.
        """
        if is_numeric(column) if numeric is None else numeric:
            values = unique(column.numbers[~column.missing])
            if np.abs(values).max() < EXACT:
                return cls(tuple(number_text(value) for value in values.tolist()), True)
        return cls(column.texts.levels, False)

    @cached_property
    def _values(self) -> np.ndarray:
        return np.array([float(name) for name in self.names])

    def name_of(self, written: str) -> str:
        """The name a value has here when someone writes it: 1 for 1.0 among numbers."""
        try:
            return number_text(float(written)) if self.numeric else written
        except (ValueError, OverflowError):
            return written

    def codes(self, column: Column) -> np.ndarray:
        """int64 (N,): the position of each cell's level, -1 where it is missing or unknown."""
        if not self.names:
            return np.full(len(column), -1)
        if self.numeric:
            numbers = np.nan_to_num(column.numbers)
            order = np.argsort(self._values)
            at = np.searchsorted(self._values, numbers, sorter=order)
            codes = order[np.minimum(at, len(order) - 1)]
            known = ~np.isnan(column.numbers) & (self._values[codes] == numbers)
            return np.where(known, codes, -1)
        position = {name: k for k, name in enumerate(self.names)}
        texts = column.texts
        lookup = np.array([*(position.get(level, -1) for level in texts.levels), -1], np.int64)
        return lookup[texts.codes]

    def to_json(self) -> dict[str, Any]:
        return {"names": list(self.names), "numeric": self.numeric}

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Levels:
        """The inverse of `to_json`. Raises KeyError, TypeError, ValueError."""
        names, numeric = tuple(given["names"]), bool(given["numeric"])
        if not all(isinstance(name, str) for name in names):
            raise TypeError("a level has no name")
        if numeric and not all(isfinite(float(name)) for name in names):
            raise ValueError("a level among numbers is no number")
        return cls(names, numeric)
