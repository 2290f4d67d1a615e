"""Declarations of what the data file holds, and the data file itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from treemip.resolve.sorts import Element, SetOf
from treemip.scripts.ampl.expressions import quoted
from treemip.scripts.ampl.layout import spaced
from treemip.scripts.heading import comment, one_line
from treemip.scripts.tables import Table

WIDTH = 100


def declarations(tables: Mapping[str, Table], domains: Mapping[str, str]) -> list[str]:
    """`param x {points, features};` for each table; what has no indices comes first."""
    ordered = sorted(tables.items(), key=lambda item: bool(item[1].sorts))
    return [_declaration(name, t, domains.get(name, "")) for name, t in ordered]


def _declaration(name: str, table: Table, domain: str) -> str:
    word = "set" if isinstance(table.of, SetOf) else "param"
    named = isinstance(table.of, Element) and any(isinstance(v, str) for v in table.values)
    doc = one_line(table.doc)
    line = spaced(f"{word} {name}", domain) + (" symbolic" if named else "") + ";"
    if not doc:
        return line
    beside = f"{line}  # {doc}"
    return beside if len(beside) <= WIDTH else f"{comment(doc)}\n{line}"


def data_text(tables: Mapping[str, Table]) -> str:
    """The data file; numbers have all the digits that tell them apart."""
    return "".join(f"{_data(name, table)}\n" for name, table in tables.items())


def _data(name: str, table: Table) -> str:
    if isinstance(table.of, SetOf):
        return "\n".join(_sets(name, table))
    if not table.columns:
        return f"param {name} := {quoted(table.values[0])};"
    grid = _grid(table)
    if grid is not None:
        return _matrix(name, *grid)
    rows = (" ".join(map(quoted, row)) for row in table.rows)
    if len(table.columns) == 1:
        return f"param {name} :=\n{_wrapped(rows)};"
    return f"param {name} :=\n" + "\n".join(f" {row}" for row in rows) + ";"


def _sets(name: str, table: Table) -> Iterator[str]:
    for k, members in enumerate(table.values):
        index = ",".join(quoted(column[k]) for column in table.columns)
        head = f"set {name}[{index}]" if table.columns else f"set {name}"
        line = f"{head} := {' '.join(map(quoted, members))};"
        yield line if len(line) <= WIDTH else f"{head} :=\n{_wrapped(map(quoted, members))};"


def _wrapped(words: Iterable[str]) -> str:
    """The words on lines of WIDTH; a word may have blanks inside."""
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) + 2 > WIDTH:
            lines.append(line)
            line = ""
        line += f"  {word}" if line else f" {word}"
    return "\n".join([*lines, line])


def _grid(table: Table) -> tuple[list[Any], list[Any], list[Any]] | None:
    """Rows, columns and values of a table over all pairs of two index sets."""
    if len(table.columns) != 2:
        return None
    rows, columns = (list(dict.fromkeys(c)) for c in table.columns)
    pairs = [(r, c) for r in rows for c in columns]
    if pairs != list(zip(*table.columns, strict=True)):
        return None
    return rows, columns, table.values


def _matrix(name: str, rows: list[Any], columns: list[Any], values: list[Any]) -> str:
    head = f"param {name} : {' '.join(map(quoted, columns))} :="
    width = len(columns)
    lines = [
        f" {quoted(row)} {' '.join(map(quoted, values[k * width : (k + 1) * width]))}"
        for k, row in enumerate(rows)
    ]
    return "\n".join([head, *lines]) + ";"
