"""Structures and arrays as the compiled library takes them."""

from __future__ import annotations

import numpy as np


def fields(names: str, kind: type) -> list[tuple[str, type]]:
    """Fields of a structure that are all of one kind, by their names with blanks between."""
    return [(name, kind) for name in names.split()]


class Arrays:
    """Addresses of contiguous arrays, which live as long as this does."""

    def __init__(self) -> None:
        self._held: list[np.ndarray] = []

    def at(self, values: object, kind: type) -> int:
        array: np.ndarray = np.ascontiguousarray(values, kind)
        self._held.append(array)
        return int(array.ctypes.data)

    def whole(self, values: object) -> int:
        """Of int32."""
        return self.at(values, np.int32)

    def real(self, values: object) -> int:
        """Of float64."""
        return self.at(values, np.float64)
