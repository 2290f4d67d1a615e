"""One raw column of a data set, from a file or from memory, as numbers and as texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from treemip.resolve.settings.data_spec import number_text


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
    def truth(self) -> bool:
        """Whether it holds truth values, whose numbers are 0 and 1."""
        ...

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


class CellColumn:
    """Cells data[start:stop] of a UTF-8 buffer without NUL bytes."""

    truth = False

    def __init__(
        self, data: bytes, start: np.ndarray, stop: np.ndarray, marks: tuple[str, ...] = ()
    ) -> None:
        self.data = data
        self.start = start
        self.stop = stop
        self.marks = marks

    @classmethod
    def of(cls, cells: list[str], marks: tuple[str, ...] = ()) -> CellColumn:
        """A column of strings, each without blanks around it."""
        encoded = [cell.strip().encode() for cell in cells]
        data = b"".join(encoded)
        if b"\0" in data:
            raise Unreadable("the data contain a NUL character, so they are not text")
        stop = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))
        start = np.concatenate([np.zeros(1, np.int64), stop])[: len(encoded)]
        return cls(data or b"\n", start, stop, marks)

    def __len__(self) -> int:
        return len(self.start)

    def text(self, row: int) -> str:
        return self.data[self.start[row] : self.stop[row]].decode()

    def take(self, rows: np.ndarray) -> CellColumn:
        taken = CellColumn(self.data, self.start[rows], self.stop[rows], self.marks)
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
            missing |= self._equals(mark.encode())
        return missing

    def _equals(self, wanted: bytes) -> np.ndarray:
        same = (self.stop - self.start) == len(wanted)
        rows = np.flatnonzero(same)
        window = self.start[rows, None] + np.arange(len(wanted))
        same[rows] = (self._buffer[window] == np.frombuffer(wanted, np.uint8)).all(axis=1)
        return same

    @cached_property
    def numbers(self) -> np.ndarray:
        values, _ = parse_decimals(self.data, self.start, self.stop)
        values[self.missing] = np.nan
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
    """Numbers from memory: an integer, floating or boolean array; NaN is a missing value.

    `truth`: the numbers 0 and 1 stand for truth values, as those of a boolean array do.
    """

    def __init__(
        self, values: np.ndarray, marks: tuple[str, ...] = (), truth: bool = False
    ) -> None:
        self.values = values
        self.marks = marks
        self.truth = truth or values.dtype.kind == "b"

    def __len__(self) -> int:
        return len(self.values)

    def text(self, row: int) -> str:
        return _number_name(self.values[row])

    def take(self, rows: np.ndarray) -> NumberColumn:
        return NumberColumn(self.values[rows], self.marks, self.truth)

    @cached_property
    def missing(self) -> np.ndarray:
        missing = np.isnan(self.values)
        for mark in self.marks:
            value, known = parse_decimals(
                mark.encode(), np.zeros(1, np.int64), np.array([len(mark)])
            )
            if known[0]:
                missing |= self.values == value[0]
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
        names = [_number_name(value) for value in values]
        levels = tuple(sorted(set(names)))
        position = {name: k for k, name in enumerate(levels)}
        codes = np.full(len(self), -1)
        codes[present] = np.array([position[name] for name in names], np.int64)[inverse]
        return Texts(codes, levels)


def _number_name(value: np.integer | np.floating | np.bool_) -> str:
    return str(int(value)) if value.dtype.kind in "iub" else number_text(float(value))


def column_of(name: str, values: np.ndarray, marks: tuple[str, ...] = ()) -> Column:
    """A raw column from an array (N,) of numbers, truth values (0 and 1), strings or objects.

    None, NaN and pandas' NA are missing. Truth values among strings are "True" and "False", as
    they are in a file of such a column. Raises Unreadable for anything else, such as dates.
    """
    if values.ndim != 1:
        raise Unreadable(f"column '{name}' has {values.ndim} dimensions instead of one")
    if values.dtype.kind in "biuf":
        return NumberColumn(values, marks)
    if values.dtype.kind in "UOT":
        cells = values.tolist()
        kinds = _kinds(cells) if values.dtype.kind == "O" else set()
        if kinds == {"truth"}:
            numbers = [float(_cell(name, cell) or "nan") for cell in cells]
            return NumberColumn(np.array(numbers), marks, truth=True)
        if kinds == {"truth", "text"}:
            cells = [str(cell) if isinstance(cell, bool | np.bool_) else cell for cell in cells]
        return CellColumn.of([_cell(name, cell) for cell in cells], marks)
    raise Unreadable(
        f"column '{name}' holds {values.dtype} values, which are neither numbers nor text",
        "convert it, or drop it",
    )


def _kinds(cells: list[object]) -> set[str]:
    """Which of "truth", "text" and "other" the cells are that are not missing."""
    kinds = set()
    for kind in {type(cell) for cell in cells}:
        if issubclass(kind, bool | np.bool_):
            kinds.add("truth")
        elif issubclass(kind, str):
            kinds.add("text")
        elif issubclass(kind, float | np.floating):
            numbers = (cell for cell in cells if isinstance(cell, float | np.floating))
            kinds |= set() if all(map(np.isnan, numbers)) else {"other"}
        elif kind.__name__ not in ("NoneType", "NAType", "NaTType"):
            kinds.add("other")
    return kinds


def _cell(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else number_text(float(value))
    raise Unreadable(
        f"column '{name}' holds a {type(value).__name__}, which is neither a number nor text",
        "convert it, or drop it",
    )


# -------------------------------------------------------------------------------- decimal numbers


LONGEST = 20
POWERS = 10.0 ** np.arange(LONGEST)
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
ZERO, POINT, PLUS, MINUS = b"0.+-"


def parse_decimals(
    data: bytes, start: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values float64 (N,) of the cells data[start:stop], and where they are finite numbers: exactly
    `float(cell)`, a whole column at a time instead of cell by cell.

    Cells that are not are NaN. Digits with at most one point, no exponent and a value below
    2**53 without its point are divided by a power of ten: both numbers are exact, so the one
    rounded division gives the nearest double (Clinger 1990, "How to read floating point numbers
    accurately"). All other cells go through `float`, which is correctly rounded as well. What
    Python reads but no data file means (underscores, nan, inf) is not a number.
    """
    values = np.full(len(start), np.nan)
    mantissa, decimals, plain = _scan(np.frombuffer(data, np.uint8), start, stop)
    values[plain] = mantissa[plain] / POWERS[decimals[plain]]
    for row in np.flatnonzero(~plain & (stop > start)).tolist():
        cell = data[start[row] : stop[row]]
        if NUMBER.fullmatch(cell):
            values[row] = float(cell)
    negative = plain & _first_is(data, start, stop, MINUS)
    values[negative] = -values[negative]
    values[np.isinf(values)] = np.nan
    return values, ~np.isnan(values)


