"""Arithmetic that routes a row the same way on every machine and in every batch.

A product of matrices is not that: its order of summation depends on the number of rows, the
library and the processor. Here each number depends on its own row alone. Only additions,
multiplications, divisions and roundings are used, elementwise and in a fixed order, and IEEE 754
says what each of them gives.
"""

from __future__ import annotations

import numpy as np

from treemip.core.tree.known_ways import known

BLOCK = 4096
"""Rows at a time, so that a block stays in the cache while its columns are read."""

UNIT = 2.0**-53
"""Greatest relative error of one operation."""

LEAST = 2.0**-1074
"""The least double above 0, which bounds the error of a product that underflows."""


def weighted_sum(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """weights . x of each row, float64 (M,), from x float64 (M, p) and weights float64 (p,).

    Products of the weights that are not 0 are rounded and added in the order of the features.
    Sums that overflow are infinite or NaN, without a warning. Of a table's own points those of
    several features are kept, read-only.
    """
    if np.count_nonzero(weights) > 1:
        return known(x, ("sum", weights.tobytes()), lambda: _summed(x, weights))
    return _summed(x, weights)


def _summed(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    used = np.flatnonzero(weights)
    total = np.zeros(len(x))
    product = np.empty(min(len(x), BLOCK))
    with np.errstate(over="ignore", invalid="ignore"):
        if len(used) == 1:  # at once: its column alone is read
            total += x[:, used[0]] * weights[used[0]]
            return total
        for start in range(0, len(x), BLOCK):
            rows, sums = x[start : start + BLOCK], total[start : start + BLOCK]
            for j in used:
                # Two operations: a fused one would round once, on the machines that have it.
                sums += np.multiply(rows[:, j], weights[j], out=product[: len(rows)])
    return total


def rounding(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """How far `weighted_sum` may be from the exact sum, float64 (M,); for the same arguments.

    With k products k UNIT / (1 - k UNIT) times the sum of their sizes (Higham, Accuracy and
    Stability of Numerical Algorithms, section 3.1), here with a margin for its own rounding. A
    single feature with the weight 1 or -1 has no error.
    """
    used = np.flatnonzero(weights)
    if len(used) <= 1 and (np.abs(weights[used]) == 1).all():
        return np.zeros(len(x))
    return 1.01 * len(used) * (UNIT * weighted_sum(np.abs(x), np.abs(weights)) + LEAST)


# exp by W. J. Cody and W. Waite's reduction and the rational approximation of fdlibm (e_exp.c),
# which is within one unit in the last place.
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
PER_LN2 = 1.44269504088896338700
RATIONAL = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)
FAR = 745.5
"""exp(-FAR) rounds to 0."""


def logistic(u: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-u)) for any u float64 (M,); the same on every machine, unlike numpy's exp."""
    small = _exp(-np.minimum(np.abs(u), FAR))
    return np.where(u >= 0, 1.0, small) / (1.0 + small)


def _exp(u: np.ndarray) -> np.ndarray:
    """exp(u) for u float64 (M,) from -FAR to 0."""
    power = np.rint(u * PER_LN2)
    high, low = u - power * LN2_HIGH, power * LN2_LOW
    rest = high - low
    square = rest * rest
    series = np.zeros_like(u)
    for coefficient in reversed(RATIONAL):
        series = square * (coefficient + series)
    series = rest - series
    value = 1.0 - ((low - (rest * series) / (2.0 - series)) - high)
    return np.ldexp(value, power.astype(np.int64))
