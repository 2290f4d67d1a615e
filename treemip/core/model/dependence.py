"""Which slots of a tape, and which rows of a model, depend on some of its columns."""

from __future__ import annotations

import numpy as np

from treemip.core.model.blocks import Rows, SparseRows
from treemip.core.model.tape import Affine, Elementwise, Product, Tape


def moving_slots(tape: Tape, free: np.ndarray) -> np.ndarray:
    """Which slots depend on a column that is free, bool (slots,). free: bool (columns,)."""
    moving = np.zeros(tape.length, bool)
    for step, start in zip(tape.steps, tape.starts.tolist(), strict=False):
        own = slice(start, start + step.length)
        if isinstance(step, Affine):
            moving[own] = _any(step.columns, free) | _any(step.slots, moving)
        elif isinstance(step, Elementwise):
            moving[own] = moving[step.arguments]
        else:
            moving[own] = _any(factor_rows(step), moving)
    return moving


def _any(rows: SparseRows, marked: np.ndarray) -> np.ndarray:
    """The rows with an entry that is marked, bool (rows,)."""
    return np.bincount(rows.row_of, marked[rows.indices], rows.count) > 0


def factor_rows(step: Product) -> SparseRows:
    return SparseRows(step.offsets, step.factors, np.ones(len(step.factors)))


def moving_rows(block: Rows, free: np.ndarray, moving: np.ndarray) -> np.ndarray:
    """The rows of a block that depend on a free column, bool (rows,). moving: `moving_slots`."""
    return _any(block.matrix, free) | curved_rows(block, free, moving)


def curved_rows(block: Rows, free: np.ndarray, moving: np.ndarray) -> np.ndarray:
    """The rows of a block that depend on a free column by a slot or a product, bool (rows,)."""
    found = np.zeros(block.length, bool)
    if block.slots is not None:
        found |= _any(block.slots, moving)
    form = block.quadratic
    if form.count:
        either = free[form.first] | free[form.second]
        found |= np.bincount(form.row, either, block.length) > 0
    return found
