"""Raw columns from a CSV or Parquet file or from arrays in memory."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np

from treemip.core.instance.cells import array_of
from treemip.core.instance.columns import (
    CellColumn,
    Column,
    Listed,
    NoRows,
    Unreadable,
    column_of,
)
from treemip.core.instance.data_frames import arrays_of_polars
from treemip.core.instance.text_cells import Cells, ColumnCells, Content, check_names, read_cells
from treemip.core.resolve.settings.data_spec import is_parquet
from treemip.core.source.deadline import PIECE, heed
from treemip.core.source.extras import pip_install
from treemip.core.source.reading import read_bytes, unpacked

GZIP = b"\x1f\x8b"
TOGETHER = 10_000
"""Cells of neighbouring columns that are read at once."""


class Columns(Protocol):
    """The columns of a table by their numbers."""

    def __call__(self, j: int) -> Column: ...

    def take(self, rows: np.ndarray) -> Columns: ...


@dataclass(frozen=True)
class RawTable(Mapping[str, Column]):
    """A data set as it came: column names in order, and each column made when it is asked for.

    `make` gives the column at a position, and all of them at some rows. `count` is the number of
    rows, `digest` the SHA-256 of the file's bytes or of the arrays.
    Asking for a column raises Unreadable where it holds neither numbers nor text.
    """

    names: tuple[str, ...]
    count: int
    digest: str
    make: Columns

    def take(self, rows: np.ndarray) -> RawTable:
        """Some rows, int64 (n,), which hold on to no others."""
        digest = hashlib.sha256(self.digest.encode() + np.asarray(rows, np.int64).tobytes())
        return RawTable(self.names, len(rows), digest.hexdigest(), self.make.take(rows))

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
    digest = _sha256(data)
    if is_parquet(path.name):
        return _parquet(data, digest, marks)
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    tabs = plain.suffix.lower() in (".tsv", ".tab")
    cells = read_cells(_unpacked(data), separator or ("\t" if tabs else ","))
    return RawTable(cells.header, len(cells.line), digest, _Columns(cells, marks))


class _Columns:
    """The columns of a text table by their numbers, made when they are asked for.

    Where they are short, the numbers of neighbouring ones are read at once: a call of NumPy takes
    as long for two cells as for a thousand.
    """

    def __init__(self, cells: Cells, marks: tuple[str, ...]) -> None:
        self.cells, self.marks, self.rows = cells, marks, len(cells.line)
        self.width = max(1, TOGETHER // max(1, self.rows))
        self.at, self.block = -1, CellColumn(b"\n", ColumnCells(cells, 0))

    def __call__(self, j: int) -> Column:
        if self.width == 1:
            return CellColumn(self.cells.data, ColumnCells(self.cells, j), self.marks)
        at, within = divmod(j, self.width)
        if at != self.at:
            bounds = Listed(*self.cells.bounds(at * self.width, (at + 1) * self.width))
            self.at, self.block = at, CellColumn(self.cells.data, bounds, self.marks)
        return self.block.part(within * self.rows, (within + 1) * self.rows)

    def take(self, rows: np.ndarray) -> _Columns:
        return _Columns(self.cells.take(rows), self.marks)


@dataclass(frozen=True)
class _Arrays:
    """Arrays (N,), their names, and the marks of missing cells in them."""

    names: tuple[str, ...]
    arrays: tuple[np.ndarray, ...]
    marks: tuple[str, ...]

    def __call__(self, j: int) -> Column:
        return column_of(self.names[j], self.arrays[j], self.marks)

    def take(self, rows: np.ndarray) -> _Arrays:
        return _Arrays(self.names, tuple(one[rows] for one in self.arrays), self.marks)


def _is_text(head: bytes) -> bool:
    """Whether a file may be a text, as its first bytes tell: else the rest is not read."""
    return head.startswith(GZIP) or b"\0" not in head


def _sha256(data: Content) -> str:
    total, view = hashlib.sha256(), memoryview(data)
    for first in range(0, len(data), PIECE):
        heed()
        total.update(view[first : first + PIECE])
    return total.hexdigest()


def _unpacked(data: Content) -> Content:
    """The unpacked text; gzip is recognized by its first bytes, since suffixes get lost."""
    if not data.startswith(GZIP):
        return data
    try:
        return unpacked(data)
    except OSError as error:
        damaged = error.errno != errno.EFBIG
        remedy = "copy or download it again" if damaged else "unpack it with gunzip to use it"
        raise Unreadable(error.strerror or "its compression is damaged", remedy) from None


def _parquet(data: Content, digest: str, marks: tuple[str, ...]) -> RawTable:
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


def table_of_text(data: Content, separator: str, marks: tuple[str, ...]) -> RawTable:
    """A text with a header as raw columns, without a digest. Raises Unreadable."""
    cells = read_cells(data, separator)
    return RawTable(cells.header, len(cells.line), "", _Columns(cells, marks))


def table_of_arrays(
    arrays: Mapping[str, np.ndarray], marks: tuple[str, ...] = (), digest: bool = True
) -> RawTable:
    """Arrays (N,) in memory as raw columns; without a digest where none is asked for.

    Raises Unreadable.
    """
    columns = {str(name): array_of(values) for name, values in arrays.items()}
    names = tuple(columns)
    check_names(names)
    if not names:
        raise Unreadable("there is no column")
    lengths = {len(values) if values.ndim else -1 for values in columns.values()}
    if len(lengths) != 1:
        raise Unreadable("the columns have different lengths")
    if lengths <= {0, -1}:
        raise NoRows("there is no row of data")
    return RawTable(
        names,
        lengths.pop(),
        _digest(columns) if digest else "",
        _Arrays(names, tuple(columns.values()), marks),
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
