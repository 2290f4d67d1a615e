"""The entries of a whole model by column, the objective as row 0."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.emit.mps.stripes import pattern_of
from treemip.emit.mps.transpose import Columns
from treemip.model.blocks import SparseRows
from treemip.model.model import Model

_AT_ONCE = 1 << 16  # entries

Piece = tuple[np.ndarray, np.ndarray, np.ndarray, int]  # rows, columns, values, row width


def by_column(model: Model, costs: np.ndarray, left_out: np.ndarray) -> Columns:
    """Entries of `costs` (columns,) as row 0 and of the model's rows as 1, 2, ..., by column.

    `costs` may be longer than the model's columns. Rows where `left_out`, bool (rows,), is true
    add nothing. Every column has at least one entry, a zero in row 0 when there is no other.
    """
    columns = Columns(len(costs))
    priced = np.flatnonzero(costs).astype(np.int32)
    columns.add(np.zeros(len(priced), np.int32), priced, costs[priced])
    row = 1
    for block in model.rows:
        skip = left_out[row - 1 : row - 1 + block.length]
        pattern = None if skip.any() else pattern_of(block.matrix)
        if pattern:
            columns.add_pattern(pattern, row)
        else:
            for piece in _pieces(block.matrix, row, skip):
                columns.add(*piece)
        row += block.length
    columns.finish()
    return columns


def _pieces(matrix: SparseRows, row: int, skip: np.ndarray) -> Iterator[Piece]:
    """Whole rows at a time, as many as hold about _AT_ONCE entries; the first has number `row`."""
    some = bool(skip.any())
    first = 0
    while first < matrix.count:
        full = matrix.indptr[first] + _AT_ONCE
        stop = max(first + 1, int(np.searchsorted(matrix.indptr, full, side="right")) - 1)
        here = slice(int(matrix.indptr[first]), int(matrix.indptr[stop]))
        sizes = np.diff(matrix.indptr[first : stop + 1])
        width = int(sizes[0]) if (sizes == sizes[0]).all() else 0
        rows = np.repeat(np.arange(row + first, row + stop, dtype=np.int32), sizes)
        columns, values = matrix.indices[here], matrix.data[here]
        if some:
            keep = ~np.repeat(skip[first:stop], sizes)
            rows, columns, values = rows[keep], columns[keep], values[keep]
        yield rows, columns, values, width
        first = stop
