"""What programs of a tree share, whatever their language: names, sets of values and sums."""

from __future__ import annotations

import keyword
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from treemip.core.instance.cells import spellings
from treemip.core.instance.decimals import number_of
from treemip.core.instance.encodings import IDENTITY
from treemip.core.instance.feature import Feature
from treemip.writers.convert.raw_splits import (
    Branch,
    Leaf,
    Limit,
    Missing,
    RawTree,
    Split,
    Sum,
    Term,
    Values,
    branches,
    level_names,
    named_levels,
    scaling,
)

C_WORDS = re.findall(
    r"\w+",
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while",
)

RESERVED = {*keyword.kwlist, *keyword.softkwlist, *C_WORDS, "row", "math", "predict"}


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """Different names of variables, in Python and in C, for column names."""
    taken: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower()
        plain = plain if plain[:1].isalpha() else f"column_{plain}".rstrip("_")
        unique, count = plain, 1
        while unique in RESERVED or unique in taken.values():
            count += 1
            unique = f"{plain}_{count}"
        taken[name] = unique
    return taken


def marks_in_text(tree: RawTree) -> tuple[str, ...]:
    """The texts that stand for a missing value in a column of texts, beside the empty one."""
    marks = tree.tree.fitted_encoder().marks
    return tuple(dict.fromkeys(text for mark in marks for text in spellings(mark)))


def other_texts(feature: Feature) -> dict[str, int]:
    """Texts that stand for a level without being its name, with the level's position."""
    assert feature.levels is not None
    if feature.levels.numeric:
        return {}
    names = frozenset(feature.levels.names)
    return {text: k for text, k in feature.levels.positions.items() if text not in names}


def is_text(feature: Feature) -> bool:
    """Whether the column's cells are compared as texts."""
    return feature.levels is not None and not feature.levels.numeric


def marks_of(tree: RawTree, feature: Feature) -> list[str] | list[float]:
    """The cells of a column that stand for a missing value, beside the empty one and NaN."""
    if is_text(feature):
        return list(marks_in_text(tree))
    numbers = map(number_of, tree.tree.fitted_encoder().marks)
    return [number for number in numbers if number is not None]


def places_of(feature: Feature) -> dict[Any, int]:
    """The cells, texts or numbers, that stand for the levels of a categorical column, with the
    level's position."""
    kind = str if is_text(feature) else float
    return {kind(name): k for k, name in enumerate(level_names(feature))} | other_texts(feature)


def needed_parts(parts: dict[str, str], text: str) -> list[str]:
    """The functions by name that a text calls, and those that these call, in their order."""
    called = [name for name in parts if f"{name}(" in text]
    for name in called:
        called += [n for n in parts if f"{n}(" in parts[name] and n not in called]
    return [part for name, part in parts.items() if name in called]


def fill_name(feature: Feature) -> str | None:
    """The level that stands in for a missing value."""
    return None if feature.fill is None else level_names(feature)[int(feature.fill)]


