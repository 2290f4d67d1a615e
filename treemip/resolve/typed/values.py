"""Numbers and elements: names, calls and arithmetic."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from treemip.frozen import dataclass
from treemip.resolve.sorts import Degree, Element, Sort
from treemip.resolve.typed.base import Typed

if TYPE_CHECKING:
    from treemip.resolve.symbols import Symbol


@dataclass(frozen=True, kw_only=True)
class Const(Typed):
    value: float


@dataclass(frozen=True, kw_only=True)
class Literal(Typed):
    """A string that names an element: `"good"` where a class is meant. Looked up with the data."""

    text: str
    element: Element

    @property
    def sort(self) -> Sort:
        return self.element


@dataclass(frozen=True, kw_only=True)
class Bound(Typed):
    """A bound name: an index, or a term's parameter."""

    name: str
    of: Sort

    @property
    def sort(self) -> Sort:
        return self.of

    @cached_property
    def free(self) -> frozenset[str]:
        return frozenset((self.name,))


@dataclass(frozen=True, kw_only=True)
class At(Typed):
    """A declared thing at given indices: a variable, a parameter, a `let`, a concept, a term."""

    symbol: Symbol
    arguments: tuple[Typed, ...]

    @property
    def parts(self) -> tuple[Typed, ...]:
        return self.arguments

    @property
    def sort(self) -> Sort:
        return self.symbol.sort

    @cached_property
    def degree(self) -> Degree:
        return self.symbol.degree


@dataclass(frozen=True, kw_only=True)
class Call(Typed):
    """A built-in function of known arguments: `left(t)`, `depth(v)`, `card(S)`, `round(a)`."""

    function: str
    arguments: tuple[Typed, ...]
    of: Sort

    @property
    def parts(self) -> tuple[Typed, ...]:
        return self.arguments

    @property
    def sort(self) -> Sort:
        return self.of

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


@dataclass(frozen=True, kw_only=True)
class Negation(Typed):
    """-a"""

    operand: Typed

    @property
    def parts(self) -> tuple[Typed, ...]:
        return (self.operand,)


@dataclass(frozen=True, kw_only=True)
class Arithmetic(Typed):
    """op is one of + - * / ^."""

    op: str
    left: Typed
    right: Typed

    @property
    def parts(self) -> tuple[Typed, ...]:
        return (self.left, self.right)

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


@dataclass(frozen=True, kw_only=True)
class Choice(Typed):
    condition: Typed
    then: Typed
    otherwise: Typed

    @property
    def parts(self) -> tuple[Typed, ...]:
        return (self.condition, self.then, self.otherwise)

    @property
    def sort(self) -> Sort:
        return self.then.sort
