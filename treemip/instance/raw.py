"""Where raw columns come from: a CSV or Parquet file, or arrays in memory."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from treemip.instance.column import CellColumn, Column, Unreadable, column_of
from treemip.instance.delimited import Cells, check_names, read_cells
from treemip.instance.frames import arrays_of_polars
from treemip.resolve.settings.data_spec import is_parquet
from treemip.source.reading import read_bytes, unpacked

GZIP = b"\x1f\x8b"
TOGETHER = 10_000
"""Cells of neighbouring columns that are read at once."""


@dataclass(frozen=True)
class Raw(Mapping[str, Column]):
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


def read_raw(path: Path, separator: str | None = None, marks: tuple[str, ...] = ()) -> Raw:
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
    return Raw(cells.header, len(cells.start), digest, _Columns(cells, marks))


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
    """The text itself, told by the first bytes, since downloads lose or gain a suffix."""
    if not data.startswith(GZIP):
        return data
    try:
        return unpacked(data)
    except OSError as error:
        damaged = error.errno != errno.EFBIG
        remedy = "copy or download it again" if damaged else "unpack it with gunzip to use it"
        raise Unreadable(error.strerror or "its compression is damaged", remedy) from None


def _parquet(data: bytes, digest: str, marks: tuple[str, ...]) -> Raw:
    import io

    import polars

    try:
        frame = polars.read_parquet(io.BytesIO(data))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise Unreadable(f"the file is not Parquet: {error}") from None
    raw = raw_of(arrays_of_polars(frame), marks)
    return Raw(raw.names, raw.count, digest, raw.make)


def raw_of(arrays: Mapping[str, np.ndarray], marks: tuple[str, ...] = ()) -> Raw:
    """Arrays (N,) in memory as raw columns. Raises Unreadable."""
    columns = {str(name): np.asarray(values) for name, values in arrays.items()}
    names = tuple(columns)
    check_names(names)
    if not names:
        raise Unreadable("there is no column")
    lengths = {len(values) if values.ndim else -1 for values in columns.values()}
    if len(lengths) != 1:
        raise Unreadable("the columns are not of one length")
    if lengths <= {0, -1}:
        raise Unreadable("there is no row of data")
    return Raw(
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
            total.update("\0".join(map(repr, values.tolist())).encode())
        else:
            total.update(np.ascontiguousarray(values).tobytes())
    return total.hexdigest()
