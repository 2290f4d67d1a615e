"""Families of rows that are left out: by `drop`, `drop … when` and `drop … unless`.

Some rows of a paper hold for the optima of its own objective only, such as OCT's (21), which
makes every label its leaf's majority. A formulation says which concept they restrict; where the
objective or a spec's own rows depend on that concept, they give way.

Other rows are not needed as long as nothing presses a variable away from what it means: `uses`
is 1 wherever a coefficient is not 0, and being dear it is 0 elsewhere. Where a spec asks for larger
values, rows that bound it from above come in. Which way a spec presses is known once there are
numbers (`reform.pressed`), so `pressed` is empty at first.
"""

from __future__ import annotations

from collections.abc import Iterator

from treemip.frozen import dataclass
from treemip.resolve.link import Linker
from treemip.resolve.modules import statements
from treemip.resolve.spec import Constraint, ObjectiveSpec, Press
from treemip.resolve.symbols import Role, Symbol
from treemip.resolve.typed import At, Typed
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax import nodes as n


@dataclass(frozen=True)
class Kept:
    """The constraints that no `drop` takes away.

    `watched`: the (variable, way) that would bring families back, "rises" or "falls".
    `called_back`: the families that did come back.
    """

    constraints: tuple[Constraint, ...]
    watched: frozenset[Press]
    called_back: frozenset[str]


def kept(
    linker: Linker,
    constraints: tuple[Constraint, ...],
    objective: ObjectiveSpec | None,
    pressed: frozenset[Press] = frozenset(),
) -> Kept:
    """What is left of the constraints where the spec presses variables as `pressed` says.

    Reports E214 and E201 for unknown names, E204 for a name after `unless` that is no variable.
    """
    spoken_of = _spoken_of(linker, constraints, objective)
    gone: set[str] = set()
    watched: set[Press] = set()
    back: set[str] = set()
    for drop in _drops(linker):
        _check(drop, constraints, linker)
        conditions = {(press.name, press.way) for press in drop.unless}
        if drop.unless and not pressed.isdisjoint(conditions):
            back.update(drop.names)
        elif not drop.when or not spoken_of.isdisjoint(drop.when):
            gone.update(drop.names)
            watched |= conditions
    remaining = tuple(c for c in constraints if c.name not in gone)
    return Kept(remaining, frozenset(watched), frozenset(back - gone))


def _drops(linker: Linker) -> Iterator[n.Drop]:
    """Those of all modules, and of the concept defaults that were brought in."""
    for _, drop in statements(linker.modules, n.Drop):
        assert isinstance(drop, n.Drop)
        yield drop
    for concept, _ in linker.brought_in:
        assert isinstance(concept.default, tuple)
        yield from (s for s in concept.default if isinstance(s, n.Drop))


def _check(drop: n.Drop, constraints: tuple[Constraint, ...], linker: Linker) -> None:
    names = [c.name for c in constraints]
    for name, span in zip(drop.names, drop.name_spans, strict=True):
        if name not in names:
            hint = did_you_mean(name, names)
            remedy = "" if hint else f"the constraints are {listed(names)}"
            linker.report.error("E214", f"there is no constraint '{name}'", span, remedy, hint)
    for name, span in zip(drop.when, drop.when_spans, strict=True):
        if not linker.declares(name):
            known = [k for m in linker.modules for k in (*m.declarations, *m.concepts)]
            hint = did_you_mean(name, known)
            linker.report.error("E201", f"unknown name '{name}'", span, caret=hint)
    for press in drop.unless:
        symbol = linker.symbols.get(press.name)
        if symbol is None or symbol.role is not Role.VARIABLE:
            message = f"only a variable rises or falls, and '{press.name}' is none"
            linker.report.error("E204", message, press.span)


def _spoken_of(
    linker: Linker, constraints: tuple[Constraint, ...], objective: ObjectiveSpec | None
) -> set[str]:
    """Names of all that the objective and the spec's own rows depend on, however indirectly."""
    source = linker.modules[0].file.span.source
    found: dict[Symbol, None] = {}
    for c in constraints:
        if source in (c.span.source, c.used_from.source if c.used_from else None):
            for part in _parts(c):
                _gather(part, found)
    if objective is not None:
        _gather(objective.value, found)
    return {symbol.name for symbol in found}


def _parts(c: Constraint) -> Iterator[Typed]:
    yield c.relation.left
    yield c.relation.right
    for part in (c.relation.right2, c.guard):
        if part is not None:
            yield part


def _gather(expression: Typed, found: dict[Symbol, None]) -> None:
    if isinstance(expression, At) and expression.symbol not in found:
        symbol = expression.symbol
        found[symbol] = None
        extended = symbol.extension.value if symbol.extension is not None else None
        for behind in (symbol.value, extended):
            if behind is not None:
                _gather(behind, found)
    for part in expression.inside:
        _gather(part, found)
