"""Bound names: what a script calls the indices that are in scope, and which set each is in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from treemip.resolve import typed as t
from treemip.resolve.sorts import Element, Sort
from treemip.scripts.names import Names

LETTERS = {"point": "i", "feature": "j", "class": "k", "node": "t"}


class Scope:
    """`said[name]` is the script's word for a bound name."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.said: dict[str, str] = {}
        self.binders: dict[str, t.Binder] = {}

    def __getitem__(self, name: str) -> str:
        return self.said[name]

    @contextmanager
    def opened(self, empty: bool = False) -> Iterator[None]:
        """What is bound inside is forgotten after. `empty`: inside, nothing else is in scope."""
        before = self.said, self.binders
        self.said = {} if empty else dict(self.said)
        self.binders = {} if empty else dict(self.binders)
        try:
            yield
        finally:
            self.said, self.binders = before

    def bind(self, name: str, sort: Sort | None = None, binder: t.Binder | None = None) -> str:
        """A bound name as the script has it; `*` becomes a letter."""
        wish = name
        if name.startswith("*"):
            wish = LETTERS.get(sort.of if isinstance(sort, Element) else "", "v")
        self.said[name] = self.names.bound(wish, set(self.said.values()))
        self.binders.pop(name, None)
        if binder is not None:
            self.binders[name] = binder
        return self.said[name]

    def index(self, names: tuple[str, ...]) -> str:
        """`i, t`"""
        return ", ".join(self.said[n] for n in names)


def whole_sort(binder: t.Binder) -> bool:
    """Whether its set has every element of the sort there is."""
    names = ("points", "features", "classes", "nodes")
    return isinstance(binder.set, t.BaseSet) and binder.set.name in names


def inside_domain(e: t.At, scope: Scope) -> bool:
    """Whether the indices are those of the declaration, as far as the text shows."""
    domain = e.symbol.domain
    if domain.guard:
        return False
    for argument, own in zip(e.arguments, domain.binders, strict=True):
        if own.conditions or own.set.free:
            return False
        binder = scope.binders.get(argument.name) if isinstance(argument, t.Bound) else None
        if not whole_sort(own) and (binder is None or binder.set != own.set):
            return False
    return True
