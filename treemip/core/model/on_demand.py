"""Families of rows too large to keep: their rows are made when they are asked for, slice by slice.

A tree or a solution is checked against all rows of a model, and that takes no more than one slice
of them at once. Whoever needs them together, as a solver or a file does, has the model lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np

from treemip.core.model.blocks import Implications, Rows

Block = TypeVar("Block", Rows, Implications)


@dataclass(frozen=True)
class Family(Generic[Block]):
    """length, entries: its rows and their nonzeros, about. make: its rows, in slices that have the
    family's name. broken: of these the rows that values of the variables, by name, may break;
    with True, among those of the first points alone. is_kept: whether they are there all the time,
    as all rows with products are."""

    name: str
    length: int
    entries: int
    make: Callable[[], Iterator[Block]]
    broken: Callable[[dict[str, np.ndarray], bool], Iterator[Block]]
    is_kept: bool = False


@dataclass(frozen=True)
class OnDemand(Sequence[Block]):
    """In place of a tuple of blocks: iterating over it makes the blocks anew each time."""

    families: tuple[Family[Block], ...]
    found: dict[bytes, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, key: bytes, find: Callable[[], Any]) -> Any:
        """What `find` gives of the rows, or gave when it was last asked with this key."""
        if key not in self.found:
            self.found.clear()
            self.found[key] = find()
        return self.found[key]

    def __iter__(self) -> Iterator[Block]:
        for family in self.families:
            yield from family.make()

    def __len__(self) -> int:
        return len(self.families)

    def __getitem__(self, at: object) -> NoReturn:
        raise TypeError("rows that are made on demand can only be gone through")

    @property
    def length(self) -> int:
        return sum(family.length for family in self.families)

    @property
    def entries(self) -> int:
        return sum(family.entries for family in self.families)


def entries(blocks: Sequence[Block]) -> int:
    """How many nonzeros the rows have, about, where they are made on demand; 0 where there are
    none."""
    return blocks.entries if isinstance(blocks, OnDemand) else 0


def kept(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks that are not made on demand, among them all that have products."""
    if not isinstance(blocks, OnDemand):
        yield from blocks
        return
    for family in blocks.families:
        if family.is_kept:
            yield from family.make()


def to_check(
    blocks: Sequence[Block], values: dict[str, np.ndarray], first: bool
) -> Iterator[Block]:
    """Blocks that hold every row the values may break; of rows on demand, hardly any others. first:
    of these only rows of the first points, which cost next to nothing."""
    if not isinstance(blocks, OnDemand):
        yield from blocks
        return
    for family in blocks.families:
        yield from family.broken(values, first)


def digest(values: dict[str, np.ndarray]) -> bytes:
    """Of values by name, to know them again by."""
    total = blake2b()
    for name in sorted(values):
        total.update(name.encode())
        total.update(np.ascontiguousarray(values[name]).data)
    return total.digest()


def lengths(blocks: Iterable[Block]) -> dict[str, int]:
    """How many rows each family has, about where they are made on demand, by its name."""
    if isinstance(blocks, OnDemand):
        return {family.name: family.length for family in blocks.families}
    return {block.name: block.length for block in blocks}
