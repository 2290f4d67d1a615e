"""Decimal numbers as text writes them, a column at a time or one alone."""

from __future__ import annotations

import re
from ctypes import CDLL, c_int64, c_void_p
from math import isfinite

import numpy as np

from treemip.compiled.library import kernel

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
    """Digits as one integer, the number of decimals, and where these two determine the value; the
    first two are 0 elsewhere."""
    library = kernel()
    if library is not None:
        return _compiled(library, buffer, start, stop)
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
    return mantissa * plain, decimals * plain, plain


def _compiled(
    library: CDLL, buffer: np.ndarray, start: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same by the compiled library."""
    numbers, plain = np.zeros((2, len(start)), np.int64), np.zeros(len(start), bool)
    ends = [np.ascontiguousarray(end, np.int64) for end in (start, stop)]
    arrays = (buffer, *ends, *numbers, plain)
    text, first, last, mantissa, decimals, known = (c_void_p(a.ctypes.data) for a in arrays)
    library.treemip_scan(text, first, last, c_int64(len(start)), mantissa, decimals, known)
    return *numbers, plain


def number_of(text: str) -> float | None:
    """The finite number that a text is, read as a cell is; None for other texts."""
    if not text.isascii() or not NUMBER.fullmatch(text.encode()):
        return None
    value = float(text)
    return value if isfinite(value) else None
