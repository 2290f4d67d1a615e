"""What else a spec says of a tree: its own `let`s without indices, as numbers on some points."""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.value_sources import Meaning
from treemip.resolve.sorts import NUMBER
from treemip.resolve.typed import Symbol


def measures_of(instance: Instance, meaning: Meaning) -> dict[str, float]:
    """Each by its name, recomputed from the tree that the meaning knows, on the instance's points.

    Those that are not finite there, or that depend on a variable which is neither the tree's nor
    has a meaning, are left out.
    """
    evaluator = Evaluator(instance, meaning)
    numbers = {}
    for symbol in _own(instance):
        assert symbol.value is not None
        meaning.taken.clear()
        value = float(evaluator.known(symbol.value, Frame.empty())[0])
        if np.isfinite(value) and not meaning.taken:
            numbers[symbol.name] = value
    return numbers


def _own(instance: Instance) -> list[Symbol]:
    return [
        symbol
        for symbol in instance.spec.lets
        if symbol.module == "spec" and symbol.sort == NUMBER and not symbol.domain.binders
    ]
