"""A text table as cells: slices of the file's bytes, without a Python object for each unless some
are quoted.

Where a cell ends is counted from the beginning of its line, in two bytes if all lines are short: a
table of 150 MB takes 50 MB more.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from ctypes import CDLL, c_int64, c_void_p
from dataclasses import dataclass

import numpy as np

from treemip.core.compiled.library import kernel
from treemip.core.instance.cells import BLANKS
from treemip.core.instance.columns import NoRows, Rows, Unreadable
from treemip.core.source.deadline import PIECE, heed

Content = bytes | bytearray

NO_ROWS = "give a file with a header and a line for each row"
"""How a file without rows is mended."""

LONGEST = 100_000
"""Bytes of a cell. A longer one is a quote that was not closed, or no table at all; names and
classes of such length would stand in every message and file."""


@dataclass(frozen=True)
class Cells:
    """A text table without its header.

    Cell (r, j) ends at line[r] + end[r, j] of `data` and begins behind the separator that ends cell
    (r, j - 1), or at line[r]. `line` int64 (rows,), `end` unsigned (rows, columns). has_blanks:
    whether there may be some around a cell; they are no part of it.
    """

    header: tuple[str, ...]
    data: Content
    line: np.ndarray
    end: np.ndarray
    has_blanks: bool = False

    def bounds(
        self, first: int, last: int, rows: Rows = slice(None)
    ) -> tuple[np.ndarray, np.ndarray]:
        """Where the cells of the columns from `first` up to `last` begin and end, int64 (n,) each,
        one column below the other, without blanks around cells."""
        line = self.line[rows, None]
        stop = line + self.end[rows, first:last]
        last, own = first + stop.shape[1], int(first == 0)
        start = np.empty_like(stop)
        start[:, :own] = line
        start[:, own:] = line + self.end[rows, first + own - 1 : last - 1] + 1
        found = np.ravel(start, "F"), np.ravel(stop, "F")
        return _trimmed(self.data, *found) if self.has_blanks else found

    def take(self, rows: np.ndarray) -> Cells:
        """Some rows, int64 (n,), with a text of their own."""
        end = self.end[rows]
        starts, view = self.line[rows], memoryview(self.data)
        stops = starts + end[:, -1]
        data = b"".join(view[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True))
        lengths = stops - starts
        return Cells(self.header, data, np.cumsum(lengths) - lengths, end, self.has_blanks)


@dataclass(frozen=True)
class ColumnCells:
    """The cells of one column, at the rows int64 (n,) where not at all; see `columns.Bounds`."""

    cells: Cells
    column: int
    rows: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.cells.line if self.rows is None else self.rows)

    def at(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        rows = rows if self.rows is None else self.rows[rows]
        return self.cells.bounds(self.column, self.column + 1, rows)

    def take(self, rows: np.ndarray) -> ColumnCells:
        return ColumnCells(self.cells, self.column, rows if self.rows is None else self.rows[rows])


def read_cells(raw: Content, separator: str) -> Cells:
    """Cells of a UTF-8 text with a header line. Raises Unreadable.

    A byte order mark, CRLF or CR line ends, and empty lines at the end are taken in stride.
    Quoted cells follow RFC 4180 and may hold separators, line ends and doubled quotes; blanks may
    stand around them.
    """
    data = raw.removeprefix(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else raw
    _check_text(data)
    cells = _quoted(data, separator) if b'"' in data else _unquoted(data, separator.encode())
    _check_lengths(cells)
    names = _header(cells)
    if len(cells.line) == 1:
        raise NoRows("there is a header but no row of data", NO_ROWS)
    return Cells(names, cells.data, cells.line[1:], cells.end[1:], cells.has_blanks)


def _check_text(data: Content) -> None:
    if not data or data.isspace():
        raise Unreadable("the file is empty", NO_ROWS)
    if b"\0" in data:
        raise Unreadable("the file is not text: it holds NUL bytes", "save it as CSV in UTF-8")
    if data.isascii():
        return
    for first, last in _pieces(data):
        try:
            data[first:last].decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, first + error.start) + 1
            remedy = "save the file in UTF-8, or from Latin-1: iconv -f latin1 -t utf-8 OLD > NEW"
            raise Unreadable(f"line {line} is not UTF-8 text", remedy) from None


def _pieces(data: Content) -> Iterator[tuple[int, int]]:
    """Parts of the text that end where a line or the text ends."""
    first = 0
    while first < len(data):
        heed()
        last = data.find(b"\n", first + PIECE) + 1 or len(data)
        yield first, last
        first = last


# ---------------------------------------------------------------------- without any quotes


def _unquoted(data: Content, separator: bytes) -> Cells:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    length = len(data)
    while data[length - 1 : length] == b"\n":
        length -= 1
    library = kernel()
    split = None if library is None else _compiled(library, data, length, separator)
    line, end, widths = split or _by_numpy(data, length, separator)
    _check_widths(widths, data, separator)
    blanks = any(each in data for each in BLANKS.encode() if each != separator[0])
    return Cells((), data, line, end.reshape(len(line), -1), blanks)


Split = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Where lines begin, where their cells end, and how many each has."""


