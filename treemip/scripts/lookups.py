"""The tables that an expression looks things up in: each is named and exported when first used."""

from __future__ import annotations

from collections.abc import Callable

from treemip.resolve import typed as t
from treemip.resolve.sorts import Element
from treemip.resolve.typed import Role, Symbol
from treemip.scripts.known import Known
from treemip.scripts.names import Names
from treemip.scripts.refusal import refused

OF_ONE_ELEMENT = {
    *("left", "right", "parent", "depth", "ord", "mid", "lo", "hi", "next"),
    *("least_gap", "least_difference"),
    *("ancestors", "left_ancestors", "right_ancestors", "leaves_under", "last_branches_under"),
    *("thresholds", "class_thresholds", "categories"),
}
SETS_OF = {
    "point": "points",
    "feature": "features",
    "class": "classes",
    "node": "nodes",
    "categorical feature": "categorical_features",
}


class Lookups:
    """Names of tables; `known.tables` has what was asked for."""

    def __init__(self, known: Known, names: Names) -> None:
        self.known, self.names = known, names

    def _once(self, key: object, wish: str, add: Callable[[str], None]) -> str:
        name = self.names.of(key, wish)
        if name not in self.known.tables:
            add(name)
        return name

    def base_set(self, e: t.BaseSet) -> str:
        """points, branches, …"""
        return self._once(("set", e.name), e.name, lambda name: self.known.add_value(name, e))

    def every(self, sort: Element, wish: str) -> str:
        """All elements of a sort, under the name of the base set where there is one."""
        key = "set", SETS_OF.get(sort.of, sort)
        name = SETS_OF.get(sort.of, wish)
        return self._once(key, name, lambda found: self.known.add_every(found, sort))

    def symbol(self, s: Symbol) -> str:
        """A parameter, a declared set, a table of the data."""
        add = self.known.add_data if s.role is Role.DATA else self.known.add_symbol
        return self._once(s, s.name, lambda name: add(name, s))

    def of_one_element(self, e: t.Call, function: str) -> str:
        """left, depth, ancestors, …: a function of one element as a table over all of them."""
        sort = e.arguments[0].sort
        assert isinstance(sort, Element)
        kind, _, tree = sort.of.partition(":")
        wish = f"{function}_of_{tree}" if kind == "tree" else function
        if function == "ord":
            wish = f"order_of_{tree or kind}"
        key = "call", function, sort
        return self._once(key, wish, lambda name: self.known.add_call(name, function, e))

    def inner(self, tree: t.At) -> str:
        """The branches of each tree of a declared family."""
        s = tree.symbol
        key, wish = ("inner", s), f"inner_of_{s.name}"
        return self._once(key, wish, lambda name: self.known.add_forests(name, s))

    def value(self, e: t.Call) -> str:
        """A call without bound names, evaluated now. Raises E601 where it has some."""
        if e.free or e.local:
            raise refused(e, f"'{e.function}' of a bound index")
        words = "_".join([e.function, *(_plain(a) for a in e.arguments)])
        key = "value", e.function, " ".join(e.span.text.split())
        return self._once(key, words, lambda name: self.known.add_value(name, e))


def _plain(e: t.Typed) -> str:
    if isinstance(e, t.Literal):
        return e.text
    return e.symbol.name if isinstance(e, t.At) else ""
