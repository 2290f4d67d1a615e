"""Functions of variables and products with a binary factor as variables of an AMPL model with rows.

Inequalities alone state a function where the objective and rows press the result against them;
elsewhere binaries choose the argument that is attained, with the arguments' proven ranges as big-M.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.lower import add_variables
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.reform.formulas import MAX, MAX_ATTAINED, MIN, MIN_ATTAINED, PRODUCT
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import NUMBER
from treemip.core.resolve.typed import Role
from treemip.writers.render.ampl.dialect import AmplDialect, indexing, inside
from treemip.writers.render.ampl.layout import spaced, statement
from treemip.writers.render.expressions import SIGN, SUM
from treemip.writers.render.reformulations import PRODUCT_OF_BINARIES, ReformFacts
from treemip.writers.render.tables import Table, plain
from treemip.writers.render.text import one_line, refused

Binders = tuple[t.Binder, ...]


def row_of(write: AmplDialect, wish: str, over: str, text: str) -> str:
    """Rows over a domain, by a name like the wish."""
    return statement(f"s.t. {spaced(write.names.fresh(wish), over)}:", text)


class Known:
    """What is known of domains: their tuples, ranges of expressions over them, tables.

    domains: index sets of the tables in the data file. local_values: sets of `let … in` by name.
    """

    def __init__(self, write: AmplDialect, facts: ReformFacts) -> None:
        self.write, self.facts = write, facts
        self.domains: dict[str, str] = {}
        self.local_values: dict[str, t.Typed] = {}
        self._symbolic: tuple[ModelBuilder, Evaluator] | None = None

    def frame(self, binders: Binders) -> Frame:
        """All index tuples of a domain."""
        plain = tuple(
            replace(b, set=self.local_values[b.set.name]) if isinstance(b.set, t.LocalSet) else b
            for b in binders
        )
        return self.write.data.evaluator.sets.expand(plain, (), Frame.empty())[0]

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

    def add_table(
        self, name: str, binders: Binders, values: np.ndarray, over: str, doc: str = ""
    ) -> None:
        """Numbers in the data, one for each tuple of the binders, whose index set is `over`."""
        data, sorts = self.write.data, tuple(b.element for b in binders)
        columns = data.index(self.frame(binders), [b.name for b in binders], sorts)
        data.tables[name] = Table(columns, [plain(v) for v in values], sorts, NUMBER, doc)
        self.domains[name] = over

    @contextmanager
    def over(self, binders: Binders, guard: tuple[t.Typed, ...] = ()) -> Iterator[tuple[str, str]]:
        """A scope of these indices alone: the domain as text, and the indices, `[i,t]`."""
        with self.write.scope.opened(empty=True):
            yield indexing(self.write, binders, guard), self.at(binders)

    def at(self, binders: Binders) -> str:
        return inside(self.write, (b.name for b in binders))


# ----------------------------------------- abs, max, min and norminf of variables

GAP = "by how much an argument can miss the one attained"


@dataclass(frozen=True)
class _Case:
    """Some of the arguments: `sign` times `argument`, for each tuple of the binders."""

    suffix: str
    argument: t.Typed
    sign: float = 1.0
    binders: Binders = ()
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


def function_rows(known: Known, name: str, e: t.Call | t.Reduction, binders: Binders) -> str:
    """The variable `name` that is a function of variables, with its rows, over its domain."""
    kind = e.function if isinstance(e, t.Call) else e.op
    with known.over(binders) as (over, _):
        head = f"var {spaced(name, over)}{' >= 0' if kind in ('abs', 'norminf') else ''};"
    lines, cases = [f"# {one_line(e.span.text)}", head], _cases(e)
    for c in cases:
        with known.over((*binders, *c.binders), c.guard) as (over, _):
            names = {"y": name + known.at(binders), "a": known.write.text(c.value, SUM)}
            formula = (MIN if kind == "min" else MAX).written(names)
            lines.append(row_of(known.write, f"{name}_{c.suffix}", over, formula))
    if known.facts.ranges.get((e.span, kind)):
        lines += _attained(known, name, -1 if kind == "min" else 1, e, cases, binders)
    return "\n".join(lines)


def _attained(
    known: Known, name: str, side: int, e: t.Typed, cases: list[_Case], binders: Binders
) -> list[str]:
    """A binary for each argument; the one that is chosen is attained. side: -1 for the least."""
    write, lines, picks = known.write, [], []
    for c, gap in zip(cases, _gaps(known, e, cases, binders, side), strict=True):
        every = (*binders, *c.binders)
        with known.over(every, c.guard) as (over, at):
            pick, slack = (write.names.fresh(f"{name}_{w}_{c.suffix}") for w in ("pick", "gap"))
            names = {"y": name + known.at(binders), "a": write.text(c.value, SUM)}
            names |= {"s": slack + at, "z": pick + at}
            formula = (MAX_ATTAINED if side > 0 else MIN_ATTAINED).written(names)
            row = row_of(write, f"{name}_attained_{c.suffix}", over, formula)
        known.add_table(slack, every, gap, over, GAP)
        lines += [f"var {spaced(pick, over)} binary;", row]
        with known.over(binders):
            inner = indexing(write, c.binders, c.guard)
            chosen = f"{pick}{known.at(every)}"
            picks.append(f"sum {inner} {chosen}" if inner else chosen)
    with known.over(binders) as (over, _):
        return [*lines, row_of(write, f"{name}_one", over, f"{' + '.join(picks)} = 1")]


def _gaps(
    known: Known, e: t.Typed, cases: list[_Case], binders: Binders, side: int
) -> list[np.ndarray]:
    """By how much each argument can miss the greatest (side 1) or least one (-1), proven."""
    outer = known.frame(binders)
    best = np.full(outer.size, -np.inf)
    least_by_case = []
    for c in cases:
        frame, rows = known.write.data.evaluator.sets.expand(c.binders, c.guard, outer)
        low, high = known.interval(c.argument, frame)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            message = "a function that must be attained, of variables without bounds,"
            raise refused(e, message, "give the variables bounds in their declaration")
        least, most = (low, high) if side * c.sign > 0 else (-high, -low)
        np.maximum.at(best, rows, most)
        least_by_case.append((rows, least))
    return [best[rows] - least for rows, least in least_by_case]


# ------------------------------------------------- products with a binary factor

PRODUCT_ROWS = {
    "on_low": PRODUCT["on_lower"],
    "on_high": PRODUCT["on_upper"],
    "off_low": PRODUCT["off_lower"],
    "off_high": PRODUCT["off_upper"],
}
"""The rows of a product by how their names end, in the order in which they stand in a model."""


def product_rows(
    known: Known,
    name: str,
    e: t.Arithmetic,
    factors: tuple[t.Typed, t.Typed],
    binders: Binders,
    ends: tuple[np.ndarray, np.ndarray],
) -> str:
    """The variable `name` that is a product, with its rows. factors: the binary and the other one,
    which is within `ends`."""
    write, (u, v) = known.write, factors
    with known.over(binders) as (over, at):
        names = {"w": name + at, "b": write.text(u, SIGN), "x": write.text(v, SUM)}
        rows, limits = PRODUCT_OF_BINARIES, " >= 0, <= 1"
        if not is_binary(v):
            names["l"] = _end(known, f"{name}_low", binders, ends[0], over)
            names["u"] = _end(known, f"{name}_high", binders, ends[1], over)
            rows, limits = PRODUCT_ROWS, ""
        lines = [f"# {' '.join(e.span.text.split())}", f"var {name} {over}{limits};"]
        for suffix, row in rows.items():
            head = f"s.t. {write.names.fresh(f'{name}_{suffix}')} {over}:"
            lines.append(statement(head, row.written(names)))
    return "\n".join(lines)


def _end(known: Known, wish: str, binders: Binders, values: np.ndarray, over: str) -> str:
    """A bound: a number where it is the same everywhere, else a parameter in the data."""
    if (values == values[0]).all():
        number = plain(values[0])
        return f"({number!r})" if number < 0 else repr(number)
    name = known.write.names.fresh(wish)
    known.add_table(name, binders, values, over)
    return name + known.at(binders)


def is_variable(e: t.Typed) -> bool:
    return isinstance(e, t.At) and e.symbol.role is Role.VARIABLE


def is_binary(e: t.Typed) -> bool:
    return isinstance(e, t.At) and is_variable(e) and e.symbol.kind == "binary"
