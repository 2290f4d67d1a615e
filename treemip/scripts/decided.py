"""What reformulation found out about a model, for the rows that a script writes itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from treemip.source.span import Span


@dataclass(frozen=True)
class Ranges:
    """Least and greatest value of each argument of a function, where it must be attained exactly.

    index: labels as in model.blocks.Index, by the names of the function's free indices; offsets,
    low, high: the arguments of each result.
    """

    offsets: np.ndarray
    low: np.ndarray
    high: np.ndarray
    names: tuple[str, ...]
    sorts: tuple[str, ...]
    columns: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Decided:
    """big_m: the proven M of each row by name of the family and side (1 for <=, -1 for >=).

    ranges: of the functions that need binaries, by their places in the text, a block after the
    other. degree: "linear", "quadratic" or "nonlinear", where products with a binary are linear.
    curved: whether the objective is not linear, such products counted. lower, upper: bounds of
    the model's columns, narrowed by rows of one variable; empty for those of the declarations.
    """

    big_m: Mapping[tuple[str, int], np.ndarray] = field(default_factory=dict)
    ranges: Mapping[tuple[Span, str], Sequence[Ranges]] = field(default_factory=dict)
    degree: str = "linear"
    curved: bool = False
    lower: np.ndarray = field(default_factory=lambda: np.zeros(0))
    upper: np.ndarray = field(default_factory=lambda: np.zeros(0))
