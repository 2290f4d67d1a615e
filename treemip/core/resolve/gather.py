"""Which texts a spec is linked with: its formulation, the modules they use, the vocabulary."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath

from treemip.core.resolve import asked
from treemip.core.resolve import modules as library
from treemip.core.resolve.builtins import is_builtin
from treemip.core.resolve.module_files import SUFFIX, KeptTexts, ModuleText, ModuleTexts
from treemip.core.resolve.modules import SPEC, VOCABULARY, Module, collect, statements_of
from treemip.core.resolve.settings.selection import TOGETHER, asks_together
from treemip.core.source.diagnostic import Fault, Related, Report, TreemipError
from treemip.core.source.span import Source, Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse

OF_A_SPEC: dict[type, str] = {
    n.Data: "data",
    n.Topology: "topology",
    n.Split: "split",
    n.TreeName: "tree",
}
"""Statements that a module cannot have."""


@dataclass(frozen=True)
class Gathered:
    """The texts in the order of look-up: spec, formulation, modules that they use, vocabulary.

    formulation: its module; None where the spec is one itself or the formulation is not there.
    texts: those from outside of the package. whole: whether every named text could be taken.
    """

    modules: list[Module]
    formulation: Module | None
    texts: tuple[ModuleText, ...]
    whole: bool


def gather(
    file: n.File, formulation: n.Reference | None, report: Report, texts: ModuleTexts | None = None
) -> Gathered:
    """The texts that a spec is linked with.

    Reports E210 for a module that is not there, E209 for one that does not fit its place, E207
    for modules that use each other in a circle, E901 for a file that cannot be read, and what is
    wrong with its syntax.
    """
    gathering = _Gathering(file, report, texts or KeptTexts())
    before = len(report.errors)
    chosen = None if formulation is None else gathering.take(formulation, gathering.spec, True)
    gathering.take_used()
    gathering.take_asked()
    modules, whole = gathering.modules, len(report.errors) == before
    if chosen is not None:
        for m in gathering.reached(chosen):
            m.owner = chosen.name
    vocabulary = library.library_module(VOCABULARY)
    assert vocabulary is not None
    modules.append(Module(VOCABULARY, VOCABULARY, vocabulary, VOCABULARY))
    for module in modules:
        collect(module, report)
    return Gathered(modules, chosen, tuple(gathering.texts_used), whole)


def routes(file: n.File, texts: ModuleTexts | None = None) -> bool:
    """Whether a spec has a `route` of its own, or uses a module that has one."""
    gathering = _Gathering(file, Report(), texts or KeptTexts())
    gathering.take_used()
    return any(statements_of(gathering.modules, n.Route))


def rows_of(file: n.File, texts: ModuleTexts | None = None) -> Iterator[n.Constraint]:
    """The rows of a spec and of the modules that it uses or asks for, as they are linked."""
    gathering = _Gathering(file, Report(), texts or KeptTexts())
    gathering.take_used()
    for _, subject in statements_of(gathering.modules, n.Subject):
        yield from subject.constraints


class _Gathering:
    """The texts so far; `uses` are the indices of who names whom, with the place."""

    def __init__(self, file: n.File, report: Report, texts: ModuleTexts) -> None:
        self.report, self.texts = report, texts
        self.spec = Module("spec", SPEC, file, SPEC, path="")
        self.modules = [self.spec]
        self.texts_used: list[ModuleText] = []
        self.uses: dict[int, list[tuple[Module, Span]]] = {}

    def take_used(self) -> None:
        """Take what the texts use; a used module may use others."""
        seen = 0
        while seen < len(self.modules):
            user = self.modules[seen]
            for statement in user.file.statements:
                if isinstance(statement, n.Use) and not _is_vocabulary(statement.module):
                    self.take(statement.module, user, False)
            self._take_rows_asked_for(user)
            seen += 1
        self._check_circles()

    def _take_rows_asked_for(self, user: Module) -> None:
        """A copy of a module for each row of a text that asks for one, in place of that row."""
        rows = [*asked.asked_rows(user.file)]
        if not rows:
            return
        taken = _declared_names(user.file)
        for row in rows:
            try:
                self._take_copy(row, user, taken)
            except Fault as fault:
                self.report.add(fault.diagnostic)
        user.file = asked.without_asked(user.file)

    def _take_copy(self, row: n.Constraint, user: Module, taken: frozenset[str]) -> None:
        """Raises Fault: E207, E210 and those of `asked.copied`."""
        body = row.body
        assert isinstance(body, n.Asked)
        name = body.module.text
        try:
            text, file = self._found(body.module, user)
        except TreemipError as error:
            for d in error.diagnostics:
                self.report.add(d.used_from(body.module.span))
            return
        if file is None:
            raise self._unknown_requirement(body, user)
        if name in user.within:
            message = f"'{name}' asks for itself: {' -> '.join([*user.within, name])}"
            raise Fault("E207", message, body.module.span)
        if not self._fits(body.module, file, False):
            return
        if text is not None:
            self.texts_used.append(text)
        copy = Module(
            "formulation",
            row.name,
            asked.copied(row, file, taken, shipped=text is None),
            SPEC,
            None if text is None else text.path,
            body.module.written,
            asked_as=row.name,
            within=(*user.within, name),
        )
        self.modules.append(copy)
        self.uses.setdefault(id(user), []).append((copy, body.module.span))

    def _unknown_requirement(self, body: n.Asked, user: Module) -> Fault:
        known = library.shared_names()
        places = ""
        if user.path is not None:
            known += self.texts.names(user.path)
            places = self.texts.places(body.module, user.path)
        vocabulary = library.library_statements(VOCABULARY)
        terms = {s.name for s in (*vocabulary, *user.file.statements) if isinstance(s, n.Term)}
        is_call = is_builtin(body.module.text) or body.module.text in terms
        return asked.unknown(body, known, is_call, places)

    def take_asked(self) -> None:
        """Take the modules of the library whose rows the strategy asks for."""
        blocks = [s for s in self.spec.file.statements if isinstance(s, n.Strategy)]
        asked = [s for block in blocks for s in block.settings if asks_together(s)]
        for setting in asked[:1]:
            file = library.library_module(TOGETHER)
            assert file is not None
            self.modules.append(Module("formulation", TOGETHER, file, asked_by=setting.span))

    def take(self, reference: n.Reference, user: Module, as_formulation: bool) -> Module | None:
        """The module of that name or path, taken once. None where it cannot be; reported."""
        place = reference.span
        try:
            text, file = self._found(reference, user)
        except TreemipError as error:
            for d in error.diagnostics:
                self.report.add(d.used_from(place) if d.span else replace(d, span=place))
            return None
        if file is None:
            self._unknown(reference, user, as_formulation)
            return None
        if text is not None:
            self.texts_used.append(text)
        path = text.path if text is not None else None
        name = _name_of(text) if text is not None else reference.text
        known = next((m for m in self.modules[1:] if (m.path, m.name) == (path, name)), None)
        if known is None and not self._fits(reference, file, as_formulation):
            return None
        module = known or Module("formulation", name, file, SPEC, path, reference.written)
        if known is None:
            self.modules.append(module)
        self.uses.setdefault(id(user), []).append((module, place))
        return module

    def _found(
        self, reference: n.Reference, user: Module
    ) -> tuple[ModuleText | None, n.File | None]:
        """The text from outside of the package, None for one of the library, and its statements.

        Raises TreemipError: E901, and E1xx for the syntax of a file.
        """
        shipped = None if reference.is_path else library.library_module(reference.text)
        if user.path is None or _is_vocabulary(reference):
            return None, shipped
        for text in self.texts.candidates(reference, user.path):
            if shipped is not None and text.is_spec:
                continue  # a spec may have the name of its formulation
            if shipped is not None:
                self._warn_hidden(reference, text)
            here = os.path.dirname(self.spec.file.span.source.name)
            return text, _parsed(Source(os.path.join(here, text.path), text.text))
        return None, shipped

    def _warn_hidden(self, reference: n.Reference, text: ModuleText) -> None:
        message = (
            f"'{reference.text}' is the file '{text.path}' here, not the library's "
            f"'{reference.text}'"
        )
        remedy = "rename the file if the library's is meant"
        self.report.warn("W204", message, reference.span, remedy)

    def _fits(self, reference: n.Reference, file: n.File, as_formulation: bool) -> bool:
        """Whether a text may be used where it is named. Reports E209."""
        name, place = reference.text, reference.span
        for s in file.statements:
            if type(s) in OF_A_SPEC:
                what = OF_A_SPEC[type(s)]
                self.report.error(
                    "E209",
                    f"'{name}' is not a module: it has a `{what}` statement, which only a spec has",
                    s.span,
                    "keep what specs share in a file of its own",
                    related=(Related(place, "used from here"),),
                )
                return False
        header = file.header is not None
        if header is as_formulation:
            return True
        message, remedy = (
            (f"'{name}' is a formulation: `split` names it, not `use`", "split … by")
            if header
            else (f"'{name}' is not a formulation: it has no `formulation` line", "use")
        )
        self.report.error("E209", message, place, f"write: {remedy} {reference.written};")
        return False

    def _unknown(self, reference: n.Reference, user: Module, as_formulation: bool) -> None:
        name, named_by = reference.text, user.path
        shipped = library.formulation_names() if as_formulation else library.shared_names()
        known = shipped if named_by is None else [*shipped, *self.texts.names(named_by)]
        places = "" if named_by is None else self.texts.places(reference, named_by)
        has = "" if reference.is_path or not shipped else f"the library has {listed(shipped)}"
        message = f"unknown {'formulation' if as_formulation else 'module'} '{name}'"
        remedy = "; ".join(filter(None, (places, has)))
        hint = "" if reference.is_path else did_you_mean(name, known)
        self.report.error("E210", message, reference.span, remedy, hint)

    def reached(self, module: Module) -> Iterator[Module]:
        """A module and all that it uses, directly or not."""
        waiting, seen = [module], set[int]()
        while waiting:
            one = waiting.pop()
            if id(one) not in seen:
                seen.add(id(one))
                yield one
                waiting += [used for used, _ in self.uses.get(id(one), ())]

    def _check_circles(self) -> None:
        """Report each use that closes a circle of modules (E207)."""
        done, path = set[int](), list[Module]()

        def visit(module: Module) -> None:
            path.append(module)
            for used, place in self.uses.get(id(module), ()):
                if used in path:
                    chain = " -> ".join(m.name for m in [*path[path.index(used) :], used])
                    message = f"modules use each other in a circle: {chain}"
                    self.report.error("E207", message, place, "move what both need to a third one")
                elif id(used) not in done:
                    visit(used)
            done.add(id(path.pop()))

        visit(self.spec)


@lru_cache(maxsize=64)
def _parsed(source: Source) -> n.File:
    return parse(source)


def _declared_names(file: n.File) -> frozenset[str]:
    """Names that a text declares, and the columns that its data block names."""
    found = {s.name for s in file.statements if isinstance(s, n.Declaration)}
    for s in file.statements:
        if isinstance(s, n.Data):
            words = (w for setting in s.settings for group in setting.groups for w in group)
            found |= {w.name for w in words if w.name is not None}
    return frozenset(found)


def _is_vocabulary(reference: n.Reference) -> bool:
    """Every text is linked with the library's vocabulary, named or not."""
    return reference.text == VOCABULARY and not reference.is_path


def _name_of(text: ModuleText) -> str:
    """The origin reported for rows of a file's module: never a name of the library's own texts."""
    stem = PurePosixPath(text.path).name.removesuffix(SUFFIX)
    taken = (SPEC, VOCABULARY, *library.formulation_names(), *library.shared_names())
    return stem + SUFFIX if stem in taken else stem
