"""What a name means at a place: a bound name, a local set, or a declaration of the linked texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import (
    BASE_SETS,
    CONSTANTS,
    DATA,
    FUNCTION_NAMES,
    GIVEN,
    OF_CLASSES,
    ONLY_ON_A_TREE,
)
from treemip.core.resolve.modules import Module
from treemip.core.resolve.settings.data_spec import DataNames
from treemip.core.resolve.sorts import NODE, NUMBER, POINT, Element, SetOf, Sort, named_by_text
from treemip.core.resolve.typed import LocalSet, Role, Symbol
from treemip.core.source.diagnostic import Diagnostic, Fault, Fix, Related, Report
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.faults.foreign import OF_SETS, of_sets
from treemip.core.syntax.nodes import mentioned

STATEMENTS = {
    "data": 'data "file.csv" { label class; }',
    "topology": "topology complete(depth = 2);",
}
"""What gives points, features, classes and nodes, with an example."""

MOST_FAULTS = 1000
"""At most this many faults of a text are looked for."""

MANY_FAULTS = 20
"""After this many faults unknown names get no suggestion, since each searches all names."""

_WHAT: dict[type, Role] = {
    n.Param: Role.PARAMETER,
    n.SetDeclaration: Role.SET,
    n.TreeDeclaration: Role.TREE,
    n.Var: Role.VARIABLE,
    n.Term: Role.TERM,
}

N = TypeVar("N")

T = TypeVar("T")


class Broken(Exception):
    """A declaration with a fault is used again; the fault has been reported."""


@dataclass(frozen=True)
class Mention:
    """A name in a text, and what it was found to mean there.

    what: a role of `Role`, or "index", "argument", "local set". place: where it is declared or
    bound; None for names of the language. symbol: None for bound names, and for those whose
    declaration has a fault.
    """

    span: Span
    what: str
    place: Span | None = None
    symbol: Symbol | None = None
    sort: Sort | None = None

    @property
    def name(self) -> str:
        return self.span.text


@dataclass(frozen=True)
class Scope:
    """Bound names with their sorts and places, and local sets. arguments: the bound names that are
    a term's arguments."""

    bound: dict[str, Sort] = field(default_factory=dict)
    local: dict[str, LocalSet] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    arguments: frozenset[str] = frozenset()

    def with_bound(self, name: str, sort: Sort, place: Span) -> Scope:
        bound, places = {**self.bound, name: sort}, {**self.places, name: place}
        return replace(self, bound=bound, places=places)

    def without(self, name: str) -> Scope:
        """The scope without a name, for a set that binds an index of that name itself."""
        return replace(self, bound={k: v for k, v in self.bound.items() if k != name})

    def with_argument(self, name: str, place: Span) -> Scope:
        scope = self.with_bound(name, NUMBER, place)
        return replace(scope, arguments=self.arguments | {name})

    def with_local(self, local: LocalSet, place: Span) -> Scope:
        local_sets, places = {**self.local, local.name: local}, {**self.places, local.name: place}
        return replace(self, local=local_sets, places=places)


