"""Resolved expressions, and the symbols they refer to: names bound, sorts and degrees known.

`dot`, `normsq`, `norm1` and `norminf` over `*` have become reductions with a bound name of
their own, so evaluation meets only the forms below. `free` holds the bound names an expression
depends on; frames use it to evaluate a set or a condition only as often as it can differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cached_property
from typing import ClassVar

from treemip.core.resolve.sorts import NUMBER, TRUTH, Degree, Element, SetOf, Sort
from treemip.core.source.span import Span, Spanned


class Typed(Spanned):
    """An expression whose names are bound and whose sort is known."""

    @cached_property
    def parts(self) -> tuple[Typed, ...]:
        """Direct subexpressions: the fields that are expressions, or tuples of them.

        What a domain is made of is `inside` only.
        """
        values = (getattr(self, f.name) for f in fields(self) if f.name != "guard")
        several = (value if isinstance(value, tuple) else (value,) for value in values)
        return tuple(e for part in several for e in part if isinstance(e, Typed))

    @property
    def sort(self) -> Sort:
        """What `of` says; a number without it."""
        sort: Sort = getattr(self, "of", NUMBER)
        return sort

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


def walk(e: Typed | None) -> Iterator[Typed]:
    """An expression and all that is inside it, in the order of the text; nothing of None."""
    waiting = [] if e is None else [e]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.inside[::-1]


class Const(Typed):
    value: float


class Literal(Typed):
    """A string that names an element: `"good"` where a class is meant. Looked up with the data."""

    text: str
    element: Element

    @property
    def sort(self) -> Sort:
        return self.element


class Bound(Typed):
    """A bound name: an index, or a term's parameter."""

    name: str
    of: Sort

    @cached_property
    def free(self) -> frozenset[str]:
        return frozenset((self.name,))


class At(Typed):
    """A declared thing at given indices: a variable, a parameter, a `let`, a concept, a term."""

    symbol: Symbol
    arguments: tuple[Typed, ...]

    @property
    def sort(self) -> Sort:
        return self.symbol.sort

    @cached_property
    def degree(self) -> Degree:
        return self.symbol.degree


class Call(Typed):
    """A built-in function of known arguments: `left(t)`, `depth(v)`, `card(S)`, `round(a)`."""

    function: str
    arguments: tuple[Typed, ...]
    of: Sort

    @cached_property
    def degree(self) -> Degree:
        inner = max((p.degree for p in self.arguments), default=Degree.KNOWN)
        if inner is Degree.KNOWN or inner is Degree.READOUT:
            return inner
        return max(FUNCTION_DEGREES.get(self.function, Degree.READOUT), inner)


FUNCTION_DEGREES = {
    "abs": Degree.PIECEWISE,
    "max": Degree.PIECEWISE,
    "min": Degree.PIECEWISE,
    "exp": Degree.NONLINEAR,
    "log": Degree.NONLINEAR,
    "sqrt": Degree.NONLINEAR,
    "logistic": Degree.NONLINEAR,
}


class Negation(Typed):
    """-a"""

    operand: Typed


class Arithmetic(Typed):
    """op is one of + - * / ^."""

    op: str
    left: Typed
    right: Typed

    @cached_property
    def degree(self) -> Degree:
        left, right = self.left.degree, self.right.degree
        if self.op in "+-" or Degree.READOUT in (left, right):
            return max(left, right)
        if self.op == "*":
            return _product(left, right)
        if self.op == "^" and right is Degree.KNOWN:
            square = isinstance(self.right, Const) and self.right.value == 2
            return _product(left, left) if square else _power(left)
        return left if right is Degree.KNOWN else Degree.NONLINEAR


def _product(left: Degree, right: Degree) -> Degree:
    if Degree.KNOWN in (left, right):
        return max(left, right)
    affine = left is Degree.AFFINE and right is Degree.AFFINE
    return Degree.QUADRATIC if affine else Degree.NONLINEAR


def _power(base: Degree) -> Degree:
    return Degree.KNOWN if base is Degree.KNOWN else Degree.NONLINEAR


class Choice(Typed):
    condition: Typed
    then: Typed
    otherwise: Typed

    @property
    def sort(self) -> Sort:
        return self.then.sort


# -------------------------------------------------------------------------------------- conditions


class Comparison(Typed):
    op: str
    left: Typed
    right: Typed
    of: ClassVar[Sort] = TRUTH


class Member(Typed):
    item: Typed
    set: Typed
    negated: bool
    of: ClassVar[Sort] = TRUTH


