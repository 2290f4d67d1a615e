"""What else a spec says of a tree: its own `let`s without indices, as numbers on some points."""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.value_sources import Meaning
from treemip.resolve.sorts import NUMBER
from treemip.resolve.typed import Symbol
from treemip.source.diagnostic import TreemipError


def measures_of(instance: Instance, meaning: Meaning) -> dict[str, float]:
    """Each by its name, recomputed from the tree that the meaning knows, on the instance's points.

    Those that have no finite value there, or that depend on a variable which is neither the tree's
    nor has a meaning, are left out.
    """
    numbers = {}
    for symbol in _own(instance):
        value = _value(symbol, instance, meaning)
        if value is not None:
            numbers[symbol.name] = value
    return numbers


def _value(symbol: Symbol, instance: Instance, meaning: Meaning) -> float | None:
    assert symbol.value is not None
    meaning.taken.clear()
    try:
        value = float(Evaluator(instance, meaning).known(symbol.value, Frame.empty())[0])
    except TreemipError:  # such as a division by zero on these points
        return None
    return value if np.isfinite(value) and not meaning.taken else None


def _own(instance: Instance) -> list[Symbol]:
    """A named objective is among the lets, and is no measure beside itself."""
    objective = instance.spec.objective
    named = {each.name for each in objective.in_turn} if objective is not None else set()
    return [
        symbol
        for symbol in instance.spec.lets
        if symbol.module == "spec"
        and symbol.name not in named
        and symbol.sort == NUMBER
        and not symbol.domain.binders
    ]
