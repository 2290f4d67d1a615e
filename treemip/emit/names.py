"""Names of rows and columns that every reader of MPS and LP files takes alike.

Probed in ten readers: letters, digits and ``_ . ( ) ,`` are safe, at most 96 of them, the first
a letter or ``_``; not a keyword of either format, and not ``e`` or ``e1``, which some readers
take for an exponent. A base name holds no bracket, so names of two blocks differ when their
bases do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from treemip.emit.labels import Labels, count_tokens, label_tokens, labels_of
from treemip.emit.spelling import LONGEST, spell
from treemip.model.blocks import Index, Rows, SpecialSets, Variables
from treemip.model.model import Model

Style = Literal["spec", "short"]

CONSTANT = "objective_constant"  # the column fixed at 1 that carries the objective's constant


@dataclass(frozen=True)
class Family:
    """How the names of some neighbours are made: `base`, then `labels` in brackets.

    Without labels it is `base` and a number from 1.
    """

    base: str
    length: int
    labels: Labels | None = None

    def names(self, lead: str) -> np.ndarray:
        if self.labels is None:
            return count_tokens(self.length, lead + self.base)
        return label_tokens(self.labels, lead + self.base)


@dataclass(frozen=True)
class Names:
    """Names of a model: of its objective, and families of columns, rows and special ordered sets
    in its order.

    Spec names have a family for each block, short names one for all of a kind.
    """

    style: Style
    objective: str
    column_families: tuple[Family, ...]
    row_families: tuple[Family, ...]
    set_families: tuple[Family, ...] = ()

    def columns(self, lead: str = "") -> np.ndarray:
        """Names of all columns with `lead` before each, an 'S' array (columns,)."""
        return _joined([family.names(lead) for family in self.column_families])

    def rows(self, lead: str = "") -> np.ndarray:
        """Names of all rows with `lead` before each, an 'S' array (rows,)."""
        return _joined([family.names(lead) for family in self.row_families])

    def sets(self, lead: str = "") -> np.ndarray:
        """Names of all special ordered sets with `lead` before each, an 'S' array (sets,)."""
        return _joined([family.names(lead) for family in self.set_families])


def name_model(model: Model, style: Style = "spec") -> Names:
    """Settle the names of all columns, rows and special ordered sets of `model`.

    ``spec``: block name and index labels, ``go_left(12,3)``; ``short``: ``x1``, ``r1`` and
    ``set1`` on, numbered through the model.
    """
    if style == "short":
        columns = Family("x", model.column_count)
        sets = Family("set", sum(block.length for block in model.special_sets))
        return Names(style, "obj", (columns,), (Family("r", model.row_count),), (sets,))
    column_families = _families(model.variables, [CONSTANT])
    (objective,) = spell([model.objective.name], [LONGEST])
    row_families = _families(model.rows, [objective])
    named = [replace(block, name=f"{block.name}_set") for block in model.special_sets]
    set_families = _families(named, [objective, *(family.base for family in row_families)])
    return Names(style, objective, column_families, row_families, set_families)


def _families(
    blocks: Sequence[Variables | Rows | SpecialSets], taken: list[str]
) -> tuple[Family, ...]:
    labels = [_short_labels(block.index) for block in blocks]
    room = [LONGEST - label.width for label in labels]
    bases = spell([block.name for block in blocks], room, taken)
    return tuple(
        Family(base, label.length, label) for base, label in zip(bases, labels, strict=True)
    )


def _short_labels(index: Index) -> Labels:
    labels = labels_of(index)
    return labels if labels.width <= LONGEST // 2 else labels_of(Index(length=index.length))


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, "S1")
