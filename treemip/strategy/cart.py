"""CART in the spec's topology: a start, and a tree to compare with."""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.source.diagnostic import Diagnostic
from treemip.strategy.concepts import NoStart
from treemip.strategy.grow import Grown, grow

COMPARED = 1_000_000
"""Entries of a table that CART is grown on beside what is asked for: a second at most."""


def cart(instance: Instance) -> Grown:
    """CART grown into the topology. Raises NoStart without a topology or data."""
    if instance.topology is None or instance.data is None:
        raise NoStart(Diagnostic.outside("E205", "it needs a tree and data", "leave it out"))
    table = instance.table
    # a category against all others is a split of both
    inputs = table.inputs if instance.splits_by_category else table.x
    return grow(inputs, table.y, table.weight, len(table.classes), instance.topology)


def cart_routes(instance: Instance) -> tuple[np.ndarray, dict[int, int]]:
    """Each point's last node in CART, int64 (N,), and those nodes' classes.

    A node where CART stops early, or where the topology ends, is where its points end.
    Raises NoStart without a topology or data.
    """
    grown = cart(instance)
    return grown.ends, grown.classes


def errors_of_others(instance: Instance) -> dict[str, int]:
    """Training errors of CART in the same topology and of the majority class, to compare with.

    CART is left out for tables of more than COMPARED entries. Raises NoStart without a topology or
    data.
    """
    if instance.topology is None or instance.data is None:
        raise NoStart(Diagnostic.outside("E205", "it needs a tree and data", "leave it out"))
    y = instance.table.y
    majority = {"majority class": len(y) - int(np.bincount(y).max())}
    if instance.table.inputs.size > COMPARED:
        return majority
    ends, classes = cart_routes(instance)
    label = np.zeros(int(ends.max()) + 1, np.int64)
    label[list(classes)] = list(classes.values())
    return {"CART": int((label[ends] != y).sum()), **majority}
