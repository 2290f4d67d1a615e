"""Rows that a model is solved without until a point breaks them: what a solver asks.

A solver that takes them itself (`Caps.lazy`) asks at its nodes; for the others the model is solved
again with the rows that the last answer broke.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treemip.core.model.blocks import SparseRows
from treemip.core.model.sparse_rows import stack


@dataclass(frozen=True)
class ViolatedRows:
    """lower <= matrix x <= upper, row by row: over the columns of the reformed model.

    matrix: CSR, at least one row. lower, upper: float64 (rows,), -inf and inf for no bound.
    """

    matrix: SparseRows
    lower: np.ndarray
    upper: np.ndarray

    @property
    def count(self) -> int:
        return self.matrix.count


class LazyRows(Protocol):
    """The rows of a model that are separated while it is solved.

    Every row that is ever given holds for all solutions of the stated model, whatever `integral`
    was, so rows may be kept for good and in any order. The object may remember what it gave; it is
    called by one thread at a time.
    """

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        """Rows that x breaks, or None.

        x: float64 (columns,) of the reformed model. integral: whether all integer columns are
        integral at x, up to the solver's tolerance. Then None means that x fulfils all rows that
        are separated; otherwise None means nothing, and rows are cutting planes.
        """

    def repaired(self, x: np.ndarray) -> np.ndarray | None:
        """A solution near x, integral with broken rows: float64 (columns,), it breaks no row of the
        model and none that is separated. None where none is known.
        """


def joined(parts: list[ViolatedRows]) -> ViolatedRows | None:
    """All rows of several families; None where there are none."""
    if not parts:
        return None
    return ViolatedRows(
        stack([part.matrix for part in parts]),
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
    )
