"""Statements and data of AMPL as text, broken where they are long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import indent
from typing import Any

from treemip.core.resolve.sorts import Element, SetOf, TupleOf
from treemip.core.source.diagnostic import fail
from treemip.writers.render.tables import Table
from treemip.writers.render.text import comment, one_line, outside, split_outside

WIDTH = 100
STEP = "  "


def statement(head: str, body: str) -> str:
    """`head body;` on one line, or the body below, broken at its outermost operators."""
    line = f"{head} {body};"
    if len(line) <= WIDTH:
        return line
    return f"{head}\n{indent(folded(body, WIDTH - len(STEP) - 1), STEP)};"


def folded(text: str, width: int) -> str:
    """An expression on as many lines as it needs."""
    if len(text) <= width:
        return text
    for sign in (r" (?=(?:then|else) )", r" (?=[<>]?= )", r" (?=[+-] )", r" (?=\* )", r"(?<=\}) "):
        parts = split_outside(text, sign)
        if len(parts) > 1:
            first, *rest = parts
            room = width - len(STEP)
            return "\n".join([folded(first, width), *(indent(folded(p, room), STEP) for p in rest)])
    sign, _, inner = text.partition("(")
    if sign in ("", "* ", "+ ", "- ") and list(outside("(" + inner)) == [len(inner)]:
        return f"{sign}(\n{indent(folded(inner[:-1], width - len(STEP)), STEP)}\n)"
    return text


def spaced(name: str, over: str) -> str:
    """A name and its domain, if it has one."""
    return f"{name} {over}" if over else name


def quoted(label: object) -> str:
    """A label in AMPL's model and data: numbers as they are, texts between quotes.

    Raises E601 for a text of several lines, which AMPL cannot quote.
    """
    if isinstance(label, str):
        if len(label.splitlines()) > 1:
            message = f"AMPL has no names of several lines, such as {label!r}"
            remedy = "give the column or class another name, or export to another tool"
            fail("E601", message, remedy=remedy)
        return "'" + label.replace("'", "''") + "'"
    return repr(label).replace("inf", "Infinity")


# ---------------------------------------------------------------- the data file


def declarations(tables: Mapping[str, Table], domains: Mapping[str, str]) -> list[str]:
    """`param x {points, features};` for each table; what has no indices comes first."""
    ordered = sorted(tables.items(), key=lambda item: bool(item[1].sorts))
    return [_declaration(name, t, domains.get(name, "")) for name, t in ordered]


def _declaration(name: str, table: Table, domain: str) -> str:
    word = "set" if isinstance(table.of, SetOf) else "param"
    named = isinstance(table.of, Element) and any(isinstance(v, str) for v in table.values)
    doc = one_line(table.doc)
    more = " symbolic" if named else ""
    if isinstance(table.of, SetOf) and isinstance(table.of.element, TupleOf):
        more = f" dimen {len(table.of.element.parts)}"
    line = spaced(f"{word} {name}", domain) + more + ";"
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
        words = [_member(member) for member in members]
        line = f"{head} := {' '.join(words)};"
        yield line if len(line) <= WIDTH else f"{head} :=\n{_wrapped(words)};"


def _member(member: Any) -> str:
    """A label, or a tuple of them."""
    if isinstance(member, list):
        return f"({','.join(map(quoted, member))})"
    return quoted(member)


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
