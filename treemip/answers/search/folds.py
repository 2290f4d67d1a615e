"""Functions of sums over points: abs, max, min, norms, products, powers and smooth functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from treemip.core.model.arrays import Sparse
from treemip.core.model.blocks import Function
from treemip.core.model.tape import Smooth
from treemip.core.model.values import smooth_values

PRODUCT: Literal["product"] = "product"

FoldFunction = Function | Smooth | Literal["product"]


@dataclass(frozen=True)
class Fold:
    """A function over some of the rows, each result added to others.

    abs, max, min, norminf and products take a group of rows for each result, smooth functions a
    single one. rows int64: the argument rows, `offsets` into them one group a result. to float64
    (results, R): what a result adds to the rows that mention it. exponent: of Smooth.POWER.
    """

    function: FoldFunction
    rows: np.ndarray
    offsets: np.ndarray
    to: np.ndarray
    exponent: float = 1.0

    @property
    def is_piecewise(self) -> bool:
        """Whether it is abs, max, min or norminf."""
        return isinstance(self.function, Function)

    @cached_property
    def sparse(self) -> Sparse:
        """`to`, of which most is 0."""
        return Sparse(self.to)

    def over(self, kept: np.ndarray) -> Fold:
        """The fold where these rows alone are left, bool (R,), its arguments among them."""
        number = np.cumsum(kept) - 1
        return replace(self, rows=number[self.rows], to=self.to[:, kept])

    def values(self, sums: np.ndarray) -> np.ndarray:
        """The results (..., results) for sums (..., R); not finite where they are undefined."""
        arguments = sums[..., self.rows]
        starts = self.offsets[:-1]
        if isinstance(self.function, Smooth):
            return smooth_values(self.function, arguments, self.exponent)
        if self.function == PRODUCT:
            return np.multiply.reduceat(arguments, starts, axis=-1)
        if self.function is Function.MIN:
            return np.minimum.reduceat(arguments, starts, axis=-1)
        if self.function is not Function.MAX:
            arguments = np.abs(arguments)
        return np.maximum.reduceat(arguments, starts, axis=-1)


def arguments_of(folds: Iterable[Fold], rows: int) -> np.ndarray:
    """The rows that functions take, bool (rows,)."""
    taken = np.zeros(rows, bool)
    for fold in folds:
        taken[fold.rows] = True
    return taken
