"""What an AMPL model declares besides the spec's own variables and rows, in order of need.

Lets are parameters where they are known, else variables that equal their definition. Functions of
variables and, in linear models, products are variables with rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.lower import add_variables
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.reform.formulas import MAX, MAX_ATTAINED, MIN, MIN_ATTAINED, PRODUCT
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import NUMBER, Degree, Element
from treemip.core.resolve.typed import Role, Symbol
from treemip.writers.render.ampl.dialect import AmplDialect, context, indexing, inside
from treemip.writers.render.ampl.layout import spaced, statement
from treemip.writers.render.expressions import AND, SIGN, SUM
from treemip.writers.render.names import whole_sort
from treemip.writers.render.reformulations import PRODUCT_OF_BINARIES, ReformFacts
from treemip.writers.render.tables import Table, plain
from treemip.writers.render.text import about, comment, one_line, refused


class Parts:
    """Declarations so far; each text follows those that it mentions.

    known: parameters and sets with a formula. derived: variables with their rows. domains: index
    sets of the tables in the data file. curved: whether a product of variables stands as it is.
    """

    def __init__(self, write: AmplDialect, facts: ReformFacts) -> None:
        self.write, self.facts = write, facts
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

    def frame(self, binders: tuple[t.Binder, ...]) -> Frame:
        """All index tuples of a domain."""
        plain = tuple(
            replace(b, set=self.local_values[b.set.name]) if isinstance(b.set, t.LocalSet) else b
            for b in binders
        )
        return self.write.data.evaluator.sets.expand(plain, (), Frame.empty())[0]

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
            self.derived.append(_auxiliary(self, self.names[key], e, binders))
        return self.names[key] + inside(self.write, (b.name for b in binders))

    def product(self, e: t.Arithmetic) -> str:
        """A product with a binary factor as a variable with rows; '' where it stands as it is."""
        return _product(self, e) if self.linear else ""

    def computed(self, e: t.Call | t.Reduction) -> str:
        """A known value that AMPL has no word for, as a table in the data."""
        binders = context(self.write, e)
        if e not in self.names:
            word = e.function if isinstance(e, t.Call) else e.op
            name = self.names[e] = self.write.names.fresh(f"{word}_1")
            with self.write.scope.opened(empty=True):
                self.domains[name] = indexing(self.write, binders)
            self.write.data.add_over(name, binders, e)
        return self.names[e] + inside(self.write, (b.name for b in binders))

    # ------------------------------------------------------------------ ranges

    def interval(self, e: t.Typed, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value of an affine expression over the variables' bounds, by row."""
        if self._symbolic is None:
            instance = self.write.data.instance
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
        if not len(self.facts.lower):
            return
        for block in building.variables:
            own = slice(block.start, block.stop)
            np.maximum(block.lower, self.facts.lower[own], out=block.lower)
            np.minimum(block.upper, self.facts.upper[own], out=block.upper)


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


def row_of(write: AmplDialect, wish: str, over: str, text: str) -> str:
    """Rows over a domain, by a name like the wish."""
    return statement(f"s.t. {spaced(write.names.fresh(wish), over)}:", text)


# ----------------------------------------- abs, max, min and norminf of variables
#
# Inequalities alone are exact where the objective and rows press the result against them; elsewhere
# binaries choose the argument that is attained, with the arguments' proven ranges as big-M.

GAP = "by how much an argument can miss the one attained"


@dataclass(frozen=True)
class _Case:
    """Some of the arguments: `sign` times `argument`, for each tuple of the binders."""

    suffix: str
    argument: t.Typed
    sign: float = 1.0
    binders: tuple[t.Binder, ...] = ()
    guard: tuple[t.Typed, ...] = ()

    @property
    def value(self) -> t.Typed:
        if self.sign > 0:
            return self.argument
        return t.Negation(operand=self.argument, span=self.argument.span)


def _cases(e: t.Call | t.Reduction) -> list[_Case]:
    if isinstance(e, t.Reduction):
        own = _Case("above", e.body, 1.0, e.binders, e.guard)
        doubled = e.op == "norminf"
    elif e.function == "abs":
        own, doubled = _Case("above", e.arguments[0]), True
    else:
        return [_Case(f"above_{k}", a) for k, a in enumerate(e.arguments, 1)]
    return [own, replace(own, suffix="below", sign=-1.0)] if doubled else [own]


