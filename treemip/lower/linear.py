"""Affine and quadratic expressions over a frame, as triplets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np


def _no_rows() -> np.ndarray:
    return np.zeros(0, np.int64)


def _no_columns() -> np.ndarray:
    return np.zeros(0, np.int32)


def _no_numbers() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class Linear:
    """constant[r] + sum of coef * x[var] + sum of qcoef * x[q1] * x[q2] for each frame row r.

    Triplets are unordered and may repeat. row, qrow int64; var, q1, q2 int32; others float64.
    """

    constant: np.ndarray
    row: np.ndarray = field(default_factory=_no_rows)
    var: np.ndarray = field(default_factory=_no_columns)
    coef: np.ndarray = field(default_factory=_no_numbers)
    qrow: np.ndarray = field(default_factory=_no_rows)
    q1: np.ndarray = field(default_factory=_no_columns)
    q2: np.ndarray = field(default_factory=_no_columns)
    qcoef: np.ndarray = field(default_factory=_no_numbers)

    @property
    def size(self) -> int:
        return len(self.constant)

    @property
    def is_affine(self) -> bool:
        return not len(self.qcoef)

    @classmethod
    def known(cls, values: np.ndarray) -> Linear:
        return cls(values)

    @classmethod
    def variables(cls, ids: np.ndarray) -> Linear:
        """One variable a row."""
        size = len(ids)
        return cls(np.zeros(size), np.arange(size), ids.astype(np.int32), np.ones(size))

    def times(self, factor: np.ndarray) -> Linear:
        """Row by row multiplied by known numbers."""
        return Linear(
            self.constant * factor,
            self.row,
            self.var,
            self.coef * factor[self.row],
            self.qrow,
            self.q1,
            self.q2,
            self.qcoef * factor[self.qrow] if len(self.qcoef) else self.qcoef,
        )

    def plus(self, other: Linear) -> Linear:
        join = np.concatenate
        return Linear(
            self.constant + other.constant,
            join([self.row, other.row]),
            join([self.var, other.var]),
            join([self.coef, other.coef]),
            join([self.qrow, other.qrow]),
            join([self.q1, other.q1]),
            join([self.q2, other.q2]),
            join([self.qcoef, other.qcoef]),
        )

    def product(self, other: Linear) -> Linear:
        """Both affine; every pair of entries of the same row becomes a product."""
        mixed = self.without_constant().times(other.constant)
        mixed = mixed.plus(other.without_constant().times(self.constant))
        row, a, b = pairs(self.row, other.row, self.size)
        first, second = self.var[a], other.var[b]
        return replace(
            mixed,
            constant=self.constant * other.constant,
            qrow=row,
            q1=np.minimum(first, second),
            q2=np.maximum(first, second),
            qcoef=self.coef[a] * other.coef[b],
        )

    def without_constant(self) -> Linear:
        return replace(self, constant=np.zeros(self.size))

    def summed(self, rows: np.ndarray, size: int) -> Linear:
        """Rows added up into `size` rows; rows[r] is where row r goes."""
        return Linear(
            np.bincount(rows, self.constant, size) if len(rows) else np.zeros(size),
            rows[self.row],
            self.var,
            self.coef,
            rows[self.qrow],
            self.q1,
            self.q2,
            self.qcoef,
        )

    def spread(self, which: np.ndarray) -> Linear:
        """The rows asked for, in that order, repeats allowed."""
        row, var, coef = _spread(self.row, which, self.size, self.var, self.coef)
        qrow, q1, q2, qcoef = _spread(self.qrow, which, self.size, self.q1, self.q2, self.qcoef)
        return Linear(self.constant[which], row, var, coef, qrow, q1, q2, qcoef)


def _spread(
    row: np.ndarray, which: np.ndarray, size: int, *parts: np.ndarray
) -> tuple[np.ndarray, ...]:
    if not len(row):
        return (row, *parts)
    order = np.argsort(row, kind="stable")
    lengths = np.bincount(row, minlength=size)
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1]
    counts = lengths[which]
    new_row = np.repeat(np.arange(len(which)), counts)
    ends = np.cumsum(counts)
    at = np.repeat(starts[which] - (ends - counts), counts) + np.arange(len(new_row))
    return (new_row, *(p[order][at] for p in parts))


def pairs(a: np.ndarray, b: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All (row, entry of a, entry of b) with the same row."""
    order_b = np.argsort(b, kind="stable")
    lengths = np.bincount(b, minlength=size)
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1]
    counts = lengths[a]
    entry_a = np.repeat(np.arange(len(a)), counts)
    ends = np.cumsum(counts)
    at = np.repeat(starts[a] - (ends - counts), counts) + np.arange(len(entry_a))
    return a[entry_a], entry_a, order_b[at]
