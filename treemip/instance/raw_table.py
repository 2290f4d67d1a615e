"""Raw columns from a CSV or Parquet file or from arrays in memory.

Text is split into cells as slices of the file's bytes, without a Python object for each cell unless
some are quoted: spambase is read in 0.03 s.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from treemip.instance.cells import BLANKS, array_of
from treemip.instance.columns import CellColumn, Column, Unreadable, column_of
from treemip.instance.data_frames import arrays_of_polars
from treemip.resolve.settings.data_spec import is_parquet
from treemip.source.extras import pip_install
from treemip.source.reading import read_bytes, unpacked

GZIP = b"\x1f\x8b"
TOGETHER = 10_000
"""Cells of neighbouring columns that are read at once."""


@dataclass(frozen=True)
class RawTable(Mapping[str, Column]):
    """A data set as it came: column names in order, and each column made when it is asked for.

    `make` gives the column at a position. `count` is the number of rows, `digest` the SHA-256 of
    the file's bytes or of the arrays.
    Asking for a column raises Unreadable where it holds neither numbers nor text.
    """

    names: tuple[str, ...]
    count: int
    digest: str
    make: Callable[[int], Column]

    @cached_property
    def _position(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> Column:
        return self.make(self._position[name])

    def __contains__(self, name: object) -> bool:
        return name in self._position

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def read_table(path: Path, separator: str | None = None, marks: tuple[str, ...] = ()) -> RawTable:
    """A file as raw columns: Parquet by its suffix, else text, plain or gzipped. Raises Unreadable.

    Without a separator it is a tab for .tsv and .tab files and a comma for all others; Parquet has
    none.
    """
    try:
        data = read_bytes(path, wanted=lambda head: is_parquet(path.name) or _is_text(head))
    except FileNotFoundError:
        raise Unreadable("there is no such file", f"looked for at {path.resolve()}") from None
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror}") from None
    digest = hashlib.sha256(data).hexdigest()
    if is_parquet(path.name):
        return _parquet(data, digest, marks)
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    tabs = plain.suffix.lower() in (".tsv", ".tab")
    cells = read_cells(_unpacked(data), separator or ("\t" if tabs else ","))
    return RawTable(cells.header, len(cells.start), digest, _Columns(cells, marks))


class _Columns:
    """The columns of a text table by their numbers, made when they are asked for.

    Where they are short, the numbers of neighbouring ones are read at once: a call of NumPy takes
    as long for two cells as for a thousand.
    """

    def __init__(self, cells: Cells, marks: tuple[str, ...]) -> None:
        self.cells, self.marks = cells, marks
        self.width = max(1, TOGETHER // len(cells.start))
        self.at, self.block = -1, CellColumn(b"\n", cells.start[:0, 0], cells.stop[:0, 0])

    def __call__(self, j: int) -> Column:
        if self.width == 1:
            return self._column(j, j + 1)
        at, within = divmod(j, self.width)
        if at != self.at:
            first = at * self.width
            self.at, self.block = at, self._column(first, first + self.width)
        rows = len(self.cells.start)
        return self.block.part(within * rows, (within + 1) * rows)

    def _column(self, first: int, stop: int) -> CellColumn:
        """The columns from `first` up to `stop`, one below the other.

        Contiguous copies: a column is scanned many times, and strides cost cache lines.
        """
        cells, taken = self.cells, slice(first, stop)
        start = np.ravel(cells.start[:, taken], "F")
        return CellColumn(cells.data, start, np.ravel(cells.stop[:, taken], "F"), self.marks)


def _is_text(head: bytes) -> bool:
    """Whether a file may be a text, as its first bytes tell: else the rest is not read."""
    return head.startswith(GZIP) or b"\0" not in head


def _unpacked(data: bytes) -> bytes:
    """The unpacked text; gzip is recognized by its first bytes, since suffixes get lost."""
    if not data.startswith(GZIP):
        return data
    try:
        return unpacked(data)
    except OSError as error:
        damaged = error.errno != errno.EFBIG
        remedy = "copy or download it again" if damaged else "unpack it with gunzip to use it"
        raise Unreadable(error.strerror or "its compression is damaged", remedy) from None


def _parquet(data: bytes, digest: str, marks: tuple[str, ...]) -> RawTable:
    """A Parquet file by polars, an optional package, which no other file needs."""
    import io

    try:
        import polars
    except ImportError:
        remedy = f"{pip_install('parquet')}, or save the table as CSV"
        raise Unreadable("reading Parquet needs polars", remedy) from None
    try:
        frame = polars.read_parquet(io.BytesIO(data))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise Unreadable(f"the file is not Parquet: {error}") from None
    raw = table_of_arrays(arrays_of_polars(frame), marks)
    return RawTable(raw.names, raw.count, digest, raw.make)


def table_of_arrays(arrays: Mapping[str, np.ndarray], marks: tuple[str, ...] = ()) -> RawTable:
    """Arrays (N,) in memory as raw columns. Raises Unreadable."""
    columns = {str(name): array_of(values) for name, values in arrays.items()}
    names = tuple(columns)
    check_names(names)
    if not names:
        raise Unreadable("there is no column")
    lengths = {len(values) if values.ndim else -1 for values in columns.values()}
    if len(lengths) != 1:
        raise Unreadable("the columns have different lengths")
    if lengths <= {0, -1}:
        raise Unreadable("there is no row of data")
    return RawTable(
        names,
        lengths.pop(),
        _digest(columns),
        lambda j: column_of(names[j], columns[names[j]], marks),
    )


def _digest(columns: Mapping[str, np.ndarray]) -> str:
    total = hashlib.sha256()
    for name, values in columns.items():
        total.update(f"{name}\0{values.dtype.str}\0{len(values)}\0".encode())
        if values.dtype.kind in "OT":
            try:
                total.update("\0".join(map(repr, values.tolist())).encode())
            except ValueError:  # Python's own limit
                message = f"column '{name}' has an integer of thousands of digits"
                raise Unreadable(message, "convert it, or drop it") from None
        else:
            total.update(np.ascontiguousarray(values).tobytes())
    return total.hexdigest()


# ------------------------------------------------------------------------------------ text tables


LONGEST = 100_000
"""Bytes of a cell. A longer one is a quote that was not closed, or no table at all; names and
classes of such length would stand in every message and file."""


@dataclass(frozen=True)
class Cells:
    """A text table: cell (r, j) is data[start[r, j]:stop[r, j]], blanks around it left out.

    `start` and `stop` are int64 (rows, columns); the header is not among the rows.
    """

    header: tuple[str, ...]
    data: bytes
    start: np.ndarray
    stop: np.ndarray


def read_cells(raw: bytes, separator: str) -> Cells:
    """Cells of a UTF-8 text with a header line. Raises Unreadable.

    A byte order mark, CRLF or CR line ends, and empty lines at the end are taken in stride.
    Quoted cells follow RFC 4180 and may hold separators, line ends and doubled quotes.
    """
    data = raw.removeprefix(b"\xef\xbb\xbf")
    _check_text(data)
    cells = _quoted(data, separator) if b'"' in data else _plain(data, separator.encode())
    _check_lengths(cells)
    cells = _trimmed(cells)
    names = _header(cells)
    if len(cells.start) == 1:
        raise Unreadable("there is a header but no row of data")
    return Cells(names, cells.data, cells.start[1:], cells.stop[1:])


def _check_text(data: bytes) -> None:
    if not data.strip():
        raise Unreadable("the file is empty")
    if b"\0" in data:
        raise Unreadable("the file is not text: it holds NUL bytes", "save it as CSV in UTF-8")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        remedy = "save the file in UTF-8, or from Latin-1: iconv -f latin1 -t utf-8 OLD > NEW"
        raise Unreadable(f"line {line} is not UTF-8 text", remedy) from None


def _plain(data: bytes, separator: bytes) -> Cells:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.rstrip(b"\n") + b"\n"
    buffer = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((buffer == separator[0]) | (buffer == ord("\n")))
    line_ends = np.flatnonzero(buffer[ends] == ord("\n"))
    widths = np.diff(line_ends, prepend=-1)
    _check_widths(widths, data, separator)
    start = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])
    shape = (len(widths), int(widths[0]))
    return Cells((), data, start.reshape(shape), ends.reshape(shape))


def _quoted(data: bytes, separator: str) -> Cells:
    text = io.StringIO(data.decode(), newline="")
    reader = csv.reader(text, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise Unreadable(f"line {reader.line_num} is not CSV: {error}") from None
    while rows and not rows[-1]:
        rows.pop()
    _check_widths(np.array([max(1, len(row)) for row in rows]), data, separator.encode())
    encoded = [cell.encode() for row in rows for cell in row or [""]]
    stop = np.cumsum([len(cell) for cell in encoded])
    start = np.concatenate([np.zeros(1, np.int64), stop[:-1]])
    shape = (len(rows), -1)
    return Cells((), b"".join(encoded) or b"\n", start.reshape(shape), stop.reshape(shape))


def _check_widths(widths: np.ndarray, data: bytes, separator: bytes) -> None:
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
            remedy += "; remove empty lines between rows" if width == 1 else ""
        raise Unreadable(f"row {row} has {_count(width)} where the header has {widths[0]}", remedy)


def _check_lengths(cells: Cells) -> None:
    length = cells.stop - cells.start
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


def _trimmed(cells: Cells) -> Cells:
    """Blanks around cells do not count."""
    data, start, stop = cells.data, cells.start.copy(), cells.stop.copy()
    blanks = BLANKS.encode()
    if not any(each in data for each in blanks):
        return cells
    buffer = np.frombuffer(data, np.uint8)
    blank = np.logical_or.reduce([buffer == each for each in blanks])
    while (lead := (start < stop) & blank[np.minimum(start, len(data) - 1)]).any():
        start += lead
    while (trail := (start < stop) & blank[stop - 1]).any():
        stop -= trail
    return Cells(cells.header, data, start, stop)


def _header(cells: Cells) -> tuple[str, ...]:
    pairs = zip(cells.start[0].tolist(), cells.stop[0].tolist(), strict=True)
    names = tuple(cells.data[a:b].decode() for a, b in pairs)
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
