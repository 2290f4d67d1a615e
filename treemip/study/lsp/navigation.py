"""Where a name is declared, and where it is mentioned, in this text and in others of its folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treemip.core.resolve.modules import library_module
from treemip.core.source.confined import entries, exists
from treemip.core.source.reading import read_text
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import scan, word_span
from treemip.study.lsp.completion_statements import formulation_parameters
from treemip.study.lsp.cursor import word_at
from treemip.study.lsp.declared import declared, rows
from treemip.study.lsp.positions import plain
from treemip.study.lsp.results import Place
from treemip.study.lsp.view import Edited, View, look, path_of_source

MOST_FILES = 100
LARGEST = 1_000_000
"""Files of a folder that are looked through for mentions, and bytes of each."""


@dataclass(frozen=True)
class Target:
    """What a name refers to. what: of a mention, or "constraint", "module". place: of the name in
    its declaration; of a module, the beginning of its file. name: in the texts."""

    name: str
    what: str
    place: Place
    span: Span | None = None


def target_at(view: View, offset: int) -> Target | None:
    """What the name at the cursor refers to; None of what no text declares."""
    word = word_at(view.text, offset)
    if word is None or word.kind not in ("name", "string"):
        return None
    module = _module_at(view, word.start)
    if module is not None:
        return module
    if word.kind == "string":
        return None
    mention = view.mentions.get(word.start)
    if mention is not None and mention.name == word.text:
        return _target(word.text, mention.what, mention.place)
    statement = view.statement_at(word.start)
    if isinstance(statement, n.Split):
        return _parameter(view, statement, word.text, word.start)
    row = next((r for r, _, _ in rows(view) if r.name == word.text), None)
    if row is not None and _names_rows(view, word.start):
        return _target(word.text, "constraint", row.name_span)
    one = declared(view, word.text)
    if one is not None and _in_strategy(view, word.start):
        return _target(word.text, one.kind, one.node.name_span)
    return None


def _target(name: str, what: str, span: Span | None) -> Target | None:
    if span is None:
        return None
    return Target(name, what, Place(path_of_source(span.source), span.start, span.end), span)


def _parameter(view: View, split: n.Split, name: str, start: int) -> Target | None:
    """`eps` in `split oblique by soct(eps = 0.01)`."""
    if split.by is None or not any(
        a.name == name and a.span.start == start for a in split.arguments
    ):
        return None
    params = formulation_parameters(view, split.by.text, split.by.is_path)
    found = next((p for p in params if p.name == name), None)
    return _target(name, "parameter", found.name_span) if found is not None else None


def _names_rows(view: View, start: int) -> bool:
    """Whether a family of rows may be named at a place."""
    statement = view.statement_at(start)
    if isinstance(statement, n.Subject):
        return any(c.name_span.start == start for c in statement.constraints)
    if isinstance(statement, n.Cut):
        return statement.constraint.name_span.start == start
    if isinstance(statement, n.Drop):
        return any(span.start == start for span in statement.name_spans)
    return isinstance(statement, n.Strategy)


def _in_strategy(view: View, start: int) -> bool:
    return isinstance(view.statement_at(start), n.Strategy)


def _module_at(view: View, start: int) -> Target | None:
    """The file of a module or formulation that is named at a place, or the data file."""
    statement = view.statement_at(start)
    if isinstance(statement, n.Data):
        place = word_at(view.text, start)
        path = view.path.parent / statement.path
        if (
            place is not None
            and place.text[1:-1] == statement.path
            and exists(path)
            and path.is_file()
        ):
            return Target(statement.path, "module", Place(str(path), 0, 0))
        return None
    reference = statement.by if isinstance(statement, n.Split) else None
    if isinstance(statement, n.Use):
        reference = statement.module
    if reference is None or not reference.span.start <= start < reference.span.end:
        return None
    for m in view.modules[1:]:
        if m.name == reference.text or m.written == reference.written:
            file = path_of_source(m.file.span.source)
            return Target(reference.text, "module", Place(file, 0, 0))
    shipped = library_module(reference.text)
    if shipped is None:
        return None
    return Target(reference.text, "module", Place(path_of_source(shipped.span.source), 0, 0))


def definition(view: View, offset: int) -> list[Place]:
    """Where the name at the cursor is declared, or the file that it names."""
    target = target_at(view, offset)
    return [] if target is None else [target.place]


def highlights(view: View, offset: int) -> list[Place]:
    """The mentions of the name at the cursor in this text."""
    target = target_at(view, offset)
    return [] if target is None else mentions_of(view, target)


def references(view: View, offset: int, edited: Edited | None = None) -> list[Place]:
    """The declaration of the name at the cursor, and its mentions in this text and the others of
    its folder."""
    target = target_at(view, offset)
    if target is None or target.what == "module":
        return []
    places = [
        target.place,
        *(p for one in related(view, target, edited) for p in mentions_of(one, target)),
    ]
    return list(dict.fromkeys(places))


def related(view: View, target: Target, edited: Edited | None = None) -> Iterator[View]:
    """The text and, for a name that others may mention, those texts of its folder that have it."""
    yield view
    if target.what in ("index", "argument", "local set") and target.place.path == view.name:
        return
    edited = edited or {}
    folders = {view.path.parent, Path(target.place.path).parent}
    for path in sorted({p for folder in folders for p in _texts(folder)} | set(edited)):
        text = edited.get(path) if path in edited else _text(path)
        if path == view.name or text is None or target.name not in text:
            continue
        if any(x.kind == "name" and x.text == target.name for x in scan(text)):
            yield look(Path(path), text, edited)


def _texts(folder: Path) -> list[str]:
    try:
        found = [e for e in entries(folder) if e.name.endswith(".tree") and e.is_file()]
        return [e.path for e in found if e.stat().st_size <= LARGEST][:MOST_FILES]
    except OSError:
        return []


def _text(path: str) -> str | None:
    try:
        return plain(read_text(path, LARGEST))
    except (OSError, UnicodeDecodeError):
        return None


def mentions_of(view: View, target: Target) -> list[Place]:
    """Where a text mentions a target, its declaration included."""
    found = [m.span for m in view.mentions.values() if _is(m.place, target)]
    if target.place.path == view.name:
        found.append(Span(view.file.span.source, target.place.start, target.place.end))
    if target.what == "constraint":
        found += _row_names(view, target)
    else:
        found += _arguments(view, target)
        found += _strategy_words(view, target.name) if _means(view, target) else []
    places = {(s.start, s.end) for s in found if s.end <= len(view.text)}
    return [Place(view.name, start, end) for start, end in sorted(places)]


def _is(place: Span | None, target: Target) -> bool:
    if place is None:
        return False
    there = target.place
    return place.start == there.start and path_of_source(place.source) == there.path


def _means(view: View, target: Target) -> bool:
    """Whether the name, looked up in a text, is the target."""
    one = declared(view, target.name)
    return one is not None and _is(one.node.name_span, target)


def _arguments(view: View, target: Target) -> list[Span]:
    """Names of parameters in `split … by …(name = …)`."""
    splits = (s for s in view.file.statements if isinstance(s, n.Split) and view.is_own(s.span))
    found = []
    for split in splits:
        for argument in split.arguments:
            if argument.name == target.name:
                there = _parameter(view, split, target.name, argument.span.start)
                if there is not None and there.place == target.place:
                    found.append(word_span(argument.span, target.name))
    return found


def _row_names(view: View, target: Target) -> list[Span]:
    """Names of a family of rows: at its declaration, in `drop` and in strategies."""
    row = next((r for r, _, _ in rows(view) if r.name == target.name), None)
    if row is None or not _is(row.name_span, target):
        return []
    drops = (s for s in view.file.statements if isinstance(s, n.Drop))
    spans = [
        span
        for drop in drops
        for name, span in zip(drop.names, drop.name_spans, strict=True)
        if name == target.name and view.is_own(span)
    ]
    return [*spans, *_strategy_words(view, target.name)]


def _strategy_words(view: View, name: str) -> list[Span]:
    blocks = (s for s in view.file.statements if isinstance(s, n.Strategy) and view.is_own(s.span))
    words = (w for b in blocks for s in b.settings for group in s.groups for w in group)
    return [word_span(w.span, name) for w in words if w.name == name]
