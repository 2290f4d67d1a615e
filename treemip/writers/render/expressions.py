"""One walk over typed expressions; a dialect says how each form is written.

The walk knows the forms, how tightly each binds and so where brackets are needed. Arithmetic,
comparisons and logic are written here, with the dialect's signs; leaves, sums over sets, choices
and calls are the dialect's own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from treemip.core.model.text import number
from treemip.core.resolve import typed as t
from treemip.core.resolve.typed_sets import Section

CHOICE, OR, AND, NOT, COMPARISON, SUM, ITERATED, PRODUCT, SIGN, POWER, ATOM = range(11)
"""How tightly a text binds, the loosest first; ITERATED is AMPL's sum {…}."""

Written = tuple[str, int]
"""A text and how tightly it binds."""


class Verbatim(t.Typed):
    """A leaf with ready text: a name that the dialect itself puts into a formula."""

    text: str
    binds: int = ATOM


class Dialect(ABC):
    """Writes typed expressions in one language."""

    relations: ClassVar[Mapping[str, str]]
    membership: ClassVar[tuple[str, str]] = ("in", "not in")
    minus: ClassVar[int] = SIGN
    """How tightly a text binds that begins with a minus."""

    def text(self, e: t.Typed, least: int = CHOICE) -> str:
        """The expression, in brackets where it binds less than `least`."""
        text, binds = self.written(e)
        return text if binds >= least else self.bracketed(text)

    def written(self, e: t.Typed) -> Written:
        """The expression, and how tightly it binds."""
        match e:
            case t.At():
                return self.at(e)
            case t.Bound():
                return self.bound(e)
            case t.Const():
                return self.const(e)
            case t.Literal():
                return self.literal(e)
            case t.BaseSet():
                return self.base_set(e)
            case t.LocalSet():
                return self.local_set(e)
            case t.Negation():
                return f"-{self.text(e.operand, max(self.minus, PRODUCT))}", self.minus
            case t.Arithmetic():
                return self.arithmetic(e)
            case t.Comparison():
                return self.comparison(e)
            case t.Member(set=Section() as section):
                return self.member_tuple(e, section), COMPARISON
            case Section():
                return self.section(e)
            case t.Member():
                sign = self.membership[e.negated]
                return f"{self.text(e.item, SUM)} {sign} {self.text(e.set, SUM)}", COMPARISON
            case t.Logic():
                return self.logic(e)
            case t.Choice():
                return self.choice(e)
            case t.RangeSet():
                return self.range_set(e)
            case t.Comprehension():
                return self.comprehension(e)
            case t.Reduction():
                return self.reduction(e)
            case t.Call():
                return self.call(e)
            case Verbatim():
                return e.text, e.binds
        raise TypeError(f"no dialect writes {type(e).__name__}")

    def bracketed(self, text: str) -> str:
        return f"({text})"

    # --------------------------------------------------------------- arithmetic

    def const(self, e: t.Const) -> Written:
        text = number(e.value)
        return text, self.minus if text.startswith("-") else ATOM

    def arithmetic(self, e: t.Arithmetic) -> Written:
        match e.op:
            case "*":
                return self.product(e)
            case "/":
                return self.quotient(e)
            case "^":
                return self.power(e)
        right = self.text(e.right, SUM if e.op == "+" else ITERATED)
        return f"{self.summand(e.left)} {e.op} {right}", SUM

    def summand(self, e: t.Typed) -> str:
        """A summand that others follow."""
        return self.text(e, SUM)

    def product(self, e: t.Arithmetic) -> Written:
        return f"{self.text(e.left, PRODUCT)} * {self.text(e.right, SIGN)}", PRODUCT

    def quotient(self, e: t.Arithmetic) -> Written:
        return f"{self.text(e.left, PRODUCT)} / {self.text(e.right, SIGN)}", PRODUCT

    @abstractmethod
    def power(self, e: t.Arithmetic) -> Written: ...

    # --------------------------------------------------------------- conditions

    def comparison(self, e: t.Comparison) -> Written:
        sign = self.relations[e.op]
        return f"{self.text(e.left, SUM)} {sign} {self.text(e.right, SUM)}", COMPARISON

    def logic(self, e: t.Logic) -> Written:
        if e.op == "not":
            return f"not {self.text(e.operands[0], NOT)}", NOT
        level = AND if e.op == "and" else OR
        return f" {e.op} ".join(self.text(p, level + 1) for p in e.operands), level

    @abstractmethod
    def choice(self, e: t.Choice) -> Written: ...

    # ------------------------------------------------------------ names and sets

    @abstractmethod
    def literal(self, e: t.Literal) -> Written: ...

    @abstractmethod
    def bound(self, e: t.Bound) -> Written: ...

    @abstractmethod
    def base_set(self, e: t.BaseSet) -> Written: ...

    @abstractmethod
    def local_set(self, e: t.LocalSet) -> Written: ...

    @abstractmethod
    def at(self, e: t.At) -> Written:
        """A declared thing at its indices."""

    @abstractmethod
    def range_set(self, e: t.RangeSet) -> Written: ...

    def member_tuple(self, e: t.Member, section: Section) -> str:
        """`(i, k) in pairs`"""
        parts = ", ".join(self.text(part) for part in (*section.prefix, e.item))
        return f"({parts}) {self.membership[e.negated]} {self.text(section.tuples, SUM)}"

    @abstractmethod
    def section(self, e: Section) -> Written:
        """The elements that continue tuples, apart from those that begin them."""

    @abstractmethod
    def comprehension(self, e: t.Comprehension) -> Written: ...

    # ------------------------------------------------------ reductions, functions

    @abstractmethod
    def reduction(self, e: t.Reduction) -> Written: ...

    @abstractmethod
    def call(self, e: t.Call) -> Written: ...
