"""Arithmetic of known values, and merging of rows."""

from __future__ import annotations

import numpy as np

from treemip.core.lower.linear import Linear
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Span


def arithmetic(op: str, left: np.ndarray, right: np.ndarray, span: Span) -> np.ndarray:
    """left op right; a division by zero or an undefined power is E404 at its place."""
    left, right = np.asarray(left, float), np.asarray(right, float)
    with np.errstate(all="ignore"):  # what overflows is reported where it is used
        if op == "+":
            return left + right
        if op == "-":
            return left - right
        if op == "*":
            return left * right
        result = left / right if op == "/" else left**right
    if not np.isfinite(result[np.isfinite(left) & np.isfinite(right)]).all():
        what = "a division by zero" if op == "/" else "an undefined power"
        fail("E404", what, span)
    return result


def compare(
    op: str, left: np.ndarray, right: np.ndarray, near: np.ndarray | None = None
) -> np.ndarray:
    """left op right, bool; where `near`, as if the sides were equal."""
    functions = {
        "=": np.equal,
        "!=": np.not_equal,
        "<": np.less,
        "<=": np.less_equal,
        ">": np.greater,
        ">=": np.greater_equal,
    }
    holds = functions[op](left, right)
    return holds if near is None else np.where(near, op in ("=", "<=", ">="), holds)


def reduce(op: str, body: np.ndarray, rows: np.ndarray, size: int) -> np.ndarray:
    """Rows combined into `size` groups; an empty max is -inf, an empty min inf, a product 1."""
    body = np.asarray(body, float)
    if op == "sum":
        return np.bincount(rows, body, size) if len(rows) else np.zeros(size)
    start = {"prod": 1.0, "max": -np.inf, "min": np.inf, "norminf": 0.0}[op]
    reduced = np.full(size, start)
    ufunc = {"prod": np.multiply, "min": np.minimum}.get(op, np.maximum)
    with np.errstate(all="ignore"):  # what overflows is reported where it is used
        ufunc.at(reduced, rows, np.abs(body) if op == "norminf" else body)
    return reduced


def both(op: str, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The groups of two parts combined, by a sum, max or min."""
    combine = {"sum": np.add, "max": np.maximum, "min": np.minimum}[op]
    with np.errstate(all="ignore"):
        combined: np.ndarray = combine(one, other)
    return combined


def extreme_item(
    op: str, body: np.ndarray, items: np.ndarray, rows: np.ndarray, size: int, span: Span
) -> np.ndarray:
    """The first item of each group with the greatest (least) value."""
    key = -np.asarray(body, float) if op == "argmax" else np.asarray(body, float)
    order = np.lexsort((np.arange(len(key)), key, rows))
    first = np.searchsorted(rows[order], np.arange(size))
    if (np.bincount(rows, minlength=size) == 0).any():
        fail("E404", f"'{op}' over an empty set", span)
    return items[order[first]]


def merge(parts: list[tuple[np.ndarray, np.ndarray | Linear]], size: int) -> np.ndarray | Linear:
    """Values of disjoint rows put together."""
    if any(isinstance(v, Linear) for _, v in parts):
        whole = Linear.known(np.zeros(size))
        for rows, value in parts:
            item = value if isinstance(value, Linear) else Linear.known(np.asarray(value, float))
            whole = whole.plus(item.summed(rows, size))
        return whole
    if not parts:
        return np.zeros(size)
    arrays = [np.asarray(v) for _, v in parts]
    merged = np.zeros(size, np.result_type(*arrays))
    for (rows, _), value in zip(parts, arrays, strict=True):
        merged[rows] = value
    return merged
