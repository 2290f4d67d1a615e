"""Index sets: `{i in points, t in branches : t <> root}`, bound or in scope already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.scripts.expressions import AND, SUM, Said
from treemip.scripts.refusal import refused

if TYPE_CHECKING:
    from treemip.scripts.ampl.tables import AmplTables


def indexing(
    write: AmplTables, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...] = ()
) -> str:
    """The domain as text, '' where there is none; what it binds stays in scope."""
    parts, conditions = [], [write.written(c) for c in guard if write.settled(c) is None]
    for k, b in enumerate(binders):
        later = any(b.name in other.set.free for other in binders[k + 1 :])
        if b.conditions and later:  # the sets after this one are for what passes only
            over = write.parts.named_set(t.Comprehension(binder=b, span=b.set.span))
        else:
            over = write.text(b.set, SUM)
        name = write.scope.bind(b.name, b.element, b)
        parts.append(f"{name} in {over}")
        if b.conditions and not later:
            conditions += [write.written(c) for c in b.conditions if write.settled(c) is None]
    if not parts and conditions:
        parts = ["1..1"]
    return f"{{{', '.join(parts)}{_where(conditions)}}}" if parts else ""


def _where(conditions: list[Said]) -> str:
    """` : a and b`, with brackets where they are needed."""
    if len(conditions) < 2:
        return "".join(f" : {said}" for said, _ in conditions)
    return " : " + " and ".join(s if binds >= AND else f"({s})" for s, binds in conditions)


def context(write: AmplTables, e: t.Typed) -> tuple[t.Binder, ...]:
    """The binders in scope that an expression depends on, in order, with those that these need.

    Raises E601 where it depends on a name that no set binds, as the parameters of terms are.
    """
    found = write.scope.binders
    wanted, new = set[str](), set(e.free)
    while new:
        wanted |= new
        unknown = new - set(found)
        if unknown:
            raise refused(e, f"an expression of '{min(unknown)}' that needs a name of its own")
        new = set[str]().union(*(_mentioned(found[n]) for n in new)) - wanted
    return tuple(b for name, b in found.items() if name in wanted)


def _mentioned(b: t.Binder) -> frozenset[str]:
    names = b.set.free.union(*(c.free for c in b.conditions))
    return names - {b.name}


def inside(write: AmplTables, names: Iterable[str]) -> str:
    """`[i,t]`, or nothing."""
    said = ",".join(write.scope[n] for n in names)
    return f"[{said}]" if said else ""
