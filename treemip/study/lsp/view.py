"""What is known of a text: its statements, problems and names, as the parser and the resolver say.

While a text has faults, its other statements are read all the same, and what it lacks for the
moment is taken from the last text that had none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from treemip.core.resolve.gather import OF_A_SPEC
from treemip.core.resolve.link import Linker, Mention
from treemip.core.resolve.missing_semicolons import apart
from treemip.core.resolve.module_files import ModuleFolders, module_folders
from treemip.core.resolve.modules import Module
from treemip.core.resolve.resolve import resolve
from treemip.core.resolve.settings.data_block import read_settings
from treemip.core.resolve.settings.data_spec import DataSpec
from treemip.core.resolve.spec import Spec
from treemip.core.resources import library_path
from treemip.core.source.diagnostic import Diagnostic, Report, Severity, TreemipError
from treemip.core.source.span import Source, Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.faults.recover import Reading, read_all
from treemip.core.syntax.tolerant import TolerantFile, parse_tolerant

Edited = Mapping[str, str]
"""Texts that are open in the editor, by the absolute path of their files."""

LARGEST = 1_000_000
"""Characters of a text that is looked at."""

LONGEST = 200_000
"""Characters of a text whose every word is shown by its meaning."""

LABELS = ("label c;", "label c number;", "label none;")
"""Labels that a formulation is tried with, until it fits one."""

ONE_EACH = (n.Data, n.Topology, n.Split)
"""Statements that give the others their meaning, so that they are kept from the last good text."""


@dataclass(frozen=True)
class View:
    """A text of a file, and what is known of it.

    path: absolute. file: the statements that could be read, at their places in the text. gaps:
    what could not (start, end). problems: as `treemip check` reports them. linker: None where not
    even the modules could be found. spec: only of a text without errors. part: whether the text is
    a module, which is read as a spec would that names it.
    """

    path: Path
    text: str
    file: n.File
    gaps: tuple[tuple[int, int], ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    linker: Linker | None = None
    data: DataSpec | None = None
    spec: Spec | None = None
    part: bool = False
    good: n.File | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Of its source, in spans."""
        return str(self.path)

    @property
    def modules(self) -> list[Module]:
        """In the order of look-up, its own first where it is a spec."""
        return self.linker.modules if self.linker is not None else []

    def is_own(self, span: Span | None) -> bool:
        return span is not None and span.source.name == self.name

    @cached_property
    def mentions(self) -> dict[int, Mention]:
        """The names in this text with what they mean, by the offset where they begin."""
        found = self.linker.mentions if self.linker is not None else []
        return {m.span.start: m for m in found if self.is_own(m.span)}

    def mention_at(self, offset: int) -> Mention | None:
        """The name that the cursor is on, or just behind."""
        for start in range(offset, max(-1, offset - 200), -1):
            mention = self.mentions.get(start)
            if mention is not None:
                return mention if offset <= mention.span.end else None
        return None

    @cached_property
    def reading(self) -> Reading:
        """The lexemes of the text with the grammar's words for them; none of a long text."""
        if len(self.text) > LONGEST:
            return Reading([])
        return read_all(Source(self.name, self.text))

    def statement_at(self, offset: int) -> n.Statement | None:
        spans = ((s, s.span) for s in self.file.statements if self.is_own(s.span))
        return next((s for s, span in spans if span.start <= offset <= span.end), None)


def path_of_source(source: Source) -> str:
    """The absolute path of a text; the library's are known by their place in it."""
    path = Path(source.name)
    return str(path if path.is_absolute() else library_path().parent / path)


def look(
    path: Path,
    text: str,
    edited: Edited | None = None,
    last: View | None = None,
    include: Iterable[str | Path] = (),
) -> View:
    """What is known of a text.

    edited: other texts of the editor. last: of an earlier text. include: folders of modules.
    """
    if len(text) > LARGEST:
        return _too_large(path, text)
    tolerant = parse_tolerant(Source(str(path), text))
    good = None if last is None else last.good
    if not tolerant.faults:
        good = tolerant.file
    view = View(path, text, tolerant.file, tolerant.gaps, tolerant.faults, good=good)
    folders = module_folders(path.parent, include, edited=edited or {})
    if _is_part(tolerant.file):
        return _part(view, tolerant, folders)
    file = tolerant.file
    if tolerant.faults and good is not None:
        file = _with_last(file, good, _words_left(text, tolerant))
    return _resolved(view, file, folders)


def _too_large(path: Path, text: str) -> View:
    """A view as of an empty text, which says why."""
    nothing = Source(str(path), "")
    size = f"{len(text) / 1e6:.0f} million characters"
    message = f"the text has {size}, and an editor is told of those up to {LARGEST // 10**6}"
    note = Diagnostic(
        "E112", message, nothing.span(0, 0), "use treemip check", severity=Severity.NOTE
    )
    empty = n.File(statements=(), span=nothing.span(0, 0))
    return View(path, "", empty, problems=(note,), part=True)


