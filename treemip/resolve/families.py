"""Families of rows from all modules: constraints, cuts, and the rows of concept defaults."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from treemip.resolve.link import Linker
from treemip.resolve.modules import Module
from treemip.resolve.spec import Constraint
from treemip.resolve.statements import constraint
from treemip.source.diagnostic import Related, Report
from treemip.syntax import nodes as n


def constraints(linker: Linker) -> list[Constraint]:
    """The rows of formulation and spec, in this order."""
    return [
        c
        for m in reversed(linker.modules)
        for s in m.file.statements
        if isinstance(s, n.Subject)
        for c in _rows(linker, s.constraints, m)
    ]


def cuts(linker: Linker) -> tuple[Constraint, ...]:
    """Families that are added when a strategy or the caller asks for them."""
    return tuple(
        c
        for m in linker.modules
        for s in m.file.statements
        if isinstance(s, n.Cut)
        for c in _rows(linker, (s.constraint,), m)
    )


def _rows(linker: Linker, nodes: Iterable[n.Constraint], m: Module) -> list[Constraint]:
    return linker.attempt_each(nodes, lambda node: constraint(linker.expressions, node, m.name))


def default_rows(linker: Linker) -> list[Constraint]:
    """Rows of the concept defaults that were brought in; they may bring in others."""
    vocabulary = linker.modules[-1]
    made: list[Constraint] = []
    done = 0
    while done < len(linker.brought_in):
        concept, span = linker.brought_in[done]
        done += 1
        assert isinstance(concept.default, tuple)
        linker.in_progress.append((concept.name, span))
        for statement in concept.default:
            if isinstance(statement, n.Subject):
                rows = _rows(linker, statement.constraints, vocabulary)
                made += [replace(c, used_from=span) for c in rows]
        linker.in_progress.pop()
        linker.declarer.fill_in()
    return made


def check_names(families: Iterable[Constraint], report: Report) -> None:
    """No two families, of rows or cuts, have the same name. Reports E202."""
    seen: dict[str, Constraint] = {}
    for c in families:
        if c.name in seen:
            report.error(
                "E202",
                f"two constraints are named '{c.name}'",
                c.name_span,
                "choose another name",
                related=(Related(seen[c.name].name_span, "the other one is here"),),
            )
        seen.setdefault(c.name, c)
