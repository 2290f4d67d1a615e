"""Declarations: what has a name that other statements may use, constraints among them."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from treemip.frozen import dataclass
from treemip.source.span import Span
from treemip.syntax.nodes.expressions import Domain, Expr, Node, Number

if TYPE_CHECKING:
    from treemip.syntax.nodes.statements import Statement


@dataclass(frozen=True, kw_only=True)
class Declaration(Node):
    """What declarations share: name, symbol in the paper, equation tag, doc."""

    name: str
    name_span: Span = field(compare=False, repr=False)
    symbol: str = ""
    tag: str = ""
    doc: str = ""
    domain: Domain | None = None


@dataclass(frozen=True, kw_only=True)
class Param(Declaration):
    value: Expr


@dataclass(frozen=True, kw_only=True)
class SetDeclaration(Declaration):
    value: Expr


@dataclass(frozen=True, kw_only=True)
class TreeDeclaration(Declaration):
    value: Expr


@dataclass(frozen=True, kw_only=True)
class Bound(Node):
    op: str
    value: Expr


@dataclass(frozen=True, kw_only=True)
class Var(Declaration):
    """kind is "binary", "integer" or "continuous"; without bounds a variable is free."""

    kind: str
    bounds: tuple[Bound, ...] = ()
    means: Expr | None = None


@dataclass(frozen=True, kw_only=True)
class Let(Declaration):
    value: Expr


@dataclass(frozen=True, kw_only=True)
class Concept(Declaration):
    """A word of the vocabulary; `default`: an expression, or declarations brought in on demand."""

    means: Expr | None = None
    default: Expr | tuple[Statement, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Term(Declaration):
    """`defaults` are as many as `parameters`, None where the parameter must be given."""

    parameters: tuple[str, ...] = ()
    defaults: tuple[Number | None, ...] = ()
    value: Expr


@dataclass(frozen=True, kw_only=True)
class Relation(Node):
    """`left op right [op2 right2]` over variables."""

    left: Expr
    op: str
    right: Expr
    op2: str | None = None
    right2: Expr | None = None


@dataclass(frozen=True, kw_only=True)
class Implication(Node):
    """`guard op value ==> body [by method[(argument)]]`"""

    guard: Expr
    op: str
    value: Expr
    body: Relation
    method: str | None = None
    argument: Expr | None = None


@dataclass(frozen=True, kw_only=True)
class LocalSet(Node):
    """`let rows = {…} in body`"""

    name: str
    set: Expr
    body: Relation | Implication | LocalSet


@dataclass(frozen=True, kw_only=True)
class Constraint(Declaration):
    body: Relation | Implication | LocalSet
