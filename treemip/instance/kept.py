"""Columns that stay categorical: their categories by name, by number, and as 0/1 columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from treemip.instance.ragged import Ragged, offsets_of

Coded = tuple[np.ndarray, tuple[str, ...]]


def category_names(kept: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """`column=value` for each category of columns with their values, in their order."""
    return tuple(f"{column}={name}" for column, names in kept for name in names)


def categories(kept: Mapping[str, Coded]) -> Ragged:
    """The numbers of each column's categories, which run through all columns."""
    offsets = offsets_of(np.array([len(names) for _, names in kept.values()], np.int64))
    return Ragged(offsets, np.arange(offsets[-1]))


def category_numbers(kept: Mapping[str, Coded], rows: int) -> np.ndarray:
    """Each row's category in each column, int64 (rows, columns); -1 for none."""
    found = np.full((rows, len(kept)), -1)
    first = categories(kept).offsets
    for c, (codes, _) in enumerate(kept.values()):
        found[:, c] = np.where(codes < 0, -1, codes + first[c])
    return found


def with_categories(x: np.ndarray, kept: Mapping[str, Coded]) -> np.ndarray:
    """x float64 (N, p) with a 0/1 column behind it for each category; a row of code -1 has none."""
    if not kept:
        return x
    has = [codes[:, None] == np.arange(len(names)) for codes, names in kept.values()]
    return np.hstack([x, *has]).astype(np.float64)
