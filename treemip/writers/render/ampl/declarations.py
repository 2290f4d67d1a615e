"""What an AMPL model declares besides the spec's own variables and rows, in order of need.

Lets are parameters where they are known, else variables that equal their definition. Functions of
variables and, in linear models, products are variables with rows (derived.py).
"""

from __future__ import annotations

import numpy as np

from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import Degree, Element
from treemip.core.resolve.typed import Symbol
from treemip.writers.render.ampl.derived import (
    Known,
    function_rows,
    is_binary,
    is_variable,
    product_rows,
)
from treemip.writers.render.ampl.dialect import AmplDialect, context, indexing, inside
from treemip.writers.render.ampl.layout import spaced, statement
from treemip.writers.render.expressions import AND, SUM
from treemip.writers.render.names import whole_sort
from treemip.writers.render.reformulations import ReformFacts
from treemip.writers.render.text import about, comment


class Parts(Known):
    """Declarations so far; each text follows those that it mentions.

    known: parameters and sets with a formula. derived: variables with their rows. curved: whether a
    product of variables stands as it is.
    """

    def __init__(self, write: AmplDialect, facts: ReformFacts) -> None:
        super().__init__(write, facts)
        write.parts = self
        self.known: list[str] = []
        self.derived: list[str] = []
        self.curved = False
        self.names: dict[object, str] = {}
        self.sets: dict[t.Typed, tuple[str, tuple[str, ...]]] = {}
        self._local_names: dict[str, tuple[str, tuple[str, ...]]] = {}

    @property
    def linear(self) -> bool:
        """Whether GNU MathProg can read the model."""
        return self.facts.degree == "linear"

    # -------------------------------------------------------------- local sets

    def add_local(self, family: str, name: str, value: t.Typed) -> None:
        """A set of `let … in` as an indexed set of the names that it depends on."""
        self._local_names[name] = self._declare_set(f"{family}_{name}", value)
        self.local_values[name] = value

    def named_set(self, e: t.Comprehension) -> str:
        """A set with a condition as a declared one: GNU MathProg has no others as domains."""
        if e not in self.sets:
            base = e.binder.set
            of = base.name if isinstance(base, t.BaseSet) else "elements"
            self.sets[e] = self._declare_set(f"some_{of}", e)
        name, indices = self.sets[e]
        return name + inside(self.write, indices)

    def _declare_set(self, wish: str, value: t.Typed) -> tuple[str, tuple[str, ...]]:
        """The name of a declared set, and the names that it is indexed by."""
        write = self.write
        binders = context(write, value)
        name = write.names.fresh(wish)
        with write.scope.opened(empty=True):
            head = f"set {spaced(name, indexing(write, binders))} :="
            if isinstance(value, t.Comprehension):
                text = indexing(write, (value.binder,), value.guard)
            else:
                text = write.text(value)
            self.known.append(statement(head, text))
        return name, tuple(b.name for b in binders)

    def local_set(self, e: t.LocalSet) -> str:
        name, indices = self._local_names[e.name]
        return name + inside(self.write, indices)

    # ------------------------------------------------------- definitions, functions

    def definition(self, s: Symbol) -> str:
        """The name of a let, as a parameter or a variable."""
        if s not in self.names:
            self.names[s] = self.write.of(s)
            if s.degree is Degree.KNOWN:
                self.known.append(_parameter(self.write, s))
            else:
                self.derived.append(_variable(self.write, s, self.linear))
        return self.names[s]

    def extended(self, s: Symbol) -> str:
        """A variable or let on its own indices that is its extension elsewhere, by name."""
        key = "extended", s
        if key not in self.names:
            self.names[key] = self.write.names.fresh(f"{s.name}_at")
            self.derived.append(_extended(self.write, s, self.names[key], self.linear))
        return self.names[key]

    def auxiliary(self, e: t.Call | t.Reduction) -> str:
        """abs, max, min or norminf of variables: a variable with rows."""
        kind = e.function if isinstance(e, t.Call) else e.op
        key = kind, e
        binders = context(self.write, e)
        if key not in self.names:
            count = sum(isinstance(k, tuple) and k[0] == kind for k in self.names) + 1
            self.names[key] = self.write.names.fresh(f"{kind}_{count}")
            self.derived.append(function_rows(self, self.names[key], e, binders))
        return self.names[key] + self.at(binders)

    def product(self, e: t.Arithmetic) -> str:
        """A product with a binary factor as a variable with rows; '' where it stands as it is."""
        if not self.linear:
            return ""
        u, v = (e.left, e.right) if is_binary(e.left) else (e.right, e.left)
        if max(u.degree, v.degree) > Degree.PIECEWISE or not is_binary(u):
            self.curved = True
            return ""
        if u == v:
            return self.write.text(u)
        binders = context(self.write, e)
        key = "product", e
        if key not in self.names:
            low, high = self.interval(v, self.frame(binders))
            if not (np.isfinite(low).all() and np.isfinite(high).all()):
                self.curved = True
                return ""
            wish = "_times_".join(s.symbol.name for s in (u, v) if isinstance(s, t.At))
            name = self.write.names.fresh(wish if is_variable(v) else f"{wish}_product")
            self.names[key] = name
            self.derived.append(product_rows(self, name, e, (u, v), binders, (low, high)))
        return self.names[key] + self.at(binders)

    def computed(self, e: t.Call | t.Reduction) -> str:
        """A known value that AMPL has no word for, as a table in the data."""
        binders = context(self.write, e)
        if e not in self.names:
            word = e.function if isinstance(e, t.Call) else e.op
            name = self.names[e] = self.write.names.fresh(f"{word}_1")
            with self.write.scope.opened(empty=True):
                self.domains[name] = indexing(self.write, binders)
            self.write.data.add_over(name, binders, e)
        return self.names[e] + self.at(binders)


