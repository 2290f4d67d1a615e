"""Rows of a formulation that trees turn out to break, as sums like the spec's own."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.sums import NoSums, Sums
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.on_demand import lengths
from treemip.core.source.diagnostic import TreemipError

MOST_ROWS = 64
"""Rows of a family that is learned: about leaves or splits, and not about each point."""


class Learned:
    """Families learned so far; `tried` ones are not tried again."""

    def __init__(self, instance: Instance, model: Model, of_point: np.ndarray) -> None:
        self.instance, self.of_point = instance, of_point
        self.families: frozenset[str] = frozenset()
        self.tried: set[str] = set()
        self.lengths = lengths(model.rows)

    def from_broken(self, broken: Iterable[str], sums: Sums) -> Sums | None:
        """The sums with the families that a tree has broken; None where there is nothing new that
        sums over points can say."""
        fresh = set(broken) - self.instance.spec.required_names - self.tried
        self.tried |= fresh
        fresh = {n for n in fresh if self.lengths.get(n, MOST_ROWS + 1) <= MOST_ROWS}
        if not fresh:
            return None
        try:
            more = sums_of(self.instance, self.of_point, self.families | fresh)
        except (NoSums, TreemipError):
            return None
        same = more.answers.count == sums.answers.count and more.curve == sums.curve
        if set(more.opaque) - set(sums.opaque) or not same:
            return None
        self.families |= fresh
        return more
