"""Lines of text from tables of tokens: the one place where a file's bytes are put together."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

_AT_ONCE = 1 << 18  # bytes of the padded matrix, so that it stays in a core's own cache


class Lines:
    """Writes lines whose parts are constants or entries of token tables.

    A part is bytes, the same on every line, or an 'S' table (tokens,) that `write` picks from.
    The chosen tokens are copied into a fixed-width matrix, whose padding (NUL) one pass of
    bytes.translate then removes; per line and part this costs a few nanoseconds, a tenth of
    what joining Python strings costs. Padding is cheapest where it is in one piece, so a table
    aligned to the right (see `right`) should follow one aligned to the left.
    """

    def __init__(self, file: BinaryIO, *parts: bytes | np.ndarray) -> None:
        fields = [f"S{len(p)}" if isinstance(p, bytes) else p.dtype for p in parts]
        record = np.dtype([(f"f{k}", field) for k, field in enumerate(fields)])
        self._step = max(1, _AT_ONCE // record.itemsize)
        self._buffer = bytearray(self._step * record.itemsize)
        matrix = np.frombuffer(self._buffer, record)
        self._tables: list[tuple[np.ndarray, np.ndarray]] = []
        for k, part in enumerate(parts):
            if isinstance(part, bytes):
                matrix[f"f{k}"] = part
            else:
                self._tables.append((matrix[f"f{k}"], part))
        self._width = record.itemsize
        self._file = file

    def write(self, *codes: np.ndarray) -> None:
        """Write one line for each position: `codes` are integers (lines,), one array a table."""
        for start in range(0, len(codes[0]), self._step):
            size = min(self._step, len(codes[0]) - start)
            for (field, table), code in zip(self._tables, codes, strict=True):
                field[:size] = table.take(code[start : start + size])
            full = size == self._step
            block = self._buffer if full else self._buffer[: size * self._width]
            self._file.write(block.translate(None, b"\0"))


def right(table: np.ndarray) -> np.ndarray:
    """The tokens with their padding in front instead of behind; they must hold no byte 1."""
    moved = np.strings.rjust(table, table.dtype.itemsize, b"\1")
    raw = moved.view(np.uint8)
    raw[raw == 1] = 0
    return moved
