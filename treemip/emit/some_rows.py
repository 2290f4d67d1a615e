"""Blocks of rows cut to some of their rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.model.blocks import Quadratic, Rows
from treemip.model.model import Model
from treemip.model.sparse_rows import take_rows


def some_rows(block: Rows, own: np.ndarray) -> Rows:
    """Rows `own` of the block, int64, ascending."""
    form = block.quadratic
    new_row = np.full(block.length, -1)
    new_row[own] = np.arange(len(own))
    there = new_row[form.row] >= 0
    products = (form.first[there], form.second[there], form.coef[there])
    return replace(
        block,
        index=block.index.take(own),
        matrix=take_rows(block.matrix, own),
        lower=block.lower[own],
        upper=block.upper[own],
        quadratic=Quadratic(new_row[form.row[there]], *products),
        slots=None if block.slots is None else take_rows(block.slots, own),
    )


def with_rows(model: Model, kept: np.ndarray) -> Model:
    """The model with the rows where `kept`, bool (rows,), is true."""
    blocks, first = [], 0
    for block in model.rows:
        own = np.flatnonzero(kept[first : first + block.length])
        first += block.length
        blocks.append(block if len(own) == block.length else some_rows(block, own))
    return model.with_(rows=tuple(block for block in blocks if block.length))


def without_ranges(block: Rows, always: bool = False) -> tuple[Rows, ...]:
    """A block with products whose rows with two different sides are in a second block again.

    Solvers that read QCMATRIX have one side in a quadratic row, so RANGES of one mean nothing sure.
    `always`: a block without products too.
    """
    ranged = np.isfinite(block.lower) & np.isfinite(block.upper) & (block.lower != block.upper)
    if not ((block.quadratic.count or always) and ranged.any()):
        return (block,)
    low = replace(block, upper=np.where(ranged, np.inf, block.upper))
    high = some_rows(block, np.flatnonzero(ranged))
    return low, replace(high, lower=np.full(high.length, -np.inf))
