"""Typed expressions as Python over indexed sets, the same text for every package.

Variables are looked up (`reach[i, l]`), definitions are called (`total(l)`), products of variables
go through `times`, and abs, max and min of variables through a function of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import Degree, Element, Number
from treemip.core.resolve.typed import Symbol
from treemip.core.resolve.typed_sets import Section, grouped, tuple_parts
from treemip.core.source.span import Span
from treemip.writers.render.expressions import ATOM, CHOICE, OR, POWER, PRODUCT, SIGN, SUM, Written
from treemip.writers.render.names import Names
from treemip.writers.render.programs import ProgramDialect, indexed
from treemip.writers.render.tables import OF_ONE_ELEMENT, ScriptData
from treemip.writers.render.text import refused

IN_PYTHON = {
    "abs": "abs({})",
    "round": "round({})",
    "exp": "math.exp({})",
    "log": "math.log({})",
    "sqrt": "math.sqrt({})",
    "floor": "math.floor({})",
    "ceil": "math.ceil({})",
    "logistic": "logistic({})",
}


@dataclass(frozen=True)
class Auxiliary:
    """abs, max, min or norminf of variables, as the function `name` of its free indices."""

    name: str
    expression: t.Call | t.Reduction
    parameters: tuple[str, ...]


class PythonDialect(ProgramDialect):
    """`auxiliaries`: functions of variables that were mentioned, by place and function."""

    relations: ClassVar = {"=": "==", "!=": "!=", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}
    infinity = "infinity"

    def __init__(self, data: ScriptData, names: Names) -> None:
        super().__init__(data, names)
        self.auxiliaries: dict[tuple[Span, str], Auxiliary] = {}

    def clauses(self, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...]) -> list[str]:
        """`for i in points`, `if …`; what is bound stays so until the scope ends."""
        clauses = []
        for k, (group, tuples) in enumerate(grouped(binders)):
            over = self.text(tuples or group[0].set, OR)
            names = ", ".join(self.scope.bind(b.name, b.element, b) for b in group)
            index = names if tuples is None else f"({names})"
            clauses.append(f"for {index} in {over}")
            conditions = [*(guard if k == 0 else ()), *(c for b in group for c in b.conditions)]
            clauses += [f"if {self.text(c, OR)}" for c in conditions]
        return clauses

    # --------------------------------------------------------------- arithmetic

    def variable_product(self, e: t.Arithmetic) -> Written:
        if max(e.left.degree, e.right.degree) > Degree.PIECEWISE:
            return f"{self.text(e.left, PRODUCT)} * {self.text(e.right, SIGN)}", PRODUCT
        return f"times({self.text(e.left)}, {self.text(e.right)})", ATOM

    def power(self, e: t.Arithmetic) -> Written:
        if e.right.degree:
            # a ^ b as exp(b log a): packages differ in whether they take a variable exponent
            base = f"{'log' if e.left.degree else 'math.log'}({self.text(e.left)})"
            return f"exp({self.text(e.right, SIGN)} * {base})", ATOM
        exponent = self.settled(e.right)
        if e.left.degree and exponent in (1, 2) and e.left.degree <= Degree.PIECEWISE:
            base = self.text(e.left)
            return self.written(e.left) if exponent == 1 else (f"times({base}, {base})", ATOM)
        return f"{self.text(e.left, ATOM)} ** {self.text(e.right, SIGN)}", POWER

    def conditional(self, e: t.Choice) -> Written:
        then, condition = self.text(e.then, OR), self.text(e.condition, OR)
        return f"{then} if {condition} else {self.text(e.otherwise, CHOICE)}", CHOICE

    # --------------------------------------------------------------------- sets

    def range_set(self, e: t.RangeSet) -> Written:
        return f"whole({self.text(e.lower)}, {self.text(e.upper)})", ATOM

    def section(self, e: Section) -> Written:
        names = [self.names.fresh(f"part_{k + 1}") for k in range(len(tuple_parts(e)))]
        tests = [f"{n} == {self.text(p, OR)}" for n, p in zip(names, e.prefix, strict=False)]
        where = f" if {' and '.join(tests)}" if tests else ""
        own = names[len(e.prefix)]
        return f"{{{own}: 0 for {', '.join(names)} in {self.text(e.tuples, OR)}{where}}}", ATOM

    def member_tuple(self, e: t.Member, section: Section) -> str:
        """A tuple is a list in the data."""
        parts = self.texts((*section.prefix, e.item))
        return f"[{parts}] {self.membership[e.negated]} {self.text(section.tuples, OR)}"

    def comprehension(self, e: t.Comprehension) -> Written:
        with self.scope.opened():
            clauses = " ".join(self.clauses((e.binder,), e.guard))
            return f"[{self.scope[e.binder.name]} {clauses}]", ATOM

    # ----------------------------------------------------------- declared things

    def definition(self, e: t.At) -> Written:
        return f"{self.function(e.symbol)}({self.texts(e.arguments)})", ATOM

    def function(self, s: Symbol) -> str:
        """The name of a definition, which the script will have."""
        self.symbols[s] = None
        return self.of(s)

    def extended(self, e: t.At) -> Written:
        return f"{self.extension(e.symbol)}({self.texts(e.arguments)})", ATOM

    def extension(self, s: Symbol) -> str:
        """The function that is the variable on its own indices and its extension elsewhere."""
        self.symbols[s] = None
        assert s.extension is not None
        self.symbols[s.extension] = None
        return self.names.of(("extended", s), f"{s.name}_at")

    # --------------------------------------------------------------- reductions

    def reduction(self, e: t.Reduction) -> Written:
        if e.degree is Degree.PIECEWISE and e.op != "sum":
            return self.auxiliary(e), ATOM
        with self.scope.opened():
            clauses = " ".join(self.clauses(e.binders, e.guard))
            if e.op in ("argmax", "argmin"):
                return self._extreme_item(e, clauses), ATOM
            body = self.text(e.body, OR)
            if e.op == "norminf":
                return f"largest(abs({body}) {clauses})", ATOM
            names = {"max": "largest", "min": "smallest", "prod": "math.prod", "sum": "sum"}
            function = "quicksum" if e.degree and e.op == "sum" else names[e.op]
            return f"{function}({body} {clauses})", ATOM

    def _extreme_item(self, e: t.Reduction, clauses: str) -> str:
        """The first item with the greatest or least value, as Python's max and min have it."""
        name = self.scope[e.binders[0].name]
        body = self.text(e.body, OR)
        return f"{e.op[3:]}([{name} {clauses}], key=lambda {name}: {body})"

    def auxiliary(self, e: t.Call | t.Reduction) -> str:
        """abs, max, min of variables: a call of the function that defines it."""
        if e.local:
            raise refused(e, "a function of variables over a set of `let … in`")
        kind = e.function if isinstance(e, t.Call) else e.op
        if (e.span, kind) not in self.auxiliaries:
            count = sum(key[1] == kind for key in self.auxiliaries) + 1
            name = self.names.fresh(f"{kind}_{count}")
            self.auxiliaries[e.span, kind] = Auxiliary(name, e, tuple(sorted(e.free)))
        function = self.auxiliaries[e.span, kind]
        return f"{function.name}({self.scope.index(function.parameters)})"

    # ---------------------------------------------------------------- functions

    def call(self, e: t.Call) -> Written:
        name = e.function
        if e.degree is Degree.PIECEWISE:
            return self.auxiliary(e), ATOM
        if e.degree:
            return f"{name}({self.text(e.arguments[0])})", ATOM
        if name == "card":
            return f"len({self.text(e.arguments[0])})", ATOM
        if name == "point":
            return self.text(e.arguments[0]), ATOM  # a point is called by its row
        if name in ("max", "min"):
            return f"{name}({self.texts(e.arguments)})", ATOM
        if name in IN_PYTHON:
            return IN_PYTHON[name].format(self.text(e.arguments[0])), ATOM
        if name == "level":
            return self._level(e), ATOM
        if name == "inner":
            tree = e.arguments[0]
            assert isinstance(tree, t.At)
            return indexed(self.lookups.inner(tree), self.texts(tree.arguments))
        if name in OF_ONE_ELEMENT:
            return indexed(self.lookups.of_one_element(e, name), self.texts(e.arguments))
        return self.lookups.value(e), ATOM

    def _level(self, e: t.Call) -> str:
        node = t.BaseSet(name="nodes", of=e.of, span=e.span)  # type: ignore[arg-type]
        bound = t.Bound(name="t", of=Element("node"), span=e.span)
        call = t.Call(function="depth", arguments=(bound,), of=Number(), span=e.span)
        depth = self.lookups.of_one_element(call, "depth")
        t_ = self.names.bound("t", set(self.scope.words.values()))
        level = self.text(e.arguments[0], SUM)
        return f"[{t_} for {t_} in {self.text(node)} if {depth}[{t_}] == {level} - 1]"
