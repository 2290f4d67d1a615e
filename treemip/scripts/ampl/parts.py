"""What an AMPL model declares besides the spec's own variables and rows, in order of need."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.lower import add_variables
from treemip.lower.model_columns import ModelBuilder, ModelColumns
from treemip.resolve import typed as t
from treemip.resolve.sorts import Degree
from treemip.resolve.typed import Symbol
from treemip.scripts.ampl import auxiliaries, definitions, products
from treemip.scripts.ampl.expressions import AmplExpressions
from treemip.scripts.ampl.indexing import context, indexing, inside
from treemip.scripts.ampl.layout import spaced, statement
from treemip.scripts.decided import Decided


class Parts:
    """`known`: parameters and sets with a formula; `derived`: variables with their rows.

    Each text follows those that it mentions. `domains`: of the tables in the data file.
    `curved`: whether a product of variables stands as it is.
    """

    def __init__(self, write: AmplExpressions, decided: Decided) -> None:
        self.write, self.decided = write, decided
        write.parts = self
        self.known: list[str] = []
        self.derived: list[str] = []
        self.domains: dict[str, str] = {}
        self.curved = False
        self.names: dict[object, str] = {}
        self.local_values: dict[str, t.Typed] = {}
        self.sets: dict[t.Typed, tuple[str, tuple[str, ...]]] = {}
        self._local_names: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._symbolic: tuple[ModelBuilder, Evaluator] | None = None

    @property
    def linear(self) -> bool:
        """Whether the model can be kept to what GNU MathProg reads."""
        return self.decided.degree == "linear"

    # -------------------------------------------------------------- local sets

    def add_local(self, family: str, name: str, value: t.Typed) -> None:
        """A set of `let … in` as an indexed set of the names that it depends on."""
        said, names = self._declare_set(f"{family}_{name}", value)
        self._local_names[name] = said, names
        self.local_values[name] = value

    def named_set(self, e: t.Comprehension) -> str:
        """A set with a condition as a declared one: GNU MathProg has no others as domains."""
        if e not in self.sets:
            base = e.binder.set
            of = base.name if isinstance(base, t.BaseSet) else "elements"
            self.sets[e] = self._declare_set(f"some_{of}", e)
        said, names = self.sets[e]
        return said + inside(self.write, names)

    def _declare_set(self, wish: str, value: t.Typed) -> tuple[str, tuple[str, ...]]:
        """The name of a declared set, and the names that it is indexed by."""
        write = self.write
        binders = context(write, value)
        said = write.names.fresh(wish)
        with write.scope.opened(empty=True):
            head = f"set {spaced(said, indexing(write, binders))} :="
            if isinstance(value, t.Comprehension):
                text = indexing(write, (value.binder,), value.guard)
            else:
                text = write.text(value)
            self.known.append(statement(head, text))
        return said, tuple(b.name for b in binders)

    def local_set(self, e: t.LocalSet) -> str:
        said, names = self._local_names[e.name]
        return said + inside(self.write, names)

    def frame(self, binders: tuple[t.Binder, ...]) -> Frame:
        """All index tuples of a domain."""
        plain = tuple(
            replace(b, set=self.local_values[b.set.name]) if isinstance(b.set, t.LocalSet) else b
            for b in binders
        )
        return self.write.known.evaluator.sets.expand(plain, (), Frame.empty())[0]

    # --------------------------------------------------------------- made here

    def definition(self, s: Symbol) -> str:
        """The name of a let, as a parameter or a variable."""
        if s not in self.names:
            self.names[s] = self.write.of(s)
            if s.degree is Degree.KNOWN:
                self.known.append(definitions.parameter(self.write, s))
            else:
                self.derived.append(definitions.variable(self.write, s, self.linear))
        return self.names[s]

    def extended(self, s: Symbol) -> str:
        """The name of what is a variable or let on its own indices and its extension elsewhere."""
        key = "extended", s
        if key not in self.names:
            self.names[key] = self.write.names.fresh(f"{s.name}_at")
            made = definitions.extended(self.write, s, self.names[key], self.linear)
            self.derived.append(made)
        return self.names[key]

    def auxiliary(self, e: t.Call | t.Reduction) -> str:
        """abs, max, min or norminf of variables: a variable with rows."""
        kind = e.function if isinstance(e, t.Call) else e.op
        key = kind, e
        binders = context(self.write, e)
        if key not in self.names:
            count = sum(isinstance(k, tuple) and k[0] == kind for k in self.names) + 1
            self.names[key] = self.write.names.fresh(f"{kind}_{count}")
            made = auxiliaries.text(self, self.names[key], e, binders)
            self.derived.append(made)
        return self.names[key] + inside(self.write, (b.name for b in binders))

    def product(self, e: t.Arithmetic) -> str:
        """A product with a binary factor as a variable with rows; '' where it stands as it is."""
        if not self.linear:
            return ""
        return products.product(self, e)

    def computed(self, e: t.Call | t.Reduction) -> str:
        """What is known and AMPL has no word for, as a table in the data."""
        binders = context(self.write, e)
        if e not in self.names:
            word = e.function if isinstance(e, t.Call) else e.op
            name = self.names[e] = self.write.names.fresh(f"{word}_1")
            with self.write.scope.opened(empty=True):
                self.domains[name] = indexing(self.write, binders)
            self.write.known.add_over(name, binders, e)
        return self.names[e] + inside(self.write, (b.name for b in binders))

    # ------------------------------------------------------------------ ranges

    def interval(self, e: t.Typed, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """What the bounds of the variables prove about an affine expression, row by row."""
        if self._symbolic is None:
            instance = self.write.known.instance
            building = ModelBuilder(instance)
            evaluator = Evaluator(instance, ModelColumns(building))
            for s in instance.spec.variables:
                add_variables(s, building, evaluator)
            self._narrow(building)
            self._symbolic = building, evaluator
        building, evaluator = self._symbolic
        return building.interval(evaluator.linear(e, frame))

    def _narrow(self, building: ModelBuilder) -> None:
        """Rows of one variable bound it as well as its declaration does."""
        if not len(self.decided.lower):
            return
        for block in building.variables:
            own = slice(block.start, block.stop)
            np.maximum(block.lower, self.decided.lower[own], out=block.lower)
            np.minimum(block.upper, self.decided.upper[own], out=block.upper)
