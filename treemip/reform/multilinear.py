"""Slots of a tape that are products of binaries and at most one other factor.

Such a slot is an affine expression of columns and of columns that stand for products: it is
expanded step by step, each product of three and more factors from the left.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from treemip.lower.linear import Linear
from treemip.model.blocks import SparseRows
from treemip.model.rows import as_part, stack, take_rows, without_entries
from treemip.model.tape import Affine, Product, Step, Tape


class ProductColumns(Protocol):
    def affine(self, value: Linear) -> Linear:
        """The rows with columns in place of products; each product has a binary factor."""

    def require_few(self, products: int) -> None:
        """Raises TreemipError E502 for more products than can be columns."""


def multilinear_slots(tape: Tape, binary: np.ndarray) -> np.ndarray:
    """Which slots are such products, or sums of them, bool (slots,).

    binary: bool (columns,).
    """
    fits = np.zeros(tape.length, bool)
    whole = np.zeros(tape.length, bool)  # made of binaries alone
    if not any(isinstance(s, Affine) and binary[s.columns.indices].any() for s in tape.steps):
        return fits
    for step, start in zip(tape.steps, tape.starts[:-1], strict=True):
        own = slice(start, start + step.length)
        if isinstance(step, Affine):
            row = step.slots.row_of
            fits[own] = _none(~fits[step.slots.indices], row, step.length)
            whole[own] = fits[own] & _none(~whole[step.slots.indices], row, step.length)
            whole[own] &= _none(~binary[step.columns.indices], step.columns.row_of, step.length)
        elif isinstance(step, Product):
            row = np.repeat(np.arange(step.length), np.diff(step.offsets))
            others = np.bincount(row, ~whole[step.factors], step.length)
            fits[own] = _none(~fits[step.factors], row, step.length) & (others <= 1)
            whole[own] = fits[own] & (others == 0)
    return fits


def _none(holds: np.ndarray, row: np.ndarray, rows: int) -> np.ndarray:
    """Whether none of a row's entries holds, bool (rows,)."""
    return np.bincount(row, holds, rows) == 0


def _entries(value: Linear) -> np.ndarray:
    """Terms of each row, the constant among them, int64 (rows,)."""
    return np.diff(value.matrix().indptr) + 1


class Expanded:
    """Affine expressions of those slots: `matrix` and `constants`, a row for each slot.

    Rows of other slots are empty. Row 0 is the constant 1, and slot s has row s + 1: products are
    padded with it to one length.
    """

    def __init__(self, tape: Tape, fits: np.ndarray, columns: ProductColumns) -> None:
        self.fits = fits
        self.matrix = without_entries(1)
        self.constants = np.ones(1)
        for step, start in zip(tape.steps, tape.starts[:-1], strict=True):
            keep = np.flatnonzero(fits[start : start + step.length])
            self._append(step.length, keep, self._expand(step, keep, columns))

    def _append(self, length: int, keep: np.ndarray, found: Linear) -> None:
        lengths, constants = np.zeros(length, np.int64), np.zeros(length)
        matrix = found.matrix()
        lengths[keep], constants[keep] = np.diff(matrix.indptr), found.constant
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        self.matrix = stack([self.matrix, SparseRows(indptr, matrix.indices, matrix.data)])
        self.constants = np.concatenate([self.constants, constants])

    def _expand(self, step: Step, keep: np.ndarray, columns: ProductColumns) -> Linear:
        if isinstance(step, Affine):
            own = Linear(len(keep), step.constants[keep], (as_part(take_rows(step.columns, keep)),))
            return own.plus(self.sums(take_rows(step.slots, keep)))
        if isinstance(step, Product):
            return self._product(step, keep, columns)
        return Linear(0)

    def _product(self, step: Product, keep: np.ndarray, columns: ProductColumns) -> Linear:
        lengths = np.diff(step.offsets)
        table = np.zeros((step.length, lengths.max(initial=0)), np.int64)
        table[np.arange(table.shape[1]) < lengths[:, None]] = step.factors + 1
        found = Linear.known(np.ones(len(keep)))
        for factors in table[keep].T:
            rows = self._rows(factors)
            columns.require_few(int((_entries(found) * _entries(rows)).sum()))
            found = columns.affine(found.product(rows))
        return found

    def _rows(self, rows: np.ndarray) -> Linear:
        whole = Linear(len(self.constants), self.constants, (as_part(self.matrix),))
        return whole.spread(rows)

    def sums(self, slots: SparseRows) -> Linear:
        """Sums of slots as affine expressions of columns."""
        each = self._rows(slots.indices.astype(np.int64) + 1).times(slots.data)
        return each.summed(slots.row_of, slots.count)
