"""What a writer tells of the file it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class WriteReport:
    """A written model file.

    `rows`, `columns` and `nonzeros` count what the file holds, apart from the objective row;
    `bytes` is the file's size on disk. `negated`: the model maximizes, the file minimizes the
    negative. `constant_column`: the column fixed at 1 that carries the objective's constant, or
    None. `free_rows` rows without bounds were left out. The far end of `rounded_ranges` ranges
    is off in its last digit (see emit/sides.py). `indicators` of the rows hold where a binary
    says so; `cuts` stand in a section of their own. `special_sets` counts sets of type 1.
    """

    path: Path
    map_path: Path | None
    rows: int
    columns: int
    nonzeros: int
    bytes: int
    negated: bool
    constant_column: str | None
    free_rows: int
    rounded_ranges: int = 0
    indicators: int = 0
    cuts: int = 0
    special_sets: int = 0
