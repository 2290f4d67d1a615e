"""Rows of a file some at a time, so that a table of any length takes little memory.

A text is cut where a line ends outside quotes; a Parquet file is read by slices. Each batch is a
table of its own with the numbers that its rows have in the file.
"""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from treemip.core.instance.columns import NoRows, Unreadable
from treemip.core.instance.data_frames import arrays_of_polars
from treemip.core.instance.raw_table import (
    GZIP,
    RawTable,
    read_table,
    table_of_arrays,
    table_of_text,
)
from treemip.core.instance.row_location import RowLocation
from treemip.core.resolve.settings.data_spec import is_parquet
from treemip.core.source.diagnostic import Diagnostic, TreemipError

BYTES, ROWS = 1 << 23, 1 << 18
"""Of a text and of a Parquet file that are read at a time."""

Batch = tuple[RawTable, RowLocation]


def row_batches(
    path: Path,
    separator: str | None = None,
    marks: tuple[str, ...] = (),
    size: int = 0,
    may_be_empty: bool = False,
) -> Iterator[Batch]:
    """The rows in their order; as `read_table` gives all of them at once.

    size: bytes of a text or rows of a Parquet file at a time, in place of `BYTES` and `ROWS`.
    may_be_empty: no batch of a file with columns and no rows, in place of an error.
    Raises TreemipError E301, also after some batches.
    """
    rows = 0
    try:
        whole = is_parquet(path.name) or not path.is_file()
        found = _parquet(path, marks, size or ROWS) if is_parquet(path.name) else None
        if found is None and not whole:
            found = _text(path, separator, marks, size or BYTES)
        for raw in found or ():
            yield raw, RowLocation(path.name, np.arange(rows + 1, rows + raw.count + 1))
            rows += raw.count
        if not rows:  # which says what is wrong with such a file
            yield read_table(path, separator, marks), RowLocation(path.name)
    except Unreadable as fault:
        if may_be_empty and isinstance(fault, NoRows):
            return
        message = f"'{path}': {fault.message}"
        raise TreemipError(Diagnostic.outside("E301", message, fault.remedy)) from None


# ------------------------------------------------------------------------ text


def _text(
    path: Path, separator: str | None, marks: tuple[str, ...], size: int
) -> Iterator[RawTable]:
    with path.open("rb") as plain:
        packed = plain.read(len(GZIP)) == GZIP
    opened: IO[bytes] = gzip.open(path) if packed else path.open("rb")  # type: ignore[assignment]  # noqa: SIM115
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    mark = separator or ("\t" if name.suffix.lower() in (".tsv", ".tab") else ",")
    with opened as file:
        try:
            pieces = _pieces(file, size)
            head, lines, rows = next(pieces, b""), 0, 0
            for piece in pieces:
                try:
                    table = table_of_text(head + piece, mark, marks)
                except Unreadable as fault:
                    raise _later(fault, lines, rows) from None
                yield table
                rows += table.count
                lines += piece.count(b"\n") or piece.count(b"\r")
        except (OSError, EOFError):
            if not packed:
                raise
            read_table(path, separator, marks)  # says that the compression is damaged
            raise


def _pieces(file: IO[bytes], size: int) -> Iterator[bytes]:
    """The header with its line end, and then the rest in pieces that end with a row."""
    kept, ended, first = b"", False, True
    while not ended:
        more = file.read(size)
        ended = not more
        kept = kept.removeprefix(codecs.BOM_UTF8) if first else kept
        kept += more
        if first:
            kept = kept.removeprefix(codecs.BOM_UTF8)
            end = _first_end(kept)
            if not end and not ended:
                continue
            yield kept[:end] if end else kept
            kept, first = kept[end:] if end else b"", False
        cut = len(kept) if ended else _last_end(kept)
        if cut and kept[:cut].strip(b"\r\n"):
            yield kept[:cut]
            kept = kept[cut:]


def _first_end(data: bytes) -> int:
    """Behind the first line end outside quotes, 0 for none."""
    at = data.find(b"\n")
    while at >= 0 and data.count(b'"', 0, at) % 2:
        at = data.find(b"\n", at + 1)
    return at + 1


def _last_end(data: bytes) -> int:
    """Behind the last row that is whole, 0 for none: its line ends outside quotes, and the next one
    is not empty, since empty lines are passed over at the end of a table alone."""
    at = data.rfind(b"\n")
    while at >= 0:
        text = data[: at + 1].rstrip(b"\r\n")
        behind = data.find(b"\n", len(text)) + 1
        if data.count(b'"', 0, behind) % 2 == 0:
            return behind
        at = data.rfind(b"\n", 0, max(len(text), 0))
    return 0


def _later(fault: Unreadable, lines: int, rows: int) -> Unreadable:
    """The fault of a piece, with lines and rows counted from the beginning of the file."""
    message = fault.message
    for word, before in (("line", lines), ("row", rows)):
        message = re.sub(rf"\b{word} (\d+)", _raised(word, before), message)
    return Unreadable(message, fault.remedy)


def _raised(word: str, before: int) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{word} {int(found[1]) + before}"


# ------------------------------------------------------------------------ Parquet


def _parquet(path: Path, marks: tuple[str, ...], size: int) -> Iterator[RawTable]:
    try:
        import polars
    except ImportError:
        return  # `read_table` says what to install
    first = 0
    try:
        lazy = polars.scan_parquet(path)
        count = lazy.select(polars.len()).collect().item()
        for first in range(0, count, size):
            frame = lazy.slice(first, size).collect()
            yield table_of_arrays(arrays_of_polars(frame), marks, digest=False)
    except (polars.exceptions.PolarsError, OSError) as error:
        if first:
            message = f"rows from {first + 1:,} on cannot be read: {error}"
            raise Unreadable(message, "copy or download the file again") from None
        return  # `read_table` says what is wrong
