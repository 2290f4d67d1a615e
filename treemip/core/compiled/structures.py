"""Structures and arrays as the compiled library takes them, and calls of its functions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

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


def called(function: Callable[..., int], *values: object) -> None:
    """Calls a function of the library that says 0, or else that memory was too little.

    values: contiguous arrays and ctypes objects, which are passed by address, None for no address,
    whole numbers for int64 and others for double. Raises MemoryError.
    """
    if function(*map(_passed, values)):
        raise MemoryError("the compiled kernel")


def _passed(value: object) -> object:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, float):
        return ctypes.c_double(value)
    if isinstance(value, int):
        return ctypes.c_int64(value)
    return value if value is None else ctypes.byref(value)  # type: ignore[arg-type]
