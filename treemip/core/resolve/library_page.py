"""The tables of docs/library.md, generated from the library by `make docs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from treemip.core.resolve.builtins import NAMES
from treemip.core.resolve.modules import formulation_names, library_module, library_statements
from treemip.core.syntax import nodes as n
from treemip.core.syntax.nodes import mentioned
from treemip.core.syntax.printing.columns import signature

BEGIN, END = "<!-- made: {} -->", "<!-- end of {} -->"


def concepts() -> str:
    """Every concept with what it is, what it means on a tree, and its default."""
    rows = []
    for c in _vocabulary(n.Concept):
        means = f"`{_line(c.means)}`" if c.means is not None else ""
        rows.append((f"`{c.name}{_indices(c)}`", c.doc, means, _default(c)))
    return _table(("concept", "is", "on a tree", "default"), rows)


def terms() -> str:
    """Every term with its formula."""
    rows = []
    for term in _vocabulary(n.Term):
        rows.append((f"`{signature(term)}`", f"`{_line(term.value)}`"))
    return _table(("term", "is"), rows)


def formulations() -> str:
    """Every formulation with its splits, what it is for, its paper and parameters."""
    rows = []
    for name in formulation_names():
        file = library_module(name)
        assert file is not None and file.header is not None
        header = file.header
        params = [f"`{s.name}`" for s in _statements(name) if isinstance(s, n.Param)]
        rows.append((f"`{name}`", header.kind, header.purpose, header.paper, ", ".join(params)))
    return _table(("formulation", "splits", "for", "from", "parameters"), rows)


def who_has_what() -> str:
    """For every concept and formulation: its own, by default, or not at all."""
    names = formulation_names()
    rows = [(f"`{c.name}`", *(_has(c, name) for name in names)) for c in _vocabulary(n.Concept)]
    return _table(("concept", *(f"`{name}`" for name in names)), rows)


def reserved() -> str:
    """The names that a spec cannot declare, by what they are."""
    rows = [(what, *[_names(names)]) for what, names in NAMES.items()]
    rows.append(("concept of the vocabulary", _names(c.name for c in _vocabulary(n.Concept))))
    rows.append(("term of the vocabulary", _names(t.name for t in _vocabulary(n.Term))))
    return _table(("is a", "names"), rows)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


TABLES = {
    "concepts": concepts,
    "terms": terms,
    "formulations": formulations,
    "who has what": who_has_what,
}


def filled_in(text: str, tables: Mapping[str, Callable[[], str]] = TABLES) -> str:
    """The text of a page with the tables between its marks generated anew."""
    for name, make in tables.items():
        begin, end = BEGIN.format(name), END.format(name)
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"the page must have the marks of '{name}' once")
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{make()}\n{end}{rest.split(end)[1]}"
    return text


def _vocabulary(kind: type) -> list[Any]:
    return [s for s in _statements("vocabulary") if isinstance(s, kind)]


def _statements(name: str) -> tuple[n.Statement, ...]:
    return library_statements(name)


def _has(concept: n.Concept, name: str) -> str:
    for s in _statements(name):
        if isinstance(s, n.Var | n.Let) and s.name == concept.name:
            return "variable" if isinstance(s, n.Var) else "let"
    own = (s for s in _statements(name) if isinstance(s, n.Concept) and s.name == concept.name)
    stated = next(own, concept)
    if _default(stated) in ("", EXTENDS):
        return "no"
    concepts = {c.name: c for c in _vocabulary(n.Concept) if c.name in _needed(stated)}
    return "no" if any(_has(c, name) == "no" for c in concepts.values()) else "default"


def _needed(concept: n.Concept) -> set[str]:
    """Names that a concept's default mentions, beside its own."""
    default = concept.default
    parts = default if isinstance(default, tuple) else (default,)
    return {name for part in parts if part is not None for name in mentioned(part)} - {concept.name}


EXTENDS = "extends one over leaves"


def _default(concept: n.Concept) -> str:
    default = concept.default
    if default is None:
        return ""
    if isinstance(default, tuple):
        rows = [c.name for s in default if isinstance(s, n.Subject) for c in s.constraints]
        return "a variable with " + ", ".join(f"`{r}`" for r in rows)
    return EXTENDS if concept.name in set(mentioned(default)) else f"`{_line(default)}`"


def _indices(concept: n.Concept) -> str:
    names = [name for b in concept.domain.binders for name in b.names] if concept.domain else []
    return f"[{','.join(names)}]" if concept.domain else ""


def _line(node: n.Node) -> str:
    """A node's own text on one line."""
    return " ".join(node.span.text.split())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in lines)
