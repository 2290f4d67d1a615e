"""The syntax tree: frozen dataclasses, each node with its span.

Spans are left out of comparison, so two texts that differ in layout only are equal as trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields

from treemip.core.source.span import Span, Spanned


class Node(Spanned):
    """What a rule of the grammar becomes."""


class Expr(Node):
    """What has a value: a number, an element, a set, or whether something holds."""


class Number(Expr):
    value: float
    text: str


class String(Expr):
    value: str


class All(Expr):
    """The `*` of `coef[t,*]`."""


class Argument(Node):
    """`value`, `name = value` or `key: value`."""

    value: Expr
    name: str | None = None
    key: Number | String | None = None


class Name(Expr):
    """`a`, `a(…)`, `a[…]` or `a(…)[…]`; arguments and indices are None where absent."""

    name: str
    arguments: tuple[Argument, ...] | None = None
    indices: tuple[Expr, ...] | None = None


class Group(Expr):
    """A bracket the author wrote, around an expression or a condition."""

    inner: Expr


class Negative(Expr):
    operand: Expr


class Binary(Expr):
    """op is one of + - * / ^."""

    op: str
    left: Expr
    right: Expr


class Choice(Expr):
    condition: Expr
    then: Expr
    otherwise: Expr


class Binder(Node):
    """`i in points`, or `(i, j) in pairs` with several names."""

    names: tuple[str, ...]
    set: Expr


class Domain(Node):
    """`{i in points, t in branches : condition}`; `{ : condition}` has no binders."""

    binders: tuple[Binder, ...]
    condition: Expr | None = None


class Reduction(Expr):
    """op is one of sum prod max min argmax argmin."""

    op: str
    domain: Domain
    body: Expr


class Comprehension(Expr):
    """A domain used as a set."""

    domain: Domain


class Texts(Expr):
    """`{"a", "b"}`: elements by their texts."""

    texts: tuple[String, ...]


class Tuple(Expr):
    """`(i, j)` before `in`."""

    parts: tuple[Expr, ...]


class Range(Expr):
    """`lower..upper`, both ends included."""

    lower: Expr
    upper: Expr


class Comparison(Expr):
    """`left op right`, or `left op right op2 right2`."""

    left: Expr
    op: str
    right: Expr
    op2: str | None = None
    right2: Expr | None = None


class AllOf(Expr):
    parts: tuple[Expr, ...]


class AnyOf(Expr):
    parts: tuple[Expr, ...]


class Negated(Expr):
    operand: Expr


class Member(Expr):
    item: Expr
    set: Expr
    negated: bool = False


# ------------------------------------------------------------------------------------ declarations


class Declaration(Node):
    """What declarations share: name, symbol in the paper, equation tag, doc."""

    name: str
    name_span: Span = field(compare=False, repr=False)
    symbol: str = ""
    tag: str = ""
    doc: str = ""
    domain: Domain | None = None


class Param(Declaration):
    value: Expr


class SetDeclaration(Declaration):
    value: Expr


class TreeDeclaration(Declaration):
    value: Expr


class Bound(Node):
    op: str
    value: Expr


class Var(Declaration):
    """kind is "binary", "integer" or "continuous"; without bounds a variable is free."""

    kind: str
    bounds: tuple[Bound, ...] = ()
    means: Expr | None = None


class Let(Declaration):
    value: Expr


class Concept(Declaration):
    """A word of the vocabulary; `default`: an expression, or declarations brought in on demand."""

    means: Expr | None = None
    default: Expr | tuple[Statement, ...] | None = None


class Term(Declaration):
    """`defaults` are as many as `parameters`, None where the parameter must be given."""

    parameters: tuple[str, ...] = ()
    defaults: tuple[Number | None, ...] = ()
    value: Expr


class Relation(Node):
    """`left op right [op2 right2]` over variables."""

    left: Expr
    op: str
    right: Expr
    op2: str | None = None
    right2: Expr | None = None


class Guard(Node):
    """`left op value`, one of the relations before `==>`."""

    left: Expr
    op: str
    value: Expr


class Implication(Node):
    """`guard and guard ==> body [by method[(argument)]]`"""

    guards: tuple[Guard, ...]
    body: Relation
    method: str | None = None
    argument: Expr | None = None


class LocalSet(Node):
    """`let rows = {…} in body`"""

    name: str
    set: Expr
    body: Relation | Implication | LocalSet


class Asked(Node):
    """`parity(sex, 0.1)` in place of a row: the rows of a module, with values of its parameters."""

    module: Reference
    arguments: tuple[Argument, ...]


class Constraint(Declaration):
    body: Relation | Implication | LocalSet | Asked


# -------------------------------------------------------------------------------------- statements


class Header(Node):
    """`formulation soct splits oblique "paper" "what it is for";`"""

    name: str
    kind: str
    paper: str = ""
    purpose: str = ""


class TreeName(Node):
    name: str


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


class Use(Node):
    """`use terms;`, `use "shared/terms.tree";`: the declarations of another module."""

    module: Reference


class Split(Node):
    """`split oblique by soct(eps = 0.01);`, `split univariate by "own.tree";`"""

    kind: str
    by: Reference | None = None
    arguments: tuple[Argument, ...] = ()


class Topology(Node):
    """`topology complete(depth = 3);` or `topology shape "((. .) .)";`"""

    kind: str
    arguments: tuple[Argument, ...] = ()
    text: str | None = None


class Word(Node):
    """One word of a setting: a name, "a string", a number, or a call `name(…)`.

    Exactly one of `name`, `string`, `number` is set; `arguments` only beside `name`.
    """

    name: str | None = None
    string: str | None = None
    number: float | None = None
    arguments: tuple[Argument, ...] | None = None


class Setting(Node):
    """`scale minmax(0, 1) a, b;`: groups of words between commas; the first word is the key."""

    key: str
    groups: tuple[tuple[Word, ...], ...]


class Data(Node):
    path: str
    settings: tuple[Setting, ...] = ()


class Strategy(Node):
    settings: tuple[Setting, ...] = ()


class Subject(Node):
    constraints: tuple[Constraint, ...]


class Cut(Node):
    constraint: Constraint


class Press(Node):
    """`uses rises` in a `drop`: way is "rises" or "falls"."""

    name: str
    way: str


class Drop(Node):
    """`drop a, b;`, or `drop a when label;`: only if the spec mentions `label`.

    `drop a unless uses rises;`: except if the spec asks for larger values of `uses`.
    """

    names: tuple[str, ...]
    name_spans: tuple[Span, ...] = field(compare=False, repr=False)
    when: tuple[str, ...] = ()
    when_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)
    unless: tuple[Press, ...] = ()


class Objective(Node):
    """`then`: the objectives solved after it, in order; their own `then` is empty."""

    sense: str
    value: Expr
    name: str | None = None
    tag: str = ""
    then: tuple[Objective, ...] = ()


class Requires(Node):
    """`requires {i in points} condition else "message";` (an error) or `advise …` (a warning)."""

    word: str
    condition: Expr
    message: str
    domain: Domain | None = None


class Route(Node):
    """`route left when left op right;`, or `route left with probability …;` where that is set."""

    left: Expr | None = None
    op: str | None = None
    right: Expr | None = None
    probability: Expr | None = None


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


class File(Node):
    """A whole text, statements in the order written."""

    statements: tuple[Statement, ...]

    @property
    def header(self) -> Header | None:
        """What makes the text a formulation."""
        return next((s for s in self.statements if isinstance(s, Header)), None)


def mentioned(node: object) -> Iterator[str]:
    """All names a node mentions, anywhere inside it."""
    if isinstance(node, Name):
        yield node.name
    if isinstance(node, tuple):
        for item in node:
            yield from mentioned(item)
    elif isinstance(node, Node):
        for f in fields(node):
            yield from mentioned(getattr(node, f.name))
