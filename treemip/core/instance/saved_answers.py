"""What saved trees answer to the rows of a spec, as known numbers of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from treemip.core.instance.columns import Column
from treemip.core.instance.row_location import RowLocation
from treemip.core.registry import read_answers
from treemip.core.resolve.settings.data_spec import DataSpec


class SavedAnswers(Protocol):
    """A saved tree that answers rows. name: of the table of the spec that has the answers; path: as
    the spec names its file; digest: the file's SHA-256; columns: raw ones that the tree takes."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def digest(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def numbers(
        self, columns: Mapping[str, Column], classes: tuple[str, ...], place: RowLocation
    ) -> np.ndarray:
        """float64 (M,): of a class its number among `classes` from 1 on, 0 for none of them; of a
        value itself. classes: of the spec's label, () where that is a number. Raises TreemipError
        E302 for answers of another kind; E3xx for rows that the tree cannot answer."""
        ...


def saved_answers(spec: DataSpec, base: Path) -> tuple[SavedAnswers, ...]:
    """The trees whose answers a spec asks for; their paths are taken from the folder `base`.

    Raises TreemipError: E701, E901.
    """
    return tuple(read_answers(each, base) for each in spec.saved_trees)


def answered(
    answers: Sequence[SavedAnswers],
    columns: Mapping[str, Column],
    classes: tuple[str, ...],
    place: RowLocation,
) -> dict[str, np.ndarray]:
    """The numbers of all trees, by the name of their table."""
    return {each.name: each.numbers(columns, classes, place) for each in answers}
