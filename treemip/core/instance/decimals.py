"""Decimal numbers as text writes them, a column at a time or one alone."""

from __future__ import annotations

import re
from ctypes import CDLL, c_int64, c_void_p
from math import isfinite

import numpy as np

from treemip.core.compiled.library import kernel

LONGEST = 20
POWERS = 10.0 ** np.arange(LONGEST)
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
ZERO, POINT, PLUS, MINUS = b"0.+-"


def parse_decimals(
    data: bytes | bytearray, start: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values float64 (N,) of the cells data[start:stop], and where they are finite numbers: exactly
    `float(cell)`, a whole column at a time instead of cell by cell.

    Cells that are not are NaN. Digits with at most one point, no exponent and a value below
    2**53 without its point are divided by a power of ten: both numbers are exact, so the one
    rounded division gives the nearest double (Clinger 1990, "How to read floating point numbers
    accurately"). All other cells go through `float`, or through from_chars of C++, which are
    correctly rounded as well. What Python reads but no data file means (underscores, nan, inf) is
    not a number.
    """
    library = kernel()
    if library is None:
        values, left = _plain(np.frombuffer(data, np.uint8), start, stop)
    else:
        values, left = _compiled(library, np.frombuffer(data, np.uint8), start, stop)
    for row in np.flatnonzero(left).tolist():
        cell = data[start[row] : stop[row]]
        if NUMBER.fullmatch(cell):
            values[row] = float(cell)
    values[np.isinf(values)] = np.nan
    return values, ~np.isnan(values)


def _plain(
    buffer: np.ndarray, start: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values of the cells whose digits determine them, NaN for others, and which of those may be
    numbers all the same."""
    length = stop - start
    mantissa, decimals, digits = np.zeros((3, len(start)), np.int64)
    seen_point = np.zeros(len(start), bool)
    plain = (length > 0) & (length <= LONGEST)
    first = buffer[np.minimum(start, len(buffer) - 1)]
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
    values = np.full(len(start), np.nan)
    values[plain] = mantissa[plain] / POWERS[decimals[plain]]
    negative = plain & (first == MINUS)
    values[negative] = -values[negative]
    return values, ~plain & (length > 0)


def _compiled(
    library: CDLL, buffer: np.ndarray, start: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same by the compiled library, which leaves fewer."""
    values, left = np.empty(len(start)), np.zeros(len(start), bool)
    ends = [np.ascontiguousarray(end, np.int64) for end in (start, stop)]
    text, first, last, numbers, kept = (
        c_void_p(a.ctypes.data) for a in (buffer, *ends, values, left)
    )
    library.treemip_numbers(text, first, last, c_int64(len(start)), numbers, kept)
    return values, left


def number_of(text: str) -> float | None:
    """The finite number that a text is, read as a cell is; None for other texts."""
    if not text.isascii() or not NUMBER.fullmatch(text.encode()):
        return None
    value = float(text)
    return value if isfinite(value) else None


def is_too_large(text: str) -> bool:
    """Whether a text is a number beyond all doubles."""
    return number_of(text) is None and text.isascii() and bool(NUMBER.fullmatch(text.encode()))
