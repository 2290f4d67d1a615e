"""Splits that ask for the category of one kept column.

Such a split has the weight -1 for each category that goes left and the threshold -1/2: a row goes
left when it has one of them. A row whose value training did not have has none and goes right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.instance.encoder import Encoder

IN_SET = -1.0
SET_THRESHOLD = IN_SET / 2


@dataclass(frozen=True)
class ByCategory:
    """A split by the values of `column`; `left` is not empty, `right` may be."""

    column: str
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{self.column} in {{{', '.join(self.left)}}}"

    def to_json(self) -> dict[str, Any]:
        return {"column": self.column, "left": list(self.left), "right": list(self.right)}


def read_by_category(
    encoder: Encoder | None, weights: np.ndarray, threshold: float
) -> ByCategory | None:
    """The split that weights float64 (p + categories,) and threshold are, or None for another."""
    used = np.flatnonzero(weights)
    if encoder is None or not len(used) or threshold != SET_THRESHOLD:
        return None
    at = len(encoder.names)
    for feature in encoder.kept:
        assert feature.levels is not None
        names = feature.levels.names
        if at <= used[0] and used[-1] < at + len(names) and (weights[used] == IN_SET).all():
            chosen = weights[at : at + len(names)] != 0
            sides = (
                tuple(name for name, left in zip(names, chosen, strict=True) if left == side)
                for side in (True, False)
            )
            return ByCategory(feature.column, *sides)
        at += len(names)
    return None