def _first_is(data: bytes, start: np.ndarray, stop: np.ndarray, sign: int) -> np.ndarray:
    buffer = np.frombuffer(data, np.uint8)
    return (buffer[np.minimum(start, len(buffer) - 1)] == sign) & (stop > start)


def _scan(
    buffer: np.ndarray, start: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Digits as one integer, the number of decimals, and where these two determine the value."""
    length = stop - start
    mantissa, decimals, digits = np.zeros((3, len(start)), np.int64)
    seen_point = np.zeros(len(start), bool)
    plain = (length > 0) & (length <= LONGEST)
    for k in range(min(LONGEST, int(length.max(initial=0)))):
        inside = k < length
        byte = buffer[np.minimum(start + k, len(buffer) - 1)]
        value = byte - np.uint8(ZERO)  # wraps around below "0"
        digit = inside & (value < 10)
        point = inside & (byte == POINT) & ~seen_point
        known = digit | point | ~inside
        if k == 0:
            known |= (byte == PLUS) | (byte == MINUS)
        plain &= known
        mantissa = np.where(digit, mantissa * 10 + value, mantissa)
        decimals += digit & seen_point
        digits += digit
        seen_point |= point
    plain &= (digits > 0) & (digits <= 18) & (mantissa <= 2**53)
    return mantissa, decimals, plain
