"""The errors of names that nothing declares, with what is probably meant and how to declare it.

Tables that a formulation leaves to the spec are gathered and reported together.
"""

from __future__ import annotations

from collections.abc import Sequence

from treemip.core.resolve.builtins import (
    BASE_SETS,
    CONSTANTS,
    DATA,
    FUNCTION_NAMES,
    GIVEN,
    ONLY_ON_A_TREE,
)
from treemip.core.resolve.link import Broken, Linker, Scope
from treemip.core.resolve.sorts import NODE, Element, SetOf, Sort, named_by_text
from treemip.core.source.diagnostic import Diagnostic, Fault, Fix, Related
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.faults.foreign import OF_SETS, of_sets

MANY_FAULTS = 20
"""After this many faults unknown names get no suggestion, since each searches all names."""


def unknown(linker: Linker, node: n.Name, scope: Scope, expected: Sort | None = None) -> Fault:
    """The fault of an undeclared name, with a suggestion where there is one.

    Raises Broken for a table that a formulation leaves to the spec, see `report_left_to_spec`.
    """
    place = node.span.source.span(node.span.start, node.span.start + len(node.name))
    message = f"unknown name '{node.name}'"
    if len(linker.report.diagnostics) > MANY_FAULTS:
        return Fault("E201", message, place)
    declared = {
        k: d for m in linker.modules for k, d in (*m.declarations.items(), *m.concepts.items())
    }
    columns = {*linker.columns.groups, *linker.columns.numbers}
    if linker.in_progress and node.name.startswith(GIVEN):
        return _unknown_given(linker, message, place, node.name, [*columns, *declared])
    every = {*scope.bound, *scope.local, *columns, *BASE_SETS, *CONSTANTS, *DATA, *declared}
    if node.arguments is not None:
        every |= FUNCTION_NAMES
    every -= ONLY_ON_A_TREE | {name for name, _ in linker.in_progress}
    fitting = _fitting(node, scope, expected, columns, declared) & every
    if isinstance(expected, Element) and expected != NODE:
        every = fitting  # a number or a set of such a name would not be an element
    hint = did_you_mean(node.name, fitting, every)
    remedy, fix = "", None
    if hint.name in columns:
        # Which of the two is misspelt only the table can say, so an editor is offered none.
        related = (Related(linker.columns.places[hint.name], "the data block has this column"),)
        remedy = "write the name of the table's column in both places"
        return Fault("E201", message, place, remedy, str(hint), related)
    if not hint and named_by_text(expected) and len(node.name) > 1:
        remedy = f'write a name from the data in quotes: "{node.name}"{_bound_here(scope)}'
        fix = Fix.write(place, f'"{node.name}"')
    elif node.indices is not None and _may_be_left_to_spec(linker, node):
        linker.left_to_spec.setdefault(linker.owner(node.span), {}).setdefault(node.name, node)
        raise Broken(node.name)
    elif not hint:
        remedy = _where_names_come_from(node, scope)
        if node.name in FUNCTION_NAMES:
            fix = Fix.bracketed(node.span, node.name, "()")
    return Fault("E201", message, place, remedy, hint, fix=fix)


def _fitting(
    node: n.Name,
    scope: Scope,
    expected: Sort | None,
    columns: set[str],
    declared: dict[str, n.Declaration],
) -> set[str]:
    """Names of the kind that fits a name's form and place."""
    if node.arguments is not None:
        terms = {k for k, d in declared.items() if isinstance(d, n.Term) and d.parameters}
        return {*FUNCTION_NAMES, *terms}
    if node.indices is not None:
        indexed = {k for k, d in declared.items() if getattr(d, "domain", None) is not None}
        return {*indexed, *DATA, *columns}
    if isinstance(expected, SetOf):
        sets = {k for k, d in declared.items() if isinstance(d, n.SetDeclaration)}
        return {*BASE_SETS, *scope.local, *sets}
    if isinstance(expected, Element):
        elements = {k for k, sort in CONSTANTS.items() if sort == expected}
        return {k for k, sort in scope.bound.items() if sort == expected} | elements
    plain = {k for k, d in declared.items() if getattr(d, "domain", None) is None}
    return {*scope.bound, *plain} - {
        k for k, d in declared.items() if isinstance(d, n.SetDeclaration)
    }


