"""What the training part fitted, replayed on any raw rows: features, kept columns and the label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treemip.core.instance.categories import Coded, Levels, category_names, with_categories
from treemip.core.instance.cells import array_of
from treemip.core.instance.columns import Column, Unreadable, column_of
from treemip.core.instance.encodings.finish import finite
from treemip.core.instance.feature import Feature
from treemip.core.instance.missing_columns import finishes_of
from treemip.core.instance.row_location import RowLocation
from treemip.core.source.deadline import heed
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed

CACHE_LINE = 64
"""Bytes of a row that are filled in together."""

ROWS = 1 << 12
"""Rows that are filled in together."""

LABEL_KINDS = ("class", "number", "none")

Columns = Mapping[str, np.ndarray] | Mapping[str, Column]


@dataclass(frozen=True)
class Encoder:
    """Raw columns to x, labels, kept categories and known numbers.

    `features` become x in their order, `kept` stay categorical. `marks` are the cells, beside the
    empty one, that count as missing. `label` is the column that `target` reads, as one of `classes`
    or as a number; "" where the spec has none. `numbers` are read as they are.
    """

    features: tuple[Feature, ...]
    kept: tuple[Feature, ...]
    label: str
    classes: Levels
    marks: tuple[str, ...] = ()
    label_kind: str = "class"
    label_fill: float | None = None
    numbers: tuple[Feature, ...] = ()

    @property
    def target(self) -> Feature:
        """How the label is read: the number of its class, or itself where it is a number."""
        levels = self.classes if self.label_kind == "class" else None
        return Feature(self.label, levels, self.label_fill, None)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of x."""
        return tuple(name for feature in self.features for name in feature.names)

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """Names of the columns that `inputs` has."""
        kept = ((f.column, f.categories) for f in self.kept)
        return (*self.names, *category_names(kept))

    @cached_property
    def origin(self) -> tuple[str, ...]:
        """For each column of x, the raw column it was made from."""
        return tuple(feature.column for feature in self.features for _ in feature.names)

    @cached_property
    def is_binary(self) -> bool:
        """Whether all columns of x are 0 or 1, whatever the rows are."""
        return all(part.binary for each in self.features for part in finishes_of(each.finish))

    def encode(
        self, columns: Columns, where: RowLocation | None = None, kind: type = np.float64
    ) -> np.ndarray:
        """x float64 (M, p), C-contiguous, for raw columns (M,) of text or numbers by name.

        Columns that are no features are left alone. kind: uint8 takes an eighth of the memory where
        `is_binary`. Raises TreemipError: E302 a feature is
        missing, E303 a missing value, E304 not a number, E309 a value not seen in training.
        """
        where = where or RowLocation()
        raw = self._columns(columns, self.features or self.kept, where)
        rows = len(next(iter(raw.values()), ()))
        x: np.ndarray = np.empty((rows, len(self.names)), kind)
        at, read, left = 0, list[tuple[Feature, int, np.ndarray]](), CACHE_LINE
        for feature in self.features:
            read.append((feature, at, feature.read(raw[feature.column], where)))
            at += len(feature.names)
            left -= len(feature.names) * x.itemsize
            if left <= 0 or feature is self.features[-1]:
                self._fill(x, read, raw, where)
                read, left = [], CACHE_LINE
        return x

    def _fill(
        self,
        x: np.ndarray,
        read: list[tuple[Feature, int, np.ndarray]],
        raw: Mapping[str, Column],
        where: RowLocation,
    ) -> None:
        """Puts features into x that begin at some column and have been read, some rows at a time: a
        whole column at once would fetch all of x for a few bytes of each row."""
        for first in range(0, len(x), ROWS):
            heed()
            rows = slice(first, first + ROWS)
            for feature, at, values in read:
                finish, to = feature.finish, slice(at, at + len(feature.names))
                assert finish is not None, "a kept column has no place in x"
                if finish.binary:
                    x[rows, to] = finish.holds(values[rows])
                    continue
                encoded = finish.apply(values[rows])
                if not np.isfinite(encoded).all():
                    feature.encode(raw[feature.column], where)  # which says where
                x[rows, to] = encoded

    def inputs(self, columns: Columns, where: RowLocation | None = None) -> np.ndarray:
        """What a tree routes, float64 (M, p + categories): x, and 1 for each category a row has.

        Raises as `encode`.
        """
        return with_categories(self.encode(columns, where), self.encode_kept(columns, where))

    def encode_kept(self, columns: Columns, where: RowLocation | None = None) -> dict[str, Coded]:
        """Codes int64 (M,) and levels of the categorical columns; raises as `encode`.

        The code of a value that training did not have is -1 where the spec allows such values.
        """
        where = where or RowLocation()
        raw = self._columns(columns, self.kept, where)
        coded = {}
        for feature in self.kept:
            assert feature.levels is not None
            codes = feature.read(raw[feature.column], where)
            codes[np.isnan(codes)] = len(feature.levels.names)
            coded[feature.column] = (codes.astype(np.int64), feature.categories)
        return coded

    def fill_warnings(
        self, columns: Columns, rows: str, span: Span | None = None
    ) -> tuple[Diagnostic, ...]:
        """W302 where missing values are filled in because training had none to learn a side from.

        columns: all that `encode` and `encode_kept` take; `rows` says what they are.
        """
        return self.fill_warning(self.filled(columns, rows), rows, span)

    @cached_property
    def _without_side(self) -> tuple[Feature, ...]:
        return tuple(f for f in (*self.features, *self.kept) if f.without_side)

    def filled(self, columns: Columns, rows: str) -> np.ndarray:
        """How many missing values are filled in of each feature that training had none to learn a
        side from, int64 (features,); arguments as of `fill_warnings`."""
        raw = self._columns(columns, self._without_side, RowLocation(rows))
        return np.array([int(raw[f.column].missing.sum()) for f in self._without_side], np.int64)

    def fill_warning(
        self, counts: np.ndarray, rows: str, span: Span | None = None
    ) -> tuple[Diagnostic, ...]:
        """W302 for what `filled` counts."""
        filled = [
            f"{count} missing value{'s' * (count > 1)} of '{f.column}' "
            f"{'count' if count > 1 else 'counts'} as {f.fill_text}"
            for f, count in zip(self._without_side, counts.tolist(), strict=True)
            if count
        ]
        if not filled:
            return ()
        why = "the training part has no missing values there, so no split has a side for them"
        message = f"{rows}: {'; '.join(filled)}, since {why}"
        return (Diagnostic("W302", message, span, severity=Severity.WARNING),)

    def labels(self, columns: Columns, where: RowLocation | None = None) -> np.ndarray:
        """y (M,), to score predictions with: int64 numbers of classes, or float64 numbers.

        Zeros where the spec has no label. Raises TreemipError: E302 the label is missing, E303 a
        missing value, E304 not a number, E309 a class not seen before.
        """
        where = where or RowLocation()
        if self.label_kind == "none":
            rows = max((len(columns[name]) for name in columns), default=0)
            return np.zeros(rows, np.int64)
        raw = self._columns(columns, (self.target,), where)[self.label]
        y = self.target.read(raw, where)
        return y if self.label_kind == "number" else y.astype(np.int64)

    def point_numbers(
        self, columns: Columns, where: RowLocation | None = None
    ) -> dict[str, np.ndarray]:
        """Known numbers of points, float64 (M,) each, by column; raises as `labels`."""
        where = where or RowLocation()
        raw = self._columns(columns, self.numbers, where)
        return {number.column: number.read(raw[number.column], where) for number in self.numbers}

    def _columns(
        self, columns: Columns, wanted: tuple[Feature, ...], where: RowLocation
    ) -> dict[str, Column]:
        absent = [feature.column for feature in wanted if feature.column not in columns]
        if absent:
            message = f"{where.file} lacks the column{'s' * (len(absent) > 1)} {listed(absent)}"
            remedy = f"its columns are {listed(columns)}"
            where.fail("E302", message, remedy, did_you_mean(absent[0], columns))
        raw = {}
        for feature in wanted:
            try:
                column = columns[feature.column]
                if isinstance(column, list | tuple | np.ndarray):
                    column = column_of(feature.column, array_of(column), self.marks)
            except Unreadable as fault:
                where.fail("E304", fault.message, fault.remedy, column=feature.column)
            raw[feature.column] = column
        if len({len(column) for column in raw.values()}) > 1:
            where.fail("E301", f"the columns of {where.file} have different lengths")
        return raw

    def to_json(self) -> dict[str, Any]:
        """Plain data for json.dump; every number comes back exactly.

        What an encoder of classes alone has not is left out, as in files of older versions.
        """
        more: dict[str, Any] = {}
        if self.label_kind != "class":
            more["label_kind"] = self.label_kind
        if self.label_fill is not None:
            more["label_fill"] = self.label_fill
        if self.numbers:
            more["numbers"] = [number.to_json() for number in self.numbers]
        return {
            "features": [feature.to_json() for feature in self.features],
            "kept": [feature.to_json() for feature in self.kept],
            "label": self.label,
            "classes": self.classes.to_json(),
            "marks": list(self.marks),
            **more,
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Encoder:
        """Raises TreemipError E701 for anything `to_json` does not make."""
        try:
            encoder = cls(
                tuple(Feature.from_json(feature) for feature in saved["features"]),
                tuple(Feature.from_json(feature) for feature in saved["kept"]),
                str(saved["label"]),
                Levels.from_json(saved["classes"]),
                tuple(str(mark) for mark in saved["marks"]),
                str(saved.get("label_kind", "class")),
                None if saved.get("label_fill") is None else finite(saved["label_fill"]),
                tuple(Feature.from_json(number) for number in saved.get("numbers", ())),
            )
            if encoder.label_kind not in LABEL_KINDS:
                raise ValueError(f"{encoder.label_kind!r} is no kind of label")
            if any(number.levels or number.finish for number in encoder.numbers):
                raise ValueError("a known number is encoded")
            if any(f.finish is None for f in encoder.features):
                raise ValueError("a feature has no columns")
            if any(f.levels is None for f in encoder.kept):
                raise ValueError("a kept column has no categories")
            return encoder
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            message = f"the encoder is not one that treemip wrote ({error!r})"
            raise TreemipError(Diagnostic.outside("E701", message)) from None
