"""The sections of an LP file that say of single columns: Bounds, Generals, Binaries.

Bounds say both ends, except of columns from 0 up, which no reader takes differently. A binary
fixed by its bounds is a general: some readers widen a binary's bounds to 0 and 1 again.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from treemip.emit.distinct import Distinct
from treemip.emit.lines import Lines
from treemip.emit.numbers import shortest
from treemip.emit.requirements import domain
from treemip.model.blocks import Kind
from treemip.model.model import Model

NOTHING_BELOW, OPEN_BELOW = 0, 1
FREE, NOTHING_ABOVE = 0, 1


def write_bounds(file: BinaryIO, model: Model, names: np.ndarray, constant: int | None) -> None:
    """Bounds of all columns; names 'S' (columns,) with a space before each.

    `constant`: the place in `names` of the column fixed at 1, where there is one.
    """
    domains = [domain(block) for block in model.variables]
    one = [] if constant is None else [np.ones(1)]
    lower = np.concatenate([*(low for low, _ in domains), *one, np.zeros(0)])
    upper = np.concatenate([*(high for _, high in domains), *one, np.zeros(0)])
    usual = (lower == 0) & np.isposinf(upper)
    usual[: model.column_count] |= _plain_binaries(model)
    said = np.flatnonzero(~usual)
    lower, upper = lower[said], upper[said]
    distinct = Distinct()
    low = distinct.codes(np.where(np.isfinite(lower), lower, 0.0))
    high = distinct.codes(np.where(np.isfinite(upper), upper, 0.0))
    number, count = shortest(distinct.values, lead=True), len(distinct.values)
    left = np.concatenate([np.array([b"\n", b"\n -inf <="]), _around(b"\n", number, b" <=")])
    right = [
        np.array([b" free", b""]),
        *(_around(word, number, b"") for word in (b" <=", b" >=", b" =")),
    ]
    below, above, equal = np.isfinite(lower), np.isfinite(upper), lower == upper
    before = np.where(above & ~equal, np.where(below, 2 + low, OPEN_BELOW), NOTHING_BELOW)
    conditions = [equal, above, below]
    after = np.select(conditions, [2 + 2 * count + high, 2 + high, 2 + count + low], FREE)
    Lines(file, left, names, np.concatenate(right)).write(before, said, after)


def write_kinds(file: BinaryIO, model: Model, names: np.ndarray) -> None:
    """Generals, then Binaries, each where there are some."""
    binary = _plain_binaries(model)
    for head, some in ((b"\nGenerals", model.integer & ~binary), (b"\nBinaries", binary)):
        if some.any():
            file.write(head)
            Lines(file, b"\n", names).write(np.flatnonzero(some))


def _plain_binaries(model: Model) -> np.ndarray:
    """Binaries with both values left, bool (columns,)."""
    parts = [np.zeros(0, bool)]
    for block in model.variables:
        low, high = domain(block)
        parts.append((low == 0) & (high == 1) & (block.kind is Kind.BINARY))
    return np.concatenate(parts)


def _around(before: bytes, numbers: np.ndarray, after: bytes) -> np.ndarray:
    return np.strings.add(np.strings.add(before, numbers), after)
