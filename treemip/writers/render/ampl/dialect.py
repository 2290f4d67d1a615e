"""Typed expressions as AMPL, with the index sets that they run over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from treemip.core.lower.frame import Frame
from treemip.core.lower.sharing import MOST
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import NODE, NUMBER, Degree, Element, SetOf, Sort, is_listed
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.resolve.typed_sets import Section, grouped, tuple_parts
from treemip.writers.render.ampl.layout import quoted
from treemip.writers.render.expressions import (
    AND,
    ATOM,
    CHOICE,
    ITERATED,
    POWER,
    PRODUCT,
    SIGN,
    SUM,
    Written,
)
from treemip.writers.render.names import inside_domain, whole_sort
from treemip.writers.render.programs import ProgramDialect, indexed
from treemip.writers.render.tables import OF_ONE_ELEMENT
from treemip.writers.render.text import refused


class Declaring(Protocol):
    """What a model declares as its expressions mention it; each method gives the text to use.

    domains: index sets of the tables in the data, by name.
    """

    domains: dict[str, str]

    def definition(self, s: Symbol) -> str: ...

    def extended(self, s: Symbol) -> str: ...

    def named_set(self, e: t.Comprehension) -> str: ...

    def local_set(self, e: t.LocalSet) -> str: ...

    def auxiliary(self, e: t.Call | t.Reduction) -> str: ...

    def product(self, e: t.Arithmetic) -> str: ...

    def computed(self, e: t.Call | t.Reduction) -> str: ...

    def frame(self, binders: tuple[t.Binder, ...]) -> Frame: ...


class AmplDialect(ProgramDialect):
    """GNU MathProg reads the linear expressions as well. `parts` declares what they mention."""

    parts: Declaring
    relations: ClassVar = {r: r for r in ("=", "<=", ">=", "<", ">")} | {"!=": "<>"}
    infinity = "Infinity"

    def literal(self, e: t.Literal) -> Written:
        return quoted(self.data.element(e)), ATOM

    def texts(self, parts: tuple[t.Typed, ...]) -> str:
        return ",".join(self.text(p) for p in parts)

    # --------------------------------------------------------------- arithmetic

    def variable_product(self, e: t.Arithmetic) -> Written:
        if variable := self.parts.product(e):
            return variable, ATOM
        if e.left == e.right:
            return f"{self.text(e.left, ATOM)} ^ 2", POWER
        return f"{self.text(e.left, PRODUCT)} * {self.text(e.right, SIGN)}", PRODUCT

    def power(self, e: t.Arithmetic) -> Written:
        exponent = self.settled(e.right)
        if e.left.degree and exponent == 1:
            return self.written(e.left)
        if e.left.degree and exponent == 2:
            square = t.Arithmetic(op="*", left=e.left, right=e.left, span=e.span)
            if variable := self.parts.product(square):
                return variable, ATOM
        return f"{self.text(e.left, ATOM)} ^ {self.text(e.right, ATOM)}", POWER

    def conditional(self, e: t.Choice) -> Written:
        then, otherwise = self.text(e.then, SUM), self.text(e.otherwise, CHOICE)
        return f"if {self.text(e.condition)} then {then} else {otherwise}", CHOICE

    # --------------------------------------------------------------------- sets

    def range_set(self, e: t.RangeSet) -> Written:
        ends = []
        for part, rounded in ((e.lower, "ceil"), (e.upper, "floor")):
            value = self.settled(part)
            whole = value is not None and value.is_integer()
            ends.append(self.text(part, SUM) if whole else f"{rounded}({self.text(part)})")
        return f"{ends[0]}..{ends[1]}", SUM

    def section(self, e: Section) -> Written:
        names = [self.names.fresh(f"part_{k + 1}") for k in range(len(tuple_parts(e)))]
        tests = [f"{n} = {self.text(p, SUM)}" for n, p in zip(names, e.prefix, strict=False)]
        where = f" : {' and '.join(tests)}" if tests else ""
        over = f"({', '.join(names)}) in {self.text(e.tuples, SUM)}{where}"
        return f"setof {{{over}}} {names[len(e.prefix)]}", SUM

    def comprehension(self, e: t.Comprehension) -> Written:
        return self.parts.named_set(e), ATOM

    def local_set(self, e: t.LocalSet) -> Written:
        return self.parts.local_set(e), ATOM

    # ----------------------------------------------------------- declared things

    def definition(self, e: t.At) -> Written:
        s = e.symbol
        if s.parameters or not s.domain.binders:
            return self._written_out(e)
        if s.extension is not None and not self.is_inside(e):
            return self.extended(e)
        return indexed(self.parts.definition(s), self.texts(e.arguments))

    def _written_out(self, e: t.At) -> Written:
        """A term, or a let without indices, in its place."""
        assert e.symbol.value is not None
        if self.data.evaluator.sharing.mentions(e.symbol) >= MOST:
            raise refused(e, "definitions that mention each other so often")
        arguments = dict(zip(e.symbol.parameters, e.arguments, strict=True))
        with self.scope.opened():
            return self.written(substituted(e.symbol.value, arguments))

    def extended(self, e: t.At) -> Written:
        if self.is_inside(e):
            self.symbols[e.symbol] = None
            return indexed(self.of(e.symbol), self.texts(e.arguments))
        return indexed(self.parts.extended(e.symbol), self.texts(e.arguments))

    def is_inside(self, e: t.At) -> bool:
        """Whether the indices are all of the declaration's own, as the text or the data show."""
        if inside_domain(e, self.scope):
            return True
        evaluator, domain = self.data.evaluator, e.symbol.domain
        if not domain.is_product:
            frame = self.parts.frame(context(self, e))
            items = [evaluator.known(a, frame) for a in e.arguments]
            return bool((evaluator.places.locate(e.symbol, items, frame) >= 0).all())
        for argument, own in zip(e.arguments, domain.binders, strict=True):
            if not whole_sort(own):
                frame = self.parts.frame(context(self, argument))
                elements = evaluator.known(argument, frame)
                if not evaluator.sets.contains(own.set, elements, frame).all():
                    return False
        return True

    # --------------------------------------------------------------- reductions

    def reduction(self, e: t.Reduction) -> Written:
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

    def call(self, e: t.Call) -> Written:
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

    # ------------------------------------------------------------------- tables

    def table(self, s: Symbol) -> str:
        name = self.names.of(s, s.name)
        if name not in self.parts.domains:
            self.parts.domains[name] = self._domain(s)
        return self.lookups.symbol(s)

    def _domain(self, s: Symbol) -> str:
        with self.scope.opened(empty=True):
            if s.role is Role.DATA:
                return self.over(s.sorts)
            return indexing(self, s.domain.binders, s.domain.guard)

    def add_rows(
        self, name: str, c: Constraint, frame: Frame, numbers: np.ndarray, doc: str
    ) -> None:
        super().add_rows(name, c, frame, numbers, doc)
        with self.scope.opened(empty=True):
            self.parts.domains[name] = indexing(self, c.domain.binders, c.domain.guard)

    def over(self, sorts: tuple[Sort, ...]) -> str:
        """`{points, features}`: all elements of these sorts."""
        return f"{{{', '.join(self.every(s) for s in sorts if isinstance(s, Element))}}}"

    def every(self, sort: Element) -> str:
        """The set of all elements of a sort."""
        kind, _, rest = sort.of.partition(":")
        if is_listed(sort):
            return self.table(next(s for s in self.data.instance.spec.sets if s.name == rest))
        wish = {"tree": f"nodes_of_{rest}", "group": f"values_of_{rest}"}.get(
            kind, "all_categories"
        )
        return self.lookups.every(sort, wish)

    def of_one_element(self, e: t.Call) -> str:
        """left, depth, ancestors, …: the table of a function of one element."""
        sort = e.arguments[0].sort
        assert isinstance(sort, Element)
        domain = self.over((sort,))
        if isinstance(e.of, SetOf) and isinstance(e.of.element, Element):
            self.every(e.of.element)
        name = self.lookups.of_one_element(e, e.function)
        self.parts.domains[name] = domain
        return name

    def inner(self, e: t.Call) -> Written:
        """The branches of a declared tree."""
        tree = e.arguments[0]
        assert isinstance(tree, t.At)
        with self.scope.opened(empty=True):
            domain = indexing(self, tree.symbol.domain.binders, tree.symbol.domain.guard)
        name = self.lookups.inner(tree)
        self.parts.domains[name] = domain
        return indexed(name, self.texts(tree.arguments))


