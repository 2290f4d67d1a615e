"""Trees that split by single features, searched alongside trees of hyperplanes.

They are oblique trees too, with one feature at a split and the widest gaps that the values of a
feature allow, and take a fraction of the time of trees of hyperplanes. So these trees are searched
by themselves, from the same sums and with the gap that the formulation needs, and a search for
hyperplanes goes on from the best of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.beginnings import Beginnings
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.pool import Pool
from treemip.core.model.tolerances import SAME_WORTH

Improved = Callable[[Alternation, Candidate, float], float]
"""Improves a tree of an alternation, unless a goal is met, and returns its value."""

FIRST = 4  # trees of the first turn
EACH = 2  # trees after each tree of hyperplanes
FRESH = 6  # random trees before the first perturbed one
RESTART = 0.3  # share of random trees after that
STARTS = 60  # trees without a better one before it ends, at least
PATIENCE = 2  # times the trees that the last better one took


class SingleFeatures:
    """begin: trees of single features over the points of the search. classes int64 (M,): as for
    `Beginnings.random_tree`. The order of the trees depends on the random numbers alone, not on the
    clock."""

    def __init__(self, begin: Beginnings, classes: np.ndarray) -> None:
        self.begin, self.search, self.classes = begin, begin.search, classes
        self.clear()

    def clear(self) -> None:
        """Begins anew, where sums or the gap have changed."""
        self.pool = Pool()
        self.trees, self.best_at, self.best = 0, 0, (np.inf, np.inf)

    @property
    def due(self) -> int:
        """How many trees to search before the next one of hyperplanes; 0 if none was better for a
        long time."""
        if self.trees - self.best_at >= max(STARTS, PATIENCE * self.best_at):
            return 0
        return FIRST if self.trees == 0 else EACH

    def next(
        self, goal: float, price: float, gap: float, improved: Improved = Alternation.improve
    ) -> tuple[float, Candidate]:
        """CART's tree first, then random and perturbed ones, improved; the value and the tree."""
        if gap != self.search.gap:
            self.clear()
        self.search.price, self.search.gap = price, gap
        tree = self._begun()
        self.trees += 1
        return improved(self.search, tree, goal), tree

    def _begun(self) -> Candidate:
        if self.trees == 0:
            return self.begin.purest_tree()
        restart = self.trees < FRESH or self.search.rng.random() < RESTART
        if restart or not self.pool:
            return self.begin.random_tree(self.classes)
        return self.begin.perturbed(self.pool.random(self.search.rng))

    def random_tree(self, goal: float, price: float) -> Candidate:
        """A random tree, improved, which counts as none of those of `next`."""
        self.search.price = price
        tree = self.begin.random_tree(self.classes)
        self.search.improve(tree, goal)
        return tree

    def keep(self, value: float, worth: tuple[float, float], tree: Candidate, shape: bytes) -> bool:
        """Puts a tree into the pool; whether it is the best so far.

        value: in units of the objective, to be minimized, violations priced. worth: violation and
        objective, by which trees are compared whatever the price was.
        """
        self.pool.add(value, 0.0, tree, shape)
        violation, objective = self.best
        better = worth[0] < violation - SAME_WORTH
        if worth[0] <= violation + SAME_WORTH:
            better |= worth[1] < objective - SAME_WORTH
        if better:
            self.best, self.best_at = worth, self.trees
        return better
