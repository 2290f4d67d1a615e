"""The syntax tree: frozen dataclasses, each node with its span.

Spans are left out of comparison, so two texts that differ in layout only are equal as trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass

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
    key: Number | String | None = None


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
    """`i in points`, or `(i, j) in pairs` with several names."""

    names: tuple[str, ...]
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
class Texts(Node):
    """`{"a", "b"}`: elements by their texts."""

    texts: tuple[String, ...]


@dataclass(frozen=True, kw_only=True)
class Tuple(Node):
    """`(i, j)` before `in`."""

    parts: tuple[Expr, ...]


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
    | Texts
    | Tuple
    | Range
    | Comparison
    | AllOf
    | AnyOf
    | Negated
    | Member
)

# ------------------------------------------------------------------------------------ declarations


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
class Guard(Node):
    """`left op value`, one of the relations before `==>`."""

    left: Expr
    op: str
    value: Expr


@dataclass(frozen=True, kw_only=True)
class Implication(Node):
    """`guard and guard ==> body [by method[(argument)]]`"""

    guards: tuple[Guard, ...]
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


# -------------------------------------------------------------------------------------- statements


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
class Reference(Node):
    """A module by its name, `oct`, or by the path of its file in quotes, `"shared/terms.tree"`."""

    text: str
    is_path: bool = False

    @property
    def written(self) -> str:
        """As a text writes it."""
        if not self.is_path:
            return self.text
        return '"' + self.text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True, kw_only=True)
class Use(Node):
    """`use terms;`, `use "shared/terms.tree";`: the declarations of another module."""

    module: Reference


@dataclass(frozen=True, kw_only=True)
class Split(Node):
    """`split oblique by soct(eps = 0.01);`, `split univariate by "own.tree";`"""

    kind: str
    by: Reference | None = None
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
    """`then`: the objectives that are solved after it, in order; they have none themselves."""

    sense: str
    value: Expr
    name: str | None = None
    tag: str = ""
    then: tuple[Objective, ...] = ()


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
    """kind is "class", "distribution" or "value"."""

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

# ------------------------------------------------------------------------------------- whole texts


@dataclass(frozen=True, kw_only=True)
class File(Node):
    """A whole text, statements in the order written."""

    statements: tuple[Statement, ...]


def mentioned(node: object) -> Iterator[str]:
    """All names a node mentions, anywhere inside it."""
    if isinstance(node, Name):
        yield node.name
    if isinstance(node, tuple):
        for item in node:
            yield from mentioned(item)
    elif is_dataclass(node) and isinstance(node, Node):
        for f in fields(node):
            yield from mentioned(getattr(node, f.name))
