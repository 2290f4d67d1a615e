"""Statements: of one text they are the nodes below the root."""

from __future__ import annotations

from dataclasses import field

from treemip.frozen import dataclass
from treemip.source.span import Span
from treemip.syntax.nodes.declarations import (
    Concept,
    Constraint,
    Let,
    Param,
    SetDeclaration,
    Term,
    TreeDeclaration,
    Var,
)
from treemip.syntax.nodes.expressions import Argument, Domain, Expr, Node


@dataclass(frozen=True, kw_only=True)
class Header(Node):
    """`formulation soct splits oblique "paper";`"""

    name: str
    kind: str
    paper: str = ""


@dataclass(frozen=True, kw_only=True)
class TreeName(Node):
    name: str


@dataclass(frozen=True, kw_only=True)
class Use(Node):
    """`use vocabulary;`: the declarations of another library module."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Split(Node):
    """`split oblique by soct(eps = 0.01);`"""

    kind: str
    formulation: str | None = None
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Topology(Node):
    """`topology complete(depth = 3);` or `topology shape "((. .) .)";`"""

    kind: str
    arguments: tuple[Argument, ...] = ()
    text: str | None = None


@dataclass(frozen=True, kw_only=True)
class Word(Node):
    """One word of a setting: a name, "a string", a number, or a call `name(…)`.

    Exactly one of `name`, `string`, `number` is set; `arguments` only beside `name`.
    """

    name: str | None = None
    string: str | None = None
    number: float | None = None
    arguments: tuple[Argument, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Setting(Node):
    """`scale minmax(0, 1) a, b;`: groups of words between commas; the first word is the key."""

    key: str
    groups: tuple[tuple[Word, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Data(Node):
    path: str
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Strategy(Node):
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Subject(Node):
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, kw_only=True)
class Cut(Node):
    constraint: Constraint


@dataclass(frozen=True, kw_only=True)
class Press(Node):
    """`uses rises` in a `drop`: way is "rises" or "falls"."""

    name: str
    way: str


@dataclass(frozen=True, kw_only=True)
class Drop(Node):
    """`drop a, b;`, or `drop a when label;`: only where a spec speaks of `label`.

    `drop a unless uses rises;`: but where a spec asks for larger values of `uses`.
    """

    names: tuple[str, ...]
    name_spans: tuple[Span, ...] = field(compare=False, repr=False)
    when: tuple[str, ...] = ()
    when_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)
    unless: tuple[Press, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Objective(Node):
    sense: str
    value: Expr
    name: str | None = None
    tag: str = ""


@dataclass(frozen=True, kw_only=True)
class Requires(Node):
    """`requires {i in points} condition else "message";` (an error) or `advise …` (a warning)."""

    word: str
    condition: Expr
    message: str
    domain: Domain | None = None


@dataclass(frozen=True, kw_only=True)
class Route(Node):
    """`route left when left op right;`, or `route left with probability …;` where that is set."""

    left: Expr | None = None
    op: str | None = None
    right: Expr | None = None
    probability: Expr | None = None


@dataclass(frozen=True, kw_only=True)
class Predict(Node):
    """kind is "class" or "distribution"."""

    kind: str
    value: Expr


Statement = (
    Header
    | TreeName
    | Use
    | Split
    | Topology
    | Data
    | Strategy
    | Param
    | SetDeclaration
    | TreeDeclaration
    | Var
    | Let
    | Concept
    | Term
    | Subject
    | Cut
    | Drop
    | Objective
    | Requires
    | Route
    | Predict
)


@dataclass(frozen=True, kw_only=True)
class File(Node):
    """A whole text, statements in the order written."""

    statements: tuple[Statement, ...]
