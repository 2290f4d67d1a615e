"""Are two MPS files the same model, up to the order, names and signs of rows and columns?

`python compare.py FIRST.mps SECOND.mps` says so, or says where they differ and leaves with 1.

Columns and rows of the two files are matched by colour refinement: a column's colour is a hash
of its bounds, cost, kind and of the (coefficient, colour) pairs of its rows, a row's likewise,
refined until no class splits. Columns of one class (those of two equal points, say) are told
apart by their order in the files, and the rows refined once more. The matching is only a
proposal: what is reported equal has then been compared number by number under it, so a collision
of hashes or an unlucky tie can make equal models look different, never the reverse.
"""

from __future__ import annotations

import sys

import numpy as np
from colours import TOLERANCE, refined
from mps import Model, read, turned


def difference(first: Model, second: Model) -> str | None:
    """None where the models are equal up to rows' and columns' order, names and signs."""
    if first.size != second.size:
        return "rows, columns, nonzeros: {} {} {} against {} {} {}".format(
            *first.size, *second.size
        )
    if not np.isclose(first.offset, second.offset):
        return f"objective constant: {first.offset} against {second.offset}"
    columns, rows = refined(first, second)
    orders = [np.argsort(colours, kind="stable") for colours in (*columns, *rows)]
    for what, (one, two) in (("columns", columns), ("rows", rows)):
        unlike = int((np.sort(one) != np.sort(two)).sum())
        if unlike:
            return f"{unlike} of {len(one)} {what} have no counterpart"
    return _compared(_ordered(first, orders[0], orders[2]), _ordered(second, orders[1], orders[3]))


def _ordered(model: Model, columns: np.ndarray, rows: np.ndarray) -> Model:
    """The model permuted, and every two-sided row turned so that its first coefficient is > 0."""
    matrix = model.matrix[rows][:, columns].tocsr()
    matrix.sort_indices()
    permuted = Model(
        model.lower[columns],
        model.upper[columns],
        model.cost[columns],
        model.integer[columns],
        model.row_lower[rows],
        model.row_upper[rows],
        matrix,
        model.offset,
    )
    filled = np.flatnonzero(np.diff(matrix.indptr))
    leading = np.zeros(len(rows))
    leading[filled] = matrix.data[matrix.indptr[filled]]
    two_sided = ~np.isinf(permuted.row_lower) & ~np.isinf(permuted.row_upper)
    return turned(permuted, two_sided & (leading < 0))


def _compared(first: Model, second: Model) -> str | None:
    """The first array in which two models in one order differ."""
    if not np.array_equal(first.matrix.indptr, second.matrix.indptr):
        return "rows differ in their number of coefficients"
    if not np.array_equal(first.matrix.indices, second.matrix.indices):
        return "coefficients stand in different columns"
    if not np.array_equal(first.integer, second.integer):
        return "kinds of columns differ"
    for name in ("lower", "upper", "cost", "row_lower", "row_upper"):
        if not np.allclose(getattr(first, name), getattr(second, name), TOLERANCE, TOLERANCE):
            return f"{name} differs"
    if not np.allclose(first.matrix.data, second.matrix.data, TOLERANCE, 0):
        return "coefficients differ"
    return None


def main() -> int:
    """Compare the two files of the command line; 0 where the models are equal."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} FIRST.mps SECOND.mps")
    first, second = (read(path) for path in sys.argv[1:])
    found = difference(first, second)
    rows, columns, nonzeros = first.size
    print(found or f"equal: {rows} rows, {columns} columns, {nonzeros} nonzeros")
    return int(found is not None)


if __name__ == "__main__":
    sys.exit(main())
