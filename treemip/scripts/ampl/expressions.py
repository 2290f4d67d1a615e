"""Typed expressions as AMPL; GNU MathProg reads the linear ones as well."""

from __future__ import annotations

from typing import ClassVar

from treemip.lower.sharing import MOST
from treemip.resolve import typed as t
from treemip.resolve.sorts import NODE, NUMBER, Degree, SetOf
from treemip.scripts.ampl.indexing import context, indexing
from treemip.scripts.ampl.substitution import substituted
from treemip.scripts.ampl.tables import AmplTables
from treemip.scripts.expressions import (
    ATOM,
    CHOICE,
    ITERATED,
    POWER,
    PRODUCT,
    SIGN,
    SUM,
    Said,
    indexed,
)
from treemip.scripts.lookups import OF_ONE_ELEMENT
from treemip.scripts.refusal import refused
from treemip.scripts.scope import inside_domain, whole_sort
from treemip.source.diagnostic import Diagnostic, TreemipError


class AmplExpressions(AmplTables):
    """`parts` are declared as expressions mention them."""

    relations: ClassVar = {r: r for r in ("=", "<=", ">=", "<", ">")} | {"!=": "<>"}
    infinity = "Infinity"

    def _literal(self, e: t.Literal) -> Said:
        return quoted(self.known.element(e)), ATOM

    def texts(self, parts: tuple[t.Typed, ...]) -> str:
        return ",".join(self.text(p) for p in parts)

    # --------------------------------------------------------------- arithmetic

    def product(self, e: t.Arithmetic) -> Said:
        made = self.parts.product(e)
        if made:
            return made, ATOM
        if e.left == e.right:
            return f"{self.text(e.left, ATOM)} ^ 2", POWER
        return f"{self.text(e.left, PRODUCT)} * {self.text(e.right, SIGN)}", PRODUCT

    def power(self, e: t.Arithmetic) -> Said:
        exponent = self.settled(e.right)
        if e.left.degree and exponent == 1:
            return self.written(e.left)
        if e.left.degree and exponent == 2:
            square = t.Arithmetic(op="*", left=e.left, right=e.left, span=e.span)
            made = self.parts.product(square)
            if made:
                return made, ATOM
        return f"{self.text(e.left, ATOM)} ^ {self.text(e.right, ATOM)}", POWER

    def _choice(self, e: t.Choice) -> Said:
        holds = self.settled(e.condition)
        if holds is not None:  # decided by parameters alone
            return self.written(e.then if holds else e.otherwise)
        then, otherwise = self.text(e.then, SUM), self.text(e.otherwise, CHOICE)
        return f"if {self.text(e.condition)} then {then} else {otherwise}", CHOICE

    # --------------------------------------------------------------------- sets

    def _rangeset(self, e: t.RangeSet) -> Said:
        ends = []
        for part, rounded in ((e.lower, "ceil"), (e.upper, "floor")):
            value = self.settled(part)
            whole = value is not None and value.is_integer()
            ends.append(self.text(part, SUM) if whole else f"{rounded}({self.text(part)})")
        return f"{ends[0]}..{ends[1]}", SUM

    def _comprehension(self, e: t.Comprehension) -> Said:
        return self.parts.named_set(e), ATOM

    def _localset(self, e: t.LocalSet) -> Said:
        return self.parts.local_set(e), ATOM

    # ----------------------------------------------------------- declared things

    def definition(self, e: t.At) -> Said:
        s = e.symbol
        if s.parameters or not s.domain.binders:
            return self._written_out(e)
        if s.extension is not None and not self.is_inside(e):
            return self.extended(e)
        return indexed(self.parts.definition(s), self.texts(e.arguments))

    def _written_out(self, e: t.At) -> Said:
        """A term, or a let without indices, in its place."""
        assert e.symbol.value is not None
        if self.known.evaluator.sharing.mentions(e.symbol) >= MOST:
            raise refused(e, "definitions that mention each other so often")
        given = dict(zip(e.symbol.parameters, e.arguments, strict=True))
        with self.scope.opened():
            return self.written(substituted(e.symbol.value, given))

    def extended(self, e: t.At) -> Said:
        if self.is_inside(e):
            self.symbols[e.symbol] = None
            return indexed(self.of(e.symbol), self.texts(e.arguments))
        return indexed(self.parts.extended(e.symbol), self.texts(e.arguments))

    def is_inside(self, e: t.At) -> bool:
        """Whether the indices are all of the declaration's own, as the text or the data show."""
        if inside_domain(e, self.scope):
            return True
        evaluator, domain = self.known.evaluator, e.symbol.domain
        if domain.guard or any(b.conditions or b.set.free for b in domain.binders):
            frame = self.parts.frame(context(self, e))
            found = [evaluator.known(a, frame) for a in e.arguments]
            return bool((evaluator.places.locate(e.symbol, found, frame) >= 0).all())
        for argument, own in zip(e.arguments, domain.binders, strict=True):
            if not whole_sort(own):
                frame = self.parts.frame(context(self, argument))
                items = evaluator.known(argument, frame)
                if not evaluator.sets.contains(own.set, items, frame).all():
                    return False
        return True

    # --------------------------------------------------------------- reductions

    def _reduction(self, e: t.Reduction) -> Said:
        if e.degree is Degree.PIECEWISE and e.op != "sum":
            return self.parts.auxiliary(e), ATOM
        if e.op in ("argmax", "argmin"):
            return self.parts.computed(e), ATOM
        with self.scope.opened():
            over = indexing(self, e.binders, e.guard)
            if e.op == "norminf":
                return f"max {over} abs({self.text(e.body)})", ITERATED
            return f"{e.op} {over} {self.text(e.body, ITERATED)}", ITERATED

    # ---------------------------------------------------------------- functions

    def _call(self, e: t.Call) -> Said:
        name = e.function
        if e.degree is Degree.PIECEWISE:
            return self.parts.auxiliary(e), ATOM
        if name == "point":
            return self.text(e.arguments[0], SUM), SUM  # a point is called by its row
        if name == "logistic":
            half = f"tanh({self.text(e.arguments[0], PRODUCT)} / 2)"
            return f"0.5 * (1 + {half})", PRODUCT  # exp of the argument would overflow
        if name in ("card", "max", "min", "abs", "exp", "log", "sqrt", "floor", "ceil", "round"):
            return f"{name}({self.texts(e.arguments)})", ATOM
        if name == "level" and e.free:
            return self.parts.named_set(self._level(e)), ATOM
        if name == "inner":
            return self.inner(e)
        if name in OF_ONE_ELEMENT:
            inside = self.texts(e.arguments)
            return indexed(self.of_one_element(e), inside)
        return (self.parts.computed(e) if e.free else self.lookups.value(e)), ATOM

    def _level(self, e: t.Call) -> t.Comprehension:
        """The nodes of a level, the root's being 1."""
        assert isinstance(e.of, SetOf)
        node = t.Bound(name="*node", of=NODE, span=e.span)
        depth = t.Call(function="depth", arguments=(node,), of=NUMBER, span=e.span)
        one = t.Const(value=1.0, span=e.span)
        level = t.Arithmetic(op="-", left=e.arguments[0], right=one, span=e.span)
        test = t.Comparison(op="=", left=depth, right=level, span=e.span)
        nodes = t.BaseSet(name="nodes", of=e.of, span=e.span)
        return t.Comprehension(binder=t.Binder("*node", nodes, (test,)), span=e.span)


def quoted(label: object) -> str:
    """A label as AMPL's model and data have it: numbers as they are, texts between quotes.

    Raises E601 for a text of several lines, which AMPL has not.
    """
    if isinstance(label, str):
        if len(label.splitlines()) > 1:
            message = f"AMPL has no names of several lines, such as {label!r}"
            remedy = "give the column or class another name, or export to another tool"
            raise TreemipError(Diagnostic.outside("E601", message, remedy))
        return "'" + label.replace("'", "''") + "'"
    return repr(label).replace("inf", "Infinity")
