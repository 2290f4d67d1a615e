"""Row bounds as MPS states them: a sense, a right-hand side and a range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SENSES = np.array([b"N", b"L", b"G", b"E"])
FREE, AT_MOST, AT_LEAST, EQUAL = range(4)


@dataclass(frozen=True)
class Sides:
    """Of each row: `sense` uint8, a place in SENSES; `rhs` and `spread` float64, all (rows,).

    `spread` is 0 where there is no range; it leads up from `rhs` in a G row, down in an L row.
    `rounded` bool: the range's far end, which readers compute as rhs +- spread, is off in its
    last digit.
    """

    sense: np.ndarray
    rhs: np.ndarray
    spread: np.ndarray
    rounded: np.ndarray


def sides(lower: np.ndarray, upper: np.ndarray) -> Sides:
    """The rows lower <= . <= upper; either bound may be infinite.

    A range is measured from the end that makes the other come out bit for bit in floating
    arithmetic. Of bounds of opposite sign with all 53 bits in use there may be no such end.
    """
    below, above = np.isfinite(lower), np.isfinite(upper)
    both = below & above & (lower != upper)
    sense = np.select([lower == upper, below, above], [EQUAL, AT_LEAST, AT_MOST], FREE).astype(
        np.uint8
    )
    rhs = np.where(below, lower, np.where(above, upper, 0.0))
    low, high = np.where(both, lower, 0.0), np.where(both, upper, 0.0)
    spread = high - low
    up, down = low + spread == high, high - spread == low
    turned = both & ~up & down
    sense[turned] = AT_MOST
    rhs[turned] = high[turned]
    return Sides(sense, rhs, spread, both & ~up & ~down)
