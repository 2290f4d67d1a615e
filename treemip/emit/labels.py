"""Index labels as text, for whole blocks at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.emit.distinct import Distinct
from treemip.model.blocks import Index
from treemip.model.text import label


@dataclass(frozen=True)
class Labels:
    """What stands between a name's brackets: columns (length,), none for a bare name.

    Columns are int64, or float64 where numbers are not all whole.

    `counted` is true when the last column is a running number from 1 that the block's index does
    not have, since without it two names would be the same. `width` bounds the length of the
    brackets with what is in them.
    """

    columns: tuple[np.ndarray, ...]
    length: int
    counted: bool
    width: int


def labels_of(index: Index) -> Labels:
    """The labels of a block, with a running number where the index tuples are not unique."""
    columns = index.columns
    counted = index.length > 1 and not _unique(columns)
    if counted:
        columns = (*columns, np.arange(1, index.length + 1))
    width = sum(_longest(column) + 1 for column in columns) + bool(columns)
    return Labels(columns, index.length, counted, width)


def label_tokens(labels: Labels, base: str) -> np.ndarray:
    """`base` with each row's labels in brackets, an 'S' array (length,)."""
    names = np.full(labels.length, base.encode())
    for k, column in enumerate(labels.columns):
        last = k == len(labels.columns) - 1
        # What is the same on all rows goes into the table of labels, which is small.
        before, after = base + "(" if k == 0 else "", ")" if last else ","
        tokens = _tokens(column, before, after)
        names = tokens if k == 0 else np.strings.add(names, tokens)
    return names


def count_tokens(count: int, before: str) -> np.ndarray:
    """`before` with 1 to `count` behind it, an 'S' array (count,)."""
    return np.strings.add(before.encode(), _decimals(count + 1)[1:])


def _tokens(column: np.ndarray, before: str, after: str) -> np.ndarray:
    whole = column.dtype.kind == "i"
    if whole and column.min(initial=0) >= 0 and column.max(initial=0) <= 4 * len(column) + 1000:
        table, places = _decimals(int(column.max(initial=0)) + 1), column
    else:
        values, places = _different(column)
        table = np.array([_text(value) for value in values.tolist()], "S")
    around = np.strings.add(np.strings.add(before.encode(), table), after.encode())
    return around.take(places)


def _different(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values of a column, and which of them each row has."""
    if column.dtype.kind == "i":
        return np.unique(column, return_inverse=True)
    seen = Distinct()  # half of the time that sorting takes
    codes = seen.codes(column)
    return seen.values, codes


def _text(value: float) -> str:
    # no sign is safe inside a name, not that of an exponent either
    return label(value).replace("-", "m").replace("+", "")


def _decimals(stop: int) -> np.ndarray:
    """0 to stop-1 in decimals, an 'S' array (stop,): one division per digit, no Python ints."""
    width = len(str(stop - 1))
    text = np.zeros((stop, width), np.uint8)
    for digits in range(1, width + 1):
        low = 0 if digits == 1 else 10 ** (digits - 1)
        values = np.arange(low, min(10**digits, stop))
        for place in range(digits):
            text[low : low + len(values), digits - 1 - place] = values % 10 + ord("0")
            values = values // 10
    return text.view(f"S{width}").ravel()


def _longest(column: np.ndarray) -> int:
    if column.dtype.kind != "i":
        return max(len(_text(value)) for value in _different(column)[0].tolist())
    ends = (column.min(initial=0), column.max(initial=0))
    return max(len(_text(int(end))) for end in ends)


def _unique(columns: tuple[np.ndarray, ...]) -> bool:
    """True when there are index columns and no tuple occurs twice."""
    if not columns or _ascending(columns):
        return bool(columns)
    order = np.lexsort(columns[::-1])
    return _ascending(tuple(column[order] for column in columns))


def _ascending(columns: tuple[np.ndarray, ...]) -> bool:
    """True when the tuples ascend strictly, which blocks made by the compiler mostly do."""
    tied = np.ones(len(columns[0]) - 1, bool)
    for column in columns:
        step = np.diff(column)
        if (tied & (step < 0)).any():
            return False
        tied &= step == 0
    return not tied.any()
