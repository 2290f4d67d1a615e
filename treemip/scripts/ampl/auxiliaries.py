"""abs, max, min and norminf of variables as variables with rows.

Inequalities alone are exact where every use of the result presses it the right way; elsewhere
binaries choose the argument that is attained, with the arguments' proven ranges as big-M.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treemip.resolve import typed as t
from treemip.resolve.sorts import NUMBER
from treemip.scripts.ampl.indexing import indexing, inside
from treemip.scripts.ampl.layout import spaced, statement
from treemip.scripts.expressions import SIGN, SUM
from treemip.scripts.heading import one_line
from treemip.scripts.refusal import refused
from treemip.scripts.tables import Table, plain

if TYPE_CHECKING:
    from treemip.scripts.ampl.parts import Parts

GAP = "by how much an argument can miss the one attained"


@dataclass(frozen=True)
class Case:
    """Some of the arguments: `sign` times `argument`, for each tuple of the binders."""

    suffix: str
    argument: t.Typed
    sign: float = 1.0
    binders: tuple[t.Binder, ...] = ()
    guard: tuple[t.Typed, ...] = ()


def cases(e: t.Call | t.Reduction) -> list[Case]:
    if isinstance(e, t.Reduction):
        own = Case("above", e.body, 1.0, e.binders, e.guard)
        doubled = e.op == "norminf"
    elif e.function == "abs":
        own, doubled = Case("above", e.arguments[0]), True
    else:
        return [Case(f"above_{k}", a) for k, a in enumerate(e.arguments, 1)]
    return [own, replace(own, suffix="below", sign=-1.0)] if doubled else [own]


def text(parts: Parts, name: str, e: t.Call | t.Reduction, binders: tuple[t.Binder, ...]) -> str:
    """Declaration and rows of one function of variables, over the domain it depends on."""
    write = parts.write
    kind = e.function if isinstance(e, t.Call) else e.op
    with write.scope.opened(empty=True):
        over = indexing(write, binders)
    floor = " >= 0" if kind in ("abs", "norminf") else ""
    lines = [f"# {one_line(e.span.text)}", f"var {spaced(name, over)}{floor};"]
    lines += [_bound(parts, name, kind, c, binders) for c in cases(e)]
    if parts.decided.ranges.get((e.span, kind)):
        lines += _attained(parts, name, kind, e, binders)
    return "\n".join(lines)


def _bound(parts: Parts, name: str, kind: str, c: Case, binders: tuple[t.Binder, ...]) -> str:
    write = parts.write
    with write.scope.opened(empty=True):
        over = indexing(write, (*binders, *c.binders), c.guard)
        own = name + inside(write, (b.name for b in binders))
        row, sign = write.names.fresh(f"{name}_{c.suffix}"), "<=" if kind == "min" else ">="
        return statement(f"s.t. {spaced(row, over)}:", f"{own} {sign} {_said(parts, c)}")


def _said(parts: Parts, c: Case) -> str:
    if c.sign > 0:
        return parts.write.text(c.argument, SUM)
    return f"-{parts.write.text(c.argument, SIGN)}"


def _attained(
    parts: Parts, name: str, kind: str, e: t.Call | t.Reduction, binders: tuple[t.Binder, ...]
) -> list[str]:
    """A binary for each argument; the one that is chosen is attained."""
    write, side = parts.write, -1.0 if kind == "min" else 1.0
    gaps = _gaps(parts, e, binders, side)
    lines, picks = [], []
    for c, gap in zip(cases(e), gaps, strict=True):
        every = (*binders, *c.binders)
        with write.scope.opened(empty=True):
            over = indexing(write, every, c.guard)
            at = inside(write, (b.name for b in every))
            pick, slack = (write.names.fresh(f"{name}_{w}_{c.suffix}") for w in ("pick", "gap"))
            own = name + inside(write, (b.name for b in binders))
            sign, plus = ("<=", "+") if side > 0 else (">=", "-")
            row = write.names.fresh(f"{name}_attained_{c.suffix}")
            end = f"{_said(parts, c)} {plus} {slack}{at} * (1 - {pick}{at})"
            lines += [f"var {spaced(pick, over)} binary;"]
            lines += [statement(f"s.t. {spaced(row, over)}:", f"{own} {sign} {end}")]
            parts.domains[slack] = over
        frame = parts.frame(every)
        sorts = tuple(b.element for b in every)
        columns = write.known.index(frame, [b.name for b in every], sorts)
        write.known.tables[slack] = Table(columns, [plain(v) for v in gap], sorts, NUMBER, GAP)
        with write.scope.opened(empty=True):
            indexing(write, binders)
            inner = indexing(write, c.binders, c.guard)
            at = inside(write, (b.name for b in every))
            picks.append(f"sum {inner} {pick}{at}" if inner else f"{pick}{at}")
    with write.scope.opened(empty=True):
        row = write.names.fresh(f"{name}_one")
        over = indexing(write, binders)
        lines.append(statement(f"s.t. {spaced(row, over)}:", f"{' + '.join(picks)} = 1"))
    return lines


def _gaps(
    parts: Parts, e: t.Call | t.Reduction, binders: tuple[t.Binder, ...], side: float
) -> list[np.ndarray]:
    """By how much each argument can miss the greatest (side 1) or least one (-1), proven."""
    outer = parts.frame(binders)
    best = np.full(outer.size, -np.inf)
    found = []
    for c in cases(e):
        frame, rows = parts.write.known.evaluator.sets.expand(c.binders, c.guard, outer)
        low, high = parts.interval(c.argument, frame)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            message = "a function that must be attained, of variables without bounds,"
            raise refused(e, message, "give the variables bounds in their declaration")
        least, most = (low, high) if side * c.sign > 0 else (-high, -low)
        np.maximum.at(best, rows, most)
        found.append((rows, least))
    return [best[rows] - least for rows, least in found]
