"""Symbols: declared things, linked. Values come later, with the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from treemip.resolve.sorts import NUMBER, Degree, Sort
from treemip.resolve.typed import Binder, Typed, free_of_domain
from treemip.source.span import Span


@dataclass(frozen=True)
class TypedDomain:
    """Binders with their conditions, ready to expand into a frame."""

    binders: tuple[Binder, ...] = ()
    guard: tuple[Typed, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(b.name for b in self.binders)

    @property
    def sorts(self) -> tuple[Sort, ...]:
        return tuple(b.element for b in self.binders)

    @property
    def free(self) -> frozenset[str]:
        return free_of_domain(self.binders, self.guard, frozenset())


class Role(Enum):
    VARIABLE = "variable"
    PARAMETER = "parameter"
    LET = "let"
    DATA = "data"
    SET = "set"
    TREE = "tree"
    TERM = "term"


@dataclass(eq=False)
class Symbol:
    """A declared thing. Compared by identity: one declaration, one symbol.

    `sorts` are the sorts of its indices. `value` is the defining expression of a parameter, let,
    term, set or tree; `means` what a variable or concept is on a tree; `extension` the
    vocabulary's expression for indices outside a formulation's own domain.
    """

    name: str
    role: Role
    sorts: tuple[Sort, ...] = ()
    sort: Sort = NUMBER
    domain: TypedDomain = field(default_factory=TypedDomain)
    degree: Degree = Degree.KNOWN
    value: Typed | None = None
    means: Symbol | None = None
    extension: Symbol | None = None
    kind: str = ""
    bounds: tuple[tuple[str, Typed], ...] = ()
    parameters: tuple[str, ...] = ()
    defaults: tuple[float | None, ...] = ()
    span: Span | None = None
    paper_symbol: str = ""
    tag: str = ""
    doc: str = ""
    module: str = ""

    def __repr__(self) -> str:
        return f"<{self.role.value} {self.name}>"
