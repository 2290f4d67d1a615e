"""Column bounds as MPS states them: both ends always, so that no reader's default matters."""

from __future__ import annotations

import numpy as np

from treemip.emit.requirements import domain
from treemip.model.blocks import Kind, Variables

KINDS = np.array([f" {kind} BND" for kind in ("FX", "LO", "UP", "BV", "FR", "MI", "PL")], "S")
FX, LO, UP, BV, FR, MI, PL = range(7)
VALUED = (FX, LO, UP)
_NONE = 7


def bound_lines(block: Variables) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The one or two bounds of each column: position in the block, place in KINDS, value.

    Arrays (lines,): int64, int64 and float64, a column's lower bound before its upper. The value
    means something only where the kind is one of VALUED. A binary with both its values left is
    BV, and any column with one value left is FX.
    """
    lower, upper = domain(block)
    open_below, open_above = np.isneginf(lower), np.isposinf(upper)
    binary = (lower == 0) & (upper == 1) & (block.kind is Kind.BINARY)
    conditions = [lower == upper, binary, open_below & open_above, open_below]
    first = np.select(conditions, [FX, BV, FR, MI], LO)
    alone = np.isin(first, (FX, BV, FR))
    second = np.where(alone, _NONE, np.where(open_above, PL, UP))
    kinds = np.stack([first, second], axis=1).ravel()
    written = np.flatnonzero(kinds != _NONE)
    values = np.stack([lower, upper], axis=1).ravel()
    return written >> 1, kinds[written], values[written]
