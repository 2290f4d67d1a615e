"""What all resolved expressions share."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

from treemip.frozen import dataclass
from treemip.resolve.sorts import NUMBER, Degree, Sort
from treemip.source.span import Span


@dataclass(frozen=True, kw_only=True)
class Typed:
    span: Span = field(compare=False, repr=False)

    @property
    def parts(self) -> tuple[Typed, ...]:
        """Direct subexpressions."""
        return ()

    @property
    def sort(self) -> Sort:
        return NUMBER

    @cached_property
    def degree(self) -> Degree:
        return max((p.degree for p in self.parts), default=Degree.KNOWN)

    @cached_property
    def free(self) -> frozenset[str]:
        return frozenset().union(*(p.free for p in self.parts))

    @property
    def inside(self) -> tuple[Typed, ...]:
        """All subexpressions, those of domains too."""
        return self.parts

    @cached_property
    def local(self) -> frozenset[str]:
        """Names of the local sets it mentions."""
        return frozenset().union(*(p.local for p in self.inside))
