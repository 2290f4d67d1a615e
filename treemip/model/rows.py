"""Sparse rows: made from triplets, cut, joined, bounded."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from treemip.model.blocks import SparseRows


def interval(
    matrix: SparseRows, constant: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest value of each row over the box lower <= x <= upper."""
    at = matrix.indices
    a, b = matrix.data * lower[at], matrix.data * upper[at]
    rows = matrix.row_of
    low = np.bincount(rows, np.minimum(a, b), matrix.count) + constant
    high = np.bincount(rows, np.maximum(a, b), matrix.count) + constant
    return low, high


def sparse_rows(row: np.ndarray, var: np.ndarray, coef: np.ndarray, size: int) -> SparseRows:
    """Triplets to CSR: repeats added, zeros dropped, columns ascending."""
    width = int(var.max()) + 1 if len(var) else 1
    narrow = row.astype(np.int32) if size < 2**31 - 1 else row
    matrix = sparse.coo_matrix((coef, (narrow, var)), shape=(size, width)).tocsr()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return SparseRows(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data
    )


def take_rows(matrix: SparseRows, keep: np.ndarray) -> SparseRows:
    """Some rows of a matrix, ascending."""
    lengths = np.diff(matrix.indptr)
    if len(keep) == matrix.count:
        return matrix
    wanted = np.zeros(matrix.count, bool)
    wanted[keep] = True
    entries = np.repeat(wanted, lengths)
    indptr = np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64)
    return SparseRows(indptr, matrix.indices[entries], matrix.data[entries])


def scale_rows(matrix: SparseRows, factor: np.ndarray) -> SparseRows:
    """Each row multiplied by its own number, none of which is 0."""
    return SparseRows(matrix.indptr, matrix.indices, matrix.data * factor[matrix.row_of])


def add_triplets(
    matrix: SparseRows, row: np.ndarray, var: np.ndarray, coef: np.ndarray
) -> SparseRows:
    """Entries added to a matrix."""
    return sparse_rows(
        np.concatenate([matrix.row_of, row]),
        np.concatenate([matrix.indices, var]),
        np.concatenate([matrix.data, coef]),
        matrix.count,
    )


def append_columns(matrix: SparseRows, columns: np.ndarray, coef: np.ndarray) -> SparseRows:
    """One entry more for each row."""
    return add_triplets(matrix, np.arange(matrix.count), columns.astype(np.int32), coef)


def add_scaled(matrix: SparseRows, other: SparseRows, factor: np.ndarray) -> SparseRows:
    """matrix + diag(factor) other."""
    row = other.row_of
    return add_triplets(matrix, row, other.indices, other.data * factor[row])


def interleave(first: SparseRows, second: SparseRows) -> SparseRows:
    """Rows of both in turn."""
    return sparse_rows(
        np.concatenate([2 * first.row_of, 2 * second.row_of + 1]),
        np.concatenate([first.indices, second.indices]),
        np.concatenate([first.data, second.data]),
        2 * first.count,
    )
