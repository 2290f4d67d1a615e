"""Products of slots of a tape as CasADi expressions, those of one length at a time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.casadi.ops import gathered, times, zeros
from treemip.model.tape import Product

if TYPE_CHECKING:
    import casadi
    from casadi import MX


class Products:
    """Products of one length: places in their step, factors int64 (products, length), as MX."""

    def __init__(self, ca: casadi, at: np.ndarray, factors: np.ndarray, columns: list[MX]) -> None:
        self.ca, self.at, self.factors, self.columns = ca, at, factors, columns

    def of(self, which: Iterable[int]) -> MX:
        """The products of some of the factors."""
        kept = [self.columns[m] for m in which]
        if not kept:
            return self.ca.MX.ones(len(self.at), 1)
        return reduce(lambda a, b: times(self.ca, a, b), kept)


def by_length(step: Product) -> list[tuple[np.ndarray, np.ndarray]]:
    """The products of each length: their places in the step, their factors (products, length)."""
    lengths, found = step.offsets[1:] - step.offsets[:-1], []
    if step.length and (lengths == lengths[0]).all():
        return [(np.arange(step.length), step.factors.reshape(step.length, -1))]
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        at = np.flatnonzero(lengths == length)
        found.append((at, step.factors[step.offsets[at][:, None] + np.arange(length)]))
    return found


def together(ca: casadi, step: list[Products]) -> MX:
    """The products of all lengths in their order in the step."""
    parts = [some.of(range(len(some.columns))) for some in step]
    if len(parts) <= 1:
        return parts[0] if parts else zeros(ca, 0)
    places = np.concatenate([some.at for some in step])
    return gathered(ca, ca.vertcat(*parts), np.argsort(places))
