"""Whether guards of implications can be trusted to be 0 or 1.

A big-M row is exact only then: with g = 1/2 it asks for something that the implication does not,
and with g = 2 it cuts off solutions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.model.blocks import Implications, Rows, SparseRows
from treemip.model.model import Model
from treemip.model.rows import interval
from treemip.source.diagnostic import Diagnostic, TreemipError

if TYPE_CHECKING:
    from scipy import sparse


def check_guards(model: Model) -> None:
    """Raise E502 where a guard may have another value than 0 and 1.

    A guard passes when its variables are integer and their bounds leave 0 and 1 only, or when it
    is a sum of binaries, or 1 less such a sum, of which some row allows one at most.
    """
    integer, lower, upper = model.integer, model.lower, model.upper
    packing: sparse.csr_matrix | None = None
    for block in model.implications:
        guard, constant = block.guard, block.guard_constant
        _require_whole(model, block, integer)
        low, high = interval(guard, constant, lower, upper)
        wide = np.flatnonzero((low < 0) | (high > 1))
        if not len(wide):
            continue
        if packing is None:
            packing = _packing(model.rows, lower)
        if not _packed(guard, constant, wide, packing):
            raise _refused(block, "its variables may add up to another value")


def _require_whole(model: Model, block: Implications, integer: np.ndarray) -> None:
    guard = block.guard
    broken = ~integer[guard.indices]
    if broken.any():
        column = int(guard.indices[np.argmax(broken)])
        name = next(b.name for b in model.variables if b.start <= column < b.stop)
        raise _refused(block, f"'{name}' is continuous")
    if (guard.data % 1).any() or (block.guard_constant % 1).any():
        raise _refused(block, "it has a coefficient that is not whole")


def _packing(rows: tuple[Rows, ...], lower: np.ndarray) -> sparse.csr_matrix:
    """0/1 matrix of the rows that allow at most one of their variables to be 1."""
    from scipy import sparse

    parts = []
    for block in rows:
        matrix = block.matrix
        fits = (matrix.data >= 1) & (lower[matrix.indices] >= 0)
        whole = np.bincount(matrix.row_of, fits, matrix.count) == np.diff(matrix.indptr)
        whole &= block.upper <= 1
        if block.quadratic.count:
            whole[block.quadratic.row] = False
        kept = _ones(matrix, len(lower))[np.flatnonzero(whole)]
        if kept.shape[0]:
            parts.append(kept)
    return sparse.vstack(parts, "csr") if parts else sparse.csr_matrix((0, len(lower)))


def _ones(matrix: SparseRows, width: int) -> sparse.csr_matrix:
    from scipy import sparse

    ones = np.ones(matrix.nonzeros)
    return sparse.csr_matrix((ones, matrix.indices, matrix.indptr), (matrix.count, width))


def _packed(
    guard: SparseRows, constant: np.ndarray, wide: np.ndarray, packing: sparse.csr_matrix
) -> bool:
    """Whether each of these guards is s or 1 - s with s at most 1 by one packing row."""
    sign = np.where(constant[wide] == 0, 1.0, -1.0)
    usual = (constant[wide] == 0) | (constant[wide] == 1)
    wanted = _ones(guard, packing.shape[1])[wide]
    lengths = np.diff(wanted.indptr)
    same = guard.data[np.isin(guard.row_of, wide)] == np.repeat(sign, lengths)
    if not (usual.all() and same.all() and packing.shape[0]):
        return False
    shared = (wanted @ packing.T).max(axis=1).toarray().ravel()
    return bool((shared == lengths).all())


def _refused(block: Implications, why: str) -> TreemipError:
    return TreemipError(
        Diagnostic(
            "E502",
            f"the left side of '==>' must be 0 or 1 always: {why}",
            block.body.span,
            "use one binary variable, or a sum of binaries of which a row allows one at most",
        )
    )
