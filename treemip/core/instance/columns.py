"""One raw column of a data set, from a file or from memory, as numbers and as texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from treemip.core.instance.cells import BLANKS, TRUTH, cell_text, is_truth, number_cell
from treemip.core.instance.decimals import number_of, parse_decimals
from treemip.core.model.arrays import numbered, unique
from treemip.core.source.deadline import heed


class Unreadable(Exception):
    """Data that cannot be taken as a table; whoever knows the place makes it a Diagnostic."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class NoRows(Unreadable):
    """There are columns, but no row."""


@dataclass(frozen=True)
class Texts:
    """codes int64 (N,) into `levels`, which are sorted; -1 where the cell is missing."""

    codes: np.ndarray
    levels: tuple[str, ...]


Rows = slice | np.ndarray
"""Rows of a column, by a slice or by their positions int64 (n,)."""


class Bounds(Protocol):
    """Where the cells of a column begin and end in a text."""

    def at(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Of these rows, int64 (n,) each."""
        ...

    def take(self, rows: np.ndarray) -> Bounds: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Listed:
    """Bounds that are kept, int64 (N,) each."""

    start: np.ndarray
    stop: np.ndarray

    def at(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        return self.start[rows], self.stop[rows]

    def take(self, rows: np.ndarray) -> Listed:
        return Listed(self.start[rows], self.stop[rows])

    def __len__(self) -> int:
        return len(self.start)


class Column(Protocol):
    """A raw column of N cells. Which cells are missing is settled when it is made."""

    @property
    def missing(self) -> np.ndarray:
        """bool (N,): empty, or one of the marks of a missing value."""
        ...

    @property
    def numbers(self) -> np.ndarray:
        """float64 (N,), not to be changed, NaN where the cell is missing or not a finite number."""
        ...

    @property
    def texts(self) -> Texts: ...

    def text(self, row: int) -> str:
        """One cell, for a message."""
        ...

    def take(self, rows: np.ndarray) -> Column: ...

    def __len__(self) -> int: ...


def is_numeric(column: Column) -> bool:
    """Whether some cell is there and every cell that is there is a finite number."""
    missing = column.missing
    return not missing.all() and bool((missing == np.isnan(column.numbers)).all())


def read_numbers(column: Column) -> np.ndarray:
    """`column.numbers` of a column that training read as numbers: truth values that are written as
    words are 1 and 0 too."""
    numbers = column.numbers
    words = np.flatnonzero(np.isnan(numbers) & ~column.missing)
    if len(words):
        texts = column.take(words).texts
        numbers = numbers.copy()
        numbers[words] = np.array([TRUTH.get(w, np.nan) for w in texts.levels])[texts.codes]
    return numbers


AT_ONCE = 1 << 14
"""Cells of a column that are read at once: few enough for the processor's caches."""

SAMPLE = 1 << 16
"""Cells among which all levels of a column with few are found."""


class CellColumn:
    """Cells of a UTF-8 text without NUL bytes, between their bounds.

    `truth` float64 (N,): 1 and 0 where a cell is a truth value from memory, NaN elsewhere; None
    where there is none.
    """

    def __init__(
        self,
        data: bytes | bytearray,
        bounds: Bounds,
        marks: tuple[str, ...] = (),
        truth: np.ndarray | None = None,
    ) -> None:
        self.data = data
        self.bounds = bounds
        self.marks = marks
        self.truth = truth

    @classmethod
    def of(
        cls, cells: list[str], marks: tuple[str, ...] = (), truth: np.ndarray | None = None
    ) -> CellColumn:
        """A column of strings, each without blanks around it. Raises Unreadable."""
        try:
            encoded = [cell.strip(BLANKS).encode() for cell in cells]
        except UnicodeEncodeError:
            raise Unreadable(
                "the data contain half of a surrogate pair, which is no text"
            ) from None
        data = b"".join(encoded)
        if b"\0" in data:
            raise Unreadable("the data contain a NUL character, so they are not text")
        stop = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))
        start = np.concatenate([np.zeros(1, np.int64), stop])[: len(encoded)]
        return cls(data or b"\n", Listed(start, stop), marks, truth)

    @classmethod
    def of_truth(cls, values: np.ndarray, marks: tuple[str, ...] = ()) -> CellColumn:
        """A column of truth values bool (N,)."""
        start = np.where(values, len("False"), 0)
        stop = np.where(values, len("FalseTrue"), len("False"))
        return cls(b"FalseTrue", Listed(start, stop), marks, values.astype(np.float64))

    def __len__(self) -> int:
        return len(self.bounds)

    def text(self, row: int) -> str:
        start, stop = self.bounds.at(np.array([row]))
        return self.data[start[0] : stop[0]].decode()

    def take(self, rows: np.ndarray) -> CellColumn:
        truth = None if self.truth is None else self.truth[rows]
        taken = CellColumn(self.data, self.bounds.take(rows), self.marks, truth)
        if "_read" in self.__dict__:
            taken.__dict__["_read"] = tuple(known[rows] for known in self._read)
        return taken

    def part(self, first: int, stop: int) -> CellColumn:
        """The cells from `first` up to `stop`; all cells are read at once."""
        rows = slice(first, stop)
        part = CellColumn(self.data, Listed(*self.bounds.at(rows)), self.marks)
        part.__dict__["_read"] = tuple(known[rows] for known in self._read)
        return part

    @property
    def missing(self) -> np.ndarray:
        return self._read[0]

    @property
    def numbers(self) -> np.ndarray:
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[np.ndarray, np.ndarray]:
        """`missing` and `numbers`."""
        read_together([self])
        return self._read

    def read(self, rows: slice, missing: np.ndarray, numbers: np.ndarray) -> None:
        """Puts what some rows have into the arrays of all."""
        start, stop = self.bounds.at(rows)
        written = parse_decimals(self.data, start, stop)[0]
        gone = start == stop
        for mark in self.marks:
            number = number_of(mark)
            if number is None:
                gone |= _equal(np.frombuffer(self.data, np.uint8), start, stop, mark)
            else:
                gone |= written == number
        if self.truth is not None:
            written = np.where(np.isnan(self.truth[rows]), written, self.truth[rows])
        written[gone] = np.nan
        missing[rows], numbers[rows] = gone, written

    @cached_property
    def texts(self) -> Texts:
        present = np.flatnonzero(~self.missing)
        codes = np.full(len(self), -1)
        if len(present) == 0:
            return Texts(codes, ())
        # UTF-8 sorts as its code points do, so the levels come out in the order of str.
        levels, codes[present] = _numbered(self._padded(present))
        return Texts(codes, tuple(level.decode() for level in levels.tolist()))

    def _padded(self, rows: np.ndarray) -> np.ndarray:
        """The cells of these rows as bytes of one width, filled up with NUL."""
        start, stop = self.bounds.at(rows)
        length, buffer = stop - start, np.frombuffer(self.data, np.uint8)
        width = int(length.max())
        cells = np.zeros((len(rows), width), np.uint8)
        for k in range(width):
            inside = k < length
            cells[inside, k] = buffer[start[inside] + k]
        return cells.view(f"S{width}").ravel()


