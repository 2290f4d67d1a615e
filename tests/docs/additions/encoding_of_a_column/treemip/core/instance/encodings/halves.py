"""Numbers halved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treemip.core.instance.encodings.finish import Line, Number


@dataclass(frozen=True)
class Halves(Number):
    kind: ClassVar[str] = "halves"

    @property
    def line(self) -> Line | None:
        return Line(0.0, 2.0)

    def apply(self, values: np.ndarray) -> np.ndarray:
        return values[:, None] / 2.0

    def unscaled(self, value: float) -> float:
        return 2.0 * value

    @classmethod
    def fit(cls, arguments: tuple[float, ...], values: np.ndarray) -> Number:
        return cls()