def _resolved(view: View, file: n.File, folders: ModuleFolders) -> View:
    errors, found = _resolve(file, folders)
    if found.linker is None and errors:
        # Without its modules nothing was linked: once more without what is wrong.
        places = [d.span for d in errors if d.span is not None]
        rest = tuple(s for s in file.statements if not any(_inside(p, s.span) for p in places))
        _, found = _resolve(replace(file, statements=rest), folders)
        found = replace(found, spec=None)
    problems = view.problems or errors or (found.spec.warnings if found.spec else ())
    spec = None if view.problems else found.spec
    data = found.data or _data(file)
    return replace(view, problems=problems, linker=found.linker, data=data, spec=spec)


def _data(file: n.File) -> DataSpec | None:
    """What the data block says, whatever is wrong with it or with the rest."""
    node = next((s for s in file.statements if isinstance(s, n.Data)), None)
    return None if node is None else read_settings(apart(node, Report()), Report())


@dataclass(frozen=True)
class _Found:
    linker: Linker | None = None
    data: DataSpec | None = None
    spec: Spec | None = None


def _resolve(file: n.File, folders: ModuleFolders) -> tuple[tuple[Diagnostic, ...], _Found]:
    """The errors of a text, and what was found before and beside them."""
    seen: list[tuple[Linker, DataSpec | None]] = []
    try:
        spec = resolve(file, texts=folders, watch=lambda *found: seen.append(found))
        return (), _Found(*seen[0], spec)
    except TreemipError as error:
        return error.diagnostics, _Found(*seen[0]) if seen else _Found()


def _inside(place: Span, whole: Span) -> bool:
    same = place.source.name == whole.source.name
    return same and whole.start <= place.start and place.end <= whole.end


# ------------------------------------------------------------------------------------- modules


def _is_part(file: n.File) -> bool:
    """Whether a text states nothing that only a spec does; so does an empty one."""
    return not any(type(s) in OF_A_SPEC for s in file.statements)


def _part(view: View, tolerant: TolerantFile, folders: ModuleFolders) -> View:
    """A formulation, or a module that others use, as a spec sees it that names it.

    The problems are those in the text itself. What a module needs that its users have is no
    problem of its own, so one without a `formulation` line has only those of its syntax.
    """
    header = view.file.header
    text = tolerant.file.span.source.text if view.file.statements else view.text
    inside = replace(folders, edited={**folders.edited, view.name: text})
    named = view.path.name.replace("\\", "\\\\").replace('"', '\\"')
    last = f'split {header.kind} by "{named}";' if header else f'use "{named}";'
    best: tuple[list[Diagnostic], _Found] | None = None
    rank = (9, 0)
    for label in LABELS if header else LABELS[:1]:
        around = f'data "d.csv" {{ {label} }}\ntopology complete(depth = 2);\n{last}\n'
        spec = parse_tolerant(Source(str(view.path.parent / "<spec>"), around)).file
        errors, found = _resolve(spec, inside)
        own = [d for d in errors if header and view.is_own(d.span)]
        # A label that does not fit at all ends before anything is linked.
        if best is None or (found.linker is None, len(errors)) < rank:
            best, rank = (own, found), (found.linker is None, len(errors))
        if not errors:
            break
    assert best is not None
    problems = view.problems or tuple(best[0])
    return replace(view, problems=problems, linker=best[1].linker, data=None, part=True)


# ----------------------------------------------------------------------- the last good text


def _words_left(text: str, tolerant: TolerantFile) -> set[str]:
    """The words of the parts of a text that could not be read."""
    words = (w for start, end in tolerant.gaps for w in _words(text[start:end]))
    return set(words)


def _words(text: str) -> Iterable[str]:
    from treemip.core.syntax.scan import scan

    return (lexeme.text for lexeme in scan(text) if lexeme.kind == "name")


def _with_last(file: n.File, good: n.File, words: set[str]) -> n.File:
    """A text with what it lacks for the moment, from the last text without faults: the statements
    of which there is one, and declarations whose names stand where the text could not be read."""
    kinds = {type(s) for s in file.statements}
    declared = {s.name for s in file.statements if isinstance(s, n.Declaration)}
    kept: list[n.Statement] = []
    for s in good.statements:
        lacking = isinstance(s, ONE_EACH) and type(s) not in kinds
        again = isinstance(s, n.Declaration) and s.name in words and s.name not in declared
        if lacking or again:
            kept.append(s)
    return replace(file, statements=(*file.statements, *kept))
