"""Objective, requirements and families of rows, and which families a `drop` leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from treemip.core.resolve.circles import closure, symbols_in
from treemip.core.resolve.declare import Declarations
from treemip.core.resolve.link import Linker, Scope
from treemip.core.resolve.modules import SPEC, Module, statements_of
from treemip.core.resolve.resolver import Resolver, check_free, resolve_domain
from treemip.core.resolve.sorts import NUMBER, Degree, SetOf
from treemip.core.resolve.spec import Constraint, Guard, ObjectiveSpec, Press, Relation, Requirement
from treemip.core.resolve.typed import LocalSet, Role, Symbol, Typed
from treemip.core.source.diagnostic import Edit, Fault, Fix, Related, Report
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import mark_span, word_span


def constraint(resolver: Resolver, node: n.Constraint, module: str) -> Constraint:
    """A family of rows with its domain, local sets, guard and relation."""
    if isinstance(node.body, n.Asked):
        message = f"'{node.body.module.text}' is asked for under the `subject to` of a text"
        raise Fault("E209", message, node.body.span, "not by a cut, nor by a concept's default")
    domain, scope = resolve_domain(resolver, node.domain, Scope())
    body, local_sets = node.body, []
    while isinstance(body, n.LocalSet):
        members = resolver.set(body.set, scope)
        place = word_span(body.span, body.name, 1)
        check_free(body.name, place, scope)
        assert isinstance(members.sort, SetOf)
        local = LocalSet(name=body.name, of=members.sort, depends=members.free, span=body.span)
        scope = scope.with_local(local, place)
        resolver.linker.note(body.name, place, "local set", place, members.sort)
        local_sets.append((body.name, members))
        body = body.body
    guards: tuple[Guard, ...] = ()
    method, big_m = "", None
    if isinstance(body, n.Implication):
        guards = tuple(_guard(resolver, guard, scope) for guard in body.guards)
        method, big_m = _method(resolver, body, scope)
        body = body.body
    return Constraint(
        name=node.name,
        tag=node.tag,
        domain=domain,
        local_sets=tuple(local_sets),
        relation=_relation(resolver, body, scope),
        guards=guards,
        method=method,
        big_m=big_m,
        span=node.span,
        name_span=node.name_span,
        module=module,
    )


def _relation(resolver: Resolver, node: n.Relation, scope: Scope) -> Relation:
    for op in (node.op, node.op2):
        if op in ("<", ">", "!="):
            place = mark_span(node.span, (node.left.span, (node.right2 or node.right).span), (op,))
            remedy = (
                "solvers accept only <=, >= and =; a strict side needs an epsilon: a + eps <= b"
                if op != "!="
                else "solvers accept only <=, >= and =; conditions belong after ':' in the domain"
            )
            raise Fault("E206", f"a row cannot be '{op}'", place, remedy)
    parts = [_row_side(resolver, p, scope) for p in (node.left, node.right, node.right2) if p]
    if node.op2 is not None and (node.op2 != node.op or node.op == "="):
        assert node.right2 is not None
        place = mark_span(node.span, (node.right.span, node.right2.span), (node.op2,))
        raise Fault("E206", "the two relations of a row must both be <= or both >=", place)
    right2 = parts[2] if node.op2 else None
    return Relation(parts[0], node.op, parts[1], node.op2, right2, node.span)


def _row_side(resolver: Resolver, node: n.Expr, scope: Scope) -> Typed:
    side = resolver.number(node, scope)
    if side.degree is Degree.READOUT:
        message = "argmax, round and descend are read from a solution and cannot be used in a row"
        raise Fault("E206", message, node.span)
    return side


def _guard(resolver: Resolver, node: n.Guard, scope: Scope) -> Guard:
    guard = resolver.number(node.left, scope)
    value = resolver.known(node.value, scope, "the value of an implication's left side")
    if node.op != "=" or guard.degree is not Degree.AFFINE:
        equation = node.op == "="
        raise Fault(
            "E206",
            "the left side of '==>' must set a binary expression equal to 0 or 1"
            + (f", but this is {guard.degree}" if equation else ""),
            node.left.span
            if equation
            else mark_span(node.span, (node.left.span, node.value.span), (node.op,)),
            "write  = 0  for  != 1,  and  = 1  for  != 0"
            if node.op == "!="
            else "for example reach[i,left(t)] = 1 ==> …",
            fix=_other_value(node) if node.op == "!=" else None,
        )
    return Guard(guard, value, node.span)


BARE = ("indicator", "sos1")
"""Ways to state an implication that take no argument."""


def _method(resolver: Resolver, node: n.Implication, scope: Scope) -> tuple[str, Typed | None]:
    if node.method is None:
        return "", None
    if node.method == "big_m" and node.argument is not None:
        big_m = resolver.known(node.argument, scope, "a big-M")
        if big_m.sort != NUMBER:
            raise Fault("E204", f"a big-M is a number, not {big_m.sort}", node.argument.span)
        return "big_m", big_m
    if node.method in BARE and node.argument is None:
        return node.method, None
    known = {"big_m": "'big_m' needs a number"}
    known |= {method: f"'{method}' takes no argument" for method in BARE}
    behind = Span(node.span.source, node.body.span.end, node.span.end)
    message = known.get(node.method, f"unknown method '{node.method}' for an implication")
    remedy = (
        "write by big_m(M), by indicator, by sos1, or leave it out for the tightest proven big-M"
    )
    raise Fault("E206", message, word_span(behind, node.method), remedy)


def objective(resolver: Resolver, node: n.Objective) -> ObjectiveSpec:
    value = _row_side(resolver, node.value, Scope())
    then = tuple(objective(resolver, later) for later in node.then)
    name = node.name or "objective"
    if then and node.span.source != resolver.linker.modules[0].file.span.source:
        message = "objectives in turn belong into a spec, not into a formulation"
        raise Fault("E209", message, node.span, "leave the first one here")
    return ObjectiveSpec(node.sense, name, node.tag, value, node.span, then)


def requirement(resolver: Resolver, node: n.Requires) -> Requirement:
    domain, scope = resolve_domain(resolver, node.domain, Scope())
    condition = resolver.condition(node.condition, scope)
    return Requirement(domain, condition, node.message, node.word == "advise", node.span)


# ------------------------------------------------------------------------- families of all modules


def _other_value(node: n.Guard) -> Fix | None:
    """`= 0` for `!= 1`, and `= 1` for `!= 0`."""
    other = {"0": "1", "1": "0"}.get(node.value.span.text)
    place = mark_span(node.span, (node.left.span, node.value.span), (node.op,))
    if other is None or place == node.span:
        return None
    edits = (Edit(place, "="), Edit(node.value.span, other))
    return Fix(f"write `= {other}`", edits)


def constraints(resolver: Resolver) -> list[Constraint]:
    """The rows of formulation and spec, in this order; of each, those of its own text go before
    those of the modules that it uses."""
    modules = resolver.linker.modules
    ordered = sorted(modules, key=lambda m: m.owner == SPEC)
    subjects = statements_of(ordered, n.Subject)
    return [c for m, subject in subjects for c in _rows(resolver, subject.constraints, m)]


def cuts(resolver: Resolver) -> tuple[Constraint, ...]:
    """Families that are added when a strategy or the caller asks for them."""
    found = statements_of(resolver.linker.modules, n.Cut)
    return tuple(c for m, cut in found for c in _rows(resolver, (cut.constraint,), m))


def _rows(resolver: Resolver, nodes: Iterable[n.Constraint], m: Module) -> list[Constraint]:
    rows = resolver.linker.attempt_each(nodes, lambda node: constraint(resolver, node, m.owner))
    return [replace(row, asked_as=m.asked_as) for row in rows] if m.asked_as else rows


def default_rows(declarations: Declarations) -> list[Constraint]:
    """Rows of the concept defaults that were brought in; they may bring in others."""
    linker = declarations.linker
    vocabulary = linker.modules[-1]
    families: list[Constraint] = []
    done = 0
    while done < len(linker.brought_in):
        concept, span = linker.brought_in[done]
        done += 1
        assert isinstance(concept.default, tuple)
        linker.in_progress.append((concept.name, span))
        for statement in concept.default:
            if isinstance(statement, n.Subject):
                rows = _rows(declarations.resolver, statement.constraints, vocabulary)
                families += [replace(c, used_from=span) for c in rows]
        linker.in_progress.pop()
        declarations.fill_in()
    return families


def check_names(families: Iterable[Constraint], report: Report) -> None:
    """No two families, of rows or cuts, have the same name. Reports E202."""
    seen: dict[str, Constraint] = {}
    for c in families:
        if c.name in seen:
            message = f"two constraints are named '{c.name}'"
            related = (Related(seen[c.name].name_span, "the other one is here"),)
            report.error("E202", message, c.name_span, "choose another name", related=related)
        seen.setdefault(c.name, c)


# ------------------------------------------------------------------------------- families left out


@dataclass(frozen=True)
class RemainingRows:
    """The constraints that no `drop` takes away.

    `watched`: the (variable, way) that would bring families back, "rises" or "falls".
    `called_back`: the families that did come back.
    """

    constraints: tuple[Constraint, ...]
    watched: frozenset[Press]
    called_back: frozenset[str]


def without_dropped(
    linker: Linker,
    constraints: tuple[Constraint, ...],
    objective: ObjectiveSpec | None,
    pressed: frozenset[Press] = frozenset(),
) -> RemainingRows:
    """The constraints without those that `drop`, `drop … when` and `drop … unless` leave out.

    Some rows of a paper hold for the optima of its own objective only, such as OCT's (21), which
    makes every label its leaf's majority. A formulation says which concept they restrict; where
    the objective or a spec's own rows depend on that concept, they are dropped (`when`).

    Other rows are needed only where something pushes a variable away from what it means: `uses`
    is 1 wherever a coefficient is not 0 and costs something, so it is 0 elsewhere. Where a spec
    asks for larger values, rows that bound it from above come in (`unless`). Which way a spec
    pushes is known once there are numbers (`needed_rows.pressed`), so `pressed` is empty at first.

    Reports E214 and E201 for unknown names, E204 for a name after `unless` that is no variable.
    """
    mentioned = _mentioned_by_spec(linker, constraints, objective)
    gone: set[str] = set()
    watched: set[Press] = set()
    back: set[str] = set()
    for drop in _drops(linker):
        _check(drop, constraints, linker)
        conditions = {(press.name, press.way) for press in drop.unless}
        if drop.unless and not pressed.isdisjoint(conditions):
            back.update(drop.names)
        elif not drop.when or not mentioned.isdisjoint(drop.when):
            gone.update(drop.names)
            watched |= conditions
    remaining = tuple(c for c in constraints if c.name not in gone)
    return RemainingRows(remaining, frozenset(watched), frozenset(back - gone))


def _drops(linker: Linker) -> Iterator[n.Drop]:
    """Those of all modules, and of the concept defaults that were brought in."""
    yield from (drop for _, drop in statements_of(linker.modules, n.Drop))
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
        linker.note_declared(name, span)
        if not linker.declares(name):
            known = [k for m in linker.modules for k in (*m.declarations, *m.concepts)]
            hint = did_you_mean(name, known)
            linker.report.error("E201", f"unknown name '{name}'", span, caret=hint)
    for press in drop.unless:
        linker.note_declared(press.name, press.span)
        symbol = linker.symbols.get(press.name)
        if symbol is None or symbol.role is not Role.VARIABLE:
            message = f"'{press.name}' is not a variable; only variables can rise or fall"
            linker.report.error("E204", message, press.span)


def _mentioned_by_spec(
    linker: Linker, constraints: tuple[Constraint, ...], objective: ObjectiveSpec | None
) -> set[str]:
    """Names that the objective and the spec's own rows depend on, directly or not."""
    own = [
        c
        for c in constraints
        if c.module == SPEC or (c.used_from and linker.owner(c.used_from) == SPEC)
    ]
    parts = [side for c in own for side in c.sides]
    parts += [] if objective is None else [one.value for one in objective.in_turn]
    symbols = [symbol for part in parts for symbol in symbols_in(part)]
    return {symbol.name for symbol in closure(symbols, _mentioned_by)}


def _mentioned_by(symbol: Symbol) -> list[Symbol]:
    extended = None if symbol.extension is None else symbol.extension.value
    return symbols_in(symbol.value) + symbols_in(extended)
