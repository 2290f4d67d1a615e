"""What is true or false."""

from __future__ import annotations

from treemip.frozen import dataclass
from treemip.resolve.sorts import TRUTH, Sort
from treemip.resolve.typed.base import Typed


@dataclass(frozen=True, kw_only=True)
class Comparison(Typed):
    op: str
    left: Typed
    right: Typed

    @property
    def parts(self) -> tuple[Typed, ...]:
        return (self.left, self.right)

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, kw_only=True)
class Member(Typed):
    item: Typed
    set: Typed
    negated: bool

    @property
    def parts(self) -> tuple[Typed, ...]:
        return (self.item, self.set)

    @property
    def sort(self) -> Sort:
        return TRUTH


@dataclass(frozen=True, kw_only=True)
class Logic(Typed):
    """op is and, or, not."""

    op: str
    operands: tuple[Typed, ...]

    @property
    def parts(self) -> tuple[Typed, ...]:
        return self.operands

    @property
    def sort(self) -> Sort:
        return TRUTH
