"""A formulation of the library under other names: its variables, definitions, parameters and rows
renamed but for the vocabulary's concepts, its rows in reverse order, and what it uses in the same
file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

LIBRARY = Path(__file__).parents[1] / "specs" / "library"
VOCABULARY = (LIBRARY / "vocabulary.tree").read_text()
KEPT = {"treatments", "policy_value", "absolute_error", "squared_error"}
KEPT |= {"half_deviance", "has", "possible", "prescribed"}
KEPT |= set(re.findall(r"^(?:concept|term) (\w+)", VOCABULARY, re.M))
"""Names of the vocabulary, and those by which a spec speaks of what its leaves answer."""
CONCEPTS = {
    "coef": "t in branches, j in features",
    "bias": "t in branches",
    "active": "t in branches",
    "reach": "i in points, l in leaves",
    "occupied": "l in leaves",
    "label": "l in leaves, k in classes",
    "leaf_value": "l in leaves",
    "predicted": "i in points",
}
"""Concepts that formulations have variables for, and what is between the braces."""
TOKEN = re.compile(r'"[^"]*"|(?:(?<!\.)\.)?[A-Za-z_]\w*')


def renamed(name: str, new: str) -> str:
    """The text of the formulation, called `new`."""
    text = flattened(name).replace(f"formulation {name}", f"formulation {new}", 1)
    text = with_rows(text, lambda rows: rows[::-1])
    return with_names(text, {one: f"my_{k}" for k, one in enumerate(own_names(text))})


def wholly_renamed(name: str, new: str) -> str:
    """The same with the variables of concepts renamed as well, which `let`s then name."""
    text = renamed(name, new)
    own = [one for one in re.findall(r"^var (\w+)", text, re.M) if one in CONCEPTS]
    text = with_names(text, {one: f"own_{one}" for one in own})
    lets = []
    for one in own:
        indices = ",".join(re.findall(r"(\w+) in", CONCEPTS[one]))
        lets.append(f"let {one} {{{CONCEPTS[one]}}} = own_{one}[{indices}];")
    return "\n".join((text, *lets, ""))


def flattened(name: str) -> str:
    """The text of the formulation with what it uses, without comments."""
    text = (LIBRARY / f"{name}.tree").read_text()
    for used in re.findall(r"^use (\w+);", text, re.M):
        shared = (LIBRARY / "shared" / f"{used}.tree").read_text()
        text = text.replace(f"use {used};", shared)
    return re.sub(r"^\s*#[^\n]*\n", "", text, flags=re.M)


def own_names(text: str) -> list[str]:
    """Names of variables, definitions, parameters, sets and rows that are not of KEPT."""
    own = re.findall(r"^(?:var|let|param|set) (\w+)", text, re.M)
    rows = re.findall(r"^\s+(?!let\b)(\w+) +(?:\"[^\"]*\" +)?\{[^\n]*\}:", text, re.M)
    return [one for one in dict.fromkeys([*own, *rows]) if one not in KEPT]


def with_names(text: str, names: Mapping[str, str]) -> str:
    """The text of a formulation under other names."""
    heading = re.match(r"formulation[^\n]*\n(?:\s+\"[^\"]*\"\n)?", text)
    start = heading.end() if heading else 0
    return text[:start] + TOKEN.sub(lambda m: names.get(m.group(), m.group()), text[start:])


def with_rows(text: str, change: Callable[[list[str]], list[str]]) -> str:
    """The text with the rows of each of its sections as `change` has them."""

    def changed(section: re.Match[str]) -> str:
        rows = [row.strip() for row in section.group(1).split(";") if row.strip()]
        return "subject to\n" + ";".join(f"\n  {row}" for row in change(rows)) + ";\n\n"

    return re.sub(r"^subject to\n(.*?)(?=^\S|\Z)", changed, text, flags=re.M | re.S)
