"""Typed expressions as text: what every target's language writes alike.

A target's own class adds what differs: reductions, choices, definitions, products of variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from treemip.lower.frame import Frame
from treemip.model.text import number
from treemip.resolve import typed as t
from treemip.resolve.spec import Constraint
from treemip.resolve.typed import Role, Symbol
from treemip.scripts.known import Known
from treemip.scripts.lookups import Lookups
from treemip.scripts.names import Names
from treemip.scripts.scope import Scope, inside_domain
from treemip.source.span import Span

CHOICE, OR, AND, NOT, COMPARISON, SUM, ITERATED, PRODUCT, SIGN, POWER, ATOM = range(11)
"""How tightly a text binds, the loosest first; ITERATED is AMPL's sum {…}."""

Said = tuple[str, int]


@dataclass(frozen=True)
class Auxiliary:
    """abs, max, min or norminf of variables, as the function `name` of its free indices."""

    name: str
    expression: t.Call | t.Reduction
    parameters: tuple[str, ...]


class Expressions:
    """Writes expressions and keeps what they mention: `symbols` and `auxiliaries` to define."""

    relations: ClassVar[dict[str, str]]
    infinity: ClassVar[str]

    def __init__(self, known: Known, names: Names) -> None:
        self.known, self.names = known, names
        self.lookups, self.scope = Lookups(known, names), Scope(names)
        self.symbols: dict[Symbol, None] = {}
        self.auxiliaries: dict[tuple[Span, str], Auxiliary] = {}

    def text(self, e: t.Typed, least: int = CHOICE) -> str:
        """The expression, in brackets where it binds less than `least`."""
        said, binds = self.written(e)
        return said if binds >= least else f"({said})"

    def written(self, e: t.Typed) -> Said:
        """The expression, and how tightly it binds."""
        found: Said = getattr(self, "_" + type(e).__name__.lower())(e)
        return found

    def texts(self, parts: tuple[t.Typed, ...]) -> str:
        return ", ".join(self.text(p) for p in parts)

    def settled(self, e: t.Typed) -> float | None:
        """What an expression is worth that mentions no bound name and no variable; else None."""
        if e.degree or e.free or e.local:
            return None
        return float(self.known.evaluator.known(e, Frame.empty())[0])

    # ------------------------------------------------------------------- leaves

    def _const(self, e: t.Const) -> Said:
        text = number(e.value)
        if text in ("inf", "-inf"):
            return text.replace("inf", self.infinity), ATOM if e.value > 0 else SIGN
        return text, SIGN if text.startswith("-") else ATOM

    def _literal(self, e: t.Literal) -> Said:
        return repr(self.known.element(e)), ATOM

    def _bound(self, e: t.Bound) -> Said:
        return self.scope[e.name], ATOM

    def _localset(self, e: t.LocalSet) -> Said:
        return self.scope[e.name], ATOM

    def _baseset(self, e: t.BaseSet) -> Said:
        return self.lookups.base_set(e), ATOM

    # --------------------------------------------------------------- conditions

    def _comparison(self, e: t.Comparison) -> Said:
        sign = self.relations[e.op]
        return f"{self.text(e.left, SUM)} {sign} {self.text(e.right, SUM)}", COMPARISON

    def _member(self, e: t.Member) -> Said:
        sign = "not in" if e.negated else "in"
        return f"{self.text(e.item, SUM)} {sign} {self.text(e.set, SUM)}", COMPARISON

    def _logic(self, e: t.Logic) -> Said:
        if e.op == "not":
            return f"not {self.text(e.operands[0], NOT)}", NOT
        level = AND if e.op == "and" else OR
        return f" {e.op} ".join(self.text(p, level + 1) for p in e.operands), level

    # --------------------------------------------------------------- arithmetic

    def _negation(self, e: t.Negation) -> Said:
        return f"-{self.text(e.operand, SIGN)}", SIGN

    def _arithmetic(self, e: t.Arithmetic) -> Said:
        if e.op in "+-":
            right = self.text(e.right, SUM if e.op == "+" else ITERATED)
            return f"{self.text(e.left, SUM)} {e.op} {right}", SUM
        if e.op == "^":
            return self.power(e)
        if e.op == "*" and e.left.degree and e.right.degree:
            return self.product(e)
        return f"{self.text(e.left, PRODUCT)} {e.op} {self.text(e.right, SIGN)}", PRODUCT

    def power(self, e: t.Arithmetic) -> Said:
        raise NotImplementedError

    def product(self, e: t.Arithmetic) -> Said:
        """A product of expressions that both mention variables."""
        raise NotImplementedError

    # ----------------------------------------------------------- declared things

    def _at(self, e: t.At) -> Said:
        s = e.symbol
        if s.role in (Role.LET, Role.TERM):
            return self.definition(e)
        if s.role is Role.VARIABLE and s.extension and not inside_domain(e, self.scope):
            return self.extended(e)
        inside = self.texts(e.arguments)
        if s.role is not Role.VARIABLE:
            return indexed(self.table(s), inside)
        self.symbols[s] = None
        return indexed(self.of(s), inside)

    def table(self, s: Symbol) -> str:
        """The name of what is known: a parameter, a declared set, a table of the data."""
        return self.lookups.symbol(s)

    def definition(self, e: t.At) -> Said:
        """A let or term at its arguments."""
        raise NotImplementedError

    def extended(self, e: t.At) -> Said:
        """A variable at indices that may lie outside its own."""
        raise NotImplementedError

    def add_rows(
        self, name: str, c: Constraint, frame: Frame, numbers: np.ndarray, doc: str
    ) -> None:
        """A table with a number for each row of a family."""
        self.known.add_rows(name, c.domain.names, c.domain.sorts, frame, numbers, doc)

    def of(self, s: Symbol) -> str:
        return self.names.of(s, s.name)


def indexed(name: str, inside: str) -> Said:
    """`reach[i, l]`, or the bare name of what has no indices."""
    return f"{name}[{inside}]" if inside else name, ATOM
