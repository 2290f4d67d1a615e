"""Sparse rows: made from triplets, cut, joined, bounded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treemip.core.model.arrays import begins, joined, offsets_of
from treemip.core.model.blocks import NO_QUADRATIC, Quadratic, Rows, SparseRows


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


@dataclass(frozen=True)
class Part:
    """Entries in row order: `lengths` of them in each row (one number when all rows have as many).

    var int32, coef float64, of one length; coef is None where every coefficient is 1.
    """

    lengths: int | np.ndarray
    var: np.ndarray
    coef: np.ndarray | None = None

    @property
    def numbers(self) -> np.ndarray:
        """The coefficients, float64."""
        return np.ones(len(self.var)) if self.coef is None else self.coef

    def times(self, factor: np.ndarray | float) -> Part:
        """Each row multiplied by its own number, or all by one."""
        if isinstance(factor, float):
            if self.coef is None:
                return Part(self.lengths, self.var, np.full(len(self.var), factor))
            return Part(self.lengths, self.var, self.coef * factor)
        one = isinstance(self.lengths, int) and self.lengths == 1
        spread = np.asarray(factor if one else np.repeat(factor, self.lengths), float)
        return Part(self.lengths, self.var, spread if self.coef is None else self.coef * spread)

    def grouped(self, rows: np.ndarray, lengths: np.ndarray) -> Part:
        """Rows put together: row r goes to rows[r], ascending; lengths = bincount(rows)."""
        if isinstance(self.lengths, int):
            return Part(narrow(lengths * self.lengths), self.var, self.coef)
        total = np.bincount(rows, self.lengths, len(lengths)).astype(np.int64)
        return Part(narrow(total), self.var, self.coef)


def narrow(lengths: np.ndarray) -> int | np.ndarray:
    """One number where all rows have as many entries."""
    if len(lengths) and lengths[0] > 0 and (lengths == lengths[0]).all():
        return int(lengths[0])
    return lengths


def join_parts(size: int, parts: Sequence[Part]) -> SparseRows:
    """Parts side by side as CSR: repeats added, zeros dropped, columns ascending.

    The common case needs no sorting: parts whose columns ascend within each row, one family
    after the other. Anything else is sorted row by row.
    """
    nonempty = [p for p in parts if len(p.var)]
    if not nonempty:
        return without_entries(size)
    families = [_family(size, group) for group in _overlapping(nonempty)]
    matrix = families[0] if len(families) == 1 else _beside(size, [as_part(f) for f in families])
    keep = matrix.data != 0
    return matrix if keep.all() else with_entries(matrix, keep)


def _overlapping(parts: list[Part]) -> list[list[Part]]:
    """Parts grouped so that the columns of one group are all below those of the next."""
    spans = sorted(((int(p.var.min()), int(p.var.max()), k) for k, p in enumerate(parts)))
    groups: list[list[Part]] = []
    end = -1
    for low, high, k in spans:
        if low > end:
            groups.append([])
        groups[-1].append(parts[k])
        end = max(end, high)
    return groups


def _family(size: int, parts: list[Part]) -> SparseRows:
    matrix = _beside(size, parts)
    return matrix if _ascends(matrix) else _sorted(matrix)


def _beside(size: int, parts: list[Part]) -> SparseRows:
    if all(isinstance(p.lengths, int) for p in parts):
        return _side_by_side(size, parts)
    return _interleaved(size, parts)


def _side_by_side(size: int, parts: list[Part]) -> SparseRows:
    widths = [int(p.lengths) for p in parts]
    total = sum(widths)
    indptr = np.arange(size + 1, dtype=np.int64) * total
    if len(parts) == 1:
        return SparseRows(indptr, parts[0].var, parts[0].numbers)
    indices, data = np.empty((size, total), np.int32), np.empty((size, total))
    at = 0
    for part, width in zip(parts, widths, strict=True):
        indices[:, at : at + width] = part.var.reshape(size, width)
        data[:, at : at + width] = 1.0 if part.coef is None else part.coef.reshape(size, width)
        at += width
    return SparseRows(indptr, indices.ravel(), data.ravel())


def _interleaved(size: int, parts: list[Part]) -> SparseRows:
    lengths = [
        np.full(size, p.lengths, np.int64) if isinstance(p.lengths, int) else p.lengths
        for p in parts
    ]
    indptr = offsets_of(np.asarray(sum(lengths)))
    if len(parts) == 1:
        return SparseRows(indptr, parts[0].var, parts[0].numbers)
    indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    start = indptr[:-1].copy()
    for part, count in zip(parts, lengths, strict=True):
        first = np.cumsum(count) - count
        at = np.repeat(start - first, count)
        at += np.arange(len(at))
        indices[at] = part.var
        data[at] = 1.0 if part.coef is None else part.coef
        start += count
    return SparseRows(indptr, indices, data)


def without_entries(count: int) -> SparseRows:
    """`count` empty rows."""
    return SparseRows(np.zeros(count + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))


def stack(matrices: Sequence[SparseRows]) -> SparseRows:
    """Rows of one matrix under those of the other."""
    if not matrices:
        return without_entries(0)
    if len(matrices) == 1:
        return matrices[0]
    return SparseRows(
        offsets_of(np.concatenate([np.diff(m.indptr) for m in matrices])),
        np.concatenate([m.indices for m in matrices]),
        np.concatenate([m.data for m in matrices]),
    )


def stack_slices(slices: Iterable[SparseRows], count: int) -> SparseRows:
    """As `stack` of slices with `count` rows in all, each let go before the next one is made.

    There is room for as many entries a row as the slices had so far: memory that nothing is
    written to costs nothing, where joining all slices in the end would take twice the memory.
    """
    lengths: list[np.ndarray] = []
    indices, data = np.empty(0, np.int32), np.empty(0)
    rows = end = 0
    for one in slices:
        if one.count == count:
            return one
        begin, end = end, end + one.nonzeros
        rows += one.count
        if end > len(data):
            room = max(end, int(1.05 * end * count / rows))
            indices, data = _roomier(indices, begin, room), _roomier(data, begin, room)
        indices[begin:end], data[begin:end] = one.indices, one.data
        lengths.append(np.diff(one.indptr))
    return SparseRows(offsets_of(joined(lengths, np.int64)), indices[:end], data[:end])


def stack_products(forms: Sequence[Quadratic], lengths: Sequence[int]) -> Quadratic:
    """The products of blocks of these lengths, their rows numbered through all blocks."""
    if not any(form.count for form in forms):
        return NO_QUADRATIC
    if len(forms) == 1:
        return forms[0]
    starts = offsets_of(np.array(lengths))
    return Quadratic(
        np.concatenate([form.row + start for form, start in zip(forms, starts, strict=False)]),
        np.concatenate([form.first for form in forms]),
        np.concatenate([form.second for form in forms]),
        np.concatenate([form.coef for form in forms]),
    )


def _roomier(values: np.ndarray, used: int, room: int) -> np.ndarray:
    longer = np.empty(room, values.dtype)
    longer[:used] = values[:used]
    return longer


def _ascends(matrix: SparseRows) -> bool:
    """Whether columns ascend within every row."""
    rising = matrix.indices[1:] > matrix.indices[:-1]
    starts = matrix.indptr[1:-1]
    starts = starts[(starts > 0) & (starts < len(matrix.indices))]
    rising[starts - 1] = True
    return bool(rising.all())


def with_entries(matrix: SparseRows, keep: np.ndarray) -> SparseRows:
    """All rows, with the entries that are kept, bool (nonzeros,)."""
    indptr = offsets_of(keep)[matrix.indptr]
    return SparseRows(indptr, matrix.indices[keep], matrix.data[keep])


def _sorted(matrix: SparseRows) -> SparseRows:
    """Columns put in order within rows and repeats added, in the order they come.

    By one sort of row and column as one number: a row mostly holds a few ascending stretches,
    which a merge sort finds as they are.
    """
    width = int(matrix.indices.max()) + 1
    key = matrix.row_of * width + matrix.indices
    order = np.argsort(key, kind="stable")
    key, data = key[order], matrix.data[order]
    first = begins(key)
    if not first.all():
        starts = np.flatnonzero(first)
        key, data = key[starts], np.add.reduceat(data, starts)
    row, column = np.divmod(key, width)
    indptr = offsets_of(np.bincount(row, minlength=matrix.count))
    return SparseRows(indptr, column.astype(np.int32), data)


def sparse_rows(row: np.ndarray, var: np.ndarray, coef: np.ndarray, size: int) -> SparseRows:
    """Triplets in any order to CSR: repeats added, zeros dropped, columns ascending."""
    if len(row) and (row[1:] < row[:-1]).any():
        order = np.argsort(row, kind="stable")
        row, var, coef = row[order], var[order], coef[order]
    part = Part(np.bincount(row, minlength=size), var.astype(np.int32, copy=False), coef)
    return join_parts(size, [part])


def as_part(matrix: SparseRows) -> Part:
    return Part(narrow(np.diff(matrix.indptr)), matrix.indices, matrix.data)


def take_rows(matrix: SparseRows, keep: np.ndarray) -> SparseRows:
    """Some rows of a matrix, ascending."""
    if len(keep) == matrix.count:
        return matrix
    if not matrix.nonzeros:
        return without_entries(len(keep))
    lengths = matrix.indptr[1:] - matrix.indptr[:-1]
    wanted = np.zeros(matrix.count, bool)
    wanted[keep] = True
    entries = np.repeat(wanted, lengths)
    return SparseRows(offsets_of(lengths[keep]), matrix.indices[entries], matrix.data[entries])


def scale_rows(matrix: SparseRows, factor: np.ndarray) -> SparseRows:
    """Each row multiplied by its own number, none of which is 0."""
    return SparseRows(matrix.indptr, matrix.indices, as_part(matrix).times(factor).numbers)


def append_columns(matrix: SparseRows, columns: np.ndarray, coef: np.ndarray) -> SparseRows:
    """One entry more for each row."""
    more = Part(1, columns.astype(np.int32), np.asarray(coef, float))
    return join_parts(matrix.count, [as_part(matrix), more])


def add_triplets(
    matrix: SparseRows, row: np.ndarray, var: np.ndarray, coef: np.ndarray
) -> SparseRows:
    """Entries added to a matrix."""
    return join_parts(
        matrix.count, [as_part(matrix), as_part(sparse_rows(row, var, coef, matrix.count))]
    )


def add_scaled(matrix: SparseRows, other: SparseRows, factor: np.ndarray) -> SparseRows:
    """matrix + diag(factor) other."""
    return join_parts(matrix.count, [as_part(matrix), as_part(other).times(factor)])


def interleave(first: SparseRows, second: SparseRows) -> SparseRows:
    """Rows of both in turn."""
    return sparse_rows(
        np.concatenate([2 * first.row_of, 2 * second.row_of + 1]),
        np.concatenate([first.indices, second.indices]),
        np.concatenate([first.data, second.data]),
        2 * first.count,
    )


def some_rows(rows: Rows, keep: np.ndarray) -> Rows:
    """The rows `keep` of a block, int64, ascending."""
    number = np.full(rows.length, -1)
    number[keep] = np.arange(len(keep))
    products = rows.quadratic.take(number[rows.quadratic.row] >= 0)
    return replace(
        rows,
        index=rows.index.take(keep),
        matrix=take_rows(rows.matrix, keep),
        lower=rows.lower[keep],
        upper=rows.upper[keep],
        quadratic=replace(products, row=number[products.row]),
        slots=None if rows.slots is None else take_rows(rows.slots, keep),
    )
