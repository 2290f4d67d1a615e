"""Identifiers of a script: the spec's names, changed where its language has them already."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from contextlib import contextmanager

from treemip.core.instance.instance import Instance
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import BASE_SETS
from treemip.core.resolve.sorts import Element, Sort

# What the templates of Python define or import.
_FRAME = """
Expression FEASIBILITY GRB Path absolute argparse bounds cache columns cp curved data exp families
form generate_standard_repn gp infinity json logging largest linear lines log logistic main math
matrix maximum minimum model new np objective one product products pyo pyscipopt quicksum scalar
shared smallest solve sparse sqrt state table tanh times variables whole
"""
FRAME = frozenset(_FRAME.split())
PYTHON = frozenset((*FRAME, *dir(builtins), *keyword.kwlist))
"""Words that a Python script cannot use: its frame's, the builtins, the keywords."""


_AMPL = """
Current IN INOUT Infinity Initial LOCAL OUT abs acos acosh all alias and arc arity asin asinh atan
atan2 atanh binary by call card ceil check circular close coeff complements contains cos cosh cover
cross ctime cut data default delete dimen display div drop else end environ exists exit exp export
first fix floor for forall from function gmtime if import in include indexarity indexset infinity
integer inter last length less let log log10 logical max maximize member min minimize mod model
net_in net_out next nextw node not num num0 obj objective of option or ord ord0 ordered param
precision prev prevw print printf problem prod purge quit read redeclare redirect reload remove
repeat reset restore reversed rhs round set setof shell shell_exitcode show sin sinh solution
solve solve_exitcode solve_message solve_result solve_result_num spec sprintf sqrt str2time
subject subj substr suchthat sum suffix symbolic symdiff table tan tanh then time time2str to tr
trunc tuple union unfix Uniform Uniform01 until update var version while within write
"""
AMPL = frozenset(_AMPL.split())
"""Words that AMPL or GNU MathProg reserve, or that look like their statements.

Fourer, Gay, Kernighan: AMPL, 2nd edition, A.1; Makhorin: Modeling Language GNU MathProg, 2.3.
"""

LETTERS = {"point": "i", "feature": "j", "class": "k", "node": "t"}
"""Names of indices that the spec writes as `*`, by sort."""


class Names:
    """Identifiers given out so far; `of(key, wish)` is the same for the same key.

    reserved: words that are never given out. Identifiers are of ASCII letters.
    """

    def __init__(self, reserved: frozenset[str] = PYTHON) -> None:
        self.taken = set(reserved)
        self._given: dict[object, str] = {}
        self._bound: set[str] = set()

    def of(self, key: object, wish: str) -> str:
        if key not in self._given:
            self._given[key] = self.fresh(wish)
        return self._given[key]

    def fresh(self, wish: str) -> str:
        """An unused identifier: the wish, with underscores where it is taken."""
        name = _ascii(wish)
        while name in self.taken or name in self._bound:
            name += "_"
        self.taken.add(name)
        return name

    def bound(self, wish: str, scope: set[str]) -> str:
        """A name for a bound index, unlike those in scope and all identifiers."""
        name = _ascii(wish)
        while name in self.taken or name in scope:
            name += "_"
        self._bound.add(name)
        return name


def _ascii(wish: str) -> str:
    name = re.sub(r"\W+", "_", wish, flags=re.ASCII).strip("_") or "it"
    return f"_{name}" if name[0].isdigit() else name


def reserve(names: Names, instance: Instance, *, scalars: bool = True) -> None:
    """Give the spec's own things their names before anything else can take them.

    scalars: lets without indices as well.
    """
    spec = instance.spec
    for name in BASE_SETS:
        names.of(("set", name), name)
    lets = [s for s in spec.lets if scalars or s.domain.binders]
    for s in (*spec.variables, *spec.parameters, *spec.sets, *lets):
        names.of(s, s.name)


class Scope:
    """Indices in scope: what the script calls each, and the binder that says which set it is in."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.words: dict[str, str] = {}
        self.binders: dict[str, t.Binder] = {}

    def __getitem__(self, name: str) -> str:
        return self.words[name]

    @contextmanager
    def opened(self, empty: bool = False) -> Iterator[None]:
        """A new scope for what is bound inside. empty: without the outer indices."""
        before = self.words, self.binders
        self.words = {} if empty else dict(self.words)
        self.binders = {} if empty else dict(self.binders)
        try:
            yield
        finally:
            self.words, self.binders = before

    def bind(self, name: str, sort: Sort | None = None, binder: t.Binder | None = None) -> str:
        """A bound name as the script has it; `*` becomes a letter."""
        wish = name
        if name.startswith("*"):
            wish = LETTERS.get(sort.of if isinstance(sort, Element) else "", "v")
        self.words[name] = self.names.bound(wish, set(self.words.values()))
        self.binders.pop(name, None)
        if binder is not None:
            self.binders[name] = binder
        return self.words[name]

    def index(self, names: tuple[str, ...]) -> str:
        """`i, t`"""
        return ", ".join(self.words[n] for n in names)


def whole_sort(binder: t.Binder) -> bool:
    """Whether its set is all elements of the sort."""
    names = ("points", "features", "classes", "nodes")
    return isinstance(binder.set, t.BaseSet) and binder.set.name in names


def inside_domain(e: t.At, scope: Scope) -> bool:
    """Whether the indices are those of the declaration, as far as the text shows."""
    domain = e.symbol.domain
    if domain.guard:
        return False
    for argument, own in zip(e.arguments, domain.binders, strict=True):
        if own.conditions or own.set.free:
            return False
        binder = scope.binders.get(argument.name) if isinstance(argument, t.Bound) else None
        if not whole_sort(own) and (binder is None or binder.set != own.set):
            return False
    return True
