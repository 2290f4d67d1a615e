"""Colour refinement of the rows and columns of two models: which may correspond to which."""

from __future__ import annotations

import numpy as np
from mps import Model

TOLERANCE = 1e-11  # relative; files carry 15 digits or more
MIX = np.uint64(0x9E3779B97F4A7C15)


def refined(first: Model, second: Model):
    """((column colours of both), (row colours of both)), uint64, by colour refinement."""
    numbers = _Numbers(first, second)
    models = [_Coloured(model, numbers) for model in (first, second)]
    _refine(models)
    for model in models:
        model.tell_columns_apart()
    _refine(models)
    return tuple(m.columns for m in models), tuple(m.rows for m in models)


def _refine(models: list[_Coloured]) -> None:
    """Refine both models as often as the first one gains classes by it."""
    count = 0
    while (now := models[0].classes()) > count:
        count = now
        for model in models:
            model.refine()


class _Numbers:
    """Values of both models that agree within the tolerance share one code."""

    def __init__(self, *models: Model) -> None:
        arrays = [
            np.abs(values[np.isfinite(values)])
            for m in models
            for values in (m.matrix.data, m.lower, m.upper, m.cost, m.row_lower, m.row_upper)
        ]
        values = np.unique(np.concatenate([np.unique(array) for array in arrays]))
        apart = np.diff(values, prepend=-1.0) > TOLERANCE * values
        self.least = values[apart]

    def codes(self, values: np.ndarray) -> np.ndarray:
        """uint64 code of each value; a sign and an infinity count."""
        finite = np.isfinite(values)
        size = np.abs(np.where(finite, values, 0.0))
        code = np.searchsorted(self.least, size, side="right").astype(np.uint64)
        code[~finite] = len(self.least) + 1
        return _mixed(code * np.uint64(2) + (values < 0).astype(np.uint64))


class _Coloured:
    """The colours of one model's rows and columns."""

    def __init__(self, model: Model, numbers: _Numbers) -> None:
        code = numbers.codes
        kind = _mixed(model.integer.astype(np.uint64))
        self.columns = _mixed(
            code(model.lower) + _mixed(code(model.upper) + _mixed(code(model.cost) + kind))
        )
        # A two-sided row may stand with either sign: only the sizes of its numbers are hashed.
        two_sided = np.isfinite(model.row_lower) & np.isfinite(model.row_upper)
        sides = [np.where(two_sided, np.abs(side), side) for side in _sides(model)]
        self.rows = _mixed(_mixed(code(sides[0])) + code(sides[1]))
        self.matrix = model.matrix
        self.row_of = np.repeat(np.arange(self.matrix.shape[0]), np.diff(self.matrix.indptr))
        data = self.matrix.data
        self.code = code(np.where(two_sided[self.row_of], np.abs(data), data))

    def classes(self) -> int:
        return len(np.unique(self.columns)) + len(np.unique(self.rows))

    def tell_columns_apart(self) -> None:
        """Mix each column's place among those of its colour, in the order of the file, into it."""
        order = np.argsort(self.columns, kind="stable")
        ordered = self.columns[order]
        first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        lengths = np.diff([*first, len(ordered)])
        place = np.empty(len(order), np.uint64)
        place[order] = np.arange(len(order)) - np.repeat(first, lengths)
        self.columns = _mixed(self.columns + _mixed(place))

    def refine(self) -> None:
        row_sums = _summed(
            self.row_of, _mixed(self.code ^ self.columns[self.matrix.indices]), len(self.rows)
        )
        self.rows = _mixed(self.rows + _mixed(row_sums))
        column_sums = _summed(
            self.matrix.indices, _mixed(self.code ^ self.rows[self.row_of]), len(self.columns)
        )
        self.columns = _mixed(self.columns + _mixed(column_sums))


def _sides(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper sides; of a two-sided row the smaller and the larger in size."""
    low, high = model.row_lower, model.row_upper
    swap = np.isfinite(low) & np.isfinite(high) & (np.abs(low) > np.abs(high))
    return np.where(swap, high, low), np.where(swap, low, high)


def _summed(keys: np.ndarray, values: np.ndarray, length: int) -> np.ndarray:
    """Sums of uint64 values by key, modulo 2^64."""
    total = np.zeros(length, np.uint64)
    np.add.at(total, keys, values)
    return total


def _mixed(values: np.ndarray) -> np.ndarray:
    """A scrambled copy (splitmix64's finisher)."""
    v = values + MIX
    v = (v ^ (v >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ (v >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return v ^ (v >> np.uint64(31))
