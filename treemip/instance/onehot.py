"""One 0/1 column for each level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class OneHot:
    """Columns for the levels with positions `kept`: all of them, or the second of two.

    Where `unseen_zero`, a row whose level was not there in training has 0 in all of them.
    """

    kind: ClassVar[str] = "onehot"
    kept: tuple[int, ...]
    unseen_zero: bool = False

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{column}={levels[k]}" for k in self.kept)

    def apply(self, values: np.ndarray) -> np.ndarray:
        """float64 (M, kept) of 0 and 1 from level positions float64 (M,)."""
        return (values[:, None] == np.array(self.kept)).astype(np.float64)