# -------------------------------------------------------------- index sets


def indexing(
    write: AmplDialect, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...] = ()
) -> str:
    """The domain as text, '' where there is none; what it binds stays in scope."""
    parts, conditions = [], [write.written(c) for c in guard if write.settled(c) is None]
    behind = len(binders)
    for group, tuples in grouped(binders):
        behind -= len(group)
        names = {b.name for b in group}
        later = any(names & other.set.free for other in binders[len(binders) - behind :])
        tests = [c for b in group for c in b.conditions]
        if tests and later:  # the sets after this one are for what passes only
            if tuples is not None:
                raise refused(tests[0], "a condition on tuples that later sets depend on")
            over = write.parts.named_set(t.Comprehension(binder=group[0], span=group[0].set.span))
        else:
            over = write.text(tuples or group[0].set, SUM)
        bound = [write.scope.bind(b.name, b.element, b) for b in group]
        index = bound[0] if tuples is None else f"({', '.join(bound)})"
        parts.append(f"{index} in {over}")
        if not later:
            conditions += [write.written(c) for c in tests if write.settled(c) is None]
    if not parts and conditions:
        parts = ["1..1"]
    return f"{{{', '.join(parts)}{_where(conditions)}}}" if parts else ""


def _where(conditions: list[Written]) -> str:
    """` : a and b`, with brackets where they are needed."""
    if len(conditions) < 2:
        return "".join(f" : {text}" for text, _ in conditions)
    return " : " + " and ".join(s if binds >= AND else f"({s})" for s, binds in conditions)


