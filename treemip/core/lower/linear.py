"""Affine and quadratic expressions over a frame, and sums of a tape's slots.

The affine part is a list of `Part`s, each with its entries in row order. Adding expressions only
puts lists together and summing over a binder only renumbers rows, so entries are moved once, when
the finished expression becomes rows of a matrix, and then without sorting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from treemip.core.model.arrays import Ragged, begins, offsets_of
from treemip.core.model.blocks import NO_QUADRATIC, Quadratic, SparseRows
from treemip.core.model.sparse_rows import Part, join_parts


class Products(NamedTuple):
    """coef * x[first] * x[second] in rows, in any order, the same one perhaps again.

    row int64; first, second int32, first <= second; coef float64.
    """

    row: np.ndarray
    first: np.ndarray
    second: np.ndarray
    coef: np.ndarray

    def times(self, factor: np.ndarray | float) -> Products:
        """Row by row multiplied by known numbers."""
        each = factor if isinstance(factor, float) else np.asarray(factor)[self.row]
        return self._replace(coef=self.coef * each)

    def added(self) -> Products:
        """With repeats added, sorted by row."""
        order = np.lexsort((self.second, self.first, self.row))
        row, first, second, coef = (column[order] for column in self)
        at = np.flatnonzero(begins(row) | begins(first) | begins(second))
        return Products(row[at], first[at], second[at], np.add.reduceat(coef, at))

    def plus(self, other: Products) -> Products:
        return Products(*map(np.concatenate, zip(self, other, strict=True)))

    def spread(self, which: np.ndarray, size: int) -> Products | None:
        """Of rows 0 .. size-1 those asked for, in that order, repeats allowed; None where they have
        no products."""
        entries = Ragged.from_pairs(self.row, np.arange(len(self.row)), size).take(which)
        if not len(entries.items):
            return None
        row = np.repeat(np.arange(len(which)), entries.lengths)
        return Products(row, *(column[entries.items] for column in self[1:]))


@dataclass(frozen=True)
class Linear:
    """constant[r] + the parts' entries coef * x[var] + the products, row by row.

    `offset` float64 (size,), or None where it is zero. `products` is None where there are none.
    `slots` are entries like the parts', of slots of the tape (model/tape.py) in place of columns.
    """

    size: int
    offset: np.ndarray | None = None
    parts: tuple[Part, ...] = ()
    products: Products | None = None
    slots: tuple[Part, ...] = ()

    @property
    def constant(self) -> np.ndarray:
        return np.zeros(self.size) if self.offset is None else self.offset

    @property
    def is_affine(self) -> bool:
        return self.products is None and not self.slots

    @property
    def is_finite(self) -> bool:
        arrays = [p.coef for p in (*self.parts, *self.slots)]
        arrays += [self.offset, self.products and self.products.coef]
        return all(bool(np.isfinite(numbers).all()) for numbers in arrays if numbers is not None)

    @classmethod
    def known(cls, values: np.ndarray) -> Linear:
        return cls(len(values), values)

    @classmethod
    def variables(cls, ids: np.ndarray) -> Linear:
        """One variable a row."""
        return cls(len(ids), None, (Part(1, ids.astype(np.int32)),), None, ())

    @classmethod
    def of_slots(cls, ids: np.ndarray) -> Linear:
        """One slot a row."""
        return cls(len(ids), None, (), None, (Part(1, ids.astype(np.int32)),))

    def matrix(self) -> SparseRows:
        """The affine part as rows: repeats added, zeros dropped, columns ascending."""
        return join_parts(self.size, self.parts)

    def slot_matrix(self) -> SparseRows | None:
        """The slots as rows, None where there are none."""
        return join_parts(self.size, self.slots) if self.slots else None

    def times(self, factor: np.ndarray | float) -> Linear:
        """Row by row multiplied by known numbers."""
        return Linear(
            self.size,
            None if self.offset is None else self.offset * factor,
            tuple(p.times(factor) for p in self.parts),
            self.products and self.products.times(factor),
            tuple(p.times(factor) for p in self.slots),
        )

    def plus(self, other: Linear) -> Linear:
        offset = self.offset if other.offset is None else other.offset
        if self.offset is not None and other.offset is not None:
            offset = self.offset + other.offset
        products = self.products or other.products
        if self.products and other.products:
            products = self.products.plus(other.products)
        parts, slots = self.parts + other.parts, self.slots + other.slots
        return Linear(self.size, offset, parts, products, slots)

    def product(self, other: Linear) -> Linear:
        """Both affine; every pair of entries of the same row becomes a product."""
        mixed = self.without_constant().times(other.constant)
        mixed = mixed.plus(other.without_constant().times(self.constant))
        a, b = self.matrix(), other.matrix()
        row_a, row_b = a.row_of, b.row_of
        row, at, bt = pairs(row_a, row_b, self.size)
        first, second = a.indices[at], b.indices[bt]
        products = Products(
            row, np.minimum(first, second), np.maximum(first, second), a.data[at] * b.data[bt]
        )
        offset = self.constant * other.constant
        return replace(mixed, offset=offset, products=products if len(row) else None)

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
            self.products and self.products._replace(row=rows[self.products.row]),
            tuple(p.grouped(rows, lengths) for p in self.slots),
        )

    def spread(self, which: np.ndarray) -> Linear:
        """The rows asked for, in that order, repeats allowed."""
        products = self.products and self.products.spread(which, self.size)
        offset = None if self.offset is None else self.offset[which]
        parts = tuple(_take(p, which, self.size) for p in self.parts)
        slots = tuple(_take(p, which, self.size) for p in self.slots)
        return Linear(len(which), offset, parts, products, slots)


def quadratic_rows(rows: Linear) -> Quadratic:
    """Products with repeats added and zeros dropped, sorted by row."""
    if rows.products is None:
        return NO_QUADRATIC
    form = Quadratic(*rows.products.added())
    return form.take(form.coef != 0)


Value = np.ndarray | Linear
"""What an expression is worth on the rows of a frame: numbers where it is known, else `Linear`."""


def as_linear(value: Value) -> Linear:
    return value if isinstance(value, Linear) else Linear.known(np.asarray(value, float))


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


def pairs(a: np.ndarray, b: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All (row, entry of a, entry of b) with the same row."""
    of_b = Ragged.from_pairs(b, np.arange(len(b)), size).take(a)
    entry_a = np.repeat(np.arange(len(a)), of_b.lengths)
    return a[entry_a], entry_a, of_b.items