def _auxiliary(
    parts: Parts, name: str, e: t.Call | t.Reduction, binders: tuple[t.Binder, ...]
) -> str:
    """Declaration and rows of one function of variables, over the domain it depends on."""
    write = parts.write
    kind = e.function if isinstance(e, t.Call) else e.op
    with write.scope.opened(empty=True):
        over = indexing(write, binders)
    floor = " >= 0" if kind in ("abs", "norminf") else ""
    lines = [f"# {one_line(e.span.text)}", f"var {spaced(name, over)}{floor};"]
    lines += [_bound(parts, name, kind, c, binders) for c in _cases(e)]
    if parts.facts.ranges.get((e.span, kind)):
        lines += _attained(parts, name, kind, e, binders)
    return "\n".join(lines)


def _bound(parts: Parts, name: str, kind: str, c: _Case, binders: tuple[t.Binder, ...]) -> str:
    write = parts.write
    with write.scope.opened(empty=True):
        over = indexing(write, (*binders, *c.binders), c.guard)
        own = name + inside(write, (b.name for b in binders))
        formula = (MIN if kind == "min" else MAX).written({"y": own, "a": write.text(c.value, SUM)})
        return row_of(write, f"{name}_{c.suffix}", over, formula)


def _attained(
    parts: Parts, name: str, kind: str, e: t.Call | t.Reduction, binders: tuple[t.Binder, ...]
) -> list[str]:
    """A binary for each argument; the one that is chosen is attained."""
    write, side = parts.write, -1 if kind == "min" else 1
    gaps = _gaps(parts, e, binders, side)
    lines, picks = [], []
    for c, gap in zip(_cases(e), gaps, strict=True):
        pick, row = _attained_case(parts, name, c, binders, gap, side)
        lines += row
        with write.scope.opened(empty=True):
            indexing(write, binders)
            inner = indexing(write, c.binders, c.guard)
            at = inside(write, (b.name for b in (*binders, *c.binders)))
            picks.append(f"sum {inner} {pick}{at}" if inner else f"{pick}{at}")
    with write.scope.opened(empty=True):
        over = indexing(write, binders)
        lines.append(row_of(write, f"{name}_one", over, f"{' + '.join(picks)} = 1"))
    return lines


def _attained_case(
    parts: Parts,
    name: str,
    c: _Case,
    binders: tuple[t.Binder, ...],
    gap: np.ndarray,
    side: int,
) -> tuple[str, list[str]]:
    """The name of the binaries of some arguments; their declaration and their rows."""
    write, every = parts.write, (*binders, *c.binders)
    with write.scope.opened(empty=True):
        over = indexing(write, every, c.guard)
        at = inside(write, (b.name for b in every))
        pick, slack = (write.names.fresh(f"{name}_{w}_{c.suffix}") for w in ("pick", "gap"))
        names = {
            "y": name + inside(write, (b.name for b in binders)),
            "a": write.text(c.value, SUM),
            "s": slack + at,
            "z": pick + at,
        }
        formula = (MAX_ATTAINED if side > 0 else MIN_ATTAINED).written(names)
        text = row_of(write, f"{name}_attained_{c.suffix}", over, formula)
    _add_table(parts, slack, every, gap, over, GAP)
    return pick, [f"var {spaced(pick, over)} binary;", text]


def _add_table(
    parts: Parts,
    name: str,
    binders: tuple[t.Binder, ...],
    values: np.ndarray,
    over: str,
    doc: str = "",
) -> None:
    """Numbers in the data, one for each tuple of the binders, whose index set is `over`."""
    data, sorts = parts.write.data, tuple(b.element for b in binders)
    columns = data.index(parts.frame(binders), [b.name for b in binders], sorts)
    data.tables[name] = Table(columns, [plain(v) for v in values], sorts, NUMBER, doc)
    parts.domains[name] = over