def context(write: AmplDialect, e: t.Typed) -> tuple[t.Binder, ...]:
    """The binders in scope that an expression depends on, directly or through others, in order.

    Raises E601 where it depends on a name that no set binds, as the parameters of terms are.
    """
    binders = write.scope.binders
    wanted, new = set[str](), set(e.free)
    while new:
        wanted |= new
        unknown = new - set(binders)
        if unknown:
            raise refused(e, f"an expression of '{min(unknown)}' that needs a name of its own")
        new = set[str]().union(*(_mentioned(binders[n]) for n in new)) - wanted
    return tuple(b for name, b in binders.items() if name in wanted)


def _mentioned(b: t.Binder) -> frozenset[str]:
    names = b.set.free.union(*(c.free for c in b.conditions))
    return names - {b.name}


def inside(write: AmplDialect, names: Iterable[str]) -> str:
    """`[i,t]`, or nothing."""
    index = ",".join(write.scope[n] for n in names)
    return f"[{index}]" if index else ""


# ------------------------------------------------------------ terms written out


def substituted(e: t.Typed, arguments: Mapping[str, t.Typed]) -> t.Typed:
    """The expression with the arguments in place of the parameters that it mentions."""
    written_out = _substituted(e, arguments) if arguments else e
    assert isinstance(written_out, t.Typed)
    return written_out


def _substituted(part: Any, arguments: Mapping[str, t.Typed]) -> Any:
    if isinstance(part, t.Bound):
        return arguments.get(part.name, part)
    if isinstance(part, tuple):
        return tuple(_substituted(p, arguments) for p in part)
    if not isinstance(part, t.Typed | t.Binder):
        return part
    changed = {}
    for field in fields(part):
        value = getattr(part, field.name)
        new = _substituted(value, arguments)
        if new is not value and new != value:
            changed[field.name] = new
    return replace(part, **changed) if changed else part
