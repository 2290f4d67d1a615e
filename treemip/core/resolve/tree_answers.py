"""The decoded tree's own answers, `routed` and `given_…`: which tables there are, and where they
can stand."""

from __future__ import annotations

from collections.abc import Iterable

from treemip.core.resolve.builtins import GIVEN, is_only_on_a_tree
from treemip.core.resolve.link import Linker
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.sorts import is_group, is_listed
from treemip.core.resolve.spec import (
    Constraint,
    ObjectiveSpec,
    PredictSpec,
    Requirement,
    RouteSpec,
)
from treemip.core.resolve.typed import At, Role, Symbol, Typed, TypedDomain, in_binders, walk
from treemip.core.source.diagnostic import Diagnostic, Fix, Related
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n


def check_given(linker: Linker, predict: PredictSpec | None) -> None:
    """A table such as `given_actions[l,a]` is of what the leaves predict.

    Reports E206: the table of anything else is unknown on every tree.
    """
    if predict is None:
        return
    for symbol in [s for s in linker.symbols.values() if s is not None and s.module == SPEC]:
        means = None if symbol.means is None else symbol.means.value
        for e in (e for e in (symbol.value, means) if e is not None):
            wrong = next((g for g in _given_in(e) if g.symbol.sorts[-1] != predict.over), None)
            if wrong is not None:
                linker.report.add(_not_predicted(wrong, predict))
                return


def _given_in(e: Typed) -> list[At]:
    """Tables of the leaves' own answers over the values of a group or the elements of a set."""
    tables = (one for one in walk(e) if isinstance(one, At) and one.symbol.role is Role.DATA)
    own = (table for table in tables if table.symbol.name.startswith(GIVEN))
    return [t for t in own if is_group(t.symbol.sorts[-1]) or is_listed(t.symbol.sorts[-1])]


def _not_predicted(given: At, predict: PredictSpec) -> Diagnostic:
    name, index = given.symbol.name, given.arguments[-1].span.text
    message = f"'{name}' is unknown on the tree: its leaves predict {predict.words}"
    of = name.removeprefix(GIVEN)
    over = f"values({of})" if is_group(given.symbol.sorts[-1]) else of
    remedy = f"write  predict class argmax {{{index} in {over}}} …;"
    related = (Related(predict.span, "predicted here"),)
    return Diagnostic("E206", message, given.span, remedy, related=related)


def check_only_in_meanings(
    linker: Linker,
    rows: Iterable[Constraint],
    objective: ObjectiveSpec | None,
    requirements: Iterable[Requirement],
    rules: Iterable[RouteSpec | PredictSpec | None],
) -> None:
    """Report (E206) answers of the decoded tree in what is stated before there is one."""
    stated = [e for row in rows for e in _of_row(row)]
    stated += [one.value for one in objective.in_turn] if objective is not None else []
    stated += [e for one in requirements for e in (*_of_domain(one.domain), one.condition)]
    stated += [e for rule in rules if rule is not None for e in _of_rule(rule)]
    for symbol in [s for s in linker.symbols.values() if s is not None]:
        stated += _of_domain(symbol.domain)
        stated += [bound for _, bound in symbol.bounds]
        if symbol.role in (Role.PARAMETER, Role.SET, Role.TREE) and symbol.value is not None:
            stated.append(symbol.value)
    for answer in _answers_in(stated):
        linker.report.add(_only_in_meanings(answer, linker))


def _of_row(row: Constraint) -> list[Typed]:
    return [*_of_domain(row.domain), *(members for _, members in row.local_sets), *row.sides]


def _of_domain(domain: TypedDomain) -> list[Typed]:
    return [*domain.guard, *in_binders(domain.binders)]


def _of_rule(rule: RouteSpec | PredictSpec) -> list[Typed]:
    parts = (
        (rule.value,)
        if isinstance(rule, PredictSpec)
        else (rule.left, rule.right, rule.probability)
    )
    return [e for e in parts if e is not None]


def _answers_in(stated: list[Typed]) -> list[At]:
    """Places of such answers, each once, in expressions and in the definitions that they rest
    on."""
    found, seen = dict[Span, At](), set[Symbol]()
    while stated:
        for e in walk(stated.pop()):
            if not isinstance(e, At):
                continue
            if e.symbol.role is Role.DATA and is_only_on_a_tree(e.symbol.name):
                found[e.span] = e
            elif e.symbol not in seen:
                seen.add(e.symbol)
                own = None if e.symbol.role is Role.VARIABLE else e.symbol.value
                extension = e.symbol.extension.value if e.symbol.extension else None
                stated += [one for one in (own, extension) if one is not None]
    return list(found.values())


def _only_in_meanings(answer: At, linker: Linker) -> Diagnostic:
    """The remedy: a model has, in place of the table, the concept that means it."""
    name, span = answer.symbol.name, answer.span
    concepts = (c for m in linker.modules for c in m.concepts.values())
    means = ((c.name, c.means) for c in concepts if isinstance(c.means, n.Name))
    concept = next((one for one, node in means if node.name == name), None)
    message = f"'{name}' is known of a decoded tree only, so it can stand only in what `means` says"
    place = Span(span.source, span.start, span.start + len(name))
    remedy = f"write {concept}, which is '{name}' in the model" if concept else ""
    fix = Fix.write(place, concept) if concept else None
    return Diagnostic("E206", message, span, remedy, fix=fix)
