"""Expressions as `sum(l in leaves: error[l])`."""

from __future__ import annotations

from collections.abc import Sequence

from treemip.core.instance.instance import Instance
from treemip.writers.render.expressions import ATOM, Section, Written
from treemip.writers.render.names import Names, reserve
from treemip.writers.render.programs import ProgramDialect
from treemip.writers.render.reformulations import ReformFacts
from treemip.writers.render.tables import ScriptData, json_text
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Constraint


class PlainDialect(ProgramDialect):
    infinity = "infinity"

    def variable_product(self, e: t.Arithmetic) -> Written:
        return f"({self.text(e.left)} * {self.text(e.right)})", ATOM

    def power(self, e: t.Arithmetic) -> Written:
        return f"({self.text(e.left)} ^ {self.text(e.right)})", ATOM

    def conditional(self, e: t.Choice) -> Written:
        return f"if({self.texts((e.condition, e.then, e.otherwise))})", ATOM

    def definition(self, e: t.At) -> Written:
        return f"{self.of(e.symbol)}({self.texts(e.arguments)})", ATOM

    extended = definition

    def range_set(self, e: t.RangeSet) -> Written:
        return f"{self.text(e.lower)}..{self.text(e.upper)}", ATOM

    def section(self, e: Section) -> Written:
        return self.text(e.tuples), ATOM

    def comprehension(self, e: t.Comprehension) -> Written:
        with self.scope.opened():
            return f"{{{self._over((e.binder,))}}}", ATOM

    def reduction(self, e: t.Reduction) -> Written:
        with self.scope.opened():
            over = self._over(e.binders)
            return f"{e.op}({over}: {self.text(e.body)})", ATOM

    def call(self, e: t.Call) -> Written:
        return f"{e.function}({self.texts(e.arguments)})", ATOM

    def _over(self, binders: Sequence[t.Binder]) -> str:
        sets = [self.text(b.set) for b in binders]
        names = [self.scope.bind(b.name, b.element, b) for b in binders]
        return ", ".join(f"{name} in {of}" for name, of in zip(names, sets, strict=True))


def plain(
    instance: Instance, rows: Sequence[Constraint], facts: ReformFacts, names: Sequence[str]
) -> Sequence[str]:
    data, known = ScriptData(instance), Names()
    reserve(known, instance)
    objective = instance.spec.objective
    assert objective is not None
    text = PlainDialect(data, known).text(objective.value)
    return f"{objective.sense} {text}\n", json_text(data.tables)