def _by_numpy(data: Content, length: int, separator: bytes) -> Split:
    buffer = np.frombuffer(data, np.uint8)[:length]
    ends = np.append(np.flatnonzero((buffer == separator[0]) | (buffer == ord("\n"))), length)
    line_ends = np.append(np.flatnonzero(buffer[ends[:-1]] == ord("\n")), len(ends) - 1)
    widths = np.diff(line_ends, prepend=-1)
    line = np.append(0, ends[line_ends[:-1]] + 1)
    return line, ends - np.repeat(line, widths), widths


def _compiled(library: CDLL, data: Content, length: int, separator: bytes) -> Split | None:
    """The same by the compiled library; None for lines of more than four billion bytes."""
    for kind in (np.uint16, np.uint32):
        split = _of_kind(library, data, length, separator, np.dtype(kind))
        if split is not None:
            return split
    return None


def _of_kind(
    library: CDLL, data: Content, length: int, separator: bytes, kind: np.dtype
) -> Split | None:
    """With ends of this kind; None where they are too large for it. Of a line that has another
    number of cells than the first, only that number is right."""
    lines = data.count(b"\n", 0, length) + 1
    first_end = data.find(b"\n", 0, length)
    width = data.count(separator, 0, length if first_end < 0 else first_end) + 1
    line, widths, end = (
        np.empty(lines, np.int64),
        np.empty(lines, np.int64),
        np.empty((lines, width), kind),
    )
    at, many = 0, max(1, lines * PIECE // length)
    library.treemip_cells.restype = c_int64
    text = c_void_p(np.frombuffer(data, np.uint8).ctypes.data)
    sizes = (c_int64(length), c_int64(separator[0]), c_int64(width))
    for k in range(0, lines, many):
        heed()
        some = slice(k, min(k + many, lines))
        begin, ends, count = (c_void_p(each[some].ctypes.data) for each in (line, end, widths))
        now = c_int64(some.stop - k)
        at = library.treemip_cells(
            text, c_int64(at), *sizes, now, begin, ends, c_int64(kind.itemsize), count
        )
        if at < 0:
            return None
    return line, end, widths


# -------------------------------------------------------------------------------- with quotes


def _quoted(data: Content, separator: str) -> Cells:
    rows = _rows(data.decode(), separator)
    while rows and not rows[-1]:
        rows.pop()
    widths = np.array([max(1, len(row)) for row in rows])
    _check_widths(widths, data, separator.encode())
    encoded = [cell.encode() for row in rows for cell in row or [""]]
    ends = np.cumsum([len(cell) + 1 for cell in encoded]).reshape(len(rows), -1) - 1
    line, joined = np.append(0, ends[:-1, -1] + 1), b"\n".join(encoded) or b"\n"
    blanks = any(each in joined for each in BLANKS.encode())
    return Cells((), joined, line, ends - line[:, None], blanks)


def _rows(text: str, separator: str) -> list[list[str]]:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True
    )
    try:
        return list(reader)
    except csv.Error as error:
        trimmed = _without_blanks_behind_quotes(text, separator)
        if trimmed != text:
            return _rows(trimmed, separator)
        message = f"line {reader.line_num} is not CSV: {error}"
        remedy = "write a quote inside a quoted cell twice, and nothing behind the closing one"
        raise Unreadable(message, remedy) from None


