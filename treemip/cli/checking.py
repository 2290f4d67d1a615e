"""check, fmt, list: commands on texts, which need neither data nor a solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.cli.console import (
    BAD_INPUT,
    DONE,
    NOT_VERIFIED,
    complain,
    note,
    parameters,
    refuse,
    say,
    table,
    write_text,
)
from treemip.resolve.modules import formulation_names, library_module
from treemip.resources import specs_path
from treemip.source.diagnostic import TreemipError
from treemip.source.render import visible
from treemip.syntax import nodes as n
from treemip.syntax.printing.statements import signature

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.instance.instance import Instance


def check(file: Sequence[Path], parameter: Sequence[str] = (), data: bool = False) -> int:
    """Find all that is wrong in specs.

    The text alone is checked, against the library; --data reads the data and evaluates
    what is known from it as well. No model is built.
    """
    given, worst = parameters(parameter), DONE
    for path in file:
        try:
            say(f"{path}: {_checked(path, given, data)}")
        except TreemipError as error:
            complain(error.diagnostics)
            worst = BAD_INPUT
    return worst


def _checked(path: Path, given: tuple[tuple[str, str], ...], data: bool) -> str:
    from treemip.api.program import Program
    from treemip.source.span import Source

    program = Program(Source.read(path), given, path.resolve().parent)
    warnings, found = list(program.spec.warnings), "fine"
    if data:
        instance = _bound(program)
        warnings += instance.warnings
        if instance.data is not None:
            points, features = instance.table.x.shape
            found += (
                f"; {points} points, {features} features, {len(instance.table.classes)} classes"
            )
    complain(warnings)
    return found


def _bound(program: Program) -> Instance:
    """The spec over its data. Raises with all names that the data do not have, beside what bind
    finds first: rows are not built, so they are gone through for names alone."""
    from treemip.lower.check_literals import check_literals

    names = check_literals(program.spec, program.data)
    try:
        instance = program.instance
    except TreemipError as error:
        others = [d for d in error.diagnostics if d not in names]
        raise TreemipError([*others, *names]) from None
    if names:
        raise TreemipError(names)
    return instance


def fmt(file: Sequence[Path], check: bool = False) -> int:
    """Lay .tree files out, in place. Comments stay."""
    from treemip.source.span import Source
    from treemip.syntax.format import format_text

    code = DONE
    for path in file:
        try:
            laid_out = format_text(Source.read(path))
            if laid_out.encode() == path.read_bytes():
                continue
            if check:
                note(visible(f"{path} is not in layout"))
                code = max(code, NOT_VERIFIED)
            else:
                write_text(path, laid_out)
                note(visible(f"{path} rewritten"))
        except TreemipError as error:
            complain(error.diagnostics)
            code = BAD_INPUT
    return code


def list_library(what: str = "", json: bool = False) -> int:
    """List the library.

    Formulations with their papers, the concepts and terms of the vocabulary, example specs.
    """

    if what and what not in CONTENTS:
        raise refuse(f"there is no list of '{what}'", f"there are {', '.join(CONTENTS)}")
    wanted = {k: v() for k, v in CONTENTS.items() if what in ("", k)}
    if json:
        from treemip.cli.console import say_json

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


# ----------------------------------------------------- the library, from its own files

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
    indices = ", ".join(b.name for b in declaration.domain.binders)
    return f"{declaration.name}[{indices}]"
