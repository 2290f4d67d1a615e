"""Identifiers of a script: the spec's own names, moved aside where Python has them."""

from __future__ import annotations

import builtins
import keyword
import re

from treemip.instance.instance import Instance
from treemip.resolve.builtins import BASE_SETS

# What the templates define or import.
_FRAME = """
Expression FEASIBILITY GRB Path absolute argparse bounds cache columns cp curved data exp families
form generate_standard_repn gp infinity json logging largest linear lines log logistic main math
matrix maximum minimum model new np objective one product products pyo pyscipopt quicksum scalar
shared smallest solve sparse sqrt state table tanh times variables whole
"""
FRAME = frozenset(_FRAME.split())


PYTHON = frozenset((*FRAME, *dir(builtins), *keyword.kwlist))


class Names:
    """Identifiers given out so far; `of(key, wish)` is the same for the same key.

    reserved: what the script's language keeps to itself. Identifiers are of ASCII letters.
    """

    def __init__(self, reserved: frozenset[str] = PYTHON) -> None:
        self.taken = set(reserved)
        self._given: dict[object, str] = {}
        self._bound: set[str] = set()

    def of(self, key: object, wish: str) -> str:
        if key not in self._given:
            self._given[key] = self.fresh(wish)
        return self._given[key]

    def fresh(self, wish: str) -> str:
        """An identifier that nothing else has, as near to the wish as can be."""
        found = _ascii(wish)
        while found in self.taken or found in self._bound:
            found += "_"
        self.taken.add(found)
        return found

    def bound(self, wish: str, scope: set[str]) -> str:
        """A name for a bound index, unlike those in scope and what the script has."""
        found = _ascii(wish)
        while found in self.taken or found in scope:
            found += "_"
        self._bound.add(found)
        return found


def _ascii(wish: str) -> str:
    found = re.sub(r"\W+", "_", wish, flags=re.ASCII).strip("_") or "it"
    return f"_{found}" if found[0].isdigit() else found


def reserve(names: Names, instance: Instance, *, scalars: bool = True) -> None:
    """Give the spec's own things their names before anything else takes them.

    scalars: lets without indices as well.
    """
    spec = instance.spec
    for name in BASE_SETS:
        names.of(("set", name), name)
    lets = [s for s in spec.lets if scalars or s.domain.binders]
    for s in (*spec.variables, *spec.parameters, *spec.sets, *lets):
        names.of(s, s.name)