def _gaps(
    parts: Parts, e: t.Call | t.Reduction, binders: tuple[t.Binder, ...], side: int
) -> list[np.ndarray]:
    """By how much each argument can miss the greatest (side 1) or least one (-1), proven."""
    outer = parts.frame(binders)
    best = np.full(outer.size, -np.inf)
    least_by_case = []
    for c in _cases(e):
        frame, rows = parts.write.data.evaluator.sets.expand(c.binders, c.guard, outer)
        low, high = parts.interval(c.argument, frame)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            message = "a function that must be attained, of variables without bounds,"
            raise refused(e, message, "give the variables bounds in their declaration")
        least, most = (low, high) if side * c.sign > 0 else (-high, -low)
        np.maximum.at(best, rows, most)
        least_by_case.append((rows, least))
    return [best[rows] - least for rows, least in least_by_case]


# ------------------------------------------- products with a binary factor


PRODUCT_ROWS = {
    "on_low": PRODUCT["on_lower"],
    "on_high": PRODUCT["on_upper"],
    "off_low": PRODUCT["off_lower"],
    "off_high": PRODUCT["off_upper"],
}
"""The rows of a product by how their names end, in the order in which they stand in a model."""


def _product(parts: Parts, e: t.Arithmetic) -> str:
    """The variable that is the product, or '' where it is stated as a product."""
    write = parts.write
    if max(e.left.degree, e.right.degree) > Degree.PIECEWISE:
        parts.curved = True
        return ""
    u, v = (e.left, e.right) if _is_binary(e.left) else (e.right, e.left)
    if not _is_binary(u):
        parts.curved = True
        return ""
    if u == v:
        return write.text(u)
    binders = context(write, e)
    key = "product", e
    if key not in parts.names:
        low, high = parts.interval(v, parts.frame(binders))
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            parts.curved = True
            return ""
        wish = "_times_".join(s.symbol.name for s in (u, v) if isinstance(s, t.At))
        wish = wish if _is_variable(v) else f"{wish}_product"
        parts.names[key] = write.names.fresh(wish)
        parts.derived.append(_product_rows(parts, parts.names[key], e, u, v, binders, low, high))
    return parts.names[key] + inside(write, (b.name for b in binders))


def _product_rows(
    parts: Parts,
    name: str,
    e: t.Arithmetic,
    u: t.Typed,
    v: t.Typed,
    binders: tuple[t.Binder, ...],
    low: np.ndarray,
    high: np.ndarray,
) -> str:
    write = parts.write
    with write.scope.opened(empty=True):
        over = indexing(write, binders)
        names = {
            "w": name + inside(write, (b.name for b in binders)),
            "b": write.text(u, SIGN),
            "x": write.text(v, SUM),
        }
        lines = [f"# {' '.join(e.span.text.split())}"]
        if _is_binary(v):
            lines.append(f"var {name} {over} >= 0, <= 1;")
            rows = PRODUCT_OF_BINARIES
        else:
            names["l"] = _end(parts, f"{name}_low", binders, low, over)
            names["u"] = _end(parts, f"{name}_high", binders, high, over)
            lines.append(f"var {name} {over};")
            rows = PRODUCT_ROWS
        for suffix, row in rows.items():
            head = f"s.t. {write.names.fresh(f'{name}_{suffix}')} {over}:"
            lines.append(statement(head, row.written(names)))
    return "\n".join(lines)


def _end(
    parts: Parts, wish: str, binders: tuple[t.Binder, ...], values: np.ndarray, over: str
) -> str:
    """A bound: a number where it is the same everywhere, else a parameter in the data."""
    write = parts.write
    if (values == values[0]).all():
        number = plain(values[0])
        return f"({number!r})" if number < 0 else repr(number)
    name = write.names.fresh(wish)
    _add_table(parts, name, binders, values, over)
    return name + inside(write, (b.name for b in binders))


def _is_variable(e: t.Typed) -> bool:
    return isinstance(e, t.At) and e.symbol.role is Role.VARIABLE


def _is_binary(e: t.Typed) -> bool:
    return isinstance(e, t.At) and e.symbol.role is Role.VARIABLE and e.symbol.kind == "binary"
