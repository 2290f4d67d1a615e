"""A reader of MPS files that takes the portable core and nothing else.

Written apart from the writer: it goes line by line, knows every section's grammar, and fails on
whatever some solver would read differently: a missing end, double spaces, a third pair, a column
in two pieces, a stored zero, a bound left to a default, a name outside the safe characters.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise

INF = math.inf
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.(),]{0,95}")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]\d+)?")
ORDER = ["NAME", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "QUADOBJ", "ENDATA"]
OPTIONAL = {"RANGES", "QUADOBJ"}


class NotPortable(Exception):
    """The file leaves the portable core; the message says where."""


@dataclass
class Content:
    """What a file says; columns and rows in its order, infinite bounds as math.inf."""

    name: str = ""
    objective: str = ""
    comments: list[str] = field(default_factory=list)
    rows: dict[str, tuple[float, float]] = field(default_factory=dict)
    columns: dict[str, tuple[float, float]] = field(default_factory=dict)
    integer: set[str] = field(default_factory=set)
    costs: dict[str, float] = field(default_factory=dict)
    entries: dict[tuple[str, str], float] = field(default_factory=dict)
    products: dict[tuple[str, str], float] = field(default_factory=dict)


def read(text: str) -> Content:
    """The content of a whole file."""
    demand(text.endswith("\nENDATA\n"), "no ENDATA at the end: the file is cut short")
    demand(text.isascii() and "\t" not in text and "\r" not in text, "not plain lines of ASCII")
    content = Content()
    sections = split(text, content)
    senses = read_rows(sections["ROWS"], content)
    read_columns(sections["COLUMNS"], content, senses)
    rhs = read_values(sections["RHS"], "RHS", senses)
    ranges = read_values(sections.get("RANGES", []), "RNG", senses)
    demand("RANGES" not in sections or bool(ranges), "an empty RANGES section")
    content.rows = {r: sides(s, rhs.get(r, 0.0), ranges.get(r)) for r, s in senses.items()}
    read_bounds(sections["BOUNDS"], content)
    for line in sections.get("QUADOBJ", []):
        first, second, value = fields(line, 3)
        once((first, second), content.products)
        demand((second, first) not in content.products or first == second, line)
        demand(first in content.columns and second in content.columns, line)
        content.products[first, second] = number(value)
    return content


def split(text: str, content: Content) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("*"):
            demand(not sections, "a comment behind the NAME line")
            content.comments.append(line[1:].strip())
        elif line.startswith("NAME "):
            demand(not sections, "a second NAME line")
            _, content.name, free = line.split(" ")
            demand(free == "FREE", "CBC reads short names as fixed columns without FREE")
            sections["NAME"] = []
        elif not line.startswith(" "):
            once(line, sections)
            sections[line] = []
        else:
            list(sections.values())[-1].append(line)
    present = [name for name in ORDER if name in sections or name not in OPTIONAL]
    demand(list(sections) == present, f"sections {list(sections)}, not {present}")
    return sections


def read_rows(lines: list[str], content: Content) -> dict[str, str]:
    senses: dict[str, str] = {}
    for line in lines:
        sense, name = fields(line, 2)
        if not content.objective:
            demand(sense == "N", "the first row is not the objective")
            content.objective = safe(name)
            continue
        demand(sense in ("L", "G", "E"), f"a row of sense {sense}")
        once(name, senses)
        senses[safe(name)] = sense
    demand(content.objective not in senses, "a row named as the objective")
    return senses


def read_columns(lines: list[str], content: Content, senses: dict[str, str]) -> None:
    inside, current, markers = False, "", set()
    entries: dict[str, dict[str, float]] = {}
    for line in lines:
        parts = line[1:].split(" ")
        if parts[1] == "'MARKER'":
            demand(parts[2] == ("'INTEND'" if inside else "'INTORG'"), line)
            demand(inside or parts[0] not in markers, "a marker named twice")
            demand(not inside or current in content.integer, "no column between markers")
            markers.add(parts[0])
            inside = not inside
            continue
        name, *pairs = fields(line, 3, 5)
        if name != current:
            once(name, entries)
            entries[safe(name)] = {}
            current = name
        if inside:
            content.integer.add(name)
        for row, value in zip(pairs[::2], pairs[1::2], strict=True):
            demand(row == content.objective or row in senses, f"no row {row}: {line}")
            once(row, entries[name])
            entries[name][row] = number(value)
    demand(not inside, "integer columns without an end")
    for name, column in entries.items():
        empty = column == {content.objective: 0.0}
        demand(empty or 0.0 not in column.values(), f"column {name} stores a zero")
        content.columns[name] = (math.nan, math.nan)
        content.costs[name] = column.pop(content.objective, 0.0)
        content.entries |= {(row, name): value for row, value in column.items()}


def read_values(lines: list[str], word: str, senses: dict[str, str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for line in lines:
        head, row, value = fields(line, 3)
        demand(head == word and row in senses, line)
        once(row, values)
        values[row] = number(value)
        demand(values[row] != 0, f"a zero that is the default: {line}")
    return values


def read_bounds(lines: list[str], content: Content) -> None:
    kinds: dict[str, list[str]] = {name: [] for name in content.columns}
    for line in lines:
        kind, word, name, *value = fields(line, 3, 4)
        demand(word == "BND" and name in kinds, line)
        demand(bool(value) == (kind in ("FX", "LO", "UP")), line)
        kinds[name].append(kind)
        bound = number(value[0]) if value else math.nan
        demand(not abs(bound) >= 1e20, f"some readers take this for infinite: {line}")
        lower, upper = content.columns[name]
        content.columns[name] = {
            "FX": (bound, bound),
            "BV": (0.0, 1.0),
            "FR": (-INF, INF),
            "MI": (-INF, upper),
            "LO": (bound, upper),
            "PL": (lower, INF),
            "UP": (lower, bound),
        }[kind]
    allowed = [["FX"], ["BV"], ["FR"], *([a, b] for a in ("MI", "LO") for b in ("PL", "UP"))]
    for name, given in kinds.items():
        demand(given in allowed, f"column {name} has the bounds {given}")
        demand(given != ["BV"] or name in content.integer, f"{name} is BV outside markers")
    order = [fields(line, 3, 4)[2] for line in lines]
    places = {name: k for k, name in enumerate(content.columns)}
    demand(all(places[a] <= places[b] for a, b in pairwise(order)), "bounds out of order")


def sides(sense: str, rhs: float, spread: float | None) -> tuple[float, float]:
    if sense == "E":
        demand(spread is None, "a range on an equation")
        return rhs, rhs
    if sense == "L":
        return (-INF if spread is None else rhs - spread), rhs
    return rhs, (INF if spread is None else rhs + spread)


def fields(line: str, *counts: int) -> list[str]:
    parts = line[1:].split(" ")
    demand(line.startswith(" ") and "" not in parts and len(parts) in counts, f"line {line!r}")
    return parts


def number(text: str) -> float:
    demand(NUMBER.fullmatch(text) is not None and text not in ("-0", "-0.0"), f"number {text!r}")
    value = float(text)
    demand(math.isfinite(value), f"number {text!r}")
    return value


def safe(name: str) -> str:
    demand(NAME.fullmatch(name) is not None, f"name {name!r}")
    return name


def once(key: object, known: object) -> None:
    demand(key not in known, f"{key} occurs twice")  # type: ignore[operator]


def demand(holds: bool, message: str) -> None:
    if not holds:
        raise NotPortable(message)
