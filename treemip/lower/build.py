"""The model under construction: blocks appended in order, columns numbered once."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from treemip.instance.instance import Instance
from treemip.lower.frame import Frame
from treemip.lower.linear import Linear
from treemip.model.blocks import (
    NO_QUADRATIC,
    Function,
    Functions,
    Implications,
    Index,
    Kind,
    Quadratic,
    Rows,
    SparseRows,
    Variables,
)
from treemip.resolve.sorts import Element, Sort
from treemip.source.span import Span


class Building:
    """Blocks so far. `starts` gives the first column of a variable family by name."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.variables: list[Variables] = []
        self.rows: list[Rows] = []
        self.implications: list[Implications] = []
        self.functions: list[Functions] = []
        self.starts: dict[str, int] = {}
        self.columns = 0
        self._bounds: tuple[np.ndarray, np.ndarray] | None = None

    def index(self, names: tuple[str, ...], sorts: tuple[Sort, ...], frame: Frame) -> Index:
        """Index columns as labels; names made up by the compiler (those with *) are left out."""
        kept = [(name, s) for name, s in zip(names, sorts, strict=True) if not name.startswith("*")]
        columns = tuple(self.instance.labels(s, frame.column(name)) for name, s in kept)
        shown = tuple(s.of if isinstance(s, Element) else "number" for _, s in kept)
        return Index(tuple(name for name, _ in kept), shown, columns, frame.size)

    def add_variables(
        self,
        name: str,
        index: Index,
        lower: np.ndarray,
        upper: np.ndarray,
        kind: Kind,
        span: Span | None,
        made_by: str = "",
    ) -> int:
        """Append a family and return its first column."""
        start = self.columns
        block = Variables(name, index, start, lower, upper, kind, span, made_by)
        self.variables.append(block)
        self.columns += block.length
        self._bounds = None
        return start

    def add_function(
        self,
        name: str,
        function: Function,
        index: Index,
        arguments: Linear,
        offsets: np.ndarray,
        span: Span | None,
    ) -> int:
        """Append result variables and their definition; returns the first result's column."""
        low, high = self.interval(arguments)
        lower, upper = result_bounds(function, low, high, offsets)
        start = self.add_variables(name, index, lower, upper, Kind.CONTINUOUS, span, function.value)
        matrix = sparse_rows(arguments.row, arguments.var, arguments.coef, arguments.size)
        self.functions.append(
            Functions(name, function, index, start, offsets, matrix, arguments.constant, span)
        )
        return start

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        if self._bounds is None:
            join = np.concatenate
            lower = [b.lower for b in self.variables] or [np.zeros(0)]
            upper = [b.upper for b in self.variables] or [np.zeros(0)]
            self._bounds = join(lower), join(upper)
        return self._bounds

    def interval(self, rows: Linear) -> tuple[np.ndarray, np.ndarray]:
        """What the bounds of the variables prove about affine rows."""
        lower, upper = self.bounds
        matrix = sparse_rows(rows.row, rows.var, rows.coef, rows.size)
        return interval(matrix, rows.constant, lower, upper)


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


def result_bounds(
    function: Function, low: np.ndarray, high: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of results from those of their arguments, group by group."""
    size_low = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    size_high = np.maximum(np.abs(low), np.abs(high))
    groups = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    count = len(offsets) - 1

    def fold(values: np.ndarray, ufunc: np.ufunc, start: float) -> np.ndarray:
        found = np.full(count, start)
        ufunc.at(found, groups, values)
        return found

    if function is Function.NORM1:
        return fold(size_low, np.add, 0.0), fold(size_high, np.add, 0.0)
    if function is Function.MAX:
        return fold(low, np.maximum, -np.inf), fold(high, np.maximum, -np.inf)
    if function is Function.MIN:
        return fold(low, np.minimum, np.inf), fold(high, np.minimum, np.inf)
    return fold(size_low, np.maximum, 0.0), fold(size_high, np.maximum, 0.0)


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


def quadratic_rows(rows: Linear) -> Quadratic:
    """Products with repeats added and zeros dropped, sorted by row."""
    if rows.is_affine:
        return NO_QUADRATIC
    order = np.lexsort((rows.q2, rows.q1, rows.qrow))
    row, first, second = rows.qrow[order], rows.q1[order], rows.q2[order]
    coef = rows.qcoef[order]
    new = np.ones(len(row), bool)
    new[1:] = (np.diff(row) != 0) | (np.diff(first) != 0) | (np.diff(second) != 0)
    at = np.flatnonzero(new)
    summed = np.add.reduceat(coef, at)
    keep = summed != 0
    at = at[keep]
    return Quadratic(row[at], first[at], second[at], summed[keep])


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
