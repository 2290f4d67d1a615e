"""From index tuples to positions in a table, vectorised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from treemip.core.model.arrays import unique

SPARSE = 1_000_000


@dataclass(frozen=True)
class Axis:
    """Distinct values of one index, and where each stands: position[value - low], -1 for none.

    Values that are not whole, such as thresholds, or far apart are kept ascending in `ascending`,
    and `position` stands beside them. `whole`: the values are all ids of a sort, each at its own
    place, so an id of that sort need not be looked for.
    """

    low: int
    position: np.ndarray
    length: int
    is_count: bool = False  # the values are 0, 1, 2 … themselves
    ascending: np.ndarray | None = None
    whole: bool = False

    @classmethod
    def of(cls, values: np.ndarray) -> Axis:
        whole = values.astype(np.int64)
        if len(whole) == 0:
            return cls(0, np.full(1, -1, np.int64), 0)
        low, high = int(whole.min()), int(whole.max())
        if (whole != values).any() or high - low > 4 * len(whole) + SPARSE:
            order = np.argsort(values, kind="stable")
            return cls(0, order, len(order), False, values[order])
        if low == 0 and high == len(whole) - 1 and (whole == _counted(len(whole))).all():
            return cls(0, _counted(len(whole)), len(whole), True)
        position = np.full(high - low + 1, -1, np.int64)
        position[whole - low] = np.arange(len(whole))
        return cls(low, position, len(whole))

    def locate(self, values: np.ndarray) -> np.ndarray:
        ids = self.is_count and values.dtype.kind in "iu" and len(values)
        if ids and self.whole:
            return values
        if ids and values.min() >= 0 and values.max() < self.length:
            return values
        if self.ascending is not None:
            at = np.minimum(np.searchsorted(self.ascending, values), self.length - 1)
            return np.where(self.ascending[at] == values, self.position[at], -1)
        whole = values.astype(np.int64) - self.low
        inside = (whole >= 0) & (whole < len(self.position))
        if values.dtype.kind == "f":
            inside &= values % 1 == 0
        if inside.all():
            return self.position[whole]
        return np.where(inside, self.position[np.where(inside, whole, 0)], -1)


@lru_cache(8)
def _counted(length: int) -> np.ndarray:
    """0, 1, 2 …, once for all axes that are as long, not to be changed."""
    numbers = np.arange(length)
    numbers.flags.writeable = False
    return numbers


@dataclass(frozen=True)
class Lookup:
    """Positions of index tuples in a domain, in the order its frame was expanded.

    A domain that is a product of sets needs only its axes; another one also the sorted keys of
    its tuples, a key being the row-major number of the tuple in the product of the axes.
    """

    axes: tuple[Axis, ...]
    size: int
    keys: np.ndarray | None = None
    order: np.ndarray | None = None

    @classmethod
    def product(cls, sets: list[np.ndarray]) -> Lookup:
        axes = tuple(Axis.of(s) for s in sets)
        return cls(axes, int(np.prod([a.length for a in axes], dtype=np.int64)))

    @classmethod
    def of_columns(cls, columns: list[np.ndarray]) -> Lookup:
        """From the index columns of an expanded domain, whatever its shape."""
        axes = tuple(Axis.of(unique(c)) for c in columns)
        size = len(columns[0])
        lookup = cls(axes, size)
        keys = lookup._keys(columns)
        if lookup._is_range(keys):
            return lookup
        order = np.argsort(keys, kind="stable")
        return cls(axes, size, keys[order], order)

    def over(self, counts: list[int | None]) -> Lookup:
        """The same, told how many ids the sort of each index has, None where that is not known."""
        axes = tuple(
            replace(axis, whole=axis.is_count and axis.length == count)
            for axis, count in zip(self.axes, counts, strict=True)
        )
        return replace(self, axes=axes)

    def _is_range(self, keys: np.ndarray) -> bool:
        whole = np.prod([a.length for a in self.axes], dtype=np.int64)
        return bool(whole == len(keys) and np.array_equal(keys, np.arange(len(keys))))

    def _keys(self, columns: list[np.ndarray]) -> np.ndarray:
        """Row-major numbers, -1 where an index is in none of the domain's tuples."""
        key = np.zeros(1, np.int64)
        outside = None
        for number, (axis, column) in enumerate(zip(self.axes, columns, strict=True)):
            at = axis.locate(column)
            if at is not column and len(at) and at.min() < 0:
                outside = at < 0 if outside is None else outside | (at < 0)
            key = at if number == 0 else key * axis.length + at
        if outside is not None:
            key = key.copy()
            key[outside] = -1
        return key

    def locate(self, columns: list[np.ndarray]) -> np.ndarray:
        """Position of each tuple, int64; -1 for a tuple outside the domain."""
        keys = self._keys(columns)
        if self.keys is None or self.order is None:
            return keys
        at = np.searchsorted(self.keys, keys)
        at = np.minimum(at, len(self.keys) - 1) if len(self.keys) else np.zeros(len(keys), np.int64)
        if not len(self.keys):
            return np.full(len(keys), -1)
        return np.where(self.keys[at] == keys, self.order[at], -1)
