"""One raw column of a data set, from a file or from memory, as numbers and as texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from treemip.instance.cells import BLANKS, TRUTH, cell_text, is_truth, number_cell
from treemip.instance.decimals import number_of, parse_decimals


class Unreadable(Exception):
    """Data that cannot be taken as a table; whoever knows the place makes it a Diagnostic."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


@dataclass(frozen=True)
class Texts:
    """codes int64 (N,) into `levels`, which are sorted; -1 where the cell is missing."""

    codes: np.ndarray
    levels: tuple[str, ...]


class Column(Protocol):
    """A raw column of N cells. Which cells are missing is settled when it is made."""

    @property
    def missing(self) -> np.ndarray:
        """bool (N,): empty, or one of the marks of a missing value."""
        ...

    @property
    def numbers(self) -> np.ndarray:
        """float64 (N,), NaN where the cell is missing or not a finite number."""
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


class CellColumn:
    """Cells data[start:stop] of a UTF-8 buffer without NUL bytes.

    `truth` float64 (N,): 1 and 0 where a cell is a truth value from memory, NaN elsewhere; None
    where there is none.
    """

    def __init__(
        self,
        data: bytes,
        start: np.ndarray,
        stop: np.ndarray,
        marks: tuple[str, ...] = (),
        truth: np.ndarray | None = None,
    ) -> None:
        self.data = data
        self.start = start
        self.stop = stop
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
        return cls(data or b"\n", start, stop, marks, truth)

    @classmethod
    def of_truth(cls, values: np.ndarray, marks: tuple[str, ...] = ()) -> CellColumn:
        """A column of truth values bool (N,)."""
        start = np.where(values, len("False"), 0)
        stop = np.where(values, len("FalseTrue"), len("False"))
        return cls(b"FalseTrue", start, stop, marks, values.astype(np.float64))

    def __len__(self) -> int:
        return len(self.start)

    def text(self, row: int) -> str:
        return self.data[self.start[row] : self.stop[row]].decode()

    def take(self, rows: np.ndarray) -> CellColumn:
        truth = None if self.truth is None else self.truth[rows]
        taken = CellColumn(self.data, self.start[rows], self.stop[rows], self.marks, truth)
        for known in ("missing", "numbers"):
            if known in self.__dict__:
                taken.__dict__[known] = self.__dict__[known][rows]
        return taken

    def part(self, first: int, stop: int) -> CellColumn:
        """The cells from `first` up to `stop`; the numbers of all cells are read at once."""
        rows = slice(first, stop)
        part = CellColumn(self.data, self.start[rows], self.stop[rows], self.marks)
        part.__dict__["missing"], part.__dict__["numbers"] = self.missing[rows], self.numbers[rows]
        return part

    @cached_property
    def missing(self) -> np.ndarray:
        missing = self.stop == self.start
        for mark in self.marks:
            number = number_of(mark)
            missing |= self._equals(mark.encode()) if number is None else self._written == number
        return missing

    def _equals(self, wanted: bytes) -> np.ndarray:
        same = (self.stop - self.start) == len(wanted)
        rows = np.flatnonzero(same)
        window = self.start[rows, None] + np.arange(len(wanted))
        same[rows] = (self._buffer[window] == np.frombuffer(wanted, np.uint8)).all(axis=1)
        return same

    @cached_property
    def _written(self) -> np.ndarray:
        """The numbers that the texts are, float64 (N,)."""
        return parse_decimals(self.data, self.start, self.stop)[0]

    @cached_property
    def numbers(self) -> np.ndarray:
        known = ~self.missing
        values = np.where(known, self._written, np.nan)
        if self.truth is not None:
            values = np.where(known & ~np.isnan(self.truth), self.truth, values)
        return values

    @cached_property
    def texts(self) -> Texts:
        present = np.flatnonzero(~self.missing)
        codes = np.full(len(self), -1)
        if len(present) == 0:
            return Texts(codes, ())
        # UTF-8 sorts as its code points do, so the levels come out in the order of str.
        levels, codes[present] = np.unique(self._padded(present), return_inverse=True)
        return Texts(codes, tuple(level.decode() for level in levels.tolist()))

    @property
    def _buffer(self) -> np.ndarray:
        return np.frombuffer(self.data, np.uint8)

    def _padded(self, rows: np.ndarray) -> np.ndarray:
        """The cells of these rows as bytes of one width, filled up with NUL."""
        start, length = self.start[rows], (self.stop - self.start)[rows]
        width = int(length.max())
        cells = np.zeros((len(rows), width), np.uint8)
        for k in range(width):
            inside = k < length
            cells[inside, k] = self._buffer[start[inside] + k]
        return cells.view(f"S{width}").ravel()


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
        values = self.values.astype(np.float64)
        values[self.missing | ~np.isfinite(values)] = np.nan
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
        "convert it, or drop it",
    )


def _column_of_cells(name: str, values: list[object], marks: tuple[str, ...]) -> CellColumn:
    cells = []
    for value in values:
        cell = cell_text(value)
        if cell is None:
            raise Unreadable(
                f"column '{name}' holds a {type(value).__name__}, which is neither a number nor "
                "text",
                "convert it, or drop it",
            )
        cells.append(cell)
    if not any(map(is_truth, set(map(type, values)))):
        return CellColumn.of(cells, marks)
    truth = [float(bool(v)) if is_truth(type(v)) else np.nan for v in values]
    return CellColumn.of(cells, marks, np.array(truth))
