"""Frames: tables of index tuples that grow set by set.

A frame is a selection of rows of its parent plus columns of its own. Expanding a binder makes a
child whose rows point at the rows they came from; a column is gathered from above when it is
first asked for, so a deep frame carries only what is used.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.core.model.arrays import Ragged, begins, first_places
from treemip.core.source.memory import room

SLICE = 1 << 16
"""Rows of a frame at a time, where nobody needs them together."""

_MANY = 1_000_000  # rows from which on memory is asked about, which takes 30 microseconds
_LARGEST = 1 << 62  # of products of spans, so that codes of tuples fit int64


class Frame:
    """`size` index tuples; `rows` int64 (size,) are their rows in `parent`."""

    def __init__(
        self,
        size: int,
        columns: dict[str, np.ndarray] | None = None,
        parent: Frame | None = None,
        rows: np.ndarray | None = None,
        width: int = 0,
        full: bool = False,
        local: dict[str, tuple[Ragged, np.ndarray]] | None = None,
    ) -> None:
        self.size = size
        self.parent = parent
        self.rows = rows
        self.width = width  # rows of this frame for each row of the parent, 0 when they differ
        self.full = full  # grown, with at least one row for each row of the parent
        self._columns = columns or {}
        self._own = frozenset(self._columns)
        self._local = local or {}

    @classmethod
    def empty(cls) -> Frame:
        """The frame of no names: one row."""
        return cls(1)

    def column(self, name: str) -> np.ndarray:
        """Values of a bound name: element ids, or float64 numbers."""
        if name not in self._columns:
            if self.parent is None:
                raise KeyError(name)
            self._columns[name] = self.down(self.parent.column(name))
        return self._columns[name]

    def owns(self, names: frozenset[str], local: frozenset[str]) -> bool:
        """Whether any of the names was bound by this frame rather than above it."""
        return any(n in self._own for n in names) or any(n in self._local for n in local)

    def down(self, values: np.ndarray) -> np.ndarray:
        """Values of the parent's rows, for the rows of this frame."""
        assert self.rows is not None
        return values.repeat(self.width) if self.width else values[self.rows]

    def local(self, name: str) -> tuple[Ragged, np.ndarray]:
        """A local set: its distinct lists, and which of them each row has."""
        if name not in self._local:
            if self.parent is None:
                raise KeyError(name)
            assert self.rows is not None
            ragged, which = self.parent.local(name)
            self._local[name] = (ragged, which[self.rows])
        return self._local[name]

    def with_local(self, name: str, ragged: Ragged, which: np.ndarray) -> Frame:
        """The same frame with one more local set."""
        return Frame(
            self.size, parent=self, rows=np.arange(self.size), local={name: (ragged, which)}
        )

    def take(self, rows: np.ndarray) -> Frame:
        """Some rows of this frame, as a child."""
        return Frame(len(rows), parent=self, rows=rows)

    def grow(self, name: str, ragged: Ragged, which: np.ndarray | None = None) -> Frame:
        """One child row for each item of the list that each row has."""
        if ragged.count == 1:
            width = len(ragged.items)
            demand_room(self.size * width)
            rows = np.arange(self.size).repeat(width)
            columns = {name: ragged.items[None].repeat(self.size, axis=0).ravel()}
            return Frame(len(rows), columns, self, rows, width, full=width > 0)
        lengths = ragged.lengths if which is None else ragged.lengths[which]
        demand_room(int(lengths.sum()))
        lists = ragged if which is None else ragged.take(which)
        rows = np.arange(self.size).repeat(lists.lengths)
        full = bool(lists.count) and bool(lists.lengths.min() > 0)
        return Frame(len(rows), {name: lists.items}, self, rows, full=full)

    def project(self, names: frozenset[str], local: frozenset[str]) -> tuple[Frame, np.ndarray]:
        """The distinct combinations of some names, and which one each row has.

        Local sets count as names: rows with different lists stay apart.
        """
        if not names and not local:
            return self.take(np.zeros(min(self.size, 1), np.int64)), np.zeros(self.size, np.int64)
        if self.full and not self.owns(names, local):
            assert self.parent is not None and self.rows is not None
            distinct_above, which = self.parent.project(names, local)
            return distinct_above, self.down(which)
        keys = [self.column(n) for n in sorted(names)]
        keys += [self.local(n)[1] for n in sorted(local)]
        first, which = distinct(keys)
        if len(first) == self.size:
            return self, np.arange(self.size)
        return self.take(first), which


def demand_room(rows: int, each: int = 48) -> None:
    """Raise MemoryError before making rows of `each` bytes that do not fit into memory.

    48 bytes are a frame's row: its number, its item, and what an expression makes of them.
    """
    if rows > _MANY and rows * each > room():
        raise MemoryError


def distinct(columns: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """First row of each distinct tuple, tuples in ascending order, and each row's tuple."""
    codes, span = _codes(columns[0])
    for column in columns[1:]:
        more, count = _codes(column)
        if span * count > _LARGEST:
            (codes, span), (more, count) = _numbered(codes), _numbered(more)
        codes, span = codes * count + more, span * count
    if (codes[1:] >= codes[:-1]).all():  # as in a frame that grew set by set
        first = begins(codes)
        return np.flatnonzero(first), np.cumsum(first) - 1
    if span <= 8 * len(codes):
        return first_places(codes, span)
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    return first, which


def _codes(column: np.ndarray) -> tuple[np.ndarray, int]:
    """Whole numbers from 0 on that stand for a column's values, in order, and their span."""
    if len(column) == 0:
        return np.zeros(0, np.int64), 1
    if column.dtype.kind in "iu":
        low, high = int(column.min()), int(column.max())
        if high - low < _LARGEST:
            return column.astype(np.int64) - low, high - low + 1
    return _numbered(column)


def _numbered(column: np.ndarray) -> tuple[np.ndarray, int]:
    values, codes = np.unique(column, return_inverse=True)
    return codes, len(values)


def in_slices(frame: Frame) -> Iterator[tuple[slice, Frame]]:
    """The frame itself, or where it is large parts of it, with the rows that each has."""
    if frame.size <= SLICE:
        yield slice(0, frame.size), frame
        return
    for start in range(0, frame.size, SLICE):
        stop = min(start + SLICE, frame.size)
        yield slice(start, stop), frame.take(np.arange(start, stop))
