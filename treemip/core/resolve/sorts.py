"""Sorts (what an expression ranges over) and degrees (how it depends on variables)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True)
class Number:
    def __str__(self) -> str:
        return "a number"


@dataclass(frozen=True)
class Truth:
    def __str__(self) -> str:
        return "a condition"


@dataclass(frozen=True)
class Text:
    def __str__(self) -> str:
        return "a text"


@dataclass(frozen=True)
class Element:
    """A member of a base set: "point", "feature", "class", "node", "column",
    "categorical feature", "category", "support", "flow cut".

    A group's values are "group:…", the nodes of a declared tree "tree:…", the elements of a set
    that the text lists "set:…". Each category belongs to one feature: `red` of one and `red` of
    another are two.
    """

    of: str

    @property
    def name(self) -> str:
        """The name of the group, tree or listed set; empty for the members of a base set."""
        return self.of.partition(":")[2]

    def __str__(self) -> str:
        kind, _, name = self.of.partition(":")
        if kind == "group":
            return f"a value of group '{name}'"
        if kind == "tree":
            return f"a node of tree '{name}'"
        if kind == "set":
            return f"an element of '{name}'"
        return f"a {self.of}"


NAMED = ("point", "class", "feature", "categorical feature", "category", "column")


def named_by_text(sort: Sort | None) -> bool:
    """Elements that a text in the spec can name."""
    return isinstance(sort, Element) and (sort.of in NAMED or is_group(sort) or is_listed(sort))


def is_group(sort: Sort | None) -> bool:
    """Values of a group column."""
    return isinstance(sort, Element) and sort.of.startswith("group:")


def is_listed(sort: Sort | None) -> bool:
    """Elements that the text itself lists, `set treatments = {"a", "b"};`: they need no data."""
    return isinstance(sort, Element) and sort.of.startswith("set:")


@dataclass(frozen=True)
class TupleOf:
    """A tuple of elements and numbers, the element of a set of tuples."""

    parts: tuple[Number | Element, ...]

    def __str__(self) -> str:
        names = (str(part).removeprefix("a ").removeprefix("an ") for part in self.parts)
        return f"a tuple ({', '.join(names)})"


PLURALS = {"class": "classes", "category": "categories"}


@dataclass(frozen=True)
class SetOf:
    element: Number | Element | TupleOf

    def __str__(self) -> str:
        name = str(self.element).removeprefix("an ").removeprefix("a ")
        first, space, rest = name.partition(" ")
        if first in ("value", "node", "element", "tuple"):
            return f"a set of {first}s{space}{rest}"
        return f"a set of {PLURALS.get(name, name + 's')}"


@dataclass(frozen=True)
class TreeOf:
    """One tree of a declared family; its nodes are Element("tree:" + name)."""

    name: str

    def __str__(self) -> str:
        return f"a tree of '{self.name}'"


Sort = Number | Truth | Text | Element | TupleOf | SetOf | TreeOf
ANY_SET = SetOf(Element("element"))
"""Expected where a set of any elements is allowed."""

NUMBER, TRUTH, TEXT = Number(), Truth(), Text()
POINT, FEATURE, CLASS, NODE, COLUMN = (
    Element("point"),
    Element("feature"),
    Element("class"),
    Element("node"),
    Element("column"),
)
CATEGORICAL, CATEGORY = Element("categorical feature"), Element("category")
SUPPORT = Element("support")
FLOW_CUT = Element("flow cut")


class Degree(IntEnum):
    """How an expression depends on variables; the greater the fewer targets can take it."""

    KNOWN = 0
    AFFINE = 1
    QUADRATIC = 2
    PIECEWISE = 3
    NONLINEAR = 4
    READOUT = 5

    def __str__(self) -> str:
        return _DEGREES[self]


_DEGREES = {
    Degree.KNOWN: "known once the data is read",
    Degree.AFFINE: "affine in the variables",
    Degree.QUADRATIC: "quadratic in the variables",
    Degree.PIECEWISE: "piecewise in the variables",
    Degree.NONLINEAR: "nonlinear in the variables",
    Degree.READOUT: "readable from a solution only",
}
