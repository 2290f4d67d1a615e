"""Terms of a Taylor expansion, and what adds equal ones together.

Which changes a term joins is kept in arrays; only its value is CasADi's.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treemip.core.model.arrays import begins
from treemip.core.solvers.ipopt.operations import gathered, pattern, plus, summed, vertical

if TYPE_CHECKING:
    import casadi
    from casadi import MX


class Terms(NamedTuple):
    """value[k] * d[first[k]] * d[second[k]]; first >= second, int64 (terms,); value: MX column.

    highest: the greatest of `first`.
    """

    first: np.ndarray
    second: np.ndarray
    value: MX
    highest: int

    @classmethod
    def of(cls, first: np.ndarray, second: np.ndarray, value: MX) -> Terms:
        """At least one term."""
        return cls(first, second, value, int(np.maximum.reduce(first)))

    def some(self, ca: casadi, which: np.ndarray) -> Terms:
        """Those of a bool (terms,)."""
        value = gathered(ca, self.value, np.flatnonzero(which))
        return Terms.of(self.first[which], self.second[which], value)


def ordered(first: np.ndarray, second: np.ndarray, value: MX) -> Terms:
    return Terms.of(np.maximum(first, second), np.minimum(first, second), value)


def merged(ca: casadi, parts: list[Terms], worth: float = 1.0) -> list[Terms]:
    """The parts with equal pairs added, if less than such a share of the terms is left."""
    parts = _added(ca, parts)
    if _differ(parts):
        return parts
    first, second = pairs(parts)
    found = distinct(first, second)
    if found is None or len(found[0]) >= worth * len(first):
        return parts
    kept, which = found
    value = summed(ca, which, len(kept), vertical(ca, [part.value for part in parts]))
    return [Terms.of(first[kept], second[kept], value)]


def matrix(ca: casadi, parts: list[Terms], shape: tuple[int, int]) -> MX:
    """The sparse MX whose entry (first, second) is the sum of such terms' values."""
    first, second = pairs(parts)
    key = second * shape[0] + first
    order = key.argsort(kind="stable")
    key, value = key[order], vertical(ca, [part.value for part in parts])
    new = begins(key)
    if new.all():
        value = gathered(ca, value, order)
    else:
        which = np.empty(len(key), np.int64)
        which[order] = np.cumsum(new) - 1
        key, value = key[new], summed(ca, which, int(new.sum()), value)
    col, row = np.divmod(key, shape[0])
    return ca.MX(pattern(ca, shape, row, col), value)


def pairs(parts: list[Terms]) -> tuple[np.ndarray, np.ndarray]:
    """`first` and `second` of all parts."""
    if len(parts) == 1:
        return parts[0].first, parts[0].second
    return (
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.second for part in parts]),
    )


def distinct(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """One place of each pair, pairs ascending, and which of these each pair is.

    None where no pair repeats.
    """
    low, high = int(second.min()), int(second.max())
    key = (first - first.min()) * (high - low + 1) + (second - low)
    if (key[1:] > key[:-1]).all():
        return None
    if int(key.max()) < 4 * len(key):
        return _by_counting(key)
    order = key.argsort(kind="stable")
    key = key[order]
    new = begins(key)
    if new.all():
        return None
    which = np.empty(len(key), np.int64)
    which[order] = np.cumsum(new) - 1
    return order[new], which


def _differ(parts: list[Terms]) -> bool:
    """Whether it is seen without sorting that no pair repeats."""
    if not all((part.first[1:] > part.first[:-1]).all() for part in parts):
        return False
    if len(parts) == 1:
        return True
    ranges = sorted((int(part.second.min()), int(part.second.max())) for part in parts)
    return all(high < low for (_, high), (low, _) in pairwise(ranges))


def _by_counting(key: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """`distinct` of numbers that are not much greater than their count."""
    count = np.bincount(key)
    used = np.flatnonzero(count)
    if len(used) == len(key):
        return None
    place = np.empty(len(count), np.int64)
    place[key] = np.arange(len(key))
    kept = place[used]
    place[used] = np.arange(len(used))
    return kept, place[key]


def _added(ca: casadi, parts: list[Terms]) -> list[Terms]:
    """Parts of the same pairs, in whatever order, as one part: needs no matrix."""
    # Sums do not depend on the order: parts without equal ones need not be sorted.
    sums = {(len(p.first), int(p.first.sum()), int(p.second.sum())) for p in parts}
    if len(sums) == len(parts):
        return parts
    width = max(int(part.second.max()) for part in parts) + 1
    alike: dict[bytes, list[tuple[Terms, np.ndarray]]] = {}
    for part in parts:
        key = part.first * width + part.second
        order = key.argsort(kind="stable")
        alike.setdefault(key[order].tobytes(), []).append((part, order))
    return [_sum(ca, some) if len(some) > 1 else some[0][0] for some in alike.values()]


def _sum(ca: casadi, some: list[tuple[Terms, np.ndarray]]) -> Terms:
    """Parts of the same pairs, each with the order in which they ascend."""
    part, order = some[0]
    values = [gathered(ca, part.value, order) for part, order in some]
    total = reduce(lambda a, b: plus(ca, a, b), values)
    return Terms(part.first[order], part.second[order], total, part.highest)
