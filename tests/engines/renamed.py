"""A formulation of the library under other names: its variables, definitions, parameters and rows
renamed but for the vocabulary's concepts, its rows in reverse order, and what it uses in the same
file."""

from __future__ import annotations

import re
from pathlib import Path

LIBRARY = Path(__file__).parents[2] / "specs" / "library"
KEPT = {"coef", "bias", "active", "reach", "occupied", "label", "uses", "leaf_value"}
KEPT |= {"predicted", "correct", "prescribed", "treatments"}
"""Names of the vocabulary, and those by which a spec speaks of its treatments."""
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
TOKEN = re.compile(r'"[^"]*"|\.?[A-Za-z_]\w*')


def renamed(name: str, new: str) -> str:
    """The text of the formulation, called `new`."""
    text = (LIBRARY / f"{name}.tree").read_text()
    for used in re.findall(r"^use (\w+);", text, re.M):
        shared = _without_comments((LIBRARY / "shared" / f"{used}.tree").read_text())
        text = text.replace(f"use {used};", shared)
    text = _without_comments(text).replace(f"formulation {name}", f"formulation {new}", 1)
    text = re.sub(r"^subject to\n(.*?)(?=^\S|\Z)", _reversed, text, flags=re.M | re.S)
    own = re.findall(r"^(?:var|let|param|set) (\w+)", text, re.M)
    rows = re.findall(r"^\s+(?!let\b)(\w+) +(?:\"[^\"]*\" +)?\{[^\n]*\}:", text, re.M)
    others = [one for one in dict.fromkeys([*own, *rows]) if one not in KEPT]
    names = {one: f"my_{number}" for number, one in enumerate(others)}
    heading = re.match(r"formulation[^\n]*\n(?:\s+\"[^\"]*\"\n)?", text)
    start = heading.end() if heading else 0
    return text[:start] + TOKEN.sub(lambda m: names.get(m.group(), m.group()), text[start:])


def wholly_renamed(name: str, new: str) -> str:
    """The same with the variables of concepts renamed as well, which `let`s then name."""
    text = renamed(name, new)
    own = [one for one in re.findall(r"^var (\w+)", text, re.M) if one in CONCEPTS]
    start = text.index(";") + 1
    text = text[:start] + TOKEN.sub(
        lambda m: f"own_{m.group()}" if m.group() in own else m.group(), text[start:]
    )
    lets = []
    for one in own:
        indices = ",".join(re.findall(r"(\w+) in", CONCEPTS[one]))
        lets.append(f"let {one} {{{CONCEPTS[one]}}} = own_{one}[{indices}];")
    return "\n".join((text, *lets, ""))


def _reversed(section: re.Match[str]) -> str:
    rows = [row for row in section.group(1).split(";") if row.strip()]
    return "subject to\n" + ";".join(f"\n  {row.strip()}" for row in rows[::-1]) + ";\n\n"


def _without_comments(text: str) -> str:
    return re.sub(r"^\s*#[^\n]*\n", "", text, flags=re.M)