def _without_blanks_behind_quotes(text: str, separator: str) -> str:
    """The text without blanks between a closing quote and the separator, which csv refuses."""
    mark, blank = re.escape(separator), f"[{BLANKS.replace(separator, '')}]"
    quoted = rf'((?:^|[{mark}\r\n]) *"[^"]*(?:""[^"]*)*"){blank}*(?=[{mark}\r\n]|\Z)'
    return re.sub(quoted, r"\1", text)


# -------------------------------------------------------------------------------------- checks


def _check_widths(widths: np.ndarray, data: Content, separator: bytes) -> None:
    if widths[0] == 1:
        first = data.partition(b"\n")[0]
        others = [mark for mark in (b";", b"\t", b",", b"|") if mark in first and mark != separator]
        # One column may be all there is: new rows of a tree that knows a single feature.
        for mark in others[:1]:
            word = "tab" if mark == b"\t" else f'"{mark.decode()}"'
            raise Unreadable(
                "the header names only one column", f"write  separator {word};  in the data block"
            )
    ragged = np.flatnonzero(widths != widths[0])
    if len(ragged):
        row, width = int(ragged[0]), int(widths[ragged[0]])
        word = "tab" if separator == b"\t" else f"'{separator.decode()}'"
        remedy = f"put a cell that contains the separator, {word}, in double quotes"
        if width < widths[0]:
            remedy = f"an empty cell still needs its separator, {word}"
            if width == 1 and re.search(rb"\n[ \t\r]*\n[ \t\r]*[^ \t\r\n]", data):
                remedy += "; remove empty lines between rows"
        raise Unreadable(f"row {row} has {_count(width)} where the header has {widths[0]}", remedy)


def _check_lengths(cells: Cells) -> None:
    if cells.end.itemsize == 2:
        return  # lines are shorter than cells may be
    length = np.diff(cells.end.astype(np.int64), axis=1, prepend=-1) - 1
    if length.max(initial=0) > LONGEST:
        row, column = np.unravel_index(int(length.argmax()), length.shape)
        where = "the header" if row == 0 else f"row {row}"
        raise Unreadable(
            f"cell {column + 1} of {where} has {length[row, column]} bytes, "
            f"more than the limit of {LONGEST}",
            "is a separator missing, or a quote not closed?",
        )


def _count(width: int) -> str:
    return "1 cell" if width == 1 else f"{width} cells"


def _trimmed(data: Content, start: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Blanks around cells do not count."""
    start, stop, buffer = start.copy(), stop.copy(), np.frombuffer(data, np.uint8)
    blank = np.isin(np.arange(256), list(BLANKS.encode()))
    while (lead := (start < stop) & blank[buffer[np.minimum(start, len(data) - 1)]]).any():
        start += lead
    while (trail := (start < stop) & blank[buffer[stop - 1]]).any():
        stop -= trail
    return start, stop


def _header(cells: Cells) -> tuple[str, ...]:
    stops = cells.end[0].tolist()
    pairs = zip([0, *(stop + 1 for stop in stops)], stops, strict=False)
    names = tuple(cells.data[a:b].strip(BLANKS.encode()).decode() for a, b in pairs)
    check_names(names)
    return names


def check_names(names: tuple[str, ...]) -> None:
    """Raises Unreadable for a column without a name or a duplicate name."""
    seen: set[str] = set()
    for k, name in enumerate(names):
        if not name:
            remedy = "give every column a name"
            if k == 0 and all(names[1:]):
                remedy += "; to leave out the index of a pandas DataFrame: to_csv(index=False)"
            raise Unreadable(f"column {k + 1} has no name", remedy)
        if name in seen:
            remedy = "give every column its own name"
            if re.fullmatch(r"[-+.\d]+", name):
                remedy += "; where the first line is data, put a line of names before it"
            raise Unreadable(f"two columns are called '{name}'", remedy)
        seen.add(name)
