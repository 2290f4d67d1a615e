"""Levels as 0/1 columns, one for each."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any, ClassVar

import numpy as np

from treemip.core.instance.encodings.finish import Finish
from treemip.core.resolve.settings.data_spec import Encoding


@dataclass(frozen=True)
class OneHot(Finish):
    """Columns for the levels with positions `kept`: all of them, or the second of two.

    Where `unseen_zero`, a row whose level was not there in training has 0 in all of them.
    """

    kind: ClassVar[str] = "onehot"
    binary: ClassVar[bool] = True
    kept: tuple[int, ...]
    unseen_zero: bool = False

    def names(self, column: str, levels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{column}={levels[k]}" for k in self.kept)

    def holds(self, values: np.ndarray) -> np.ndarray:
        return (values == np.array(self.kept)[:, None]).T

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> OneHot:
        read = cls(**saved | {"kept": tuple(map(index, saved["kept"]))})
        if not isinstance(read.unseen_zero, bool) or min(read.kept, default=0) < 0:
            raise ValueError("no one-hot encoding")
        return read


def fit_onehot(encoding: Encoding, levels: int, sides: bool) -> OneHot:
    """`encode onehot` of a column with so many levels; sides: whether missing values have one."""
    drop = encoding.drop_binary and levels == 2 and not sides
    return OneHot((1,) if drop else tuple(range(levels)), encoding.unseen_zero)