class Logic(Typed):
    """op is and, or, not."""

    op: str
    operands: tuple[Typed, ...]
    of: ClassVar[Sort] = TRUTH


# ------------------------------------------------------------------ sets and what ranges over them


class BaseSet(Typed):
    """A set known by name without indices: points, features, branches, a declared set."""

    name: str
    of: SetOf


class LocalSet(Typed):
    """A set bound by `let rows = … in`."""

    name: str
    of: SetOf
    depends: frozenset[str]

    @cached_property
    def free(self) -> frozenset[str]:
        return self.depends

    @cached_property
    def local(self) -> frozenset[str]:
        return frozenset((self.name,))


class RangeSet(Typed):
    lower: Typed
    upper: Typed

    @property
    def sort(self) -> Sort:
        return SetOf(NUMBER)


@dataclass(frozen=True)
class Binder:
    """`name in set`, with the conditions that can be tested once this name is bound."""

    name: str
    set: Typed
    conditions: tuple[Typed, ...] = ()

    @property
    def element(self) -> Sort:
        assert isinstance(self.set.sort, SetOf)
        return self.set.sort.element

    @cached_property
    def free(self) -> frozenset[str]:
        """Names bound elsewhere that the elements depend on."""
        return frozenset().union(*(p.free for p in (self.set, *self.conditions))) - {self.name}

    @cached_property
    def local(self) -> frozenset[str]:
        """Local sets that the elements depend on."""
        return frozenset().union(*(p.local for p in (self.set, *self.conditions)))


class Reduction(Typed):
    """op over binders; op is sum prod max min argmax argmin norm1 norminf.

    `guard` holds conditions that mention none of the binders.
    """

    op: str
    binders: tuple[Binder, ...]
    body: Typed
    guard: tuple[Typed, ...] = ()

    @property
    def sort(self) -> Sort:
        return self.binders[0].element if self.op in ("argmax", "argmin") else NUMBER

    @cached_property
    def degree(self) -> Degree:
        inner = self.body.degree
        if inner is Degree.KNOWN or self.op == "sum":
            return inner
        if self.op in ("argmax", "argmin") or inner is Degree.READOUT:
            return Degree.READOUT
        return Degree.NONLINEAR if self.op == "prod" else max(inner, Degree.PIECEWISE)

    @cached_property
    def free(self) -> frozenset[str]:
        return free_of_domain(self.binders, self.guard, self.body.free)

    @property
    def inside(self) -> tuple[Typed, ...]:
        return (self.body, *self.guard, *in_binders(self.binders))


class Comprehension(Typed):
    """A set: the values of the one binder that pass its conditions."""

    binder: Binder
    guard: tuple[Typed, ...] = ()

    @property
    def sort(self) -> Sort:
        return self.binder.set.sort

    @cached_property
    def free(self) -> frozenset[str]:
        return free_of_domain((self.binder,), self.guard, frozenset())

    @property
    def inside(self) -> tuple[Typed, ...]:
        return (*self.guard, *in_binders((self.binder,)))


def in_binders(binders: tuple[Binder, ...]) -> tuple[Typed, ...]:
    """Sets and conditions of the binders."""
    return tuple(e for b in binders for e in (b.set, *b.conditions))


def free_of_domain(
    binders: tuple[Binder, ...], guard: tuple[Typed, ...], body: frozenset[str]
) -> frozenset[str]:
    """Free names of a domain with a body: all mentioned less all bound."""
    names = set(body).union(*(g.free for g in guard))
    for binder in reversed(binders):
        names.update(*(c.free for c in binder.conditions))
        names.discard(binder.name)
        names |= binder.set.free
    return frozenset(names)


# ----------------------------------------------------------------------------------------- symbols


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

    @property
    def is_product(self) -> bool:
        """Whether its index tuples are all those of sets that depend on nothing."""
        return not self.guard and not any(b.conditions or b.set.free for b in self.binders)

    @property
    def inside(self) -> tuple[Typed, ...]:
        """Its sets and conditions."""
        return (*self.guard, *in_binders(self.binders))


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


def at_all(symbol: Symbol) -> At:
    """The symbol at the indices of its own domain."""
    assert symbol.span is not None
    names = zip(symbol.domain.names, symbol.sorts, strict=True)
    indices = tuple(Bound(name=n, of=s, span=symbol.span) for n, s in names)
    return At(symbol=symbol, arguments=indices, span=symbol.span)
