"""list: what the library offers, read from its own files."""

from __future__ import annotations

from collections.abc import Callable

from treemip.cli.console import DONE, say_json, table
from treemip.resolve.modules import formulation_names, library_module, shared_names
from treemip.resources import specs_path
from treemip.source.diagnostic import refused
from treemip.syntax import nodes as n
from treemip.syntax.printing.statements import signature


def list_library(what: str = "", json: bool = False) -> int:
    """List the library.

    Formulations with their papers, the modules that they share, the concepts and terms of the
    vocabulary, example specs.
    """

    if what and what not in CONTENTS:
        raise refused(f"there is no list of '{what}'", f"there are {', '.join(CONTENTS)}")
    wanted = {k: v() for k, v in CONTENTS.items() if what in ("", k)}
    if json:
        say_json(wanted)
        return DONE
    parts = []
    for title, entries in wanted.items():
        rows = [
            tuple(f"  {cell}" if k == 0 else cell for k, cell in enumerate(e.values()))
            for e in entries
        ]
        parts.append("\n".join([title, table(rows)]))
    print("\n\n".join(parts))
    return DONE


Entry = dict[str, str]


def formulations() -> list[Entry]:
    """Name, kind of split, paper."""
    found = []
    for name in formulation_names():
        file = library_module(name)
        header = (
            next((s for s in file.statements if isinstance(s, n.Header)), None) if file else None
        )
        if header is not None:
            found.append({"name": header.name, "splits": header.kind, "paper": header.paper})
    return found


def modules() -> list[Entry]:
    """Name of each module that a text may `use`, its first comment."""
    found = []
    for name in shared_names():
        file = library_module(name)
        first = file.span.source.text.split("\n\n", 1)[0] if file else ""
        about = " ".join(line.removeprefix("#").strip() for line in first.splitlines())
        found.append({"name": name, "about": about.split(". ", 1)[0].rstrip(".")})
    return found


def concepts() -> list[Entry]:
    """Name with indices, what it means."""
    return [
        {"name": _indexed(s), "means": s.doc} for s in _vocabulary() if isinstance(s, n.Concept)
    ]


def terms() -> list[Entry]:
    """Name with parameters, definition."""
    found = []
    for s in _vocabulary():
        if isinstance(s, n.Term):
            value = " ".join(s.value.span.text.split())
            found.append({"name": signature(s), "is": value})
    return found


def specs() -> list[Entry]:
    """Path of each example, its first comment."""
    found = []
    for path in sorted(specs_path().glob("*.tree")):
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        found.append({"path": str(path), "about": first.removeprefix("#").strip()})
    return found


CONTENTS: dict[str, Callable[[], list[Entry]]] = {
    "formulations": formulations,
    "modules": modules,
    "concepts": concepts,
    "terms": terms,
    "specs": specs,
}


def _vocabulary() -> tuple[n.Statement, ...]:
    file = library_module("vocabulary")
    return file.statements if file else ()


def _indexed(declaration: n.Declaration) -> str:
    if declaration.domain is None:
        return declaration.name
    indices = ", ".join(name for b in declaration.domain.binders for name in b.names)
    return f"{declaration.name}[{indices}]"
