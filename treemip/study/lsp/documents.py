"""The texts that an editor has open, what is known of each, and of files that it has not opened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from treemip.core.source.reading import read_text
from treemip.core.source.span import LARGEST
from treemip.study.lsp.positions import MARK, Lines, path_of, plain, with_plain_ends
from treemip.study.lsp.table import (
    NOTHING,
    DataFacts,
    TableCache,
    data_facts,
    kept_names,
    with_engines,
)
from treemip.study.lsp.view import View, look

Span = tuple[tuple[int, int], tuple[int, int]]
"""Where a change begins and ends, as (line, unit)."""


@dataclass
class Document:
    """An open text. facts: what its data said last; bound: of which state of all texts."""

    uri: str
    path: Path
    text: str
    view: View | None = None
    seen: int = -1
    facts: DataFacts = NOTHING
    bound: int = -1


class Documents:
    """Open texts by their URI. Every change of one makes what is known of all of them old, since
    they may be each other's modules."""

    def __init__(self, encoding: str = "utf-16") -> None:
        self.encoding = encoding
        self.open: dict[str, Document] = {}
        self.tables = TableCache()
        self.state = 0

    def put(self, uri: str, text: str) -> Document:
        """A text as it is now."""
        document = self.open.get(uri)
        if document is None:
            document = self.open[uri] = Document(uri, _path(uri), text)
        document.text = text
        self.state += 1
        return document

    def change(self, uri: str, edits: Iterable[tuple[Span | None, str]]) -> Document:
        """Edits one after another, each at a range of the text that the one before left."""
        document = self.get(uri)
        text = document.text
        for span, new in edits:
            if span is None:
                text = new
                continue
            lines = Lines(text, self.encoding)
            mark = MARK if lines.marked else ""
            start, end = (lines.offset(*at) + (at != (0, 0)) * len(mark) for at in span)
            before = mark + lines.text
            text = before[:start] + with_plain_ends(new) + before[max(start, end) :]
        return self.put(uri, text)

    def close(self, uri: str) -> None:
        self.open.pop(uri, None)
        self.state += 1

    def changed_on_disk(self) -> None:
        self.state += 1

    @property
    def edited(self) -> dict[str, str]:
        """The open texts by the path of their files."""
        return {str(d.path): plain(d.text) for d in self.open.values()}

    def get(self, uri: str) -> Document:
        """An open text, or that of a file; an empty one where there is none."""
        return self.open.get(uri) or Document(uri, _path(uri), _on_disk(_path(uri)))

    def lines(self, document: Document) -> Lines:
        return Lines(document.text, self.encoding)

    def lines_of(self, path: str) -> Lines:
        """Of any file, as it is in the editor or on the disk."""
        found = next((d for d in self.open.values() if str(d.path) == path), None)
        text = found.text if found is not None else _on_disk(Path(path))
        return Lines(text, self.encoding)

    def view(self, document: Document) -> View:
        """What is known of a text, worked out once for each state of the texts."""
        state = self.state
        if document.view is None or document.seen != state:
            text = plain(document.text)
            document.view = look(document.path, text, self.edited, document.view)
            document.seen = state
        return document.view

    def bind(self, document: Document) -> bool:
        """Ask the data of a text anew; whether it is still the text of now when they answered."""
        state, view = self.state, self.view(document)
        facts = data_facts(view, self.tables, self.edited)
        document.facts, document.bound = kept_names(facts, document.facts), state
        return state == self.state

    def ask_engines(self, document: Document) -> bool:
        """Say why no exact engine takes a text; whether that is new, of the text as it is now."""
        state, before = self.state, document.facts
        if document.bound != state or before.bound is None:
            return False
        facts = with_engines(before)
        if document.facts is not before or state != self.state:
            return False
        document.facts = facts
        return facts.problems != before.problems

    def of_data(self, document: Document) -> DataFacts:
        """What the data said; their problems only of the text as it is now."""
        facts = document.facts
        if document.bound == self.state:
            return facts
        return replace(facts, problems=(), bound=None)

    def users_of(self, document: Document) -> list[Document]:
        """The other open texts that are linked with this one."""
        name = str(document.path)
        others = [d for d in self.open.values() if d is not document and d.view is not None]
        return [d for d in others if d.view and _uses(d.view, name)]


def _uses(view: View, name: str) -> bool:
    return any(m.file.span.source.name == name for m in view.modules)


def _path(uri: str) -> Path:
    """The file of a URI; for a text that has none, one of the current folder that is not there."""
    path = path_of(uri)
    if path is None:
        return Path.cwd() / ("".join(c if c.isalnum() else "_" for c in uri)[-60:] + ".tree")
    return path


def _on_disk(path: Path) -> str:
    try:
        return read_text(path, LARGEST)
    except (OSError, ValueError):
        return ""
