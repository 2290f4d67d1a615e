"""Products with a binary factor as variables with four rows, after McCormick (1976)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.resolve import typed as t
from treemip.resolve.sorts import NUMBER, Degree
from treemip.resolve.typed import Role
from treemip.scripts.ampl.indexing import context, indexing, inside
from treemip.scripts.ampl.layout import statement
from treemip.scripts.expressions import SIGN, SUM
from treemip.scripts.tables import Table, plain

if TYPE_CHECKING:
    from treemip.scripts.ampl.parts import Parts


def product(parts: Parts, e: t.Arithmetic) -> str:
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
        parts.derived.append(_rows(parts, parts.names[key], e, u, v, binders, low, high))
    return parts.names[key] + inside(write, (b.name for b in binders))


def _rows(
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
        own = name + inside(write, (b.name for b in binders))
        on, other = write.text(u, SIGN), write.text(v, SUM)
        lines = [f"# {' '.join(e.span.text.split())}"]
        if _is_binary(v):
            lines.append(f"var {name} {over} >= 0, <= 1;")
            ends = [("first", f"<= {on}"), ("second", f"<= {other}")]
            ends.append(("both", f">= {on} + {other} - 1"))
        else:
            least = _end(parts, f"{name}_low", binders, low, over)
            most = _end(parts, f"{name}_high", binders, high, over)
            lines.append(f"var {name} {over};")
            ends = [
                ("on_low", f">= {least} * {on}"),
                ("on_high", f"<= {most} * {on}"),
                ("off_low", f">= {other} - {most} * (1 - {on})"),
                ("off_high", f"<= {other} - {least} * (1 - {on})"),
            ]
        for suffix, row in ends:
            head = f"s.t. {write.names.fresh(f'{name}_{suffix}')} {over}:"
            lines.append(statement(head, f"{own} {row}"))
    return "\n".join(lines)


def _end(
    parts: Parts, wish: str, binders: tuple[t.Binder, ...], values: np.ndarray, over: str
) -> str:
    """A bound as a number where it is everywhere the same, else as a parameter in the data."""
    write = parts.write
    if (values == values[0]).all():
        number = plain(values[0])
        return f"({number!r})" if number < 0 else repr(number)
    name = write.names.fresh(wish)
    sorts = tuple(b.element for b in binders)
    columns = write.known.index(parts.frame(binders), [b.name for b in binders], sorts)
    write.known.tables[name] = Table(columns, [plain(v) for v in values], sorts, NUMBER)
    parts.domains[name] = over
    return name + inside(write, (b.name for b in binders))


def _is_variable(e: t.Typed) -> bool:
    return isinstance(e, t.At) and e.symbol.role is Role.VARIABLE


def _is_binary(e: t.Typed) -> bool:
    return isinstance(e, t.At) and e.symbol.role is Role.VARIABLE and e.symbol.kind == "binary"
