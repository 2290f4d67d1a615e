"""Affine and quadratic expressions over a frame, and sums of a tape's slots.

The affine part is a list of `Part`s, each with its entries in row order. Adding expressions only
puts lists together and summing over a binder only renumbers rows, so entries are moved once, when
the finished expression becomes rows of a matrix, and then without sorting.
"""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.ragged import Ragged, offsets_of
from treemip.model.blocks import SparseRows
from treemip.model.rows import Part, join_parts


def _no_rows() -> np.ndarray:
    return np.zeros(0, np.int64)


def _no_columns() -> np.ndarray:
    return np.zeros(0, np.int32)


def _no_numbers() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class Linear:
    """constant[r] + the parts' entries coef * x[var] + sum of qcoef * x[q1] * x[q2], row by row.

    `offset` float64 (size,), or None where it is zero. qrow int64; q1, q2 int32; qcoef float64.
    `slots` are entries like the parts', of slots of the tape (model/tape.py) in place of columns.
    """

    size: int
    offset: np.ndarray | None = None
    parts: tuple[Part, ...] = ()
    qrow: np.ndarray = field(default_factory=_no_rows)
    q1: np.ndarray = field(default_factory=_no_columns)
    q2: np.ndarray = field(default_factory=_no_columns)
    qcoef: np.ndarray = field(default_factory=_no_numbers)
    slots: tuple[Part, ...] = ()

    @property
    def constant(self) -> np.ndarray:
        return np.zeros(self.size) if self.offset is None else self.offset

    @property
    def is_affine(self) -> bool:
        return not len(self.qcoef) and not self.slots

    @property
    def is_finite(self) -> bool:
        numbers = [p.coef for p in (*self.parts, *self.slots) if p.coef is not None]
        numbers += [self.qcoef] if self.offset is None else [self.offset, self.qcoef]
        return all(bool(np.isfinite(a).all()) for a in numbers)

    @classmethod
    def known(cls, values: np.ndarray) -> Linear:
        return cls(len(values), values)

    @classmethod
    def variables(cls, ids: np.ndarray) -> Linear:
        """One variable a row."""
        return cls(len(ids), None, (Part(1, ids.astype(np.int32)),))

    @classmethod
    def of_slots(cls, ids: np.ndarray) -> Linear:
        """One slot a row."""
        return cls(len(ids), slots=(Part(1, ids.astype(np.int32)),))

    def matrix(self) -> SparseRows:
        """The affine part as rows: repeats added, zeros dropped, columns ascending."""
        return join_parts(self.size, self.parts)

    def slot_matrix(self) -> SparseRows | None:
        """The slots as rows, None where there are none."""
        return join_parts(self.size, self.slots) if self.slots else None

    def times(self, factor: np.ndarray | float) -> Linear:
        """Row by row multiplied by known numbers."""
        one = isinstance(factor, float)
        return Linear(
            self.size,
            None if self.offset is None else self.offset * factor,
            tuple(p.times(factor) for p in self.parts),
            self.qrow,
            self.q1,
            self.q2,
            self.qcoef * (factor if one else np.asarray(factor)[self.qrow]),
            tuple(p.times(factor) for p in self.slots),
        )

    def plus(self, other: Linear) -> Linear:
        join = np.concatenate
        offset = self.offset if other.offset is None else other.offset
        if self.offset is not None and other.offset is not None:
            offset = self.offset + other.offset
        return Linear(
            self.size,
            offset,
            self.parts + other.parts,
            join([self.qrow, other.qrow]),
            join([self.q1, other.q1]),
            join([self.q2, other.q2]),
            join([self.qcoef, other.qcoef]),
            self.slots + other.slots,
        )

    def product(self, other: Linear) -> Linear:
        """Both affine; every pair of entries of the same row becomes a product."""
        mixed = self.without_constant().times(other.constant)
        mixed = mixed.plus(other.without_constant().times(self.constant))
        a, b = self.matrix(), other.matrix()
        row_a, row_b = a.row_of, b.row_of
        row, at, bt = pairs(row_a, row_b, self.size)
        first, second = a.indices[at], b.indices[bt]
        return replace(
            mixed,
            offset=self.constant * other.constant,
            qrow=row,
            q1=np.minimum(first, second),
            q2=np.maximum(first, second),
            qcoef=a.data[at] * b.data[bt],
        )

    def without_constant(self) -> Linear:
        return replace(self, offset=None)

    def summed(self, rows: np.ndarray, size: int) -> Linear:
        """Rows added up into `size` rows; rows[r] is where row r goes."""
        if len(rows) and (rows[1:] < rows[:-1]).any():
            order = np.argsort(rows, kind="stable")
            return self.spread(order).summed(rows[order], size)
        lengths = np.bincount(rows, minlength=size)
        offset = None
        if self.offset is not None:
            offset = np.bincount(rows, self.offset, size) if len(rows) else np.zeros(size)
        return Linear(
            size,
            offset,
            tuple(p.grouped(rows, lengths) for p in self.parts),
            rows[self.qrow],
            self.q1,
            self.q2,
            self.qcoef,
            tuple(p.grouped(rows, lengths) for p in self.slots),
        )

    def spread(self, which: np.ndarray) -> Linear:
        """The rows asked for, in that order, repeats allowed."""
        qrow, q1, q2, qcoef = _spread(self.qrow, which, self.size, self.q1, self.q2, self.qcoef)
        offset = None if self.offset is None else self.offset[which]
        parts = tuple(_take(p, which, self.size) for p in self.parts)
        slots = tuple(_take(p, which, self.size) for p in self.slots)
        return Linear(len(which), offset, parts, qrow, q1, q2, qcoef, slots)


def _take(part: Part, which: np.ndarray, size: int) -> Part:
    """A part's rows in another order."""
    if isinstance(part.lengths, int):
        width = part.lengths
        var = part.var.reshape(size, width)[which].ravel()
        coef = None if part.coef is None else part.coef.reshape(size, width)[which].ravel()
        return Part(width, var, coef)
    entries = Ragged(offsets_of(part.lengths), np.arange(len(part.var))).take(which)
    coef = None if part.coef is None else part.coef[entries.items]
    return Part(entries.lengths, part.var[entries.items], coef)


def _spread(
    row: np.ndarray, which: np.ndarray, size: int, *columns: np.ndarray
) -> tuple[np.ndarray, ...]:
    if not len(row):
        return (row, *columns)
    entries = Ragged.from_pairs(row, np.arange(len(row)), size).take(which)
    new_row = np.repeat(np.arange(len(which)), entries.lengths)
    return (new_row, *(c[entries.items] for c in columns))


def pairs(a: np.ndarray, b: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All (row, entry of a, entry of b) with the same row."""
    of_b = Ragged.from_pairs(b, np.arange(len(b)), size).take(a)
    entry_a = np.repeat(np.arange(len(a)), of_b.lengths)
    return a[entry_a], entry_a, of_b.items
