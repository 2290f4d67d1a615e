"""The encoder: everything fitted on the training part, replayed on any raw rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treemip.instance.column import Column, Unreadable, column_of
from treemip.instance.feature import Feature
from treemip.instance.kept import Coded, category_names, with_categories
from treemip.instance.levels import Levels
from treemip.instance.place import Place
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import did_you_mean, listed

Columns = Mapping[str, np.ndarray] | Mapping[str, Column]


@dataclass(frozen=True)
class Encoder:
    """Raw columns to x, class numbers and kept categories.

    `features` become x in their order, `kept` stay categorical. `marks` are the cells, beside the
    empty one, that count as missing.
    """

    features: tuple[Feature, ...]
    kept: tuple[Feature, ...]
    label: str
    classes: Levels
    marks: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of x."""
        return tuple(name for feature in self.features for name in feature.names)

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """Names of the columns that `inputs` has."""
        kept = ((f.column, f.levels.names) for f in self.kept if f.levels is not None)
        return (*self.names, *category_names(kept))

    @cached_property
    def origin(self) -> tuple[str, ...]:
        """For each column of x, the raw column it was made from."""
        return tuple(feature.column for feature in self.features for _ in feature.names)

    def encode(self, columns: Columns, where: Place | None = None) -> np.ndarray:
        """x float64 (M, p), C-contiguous, for raw columns (M,) of text or numbers by name.

        Columns that are no features are left alone. Raises TreemipError: E302 a feature is
        missing, E303 a missing value, E304 not a number, E309 a value not seen in training.
        """
        where = where or Place()
        raw = self._columns(columns, self.features or self.kept, where)
        rows = len(next(iter(raw.values()), ()))
        x = np.empty((rows, len(self.names)))
        at = 0
        for feature in self.features:
            stop = at + len(feature.names)
            x[:, at:stop] = feature.encode(raw[feature.column], where)
            at = stop
        return x

    def inputs(self, columns: Columns, where: Place | None = None) -> np.ndarray:
        """What a tree routes, float64 (M, p + categories): x, and 1 for each category a row has.

        Raises as `encode`.
        """
        return with_categories(self.encode(columns, where), self.encode_kept(columns, where))

    def encode_kept(self, columns: Columns, where: Place | None = None) -> dict[str, Coded]:
        """Codes int64 (M,) and levels of the categorical columns; raises as `encode`.

        The code of a value that training did not have is -1 where the spec allows such values.
        """
        where = where or Place()
        raw = self._columns(columns, self.kept, where)
        found = {}
        for feature in self.kept:
            assert feature.levels is not None
            codes = feature.read(raw[feature.column], where).astype(np.int64)
            found[feature.column] = (codes, feature.levels.names)
        return found

    def class_numbers(self, columns: Columns, where: Place | None = None) -> np.ndarray:
        """y int64 (M,), to score predictions with. Raises TreemipError E302, E303, E309."""
        where = where or Place()
        label = Feature(self.label, self.classes, None, None)
        return label.read(self._columns(columns, (label,), where)[self.label], where).astype(
            np.int64
        )

    def _columns(
        self, columns: Columns, wanted: tuple[Feature, ...], where: Place
    ) -> dict[str, Column]:
        absent = [feature.column for feature in wanted if feature.column not in columns]
        if absent:
            message = f"{where.file} lacks the column{'s' * (len(absent) > 1)} {listed(absent)}"
            remedy = f"its columns are {listed(columns)}"
            where.fail("E302", message, remedy, did_you_mean(absent[0], columns))
        raw = {}
        for feature in wanted:
            try:
                given = columns[feature.column]
                if isinstance(given, list | tuple | np.ndarray):
                    given = column_of(feature.column, np.asarray(given), self.marks)
            except Unreadable as fault:
                where.fail("E304", fault.message, fault.remedy, column=feature.column)
            raw[feature.column] = given
        if len({len(column) for column in raw.values()}) > 1:
            where.fail("E301", f"the columns of {where.file} are not of one length")
        return raw

    def to_json(self) -> dict[str, Any]:
        """Plain data for json.dump; every number comes back exactly."""
        return {
            "features": [feature.to_json() for feature in self.features],
            "kept": [feature.to_json() for feature in self.kept],
            "label": self.label,
            "classes": self.classes.to_json(),
            "marks": list(self.marks),
        }

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Encoder:
        """Raises TreemipError E701 for anything `to_json` does not make."""
        try:
            encoder = cls(
                tuple(Feature.from_json(feature) for feature in given["features"]),
                tuple(Feature.from_json(feature) for feature in given["kept"]),
                str(given["label"]),
                Levels.from_json(given["classes"]),
                tuple(str(mark) for mark in given["marks"]),
            )
            if any(f.finish is None for f in encoder.features):
                raise ValueError("a feature has no columns")
            if any(f.levels is None for f in encoder.kept):
                raise ValueError("a kept column has no categories")
            return encoder
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            message = f"the encoder is not one that treemip wrote ({error!r})"
            raise TreemipError(Diagnostic.outside("E701", message)) from None
