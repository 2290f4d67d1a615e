"""Sets of tuples as arrays: the tuples that begin alike are neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.instance.lookup import Lookup
from treemip.core.model.arrays import Ragged, offsets_of


@dataclass(frozen=True)
class Tuples:
    """Some sets of tuples, numbered from 0, each in ascending order of first, second, … part.

    `columns` are the parts, one array each, `lengths` how many tuples each set has. `levels[k]` has
    for each distinct beginning of k parts the parts that continue it, and `places[k]` the number of
    a beginning: of a set and k parts.
    """

    columns: tuple[np.ndarray, ...]
    lengths: np.ndarray
    levels: tuple[Ragged, ...]
    places: tuple[Lookup, ...]

    @classmethod
    def of(cls, owner: np.ndarray, columns: list[np.ndarray], count: int) -> Tuples:
        """From the set (0 to count - 1) and the parts of each tuple, in any order, each once."""
        if not _ascend([owner, *columns]):
            order = np.lexsort([*columns[::-1], owner])
            owner, columns = owner[order], [c[order] for c in columns]
        size = len(owner)
        above, begin = np.arange(count), owner  # numbers of beginnings, and each tuple's
        levels, places = [], [Lookup.product([above])]
        other = np.zeros(size, bool)  # whether a tuple begins otherwise than the one before
        other[:1] = True
        other[1:] = owner[1:] != owner[:-1]
        parents = count
        for k, column in enumerate(columns):
            other[1:] |= column[1:] != column[:-1]
            first = np.flatnonzero(other)
            lengths = np.bincount(begin[first], minlength=parents)
            levels.append(Ragged(offsets_of(lengths), column[first]))
            begin, parents = np.cumsum(other) - 1, len(first)
            if k + 1 < len(columns):
                keys = [owner[first], *(c[first] for c in columns[: k + 1])]
                places.append(Lookup.of_columns(keys))
        lengths = np.bincount(owner, minlength=count)
        return cls(tuple(columns), lengths, tuple(levels), tuple(places))

    def section(self, sets: np.ndarray, prefix: list[np.ndarray]) -> Ragged:
        """What continues each prefix in each set, one list a row; empty where nothing does."""
        level = self.levels[len(prefix)]
        if not prefix:
            return level.take(sets)
        at = self.places[len(prefix)].locate([sets, *prefix])
        there = at >= 0
        lengths = np.zeros(len(at), np.int64)
        lengths[there] = level.lengths[at[there]]
        return Ragged(offsets_of(lengths), level.take(at[there]).items)


def _ascend(columns: list[np.ndarray]) -> bool:
    """Whether tuples are in lexicographic order, as those of a frame mostly are."""
    before, same = (np.full(max(len(columns[0]) - 1, 0), start) for start in (False, True))
    for column in columns:
        before |= same & (column[:-1] < column[1:])
        same &= column[:-1] == column[1:]
    return bool((before | same).all())