def read_together(columns: Sequence[CellColumn]) -> None:
    """Reads the numbers of columns of one text, row by row of it, so that it is gone through once.
    Raises TimeEnded."""
    found = [(np.empty(len(column), bool), np.empty(len(column))) for column in columns]
    for first in range(0, max(map(len, columns), default=0), AT_ONCE):
        heed()
        for column, arrays in zip(columns, found, strict=True):
            column.read(slice(first, first + AT_ONCE), *arrays)
    for column, arrays in zip(columns, found, strict=True):
        column.__dict__["_read"] = arrays


def _equal(buffer: np.ndarray, start: np.ndarray, stop: np.ndarray, text: str) -> np.ndarray:
    """Where the cells are this text, bool (n,)."""
    wanted = np.frombuffer(text.encode(), np.uint8)
    same = (stop - start) == len(wanted)
    rows = np.flatnonzero(same)
    same[rows] = (buffer[start[rows, None] + np.arange(len(wanted))] == wanted).all(axis=1)
    return same


def _numbered(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different cells, ascending, and which of them each one is, int64 (n,). Few of many are
    found among a sample, so that not all are sorted."""
    levels = unique(cells[:: max(1, len(cells) // SAMPLE)])
    if len(levels) <= len(cells) // 64:
        at = np.searchsorted(levels, cells)
        if (levels[np.minimum(at, len(levels) - 1)] == cells).all():
            return levels, at
    return numbered(cells)


class NumberColumn:
    """Numbers from memory: an integer or floating array; NaN is a missing value."""

    def __init__(self, values: np.ndarray, marks: tuple[str, ...] = ()) -> None:
        self.values = values
        self.marks = marks

    def __len__(self) -> int:
        return len(self.values)

    def text(self, row: int) -> str:
        return number_cell(self.values[row])

    def take(self, rows: np.ndarray) -> NumberColumn:
        return NumberColumn(self.values[rows], self.marks)

    @cached_property
    def missing(self) -> np.ndarray:
        missing = np.isnan(self.values)
        for mark in self.marks:
            number = number_of(mark)
            if number is not None:
                missing |= self.values == number
        return missing

    @cached_property
    def numbers(self) -> np.ndarray:
        gone = self.missing | ~np.isfinite(self.values)
        if self.values.dtype == np.float64 and (gone == np.isnan(self.values)).all():
            return self.values
        values = self.values.astype(np.float64)
        values[gone] = np.nan
        return values

    @cached_property
    def texts(self) -> Texts:
        present = ~self.missing
        values, inverse = np.unique(self.values[present], return_inverse=True)
        names = [number_cell(value) for value in values]
        levels = tuple(sorted(set(names)))
        position = {name: k for k, name in enumerate(levels)}
        codes = np.full(len(self), -1)
        codes[present] = np.array([position[name] for name in names], np.int64)[inverse]
        return Texts(codes, levels)


def without_text(column: Column) -> NumberColumn:
    """A column that `is_numeric` by its numbers alone, so that its text can be let go."""
    return NumberColumn(column.numbers)


def with_marks(column: Column, marks: tuple[str, ...]) -> Column:
    """The column with other marks of missing values."""
    if isinstance(column, CellColumn) and column.marks != marks:
        return CellColumn(column.data, column.bounds, marks, column.truth)
    if isinstance(column, NumberColumn) and column.marks != marks:
        return NumberColumn(column.values, marks)
    return column


def column_of(name: str, values: np.ndarray, marks: tuple[str, ...] = ()) -> Column:
    """A raw column from an array (N,) of numbers, truth values, strings or objects.

    What a value of an array of objects stands for is `cells.cell_text`'s to say, whatever the
    others are. Raises Unreadable for what is no cell, such as dates.
    """
    if values.ndim != 1:
        raise Unreadable(f"column '{name}' has {values.ndim} dimensions instead of one")
    if values.dtype.kind == "b":
        return CellColumn.of_truth(values, marks)
    if values.dtype.kind in "iuf":
        return NumberColumn(values, marks)
    if values.dtype.kind in "UOT":
        return _column_of_cells(name, values.tolist(), marks)
    raise Unreadable(
        f"column '{name}' holds {values.dtype} values, which are neither numbers nor text",
        _remedy(name, values.dtype.type.__name__),
    )


def _column_of_cells(name: str, values: list[object], marks: tuple[str, ...]) -> CellColumn:
    cells = []
    for value in values:
        cell = cell_text(value)
        if cell is None:
            raise Unreadable(
                f"column '{name}' holds a {type(value).__name__}, which is neither a number nor "
                "text",
                _remedy(name, type(value).__name__),
            )
        cells.append(cell)
    if not any(map(is_truth, set(map(type, values)))):
        return CellColumn.of(cells, marks)
    truth = [float(bool(v)) if is_truth(type(v)) else np.nan for v in values]
    return CellColumn.of(cells, marks, np.array(truth))


NUMBERS_OF = {
    **dict.fromkeys(("datetime64", "Timestamp", "Period"), 'df["{}"].dt.year'),
    **dict.fromkeys(("datetime", "date"), 'pd.to_datetime(df["{}"]).dt.year'),
    **dict.fromkeys(("timedelta64", "Timedelta"), 'df["{}"].dt.days'),
}
"""How numbers are taken from a column of a pandas frame, by the type of its values."""


def _remedy(name: str, kind: str) -> str:
    if kind not in NUMBERS_OF:
        return "convert it, or drop it"
    return f"give a number taken from it, such as {NUMBERS_OF[kind].format(name)}, or drop it"
