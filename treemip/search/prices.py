"""What rows that a tree breaks cost, while a search has no solution and afterwards."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from treemip.search.alternate import Alternation
from treemip.search.beginnings import Beginnings
from treemip.search.candidate import Candidate
from treemip.search.leaf_answers import LABEL_TABLE

PRICES = (1.0, 3.0, 10.0, 30.0)
DEARER, DEAREST = 100.0, 1e6  # times PRICES, from turn to turn without a solution, and at most
WEIGHTED = 8  # starts without a solution that begin with CART's tree of weighted points


class Prices:
    """In units of the objective: PRICES in turn, and more and more as long as no tree is a
    solution. From the first one on, the price that it had is the highest."""

    def __init__(self, search: Alternation) -> None:
        self.search, self.begin = search, Beginnings(search)
        self.highest = PRICES[-1]

    def at(self, starts: int, found: bool) -> float:
        """The price of a unit of violation. found: whether there is a solution."""
        turn, place = divmod(starts, len(PRICES))
        if found:
            return self.highest * PRICES[place] / PRICES[-1]
        price = PRICES[place] * min(DEARER**turn, DEAREST)
        self.highest = max(PRICES[-1], price)
        return price

    def weighted_tree(self) -> Candidate | None:
        """CART's tree where the rows that its own breaks have the price of their violation, whether
        it is more than they ask for or less; None where it breaks none that points add to, and
        where leaves answer something else than classes."""
        search, sums = self.search, self.search.sums
        if sums.answers.table != LABEL_TABLE or sums.parabola is not None:
            return None
        leaf = search.leaf_number[self._cart.ends(search.x)]
        cart = search.totals(self._cart) + search.of_splits(self._cart, leaf)[0]
        off = np.where(cart < sums.low, -1.0, np.where(cart > sums.high, 1.0, 0.0)) / sums.scale
        off[np.ptp(sums.shared, axis=(0, 1)) == 0] = 0.0
        if not off.any():
            return None
        toward = search.price * off
        toward[0] = sums.sign
        return self.begin.purest_tree(toward)

    @cached_property
    def _cart(self) -> Candidate:
        """CART's tree, where leaves answer their heaviest class whatever the rows are."""
        search, tree = self.search, self.begin.purest_tree()
        in_leaf = np.zeros((len(search.topology.leaves), search.sums.classes))
        np.add.at(in_leaf, search.leaf_number[tree.ends(search.x)], search.counts)
        tree.labels[:] = in_leaf.argmax(axis=1)
        return tree
