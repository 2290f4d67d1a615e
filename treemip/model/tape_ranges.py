"""What the bounds of the variables prove about a tape's slots, by interval arithmetic."""

from __future__ import annotations

import numpy as np

from treemip.model.rows import interval
from treemip.model.tape import Affine, Elementwise, Product, Smooth, Step, Tape

Range = tuple[np.ndarray, np.ndarray]


def tape_ranges(tape: Tape, lower: np.ndarray, upper: np.ndarray) -> Range:
    """Least and greatest value of each slot over the box lower <= x <= upper, float64 (slots,).

    A slot that is undefined on a part of the box is bounded on the rest of it.
    """
    low, high = np.zeros(0), np.zeros(0)
    for step in tape.steps:
        more_low, more_high = step_range(step, lower, upper, low, high)
        low, high = np.concatenate([low, more_low]), np.concatenate([high, more_high])
    return low, high


def step_range(
    step: Step, lower: np.ndarray, upper: np.ndarray, low: np.ndarray, high: np.ndarray
) -> Range:
    """The ranges of one step's slots from those of the columns and of the slots before it."""
    if isinstance(step, Affine):
        a = interval(step.columns, step.constants, lower, upper)
        b = interval(step.slots, np.zeros(step.length), low, high)
        return a[0] + b[0], a[1] + b[1]
    if isinstance(step, Product):
        return _product(step, low, high)
    return elementwise_range(
        step.function, step.exponent, low[step.arguments], high[step.arguments]
    )


def _product(step: Product, low: np.ndarray, high: np.ndarray) -> Range:
    least, most = np.ones(step.length), np.ones(step.length)
    counts = np.diff(step.offsets)
    for k in range(int(counts.max(initial=0))):
        at = np.flatnonzero(counts > k)
        factor = step.factors[step.offsets[:-1][at] + k]
        with np.errstate(invalid="ignore"):  # 0 times infinity is 0 here
            ends = np.nan_to_num(
                [a[at] * b[factor] for a in (least, most) for b in (low, high)],
                nan=0.0,
                posinf=np.inf,
                neginf=-np.inf,
            )
        least[at], most[at] = ends.min(axis=0), ends.max(axis=0)
    return least, most


def elementwise_range(
    function: Smooth, exponent: float, low: np.ndarray, high: np.ndarray
) -> Range:
    """The range of a function over ranges of its argument, where it is defined."""
    with np.errstate(all="ignore"):
        if function is Smooth.EXP:
            return np.exp(low), np.exp(high)
        if function is Smooth.LOG:
            return np.log(np.maximum(low, 0.0)), np.log(np.maximum(high, 0.0))
        if function is Smooth.LOGISTIC:
            return 0.5 * (1 + np.tanh(low / 2)), 0.5 * (1 + np.tanh(high / 2))
        return _power(exponent, low, high)


def _power(p: float, low: np.ndarray, high: np.ndarray) -> Range:
    if not float(p).is_integer():  # defined from 0 on
        low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    if p < 0:
        return _inverse_power(p, low, high)
    a, b = low**p, high**p
    least, most = np.minimum(a, b), np.maximum(a, b)
    return (np.where((low < 0) & (high > 0), 0.0, least) if p % 2 == 0 else least), most


def _inverse_power(p: float, low: np.ndarray, high: np.ndarray) -> Range:
    """With a pole at 0, on each side of which it is monotone."""
    odd = p % 2 == 1
    right, left = low >= 0, high <= 0

    def at(u: np.ndarray, pole: float) -> np.ndarray:
        return np.where(u == 0, pole, u**p)

    beyond = -np.inf if odd else np.inf
    least = np.where(left, at(high if odd else low, beyond), beyond)
    most = np.where(left, at(low if odd else high, beyond), np.inf)
    if not odd:
        least = np.where(left, least, np.minimum(low**p, high**p))
    return np.where(right, at(high, np.inf), least), np.where(right, at(low, np.inf), most)


def slopes(step: Elementwise, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether each slot rises, whether it falls with its argument, bool (length,).

    `low` and `high` are the ranges of all slots. Neither is true where nothing is proven, or where
    the function is undefined on a part of the range: an argument could move out of its domain.
    """
    a, b = low[step.arguments], high[step.arguments]
    always, never = np.ones(step.length, bool), np.zeros(step.length, bool)
    if step.function is Smooth.LOG:
        return a > 0, never
    if step.function is not Smooth.POWER:
        return always, never
    p = step.exponent
    if not float(p).is_integer():
        return (a >= 0, never) if p > 0 else (never, a > 0)
    if p > 0:
        return (always, never) if p % 2 == 1 else (a >= 0, b <= 0)
    return (never, (a > 0) | (b < 0)) if p % 2 == 1 else (b < 0, a > 0)
