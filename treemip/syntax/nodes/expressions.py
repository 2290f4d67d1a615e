"""Expressions, conditions and sets; and what every node has."""

from __future__ import annotations

from dataclasses import field

from treemip.frozen import dataclass
from treemip.source.span import Span


@dataclass(frozen=True, kw_only=True)
class Node:
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Number(Node):
    value: float
    text: str


@dataclass(frozen=True, kw_only=True)
class String(Node):
    value: str


@dataclass(frozen=True, kw_only=True)
class All(Node):
    """The `*` of `coef[t,*]`."""


@dataclass(frozen=True, kw_only=True)
class Argument(Node):
    """`value`, `name = value` or `key: value`."""

    value: Expr
    name: str | None = None
    key: Number | None = None


@dataclass(frozen=True, kw_only=True)
class Name(Node):
    """`a`, `a(…)`, `a[…]` or `a(…)[…]`; arguments and indices are None where absent."""

    name: str
    arguments: tuple[Argument, ...] | None = None
    indices: tuple[Expr, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Group(Node):
    """A bracket the author wrote, around an expression or a condition."""

    inner: Expr


@dataclass(frozen=True, kw_only=True)
class Negative(Node):
    operand: Expr


@dataclass(frozen=True, kw_only=True)
class Binary(Node):
    """op is one of + - * / ^."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, kw_only=True)
class Choice(Node):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, kw_only=True)
class Binder(Node):
    name: str
    set: Expr


@dataclass(frozen=True, kw_only=True)
class Domain(Node):
    """`{i in points, t in branches : condition}`; `{ : condition}` has no binders."""

    binders: tuple[Binder, ...]
    condition: Expr | None = None


@dataclass(frozen=True, kw_only=True)
class Reduction(Node):
    """op is one of sum prod max min argmax argmin."""

    op: str
    domain: Domain
    body: Expr


@dataclass(frozen=True, kw_only=True)
class Comprehension(Node):
    """A domain used as a set."""

    domain: Domain


@dataclass(frozen=True, kw_only=True)
class Range(Node):
    """`lower..upper`, both ends included."""

    lower: Expr
    upper: Expr


@dataclass(frozen=True, kw_only=True)
class Comparison(Node):
    """`left op right`, or `left op right op2 right2`."""

    left: Expr
    op: str
    right: Expr
    op2: str | None = None
    right2: Expr | None = None


@dataclass(frozen=True, kw_only=True)
class AllOf(Node):
    parts: tuple[Expr, ...]


@dataclass(frozen=True, kw_only=True)
class AnyOf(Node):
    parts: tuple[Expr, ...]


@dataclass(frozen=True, kw_only=True)
class Negated(Node):
    operand: Expr


@dataclass(frozen=True, kw_only=True)
class Member(Node):
    item: Expr
    set: Expr
    negated: bool = False


Expr = (
    Number
    | String
    | All
    | Name
    | Group
    | Negative
    | Binary
    | Choice
    | Reduction
    | Comprehension
    | Range
    | Comparison
    | AllOf
    | AnyOf
    | Negated
    | Member
)
