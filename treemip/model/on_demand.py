"""Families of rows that are too many to be kept: they are made, a slice at a time, when asked for.

A tree or a solution is checked against all rows of a model, and that takes no more than one slice
of them at once. Whoever needs them together, as a solver or a file does, has the model lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from treemip.model.blocks import Implications, Rows

Block = TypeVar("Block", Rows, Implications)


@dataclass(frozen=True)
class Family(Generic[Block]):
    """length, entries: its rows and their nonzeros, about. make: its rows, in slices that have the
    family's name. broken: of these the rows that values of the variables, by name, may break."""

    name: str
    length: int
    entries: int
    make: Callable[[], Iterator[Block]]
    broken: Callable[[dict[str, np.ndarray]], Iterator[Block]]


@dataclass(frozen=True)
class OnDemand(Generic[Block]):
    """Stands for a tuple of blocks: it can be gone through, and each time makes them anew."""

    families: tuple[Family[Block], ...]

    def __iter__(self) -> Iterator[Block]:
        for family in self.families:
            yield from family.make()

    def __len__(self) -> int:
        return len(self.families)

    @property
    def length(self) -> int:
        return sum(family.length for family in self.families)

    @property
    def entries(self) -> int:
        return sum(family.entries for family in self.families)


def to_check(
    blocks: tuple[Block, ...] | OnDemand[Block], values: dict[str, np.ndarray]
) -> Iterator[Block]:
    """Blocks with all rows that the values may break, and of rows on demand with few others."""
    if not isinstance(blocks, OnDemand):
        yield from blocks
        return
    for family in blocks.families:
        yield from family.broken(values)


def lengths(blocks: Iterable[Block]) -> dict[str, int]:
    """How many rows each family has, about where they are made on demand, by its name."""
    if isinstance(blocks, OnDemand):
        return {family.name: family.length for family in blocks.families}
    return {block.name: block.length for block in blocks}