@dataclass(frozen=True)
class Expressions(ABC):
    """Splits as expressions of a language; each language has its own numbers and values.

    words: names that are keywords of the language, beside those of C and Python. branch: a
    condition, and what ends the block behind it.
    """

    tree: RawTree

    words: ClassVar[frozenset[str]] = frozenset()
    branch: ClassVar[tuple[str, str]] = ("if ({}) {{", "}")
    indent: ClassVar[str] = "    "

    @cached_property
    def names(self) -> dict[str, str]:
        """The variable of each column that the tree asks for."""
        names = identifiers(feature.column for feature in self.tree.features)
        return {k: f"{name}_" if name in self.words else name for k, name in names.items()}

    @abstractmethod
    def number(self, value: float) -> str: ...

    @abstractmethod
    def value(self, feature: Feature) -> str:
        """The raw value of a column, with what is missing filled in."""

    @abstractmethod
    def missing(self, feature: Feature, absent: bool) -> str:
        """Whether the column has no value, or has one; of a feature that keeps missing values."""

    @abstractmethod
    def joined(self, first: str, both: bool, second: str) -> str:
        """Whether both conditions hold, or one of them."""

    @abstractmethod
    def member(self, feature: Feature, names: list[str], inside: bool) -> str:
        """Whether the column has one of the levels, or none of them."""

    @abstractmethod
    def choose(self, condition: str, yes: str, no: str) -> str: ...

    @abstractmethod
    def looked_up(self, feature: Feature, table: tuple[float, ...]) -> str:
        """The entry of a level; the last one for a value that training did not have."""

    @abstractmethod
    def between(self, share: str, lower: float, upper: float) -> str:
        """lower + (upper - lower) share, and upper where the share is 1."""

    def product(self, weight: float, factor: str) -> str:
        return f"{self.number(weight)} * {factor}"

    def condition(self, split: Split) -> str:
        """Whether a row goes left."""
        if isinstance(split, Missing):
            return self.missing(split.feature, split.left)
        if isinstance(split, Limit):
            test = f"{self.value(split.feature)} {split.operator} {self.number(split.number)}"
            return self.with_missing(split, test)
        if isinstance(split, Values):
            inside, names = named_levels(split, missing=False)
            return self.with_missing(split, self.member(split.feature, names, inside))
        return f"{self.sum(split)} {'<' if split.strict else '<='} {self.number(split.threshold)}"

    def with_missing(self, split: Limit | Values, test: str) -> str:
        """A test of present values, with the side of missing ones."""
        if split.missing is None:
            return test
        return self.joined(self.missing(split.feature, split.missing), not split.missing, test)

    def sum(self, split: Sum) -> str:
        """The terms from left to right, each product rounded, as `routing.weighted_sum` adds."""
        text = ""
        for term in split.terms:
            sign = (" - " if text else "-") if term.weight < 0 else (" + " if text else "")
            text += sign + self.product(abs(term.weight), self.term(term))
        return text or self.number(0.0)

    def leaf_value(self, leaf: int) -> str:
        """The value of a leaf: its constant, and the terms added to it as one sum."""
        base, value = self.number(self.tree.base_of(leaf)), self.tree.value_of(leaf)
        return f"{base} + ({self.sum(value)})" if value.terms else base

    def nodes(
        self, answer: Callable[[int], str], node: Branch | Leaf | None = None, indent: str = ""
    ) -> Iterator[str]:
        """Statements that find a row's leaf; answer: the one of a leaf, which ends the function."""
        node, indent = self.tree.root if node is None else node, indent or self.indent
        if isinstance(node, Leaf):
            yield indent + answer(node.node)
            return
        condition, end = self.branch
        yield indent + condition.format(self.condition(node.split))
        yield from self.nodes(answer, node.left, indent + self.indent)
        yield from [indent + end] if end else []
        yield from self.nodes(answer, node.right, indent)

    def chances_of_branches(self) -> Iterator[tuple[int, str]]:
        """Of a randomized tree: the number of each branch, whose children have twice that and one
        more, and what the logistic function gives its chance of going left for."""
        for branch in branches(self.tree.root):
            assert isinstance(branch.split, Sum)
            total = f"{self.sum(branch.split)} - {self.number(branch.split.threshold)}"
            yield int(self.tree.tree.topology.heap[branch.node]), total

    def chances_of_classes(self, product: str = "{} * {}") -> Iterator[str]:
        """The probability of each class: the chances `_p…` of the leaves times their shares, added
        up in the order of the nodes."""
        tree = self.tree.tree
        for shares in tree.distribution.T:
            yield " + ".join(
                product.format(f"_p{tree.topology.heap[leaf]}", self.number(shares[leaf]))
                for leaf in sorted(self.tree.leaves)
            )

    def term(self, term: Term) -> str:
        """What the raw value becomes, before its weight."""
        present = self.present(term)
        if term.missing is None:
            return present
        return self.choose(self.missing(term.feature, True), self.number(term.missing), present)

    def present(self, term: Term) -> str:
        """What a value becomes that is not missing."""
        if term.table is not None:
            return self.looked_up(term.feature, term.table)
        value = self.value(term.feature)
        if term.part is not None and term.part.end is not None:
            end = self.number(term.part.end)
            beyond = f"{value} {'<' if term.part.lowest else '>'} {end}"
            value = self.choose(beyond, end, value)
        if term.edge is not None:
            edge = f"{value} >= {self.number(term.edge)}"
            return self.choose(edge, self.number(1.0), self.number(0.0))
        line = scaling(term.finish)
        if isinstance(line, float):
            return self.number(line)
        if line is IDENTITY:
            return value
        minus = "-" if line.origin >= 0 else "+"
        scaled = f"(({value} {minus} {self.number(abs(line.origin))}) / {self.number(line.unit)})"
        if (line.lower, line.upper) != (0.0, 1.0):
            return self.between(scaled, line.lower, line.upper)
        return scaled
