"""The values of a nominal column: classes, groups, categories; columns kept categorical."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from treemip.core.instance.cells import positions, spellings
from treemip.core.instance.columns import Column, is_numeric, read_numbers
from treemip.core.instance.decimals import number_of
from treemip.core.model.arrays import Ragged, offsets_of, unique
from treemip.core.model.tolerances import LAST_EXACT
from treemip.core.resolve.settings.data_spec import number_text


@dataclass(frozen=True)
class Levels:
    """Names in their order, and whether cells are compared with them as numbers or as texts.

    As numbers, 1, 1.0 and 01 are one level, named 1; as texts, 1 and 1.0 are.
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
            if np.abs(values).max() < LAST_EXACT:  # longer identifiers are texts
                return cls(tuple(number_text(value) for value in values.tolist()), True)
        return cls(_merged(column.texts.levels), False)

    def with_level(self, value: float | str, column: Column) -> Levels:
        """These levels, those of `column`, and another one; texts if that is no number."""
        text = value if isinstance(value, str) else number_text(value)
        numeric = self.numeric and number_of(text) is not None
        levels = self if numeric == self.numeric else Levels.of(column, False)
        names = {*levels.names, levels.name_of(text)}
        return Levels(tuple(sorted(names, key=float if numeric else None)), numeric)

    @cached_property
    def _values(self) -> np.ndarray:
        return np.array([float(name) for name in self.names])

    def name_of(self, written: str) -> str:
        """The name a value has here when someone writes it: 1 for 1.0 among numbers."""
        number = number_of(written) if self.numeric else None
        return written if number is None else number_text(number)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Of text levels, the position of the level that each text stands for."""
        return positions(self.names)

    def codes(self, column: Column) -> np.ndarray:
        """int64 (N,): the position of each cell's level, -1 where it is missing or unknown."""
        if not self.names:
            return np.full(len(column), -1)
        if self.numeric:
            read = read_numbers(column)
            numbers = np.nan_to_num(read)
            order = np.argsort(self._values)
            at = np.searchsorted(self._values, numbers, sorter=order)
            codes = order[np.minimum(at, len(order) - 1)]
            known = ~np.isnan(read) & (self._values[codes] == numbers)
            return np.where(known, codes, -1)
        texts = column.texts
        lookup = [*(self.positions.get(level, -1) for level in texts.levels), -1]
        return np.array(lookup, np.int64)[texts.codes]

    def to_json(self) -> dict[str, Any]:
        return {"names": list(self.names), "numeric": self.numeric}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Levels:
        """The inverse of `to_json`. Raises KeyError, TypeError, ValueError."""
        names, numeric = tuple(saved["names"]), bool(saved["numeric"])
        if not all(isinstance(name, str) for name in names):
            raise TypeError("a level has no name")
        if numeric and not all(isfinite(float(name)) for name in names):
            raise ValueError("a level of a numeric column is not a number")
        return cls(names, numeric)


def _merged(texts: tuple[str, ...]) -> tuple[str, ...]:
    """One text for each level, sorted: of the spellings that occur the shortest."""
    present = frozenset(texts)
    first = (next(each for each in spellings(text) if each in present) for text in texts)
    return tuple(sorted(set(first)))


# ----------------------------------------------------------------------- columns kept categorical


Coded = tuple[np.ndarray, tuple[str, ...]]


def category_names(kept: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """`column=value` for each category of columns with their values, in their order."""
    return tuple(f"{column}={name}" for column, names in kept for name in names)


def categories(kept: Mapping[str, Coded]) -> Ragged:
    """The numbers of each column's categories, which run through all columns."""
    offsets = offsets_of(np.array([len(names) for _, names in kept.values()], np.int64))
    return Ragged(offsets, np.arange(offsets[-1]))


def category_numbers(kept: Mapping[str, Coded], rows: int) -> np.ndarray:
    """Each row's category in each column, int64 (rows, columns); -1 for none."""
    numbers = np.full((rows, len(kept)), -1)
    first = categories(kept).offsets
    for c, (codes, _) in enumerate(kept.values()):
        numbers[:, c] = np.where(codes < 0, -1, codes + first[c])
    return numbers


def with_categories(x: np.ndarray, kept: Mapping[str, Coded]) -> np.ndarray:
    """x float64 (N, p) with a 0/1 column behind it for each category; a row of code -1 has none."""
    if not kept:
        return x
    has = [codes[:, None] == np.arange(len(names)) for codes, names in kept.values()]
    return np.hstack([x, *has]).astype(np.float64)