def _where_names_come_from(node: n.Name, scope: Scope) -> str:
    if node.span.source.name.startswith("-p "):
        return "a parameter's value is a number, or an expression over names of the spec"
    if node.name in OF_SETS:
        return of_sets(node.name)
    if node.name in FUNCTION_NAMES:
        return f"write a function's arguments in round brackets: {node.name}(…)"
    if node.arguments is not None:
        return "functions cannot be declared; declare a table of values with param or let"
    if node.indices is not None and len(node.indices) == 1:
        return (
            f"declare it with param, set, var or let; a column of the data is known here "
            f"when the data block keeps it for constraints: group {node.name};  or, for "
            f"numbers,  number {node.name};"
        )
    return "declare it with param, set, var or let, or bind it: sum {i in points} …" + _bound_here(
        scope
    )


def _bound_here(scope: Scope) -> str:
    return f"; bound here: {listed(scope.bound)}" if scope.bound else ""


def _unknown_given(linker: Linker, message: str, place: Span, name: str, named: list[str]) -> Fault:
    """The fault of a name that only begins like a table of the leaves' answers."""
    listing = {k for k in named if k in linker.columns.groups or linker.lists(k)}
    known = listing | {k.removeprefix(GIVEN) for k in DATA if k.startswith(GIVEN)}
    near = did_you_mean(name.removeprefix(GIVEN), known)
    remedy = "" if near else f"there are {listed(sorted(GIVEN + k for k in known))}"
    return Fault("E201", message, place, remedy, near.replace("mean '", f"mean '{GIVEN}"))


# ------------------------------------------------------------------- left to the spec


def _may_be_left_to_spec(linker: Linker, node: n.Name) -> bool:
    """Whether a formulation mentions a table that the spec could declare."""
    own = linker.owner(node.span) not in ("", "spec", "vocabulary")
    return own and not node.name.startswith(GIVEN)


def report_left_to_spec(linker: Linker) -> None:
    """Report (E201) the tables that a formulation leaves to the spec and nothing declares, for
    each formulation in one error."""
    spec = linker.modules[0].file
    split = next((s for s in spec.statements if isinstance(s, n.Split)), None)
    for owner, nodes in linker.left_to_spec.items():
        them = "it" if len(nodes) == 1 else "them"
        needed = " and ".join(filter(None, (listed([*nodes][:-1]), listed([*nodes][-1:]))))
        message = f"'{owner}' needs {needed}, and nothing declares {them}"
        place = spec.span if split is None else split.span
        related = tuple(Related(node.span, "needed here") for node in nodes.values())
        remedy = _how_to_declare(list(nodes.values()))
        fix = _columns_named(spec, list(nodes.values()))
        linker.report.add(Diagnostic("E201", message, place, remedy, related=related, fix=fix))


def _columns_named(spec: n.File, nodes: Sequence[n.Name]) -> Fix | None:
    """`number time, event;` at the end of the data block, where all that is missing are columns."""
    data = next((s for s in spec.statements if isinstance(s, n.Data)), None)
    if data is None or not data.span.text.endswith("}") or any(_width(x) != 1 for x in nodes):
        return None
    end = data.settings[-1].span.end if data.settings else data.span.end - 1
    names = ", ".join(node.name for node in nodes)
    return Fix.write(data.span.source.span(end, end), f"\n  number {names};")


def _width(node: n.Name) -> int:
    return len(node.indices or ())


def _how_to_declare(nodes: Sequence[n.Name]) -> str:
    """The remedy for tables that a formulation mentions and nothing declares."""
    columns = [node.name for node in nodes if _width(node) == 1]
    wider = [node.name for node in nodes if node.name not in columns]
    remedy = [f"declare  param {name} {{…}} = …;" for name in wider]
    if columns:
        what = "a column" if len(columns) == 1 else "columns"
        own = "  ".join(f"param {name} {{i in points}} = …;" for name in columns)
        names = f"number {', '.join(columns)};  or  number {columns[0]} from column;"
        remedy.insert(0, f"name {what} in the data block: {names}  or declare  {own}")
    return "  ".join(remedy)
