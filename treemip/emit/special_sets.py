"""Special ordered sets of type 1 as solvers and files take them: all of a model, set by set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treemip.model.model import Model


@dataclass(frozen=True)
class Sets:
    """All sets of a model: set r has the columns members[offsets[r]:offsets[r+1]].

    offsets int64 (sets+1,), members int64.
    """

    offsets: np.ndarray
    members: np.ndarray

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @property
    def weights(self) -> np.ndarray:
        """1, 2, ... within each set, int64 (members,)."""
        lengths = np.diff(self.offsets)
        return np.arange(len(self.members)) - np.repeat(self.offsets[:-1], lengths) + 1

    def each(self) -> Iterator[tuple[list[int], list[int]]]:
        """Columns and weights, set by set."""
        members = self.members.tolist()
        for first, stop in pairwise(self.offsets.tolist()):
            yield members[first:stop], list(range(1, stop - first + 1))

    def stream(self) -> tuple[np.ndarray, np.ndarray]:
        """For each set its head, then its members, as both (sets + members,) int64:

        places in a table of the sets' heads followed by the columns, and weights, of heads 0.
        """
        at = self.offsets[:-1]
        heads = np.arange(self.count)
        return np.insert(self.members + self.count, at, heads), np.insert(self.weights, at, 0)


def special_sets(model: Model) -> Sets:
    """The sets of all blocks, in order."""
    blocks = model.special_sets
    lengths = [np.diff(block.offsets) for block in blocks]
    members = [block.members.astype(np.int64) for block in blocks]
    nothing = np.zeros(0, np.int64)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([nothing, *lengths]))])
    return Sets(offsets.astype(np.int64), np.concatenate([nothing, *members]))


def weight_table(sets: Sets, lead: str) -> np.ndarray:
    """Nothing, then the weights that occur with `lead` before each, 'S'."""
    most = int(np.diff(sets.offsets).max(initial=0))
    return np.array(["", *(f"{lead}{k}" for k in range(1, most + 1))], "S")
