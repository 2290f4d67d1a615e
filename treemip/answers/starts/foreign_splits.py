"""Splits over other inputs than the spec's: raw columns, or columns encoded and scaled otherwise.

A column that a tree may ask for is affine in one of the spec's inputs: a number in its raw units
or in another scale, or whether a row has a category. A threshold of a single number goes through
the raw unit, by the arithmetic that the points themselves went through, whatever the scales are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.answers.search.candidate import Split
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.encodings import AS_IS, Finish, Line, Number, OneHot, Thermometer
from treemip.core.instance.feature import Feature
from treemip.core.instance.missing_columns import Indicator, part_of, scale_of
from treemip.core.model.tolerances import NEAR_EDGE


class Missing(Exception):
    """The spec's inputs do not tell what a tree's column does."""


@dataclass(frozen=True)
class Input:
    """A column that a tree asks for: column number `position` of what `feature` makes of a raw
    column, or the spec's own input of that number where there is no feature."""

    feature: Feature | None
    position: int


class SpecInputs:
    """What splits over other columns are over the inputs of the spec's encoder."""

    def __init__(self, encoder: Encoder) -> None:
        self.size = len(encoder.input_names)
        self._at: dict[str, tuple[Feature, int]] = {}
        start = 0
        for feature in encoder.features:
            self._at[feature.column] = feature, start
            start += len(feature.names)
        for feature in encoder.kept:
            self._at[feature.column] = feature, start
            start += len(feature.categories)

    def split(self, columns: list[Input], weights: np.ndarray, threshold: float) -> Split:
        """The split sum of weights[k] * columns[k] <= threshold, its sides left open (0).

        weights float64 (columns,). Raises Missing.
        """
        used = np.flatnonzero(weights)
        if len(used) == 1:
            split = self._single(columns[used[0]], float(weights[used[0]]), threshold)
            if split is not None:
                return split
        total = np.zeros(self.size)
        for k in used:
            row, constant = self._affine(columns[k])
            total += weights[k] * row
            threshold -= float(weights[k]) * constant
        return Split(total, threshold, 0, 0)

    def _single(self, column: Input, weight: float, threshold: float) -> Split | None:
        """Of one number: through its raw unit. None for what is no number, or has no scale."""
        feature = column.feature
        scale = None if feature is None else scale_of(feature.finish, column.position)
        if feature is None or scale is None or weight == 0:
            return None
        own, at = self._named(feature.column)
        if scale.constant is not None or own.levels is not None or own == feature:
            return None
        raw, rises = scale.unscaled(threshold / weight), weight > 0
        row = np.zeros(self.size)
        finish, place = _same_column(own, column)
        if isinstance(finish, Thermometer):
            return self._at_edge(finish.edges, at, raw, rises)
        if not isinstance(finish, Number) or finish.constant is not None:
            return None
        at += place
        row[at] = 1.0 if rises else -1.0
        return Split(row, float(row[at] * finish.apply(np.array([raw]))[0, 0]), 0, 0)

    def _at_edge(self, limits: tuple[float, ...], at: int, raw: float, rises: bool) -> Split:
        """raw number <= `raw` by the spec's 0/1 columns [number >= edge]."""
        edges = np.array(limits)
        above = np.flatnonzero(edges >= raw - NEAR_EDGE * max(1.0, abs(raw)))
        row = np.zeros(self.size)
        if not len(above):  # every number is below
            return Split(row, 1.0 if rises else -1.0, 0, 0)
        row[at + above[0]] = 1.0 if rises else -1.0
        return Split(row, 0.5 if rises else -0.5, 0, 0)

    def _affine(self, column: Input) -> tuple[np.ndarray, float]:
        """A column as row . inputs + constant, row float64 (inputs,)."""
        feature, row = column.feature, np.zeros(self.size)
        if feature is None:
            row[column.position] = 1.0
            return row, 0.0
        own, at = self._named(feature.column)
        if own == feature:
            row[at + column.position] = 1.0
            return row, 0.0
        _, finish, place = part_of(feature.finish, column.position)
        own_finish, own_place = _same_column(own, column)
        if not isinstance(finish, Number) and _name(feature, column.position) in own.names:
            row[at + own.names.index(_name(feature, column.position))] = 1.0
            return row, 0.0
        if isinstance(finish, Indicator | Thermometer):
            raise Missing
        if feature.levels is not None and not isinstance(finish, Number):
            return self._category(own, at, _level(feature, finish, place))
        if own.levels != feature.levels or not isinstance(own_finish, Number):
            raise Missing
        assert isinstance(finish, Number)
        if finish.constant is not None:
            return row, finish.constant
        if own_finish.constant is not None:  # one value in training
            only = own_finish.unscaled(own_finish.constant)
            return row, float(finish.apply(np.array([only]))[0, 0])
        line, own_line = _line(finish), _line(own_finish)
        row[at + own_place] = line.slope / own_line.slope
        return row, line.offset - line.slope * own_line.offset / own_line.slope

    def _category(self, own: Feature, at: int, level: str) -> tuple[np.ndarray, float]:
        row = np.zeros(self.size)
        _, finish, _ = part_of(own.finish, 0)
        if own.levels is None or not isinstance(finish, OneHot | None):
            raise Missing
        if level not in own.categories:
            return row, 0.0  # no point has it
        number = own.categories.index(level)
        shown = finish.kept if isinstance(finish, OneHot) else range(len(own.categories))
        if number in shown:
            row[at + list(shown).index(number)] = 1.0
            return row, 0.0
        row[at] = -1.0  # the other one of two
        return row, 1.0

    def _named(self, column: str) -> tuple[Feature, int]:
        if column not in self._at:
            raise Missing
        return self._at[column]

    def raw_number(self, column: str) -> Input | None:
        """A raw column of numbers in its own unit; None where the spec has none of that name."""
        own = self._at.get(column, (None, 0))[0]
        if own is None or own.levels is not None:
            return None
        return Input(Feature(column, None, None, AS_IS), 0)


def inputs_of(encoder: Encoder) -> list[Input]:
    """What the inputs of an encoder are, in their order."""
    plain = [Input(f, k) for f in encoder.features for k in range(len(f.names))]
    categorical = [Input(f, k) for f in encoder.kept for k in range(len(f.categories))]
    return plain + categorical


def _level(feature: Feature, finish: Finish | None, place: int) -> str:
    return feature.categories[finish.kept[place] if isinstance(finish, OneHot) else place]


def _name(feature: Feature, position: int) -> str | None:
    """The column of x; None for the categories of a kept column."""
    return feature.names[position] if feature.names else None


def _same_column(own: Feature, column: Input) -> tuple[Finish | None, int]:
    """How the spec encodes present values where missing ones are as in the tree's column, and the
    position of that column; of its first column where none is."""
    position = 0
    if column.feature is not None and column.feature.names:
        name = column.feature.names[column.position]
        position = own.names.index(name) if name in own.names else 0
    return part_of(own.finish, position)[1], position


def _line(finish: Number) -> Line:
    """Raises Missing where a column is no line over its raw one."""
    if finish.line is None:
        raise Missing
    return finish.line
