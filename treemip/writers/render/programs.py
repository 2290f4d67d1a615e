"""Typed expressions in the languages of programs: what Python and AMPL write alike."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from treemip.core.lower.frame import Frame
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Role, Symbol
from treemip.writers.render.expressions import ATOM, Dialect, Written
from treemip.writers.render.names import Names, Scope, inside_domain
from treemip.writers.render.tables import Lookups, ScriptData


class ProgramDialect(Dialect):
    """Writes expressions and keeps what they mention in `symbols`, to be defined."""

    infinity: ClassVar[str]

    def __init__(self, data: ScriptData, names: Names) -> None:
        self.data, self.names = data, names
        self.lookups, self.scope = Lookups(data, names), Scope(names)
        self.symbols: dict[Symbol, None] = {}

    def texts(self, parts: tuple[t.Typed, ...]) -> str:
        return ", ".join(self.text(p) for p in parts)

    def settled(self, e: t.Typed) -> float | None:
        """The value of an expression without bound names and variables; None for others."""
        if e.degree or e.free or e.local:
            return None
        return float(self.data.evaluator.known(e, Frame.empty())[0])

    # ------------------------------------------------------------------- leaves

    def const(self, e: t.Const) -> Written:
        text, binds = super().const(e)
        return (text.replace("inf", self.infinity) if np.isinf(e.value) else text), binds

    def literal(self, e: t.Literal) -> Written:
        return repr(self.data.element(e)), ATOM

    def bound(self, e: t.Bound) -> Written:
        return self.scope[e.name], ATOM

    def local_set(self, e: t.LocalSet) -> Written:
        return self.scope[e.name], ATOM

    def base_set(self, e: t.BaseSet) -> Written:
        return self.lookups.base_set(e), ATOM

    # --------------------------------------------------------------- arithmetic

    def product(self, e: t.Arithmetic) -> Written:
        if e.left.degree and e.right.degree:
            return self.variable_product(e)
        return super().product(e)

    @abstractmethod
    def variable_product(self, e: t.Arithmetic) -> Written:
        """A product of expressions that both mention variables."""

    def choice(self, e: t.Choice) -> Written:
        holds = self.settled(e.condition)
        if holds is not None:
            return self.written(e.then if holds else e.otherwise)
        return self.conditional(e)

    @abstractmethod
    def conditional(self, e: t.Choice) -> Written:
        """A choice that parameters alone do not decide."""

    # ----------------------------------------------------------- declared things

    def at(self, e: t.At) -> Written:
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
        """The name of a known table: a parameter, a declared set, or data."""
        return self.lookups.symbol(s)

    @abstractmethod
    def definition(self, e: t.At) -> Written:
        """A let or term at its arguments."""

    @abstractmethod
    def extended(self, e: t.At) -> Written:
        """A variable at indices that may lie outside its own."""

    def add_rows(
        self, name: str, c: Constraint, frame: Frame, numbers: np.ndarray, doc: str
    ) -> None:
        """A table with a number for each row of a family."""
        self.data.add_rows(name, c.domain.names, c.domain.sorts, frame, numbers, doc)

    def of(self, s: Symbol) -> str:
        return self.names.of(s, s.name)


def indexed(name: str, inside: str) -> Written:
    """`reach[i, l]`, or the bare name if there are no indices."""
    return f"{name}[{inside}]" if inside else name, ATOM
