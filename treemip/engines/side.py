"""A tree as the engine writes it down, and what is known of the points on one side of a cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Plan = tuple[int, "Plan", "Plan"] | int
"""A tree: the bin of a split and the two sides, or the label of a leaf."""

NONE = -1  # no split


@dataclass(frozen=True)
class Side:
    """What is known of the points on one side: relaxed is at most the optimum, leaf conditions
    aside; exact is the optimum where that is below what was asked for, else infinite. bound float64
    (B,): what trees with each cut at the first branch are at least worth; None where unknown."""

    relaxed: float
    exact: float
    cut: int = NONE
    bound: np.ndarray | None = None