@dataclass
class Linker:
    """One table of declarations from spec, formulation and vocabulary.

    A name is looked up in the spec, then in the formulation and the modules it uses, then in the
    vocabulary: `modules` in this order. A declaration is resolved when something first mentions
    it, which brings in concept defaults on demand and finds circles. `Declarations` sets `declare`,
    which resolves one. `lacking` has those of "data" and "topology" that a text without a split
    does not state. `mentions`: what the names of the texts were found to mean, for editors.
    """

    modules: list[Module]
    report: Report
    columns: DataNames = field(default_factory=DataNames)
    formulation: str = ""
    lacking: frozenset[str] = frozenset()
    declare: Callable[[str, Span], Symbol] = field(init=False)
    symbols: dict[str, Symbol | None] = field(default_factory=dict)
    in_progress: list[tuple[str, Span]] = field(default_factory=list)
    brought_in: list[tuple[n.Concept, Span]] = field(default_factory=list)
    extensions: dict[str, Callable[[], None]] = field(default_factory=dict)
    missed: set[str] = field(default_factory=set)
    left_to_spec: dict[str, dict[str, n.Name]] = field(default_factory=dict)
    mentions: list[Mention] = field(default_factory=list)

    # ---------------------------------------------------------------- look-up

    def declares(self, name: str) -> bool:
        return self.declaration(name) is not None or self.concept(name) is not None

    def clashes(self, name: str, span: Span) -> bool:
        """Whether an index at `span` would hide a declaration that its text knows of.

        A text knows itself and those that stand behind it in the order of look-up, so a spec may
        declare what is an index in the library.
        """
        sources = [m.file.span.source for m in self.modules]
        at = sources.index(span.source) if span.source in sources else len(sources) - 1
        return any(name in m.declarations or name in m.concepts for m in self.modules[at:])

    def owner(self, span: Span) -> str:
        """Whose text a place is in: "spec", a formulation's name or "vocabulary"; "" of others."""
        source = span.source
        return next((m.owner for m in self.modules if m.file.span.source is source), "")

    def declaration(self, name: str) -> tuple[Module, n.Declaration] | None:
        for module in self.modules:
            if name in module.declarations:
                return module, module.declarations[name]
        return None

    def concept(self, name: str) -> n.Concept | None:
        return next((m.concepts[name] for m in self.modules if name in m.concepts), None)

    def find(self, name: str, span: Span) -> Symbol | None:
        """The symbol of a name, resolved now if need be; None when nothing declares it."""
        try:
            symbol = self._find(name, span)
        except Broken:
            self.note_declared(name, span)
            raise
        if symbol is not None:
            place = symbol.span or self.columns.places.get(name)
            self.note(name, span, symbol.role.value, place, symbol.sort, symbol)
        return symbol

    def note(
        self,
        name: str,
        span: Span,
        what: str,
        place: Span | None,
        sort: Sort | None = None,
        symbol: Symbol | None = None,
    ) -> None:
        """Record what the name at the beginning of `span` means."""
        if span.source.text.startswith(name, span.start):
            at = Span(span.source, span.start, span.start + len(name))
            self.mentions.append(Mention(at, what, place, symbol, sort))

    def note_declared(self, name: str, span: Span) -> None:
        """Record the declaration of a name that is mentioned without being resolved."""
        declared = self.declaration(name)
        node = declared[1] if declared else self.concept(name)
        if node is not None:
            self.note(name, span, _WHAT.get(type(node), Role.LET).value, node.name_span)

    def _find(self, name: str, span: Span) -> Symbol | None:
        if name in self.symbols:
            symbol = self.symbols[name]
            if symbol is None:
                raise Broken(name)
            return self._extended(symbol, span)
        if self.declares(name):
            return self._extended(self._resolve(name, span), span)
        if name in DATA:
            return self._data(name, span)
        if name in self.columns.groups:
            return self.of_data(name, (POINT,), Element(f"group:{name}"), "group of a point")
        if name in self.columns.numbers:
            return self.of_data(name, (POINT,), NUMBER, "known number of a point")
        if name.startswith(GIVEN) and self.in_progress:
            return self._given(name)
        return None

    def _resolve(self, name: str, span: Span) -> Symbol:
        if any(name == n_ for n_, _ in self.in_progress):
            circle = [n_ for n_, _ in self.in_progress]
            chain = " -> ".join([*circle[circle.index(name) :], name])
            raise Fault("E207", f"'{name}' depends on itself: {chain}", span)
        self.in_progress.append((name, span))
        try:
            symbol = self.declare(name, span)
        except Fault as fault:
            self.symbols[name] = None
            self.add(fault)
            raise Broken(name) from None
        except Broken:
            self.symbols[name] = None
            raise
        finally:
            self.in_progress.pop()
        self.symbols[name] = symbol
        return symbol

    def _extended(self, symbol: Symbol, span: Span) -> Symbol:
        """The symbol; an extension by another concept comes in when another text mentions it.

        The text that declares a concept on a part of its indices mentions it on these only.
        """
        own = self.owner(symbol.span) if symbol.span else ""
        if symbol.name in self.extensions and self.owner(span) != own:
            self.extensions.pop(symbol.name)()
        return symbol

    def require(self, statement: str, name: str, span: Span) -> None:
        """Report once that the text has no `statement`, without which `name` means nothing."""
        if statement not in self.lacking:
            return
        if statement in self.missed:
            raise Broken(name)
        self.missed.add(statement)
        article = "a topology" if statement == "topology" else statement
        raise Fault("E208", f"'{name}' needs {article}", span, f"add: {STATEMENTS[statement]}")

    def require_label(self, name: str, span: Span) -> None:
        """Report a name that needs a label, or classes, where the data have none."""
        if name in OF_CLASSES or (name == "y" and self.columns.label_kind == "none"):
            self.require_classes(name, span)

    def require_classes(self, name: str, span: Span) -> None:
        """Report once that `name` needs classes where the label is not of classes.

        What a library text needs is reported where the spec asks for it.
        """
        if self.columns.label_kind == "class":
            return
        spec = self.modules[0].file.span.source
        if span.source != spec:
            own = [(n_, at) for n_, at in self.in_progress if at.source == spec]
            name, span = own[-1] if own else (name, span)
        if name not in self.missed:
            self.missed.add(name)
            self.report.add(self.columns.without_classes(name, span))
        raise Broken(name)

    def _data(self, name: str, span: Span) -> Symbol | None:
        self.require("data", name, span)
        self.require_label(name, span)
        table = DATA[name]
        if name == "y" and self.columns.label_kind == "number":
            table = replace(table, sort=NUMBER, doc="label of a point")
        return self.of_data(name, table.sorts, table.sort, table.doc)

    def of_data(self, name: str, sorts: tuple[Sort, ...], sort: Sort, doc: str) -> Symbol:
        """A new symbol for a table of the data."""
        symbol = self.symbols[name] = Symbol(name, Role.DATA, sorts, sort, doc=doc)
        return symbol

    def _given(self, name: str) -> Symbol | None:
        """What the leaves of a decoded tree say of the elements of a listed set or a group."""
        of = name.removeprefix(GIVEN)
        if self._lists(of):
            element, doc = Element(f"set:{of}"), "1 where the tree's leaf predicts an element"
        elif of in self.columns.groups:
            element = Element(f"group:{of}")
            doc = "1 where the tree's leaf predicts a value of the group"
        else:
            return None
        return self.of_data(name, (NODE, element), NUMBER, doc)

    def _unknown_given(self, message: str, place: Span, name: str, named: list[str]) -> Fault:
        """The fault of a name that only begins like a table of the leaves' answers."""
        listing = {k for k in named if k in self.columns.groups or self._lists(k)}
        known = listing | {k.removeprefix(GIVEN) for k in DATA if k.startswith(GIVEN)}
        near = did_you_mean(name.removeprefix(GIVEN), known)
        remedy = "" if near else f"there are {listed(sorted(GIVEN + k for k in known))}"
        return Fault("E201", message, place, remedy, near.replace("mean '", f"mean '{GIVEN}"))

    def _lists(self, name: str) -> bool:
        """Whether a text declares a set of this name and lists its elements."""
        owner = self.declaration(name)
        node = None if owner is None else owner[1]
        return isinstance(node, n.SetDeclaration) and isinstance(node.value, n.Texts)

    # ------------------------------------------------------------------- faults

    def add(self, fault: Fault) -> None:
        """Report a fault; one inside a library text gets the chain of uses that led there."""
        diagnostic = fault.diagnostic
        inside = diagnostic.span.source if diagnostic.span else None
        for _, span in reversed(self.in_progress):
            if inside is not None and span.source != inside:
                diagnostic = diagnostic.used_from(span)
                inside = span.source
        self.report.add(diagnostic)

    def attempt(self, work: Callable[[], T]) -> T | None:
        """Run one piece of resolving; a fault is gathered and the rest goes on."""
        if len(self.report.diagnostics) > MOST_FAULTS:
            return None
        try:
            return work()
        except Fault as fault:
            self.add(fault)
        except Broken:
            pass
        return None

    def attempt_each(self, nodes: Iterable[N], work: Callable[[N], T]) -> list[T]:
        """The results of all that had no fault."""
        results = [self.attempt(partial(work, node)) for node in nodes]
        return [m for m in results if m is not None]

    def unknown(self, node: n.Name, scope: Scope, expected: Sort | None = None) -> Fault:
        """The fault of an undeclared name, with a suggestion where there is one."""
        place = node.span.source.span(node.span.start, node.span.start + len(node.name))
        message = f"unknown name '{node.name}'"
        if len(self.report.diagnostics) > MANY_FAULTS:
            return Fault("E201", message, place)
        declared = {
            k: d for m in self.modules for k, d in (*m.declarations.items(), *m.concepts.items())
        }
        columns = {*self.columns.groups, *self.columns.numbers}
        if self.in_progress and node.name.startswith(GIVEN):
            return self._unknown_given(message, place, node.name, [*columns, *declared])
        every = {*scope.bound, *scope.local, *columns, *BASE_SETS, *CONSTANTS, *DATA, *declared}
        if node.arguments is not None:
            every |= FUNCTION_NAMES
        every -= ONLY_ON_A_TREE | {name for name, _ in self.in_progress}
        fitting = self._fitting(node, scope, expected, declared) & every
        if isinstance(expected, Element) and expected != NODE:
            every = fitting  # a number or a set of such a name would not be an element
        hint = did_you_mean(node.name, fitting, every)
        remedy, fix = "", None
        if hint.name in columns:
            # Which of the two is misspelt only the table can say, so an editor is offered none.
            related = (Related(self.columns.places[hint.name], "the data block has this column"),)
            remedy = "write the name of the table's column in both places"
            return Fault("E201", message, place, remedy, str(hint), related)
        if not hint and named_by_text(expected) and len(node.name) > 1:
            remedy = f'write a name from the data in quotes: "{node.name}"{_bound_here(scope)}'
            fix = Fix.write(place, f'"{node.name}"')
        elif node.indices is not None and self._may_be_left_to_spec(node):
            self.left_to_spec.setdefault(self.owner(node.span), {}).setdefault(node.name, node)
            raise Broken(node.name)
        elif not hint:
            remedy = self._where_names_come_from(node, scope)
        return Fault("E201", message, place, remedy, hint, fix=fix)

    def _may_be_left_to_spec(self, node: n.Name) -> bool:
        """Whether a formulation mentions a table that the spec could declare."""
        own = self.owner(node.span) not in ("", "spec", "vocabulary")
        return own and not node.name.startswith(GIVEN)

    def report_left_to_spec(self) -> None:
        """Report (E201) the tables that a formulation leaves to the spec and nothing declares, for
        each formulation in one error."""
        spec = self.modules[0].file
        split = next((s for s in spec.statements if isinstance(s, n.Split)), None)
        for owner, nodes in self.left_to_spec.items():
            them = "it" if len(nodes) == 1 else "them"
            needed = " and ".join(filter(None, (listed([*nodes][:-1]), listed([*nodes][-1:]))))
            message = f"'{owner}' needs {needed}, and nothing declares {them}"
            place = spec.span if split is None else split.span
            related = tuple(Related(node.span, "needed here") for node in nodes.values())
            remedy = _left_to_the_spec(list(nodes.values()))
            self.report.add(Diagnostic("E201", message, place, remedy, related=related))

    def _fitting(
        self, node: n.Name, scope: Scope, expected: Sort | None, declared: dict[str, n.Declaration]
    ) -> set[str]:
        """Names of the kind that fits a name's form and place."""
        if node.arguments is not None:
            terms = {k for k, d in declared.items() if isinstance(d, n.Term) and d.parameters}
            return {*FUNCTION_NAMES, *terms}
        if node.indices is not None:
            indexed = {k for k, d in declared.items() if getattr(d, "domain", None) is not None}
            return {*indexed, *DATA, *self.columns.groups, *self.columns.numbers}
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

    def _where_names_come_from(self, node: n.Name, scope: Scope) -> str:
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
        return (
            "declare it with param, set, var or let, or bind it: sum {i in points} …"
            + _bound_here(scope)
        )

    def axis(self, symbol: Symbol, position: int, node: n.Name) -> t.Typed:
        """The set an index ranges over, for `*`."""
        if symbol.role is Role.DATA:
            names = {"point": "points", "feature": "features", "class": "classes", "node": "nodes"}
            element = symbol.sorts[position]
            assert isinstance(element, Element)
            return t.BaseSet(name=names[element.of], of=SetOf(element), span=node.span)
        domain = symbol.domain
        if not domain.binders or domain.guard or any(b.conditions for b in domain.binders):
            message = f"'*' needs an index of '{symbol.name}' that runs through a whole set"
            raise Fault("E206", message, node.span, "write the sum out: sum {j in …} …")
        ranged = domain.binders[position].set
        if ranged.free:
            message = f"the index of '{symbol.name}' under '*' depends on the others"
            raise Fault("E206", message, node.span, "write the sum out: sum {j in …} …")
        return ranged

    def no_concept(self, concept: n.Concept, span: Span) -> Fault:
        """The fault of a concept that nothing defines. Where only the label is missing, that is
        reported instead."""
        if OF_CLASSES & set(mentioned(concept)):
            self.require_classes(concept.name, span)
        who = self.formulation or "this spec"
        message = f"{who} has no '{concept.name}' ({concept.doc})"
        remedy = f"declare '{concept.name}' as a var or let, or choose a formulation that has it"
        related = (Related(concept.name_span, "the concept is declared here"),)
        return Fault("E205", message, span, remedy, related=related)


def _left_to_the_spec(nodes: Sequence[n.Name]) -> str:
    """The remedy for tables that a formulation mentions and nothing declares."""
    columns = [node.name for node in nodes if len(node.indices or ()) == 1]
    wider = [node.name for node in nodes if node.name not in columns]
    remedy = [f"declare  param {name} {{…}} = …;" for name in wider]
    if columns:
        what = "a column" if len(columns) == 1 else "columns"
        own = "  ".join(f"param {name} {{i in points}} = …;" for name in columns)
        names = f"number {', '.join(columns)};  or  number {columns[0]} from column;"
        remedy.insert(0, f"name {what} in the data block: {names}  or declare  {own}")
    return "  ".join(remedy)


def _bound_here(scope: Scope) -> str:
    return f"; bound here: {listed(scope.bound)}" if scope.bound else ""
