"""Functions of sums as columns of their own, as a spec is read: what a tape is for a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treemip.answers.search.folds import PRODUCT, FoldFunction
from treemip.core.lower.linear import Linear
from treemip.core.model.arrays import offsets_of
from treemip.core.model.bounds import Range
from treemip.core.model.tape import Smooth


@dataclass(frozen=True)
class Applied:
    """A function of rows: one result column for each group of arguments.

    offsets int64 (results + 1,) into the rows of `arguments`; results are columns from `start` on.
    exponent: of Smooth.POWER.
    """

    function: FoldFunction
    arguments: Linear
    offsets: np.ndarray
    start: int
    exponent: float = 1.0

    @property
    def results(self) -> int:
        return len(self.offsets) - 1

    def gives(self, columns: np.ndarray) -> np.ndarray:
        """Which columns are its results, bool."""
        return (columns >= self.start) & (columns < self.start + self.results)


Apply = Callable[[FoldFunction, Linear, np.ndarray, float], Linear]
"""Result columns for a function, its arguments, offsets and exponent."""


class SumTape:
    """Takes smooth functions and products of more than two factors; a slot is an argument row.

    apply: appends a function's result columns.
    """

    def __init__(self, apply: Apply) -> None:
        self._apply = apply
        self._rows: list[Linear] = []
        self._starts: list[int] = []
        self.length = 0

    def slots(self, value: Linear) -> np.ndarray:
        """A number for each row, int64 (size,)."""
        self._rows.append(value)
        self._starts.append(self.length)
        self.length += value.size
        return np.arange(self._starts[-1], self.length)

    def apply(self, function: Smooth, arguments: np.ndarray, exponent: float = 1.0) -> Linear:
        """The function of slots of one request, one a row."""
        if not len(arguments):
            return Linear.known(np.zeros(0))
        request = int(np.searchsorted(self._starts, arguments[0], side="right")) - 1
        rows = self._rows[request].spread(arguments - self._starts[request])
        return self._apply(function, rows, np.arange(rows.size + 1), exponent)

    def product(self, factors: list[tuple[Linear, np.ndarray]], size: int) -> Linear:
        """Products of rows: row r of a factor (value, rows) is a factor of product rows[r]."""
        owner = np.concatenate([rows for _, rows in factors])
        lone = np.setdiff1d(np.arange(size), owner)
        factors = [*factors, (Linear.known(np.ones(len(lone))), lone)]  # no product is empty
        owner = np.concatenate([owner, lone])
        place = np.empty(len(owner), np.int64)
        place[np.argsort(owner, kind="stable")] = np.arange(len(owner))
        arguments, first = Linear(len(owner)), 0
        for value, rows in factors:
            at = place[first : first + len(rows)]
            arguments = arguments.plus(value.summed(at, len(owner)))
            first += len(rows)
        offsets = offsets_of(np.bincount(owner, minlength=size))
        return self._apply(PRODUCT, arguments, offsets, 1.0)

    def ranges(self) -> Range:
        """Nothing is known about sums before there is a tree."""
        far = np.full(self.length, np.inf)
        return -far, far
