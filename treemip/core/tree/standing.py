"""Which of the rows that a requirement needs stands for it on a tree.

`fair: parity(sex, 0.1);` may need several families of rows; a report has one line for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar


class OnTree(Protocol):
    """What is known of a family of rows on a tree."""

    @property
    def holds(self) -> bool | None:
        """None where that is not known."""


Row = TypeVar("Row", bound=OnTree)

ORDER = (False, None, True)


def standing_for(rows: Sequence[Row]) -> Row:
    """The first that fails, else the first that is not known, else the first; rows: those of one
    requirement, those of its name first, as `Spec.own_by_name` has them."""
    return min(rows, key=lambda one: ORDER.index(one.holds))