# ------------------------------------------------------------------ definitions


def comment_on(s: Symbol) -> str:
    """A comment: what the paper calls it, what it is, its equation."""
    words = about(s, s.tag)
    return f"{comment(words)}\n" if words else ""


def _parameter(write: AmplDialect, s: Symbol) -> str:
    assert s.value is not None
    with write.scope.opened(empty=True):
        over = indexing(write, s.domain.binders, s.domain.guard)
        symbolic = " symbolic" if isinstance(s.value.sort, Element) else ""
        head = f"param {write.of(s)} {over}{symbolic} :="
        return comment_on(s) + statement(head, write.text(s.value))


def _variable(write: AmplDialect, s: Symbol, linear: bool) -> str:
    """A variable defined by an equation, or by AMPL's `=`, which GNU MathProg does not have."""
    assert s.value is not None
    with write.scope.opened(empty=True):
        over = indexing(write, s.domain.binders, s.domain.guard)
        own = write.of(s) + inside(write, s.domain.names)
        value = write.text(s.value, SUM)
        return comment_on(s) + _defined(write, write.of(s), over, own, value, linear)


def _extended(write: AmplDialect, s: Symbol, name: str, linear: bool) -> str:
    """What is `s` on its own indices, and the vocabulary's expression elsewhere."""
    wider = s.extension
    assert wider is not None and wider.value is not None
    with write.scope.opened(empty=True):
        over = indexing(write, wider.domain.binders, wider.domain.guard)
        at = inside(write, wider.domain.names)
        own = write.of(s) if s.kind or not s.value else write.parts.definition(s)
        if not s.value:
            write.symbols[s] = None
        elsewhere = write.text(wider.value)
        test = _own_indices(write, s, wider)
        value = f"if {test} then {own}{at} else {elsewhere}"
        note = f"# {write.of(s)} as the vocabulary extends it\n"
        return note + _defined(write, name, over, name + at, value, linear)


def _own_indices(write: AmplDialect, s: Symbol, wider: Symbol) -> str:
    """The condition that the wider domain's names are indices of `s` itself."""
    for own, name in zip(s.domain.names, wider.domain.names, strict=True):
        write.scope.words[own] = write.scope[name]
    tests = [write.text(c, AND) for c in s.domain.guard if write.settled(c) is None]
    for b in s.domain.binders:
        if not whole_sort(b):
            tests.append(f"{write.scope[b.name]} in {write.text(b.set, SUM)}")
        tests += [write.text(c, AND) for c in b.conditions if write.settled(c) is None]
    return " and ".join(tests) or "1 = 1"


def _defined(write: AmplDialect, name: str, over: str, own: str, value: str, linear: bool) -> str:
    if not linear:
        return statement(f"var {name} {over} =", value)
    row = write.names.fresh(f"{name}_is")
    return f"var {name} {over};\n" + statement(f"s.t. {row} {over}:", f"{own} = {value}")
