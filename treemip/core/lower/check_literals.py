"""Texts that name elements, held against the data without building a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treemip.core.instance.encoded_table import Data
from treemip.core.instance.instance import Instance
from treemip.core.lower.error_context import used_from
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Nothing
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Constraint, Spec
from treemip.core.resolve.typed import Role, Symbol, TypedDomain
from treemip.core.resolve.typed_tables import Key
from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.core.source.span import Span


def check_literals(spec: Spec, data: Data | None) -> list[Diagnostic]:
    """E309 for each text that names no class, feature, group value, column, category or point.

    In the order of the text. Finds what lowering would find, and also what it would skip: names in
    cuts that are not chosen, in a `let` that nothing mentions, in the branch of an `if` that is not
    taken. A `term` counts where it is mentioned.
    """
    if data is None:
        return []
    evaluator, report = Evaluator(Instance(spec, data, None), Nothing()), Report()
    for place, expressions in _statements(spec):
        for naming in _namings(expressions):
            try:
                with used_from(place):
                    if isinstance(naming, Key):
                        evaluator.places.elements(naming)
                    else:
                        evaluator.evaluate(naming, Frame.empty())
            except TreemipError as error:
                report.diagnostics += [d for d in error.diagnostics if d not in report.diagnostics]
    return sorted(report.errors, key=lambda d: d.span.start if d.span else 0)


def _namings(expressions: Iterable[t.Typed]) -> Iterator[t.Typed]:
    """Texts, keys of tables, and points by their row: what the data alone give a value."""
    waiting = list(expressions)
    while waiting:
        e = waiting.pop()
        if isinstance(e, t.Literal | Key) or _is_row(e):
            yield e
        waiting.extend(e.inside)
        if isinstance(e, t.At) and e.symbol.role is Role.TERM and e.symbol.value is not None:
            waiting.append(e.symbol.value)


def _is_row(e: t.Typed) -> bool:
    return isinstance(e, t.Call) and e.function == "point" and isinstance(e.arguments[0], t.Const)


def _statements(spec: Spec) -> Iterator[tuple[Span, list[t.Typed]]]:
    """Each statement's place, as lowering names it, with its expressions."""
    declared = (*spec.parameters, *spec.sets, *spec.trees, *spec.variables, *spec.lets)
    for symbol in (*declared, *spec.concepts.values()):
        for each in (symbol, symbol.means, symbol.extension):
            if each is not None:
                yield each.span or spec.file.span, _of_symbol(each)
    for constraint in (*spec.constraints, *spec.cuts):
        yield constraint.used_from or constraint.name_span, _of_constraint(constraint)
    for objective in spec.objective.in_turn if spec.objective is not None else ():
        yield objective.value.span, [objective.value]
    for requirement in spec.requirements:
        yield requirement.span, [requirement.condition, *_of_domain(requirement.domain)]
    if spec.route is not None:
        route = spec.route
        yield route.span, [e for e in (route.left, route.right, route.probability) if e]
    if spec.predict is not None:
        yield spec.predict.span, [spec.predict.value]


def _of_symbol(symbol: Symbol) -> list[t.Typed]:
    own = [] if symbol.value is None else [symbol.value]
    return [*own, *(bound for _, bound in symbol.bounds), *_of_domain(symbol.domain)]


def _of_constraint(constraint: Constraint) -> list[t.Typed]:
    big_m = [] if constraint.big_m is None else [constraint.big_m]
    sets = [each for _, each in constraint.local_sets]
    return [*constraint.sides, *big_m, *sets, *_of_domain(constraint.domain)]


def _of_domain(domain: TypedDomain) -> list[t.Typed]:
    return [*domain.guard, *(e for b in domain.binders for e in (b.set, *b.conditions))]
