"""Lines of text from tables of tokens, and numbers as tokens.

Here alone a model file's bytes are put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

_AT_ONCE_lines = 1 << 18  # bytes of the padded matrix, so that it stays in a core's own cache

_WIDEST = 16  # bytes that numpy copies as one number


class Lines:
    """Writes lines whose parts are constants or entries of token tables.

    A part is bytes, the same on every line, or an 'S' table (tokens,) that `write` picks from.
    The chosen tokens are copied into a fixed-width matrix, whose padding (NUL) one pass of
    bytes.translate then removes; per line and part this costs a few nanoseconds, a tenth of
    what joining Python strings costs. Padding is cheapest where it is in one piece, so a table
    aligned to the right (see `right`) should follow one aligned to the left.
    """

    def __init__(self, file: BinaryIO, *parts: bytes | np.ndarray) -> None:
        fields, tables = [], []
        for k, part in enumerate(parts):
            if isinstance(part, bytes):
                fields.append((f"{k}", f"S{len(part)}"))
                continue
            for place, width in _strips(part.dtype.itemsize):
                fields.append((f"{k} {place}", f"S{width}"))
                tables.append((f"{k} {place}", k, _strip(part, place, width)))
        record = np.dtype(fields)
        self._width = record.itemsize
        self._step = max(1, _AT_ONCE_lines // self._width)
        self._buffer = bytearray(self._step * self._width)
        matrix = np.frombuffer(self._buffer, record)
        for k, part in enumerate(parts):
            if isinstance(part, bytes):
                matrix[f"{k}"] = part
        numbers = {k: number for number, k in enumerate(dict.fromkeys(k for _, k, _ in tables))}
        self._tables = [(matrix[name], numbers[k], table) for name, k, table in tables]
        self._file = file

    def write(self, *codes: np.ndarray) -> None:
        """Write one line for each position: `codes` are integers (lines,), one array a table."""
        for start in range(0, len(codes[0]), self._step):
            size = min(self._step, len(codes[0]) - start)
            chosen = [code[start : start + size].astype(np.intp, copy=False) for code in codes]
            for field, which, table in self._tables:
                field[:size] = table.take(chosen[which])
            full = size == self._step
            block = self._buffer if full else self._buffer[: size * self._width]
            self._file.write(block.translate(None, b"\0"))


def right(table: np.ndarray) -> np.ndarray:
    """The tokens with their padding in front instead of behind; they must hold no byte 1."""
    width = sum(width for _, width in _strips(table.dtype.itemsize))
    moved = np.strings.rjust(table, width, b"\1")
    raw = moved.view(np.uint8)
    raw[raw == 1] = 0
    return moved


def _strips(width: int) -> Iterator[tuple[int, int]]:
    """Where tokens of `width` bytes are cut, and the width of each piece, a power of two.

    Such a piece numpy picks and stores in a nanosecond, any other in four. Removing a byte of
    padding takes half a nanosecond, so that one such byte at the end is better than a piece more.
    """
    place = 0
    while place < width:
        left = width - place
        piece = min(1 << left.bit_length() - 1, _WIDEST)
        if 1 < left < _WIDEST and left + 1 == 2 * piece:
            piece = left + 1
        yield place, piece
        place += piece


def _strip(table: np.ndarray, place: int, width: int) -> np.ndarray:
    """Bytes place .. place+width-1 of every token, as an 'S' array; none but NUL beyond the end."""
    if table.dtype.itemsize == width:
        return table
    full = max(table.dtype.itemsize, place + width)
    raw = np.ascontiguousarray(table.astype(f"S{full}", copy=False)).view(np.uint8)
    return np.ascontiguousarray(raw.reshape(-1, full)[:, place : place + width]).view(f"S{width}")[
        :, 0
    ]


_AT_ONCE = 1 << 16  # values turned into Python floats at a time


def shortest(values: np.ndarray, lead: bool = False) -> np.ndarray:
    """Each number as text, an 'S' array: Python's repr without a final ``.0``.

    repr is the shortest decimal that reads back to the same float64 (David Gay's algorithm);
    ``1``, ``-0.25``, ``1e-05``, ``1e+16``. With `lead`, a space stands before each.
    Raises ValueError for an infinity or NaN: no reader of model files agrees on their names.
    """
    if not np.isfinite(values).all():
        raise ValueError("only finite numbers have a text")
    parts = [_texts(values[k : k + _AT_ONCE], lead) for k in range(0, len(values), _AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros(0, "S1")


def _texts(values: np.ndarray, lead: bool) -> np.ndarray:
    # One repr of a list, "[0.5, 1.0]", costs half of many; its separators are the lead.
    text = f" {repr(values.tolist())[1:-1]},".replace(".0,", ",")[:-1]
    return np.array(text.split(",") if lead else text[1:].split(", "), "S")
