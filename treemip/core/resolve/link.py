"""What a name means at a place: a bound name, a local set, or a declaration of the linked texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from treemip.core.resolve.builtins import (
    DATA,
    GIVEN,
    OF_CLASSES,
)
from treemip.core.resolve.modules import Module
from treemip.core.resolve.settings.data_spec import DataNames, SavedTree
from treemip.core.resolve.sorts import NODE, NUMBER, POINT, Element, Sort
from treemip.core.resolve.typed import LocalSet, Role, Symbol
from treemip.core.source.diagnostic import Fault, Related, Report
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.nodes import mentioned

STATEMENTS = {
    "data": 'data "file.csv" { label class; }',
    "topology": "topology complete(depth = 2);",
}
"""What gives points, features, classes and nodes, with an example."""

MOST_FAULTS = 1000
"""At most this many faults of a text are looked for."""

_WHAT: dict[type, Role] = {
    n.Param: Role.PARAMETER,
    n.SetDeclaration: Role.SET,
    n.TreeDeclaration: Role.TREE,
    n.Var: Role.VARIABLE,
    n.Term: Role.TERM,
}


def _goes_on(text: str, end: int) -> bool:
    """Whether a word of a text is longer than up to there."""
    return end < len(text) and (text[end].isalnum() or text[end] == "_")


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
    a term's arguments; texts: those that are texts."""

    bound: dict[str, Sort] = field(default_factory=dict)
    local: dict[str, LocalSet] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    arguments: frozenset[str] = frozenset()
    texts: Mapping[str, n.String] = field(default_factory=dict)

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
    saved_trees: dict[str, SavedTree] = field(default_factory=dict)

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
        end = span.start + len(name)
        if span.source.text.startswith(name, span.start) and not _goes_on(span.source.text, end):
            at = Span(span.source, span.start, end)
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
        asked = (m.within[-1] for m in self.modules if m.asked_as and m.file.span == span)
        name = next(asked, name)
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
        if self.lists(of):
            element, doc = Element(f"set:{of}"), "1 where the tree's leaf predicts an element"
        elif of in self.columns.groups:
            element = Element(f"group:{of}")
            doc = "1 where the tree's leaf predicts a value of the group"
        else:
            return None
        return self.of_data(name, (NODE, element), NUMBER, doc)

    def lists(self, name: str) -> bool:
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
