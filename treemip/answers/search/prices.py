"""The price of rows that a tree breaks, before a search has a solution and afterwards."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.beginnings import Beginnings
from treemip.answers.search.candidate import Candidate
from treemip.core.model.tolerances import SAME_WORTH

PRICES = (1.0, 3.0, 10.0, 30.0)
DEARER, DEAREST = 100.0, 1e6  # times PRICES, from turn to turn without a solution, and at most
WEIGHTED = 8  # starts without a solution that begin with CART's tree of weighted points
WEIGHTS = np.geomspace(1.0, 1000.0, 13)  # of points in broken rows, in units of the objective
DEARER_TWICE = (1.0, 10.0, 100.0)  # times the price, as long as a tree breaks rows
COARSE = 4  # WEIGHTS from one that is tried to the next, before those around the best one
ENOUGH = 3.0  # times the weight by which a tree has kept the rows
SIZES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)  # of leaves, as shares of the points


def _from_middle(number: int) -> int:
    """How far a weight is from the middle ones, of which one most often keeps the rows."""
    return abs(2 * number - len(WEIGHTS) - 1)


class Prices:
    """In units of the objective: PRICES in turn, and more and more as long as no tree is a
    solution; where few trees are tried, the highest come first. From the first solution on, the
    price that it had is the highest, or ENOUGH times the weight of points with which CART's tree
    has kept the rows."""

    def __init__(self, search: Alternation, few: bool = False) -> None:
        self.search, self.begin, self.few = search, Beginnings(search), few
        self.highest = PRICES[-1]
        self.lighter: Candidate | None = None

    def at(self, starts: int, found: bool) -> float:
        """The price of a unit of violation. found: whether there is a solution."""
        turn, place = divmod(starts, len(PRICES))
        prices = PRICES[::-1] if self.few else PRICES
        if found:
            return self.highest * prices[place] / PRICES[-1]
        price = prices[place] * min(DEARER**turn, DEAREST)
        self.highest = max(PRICES[-1], price)
        return price

    def weighted_tree(self) -> Candidate | None:
        """CART's tree where the rows that its own breaks have the price of their violation, whether
        it is more than they ask for or less; None where it breaks none that points add to, and
        where leaves answer something else than classes."""
        off = self._off()
        if off is None or not off.any():
            return None
        return self.begin.purest_tree(self._toward(off, self.search.price))

    def kept_by_weights(self, size: np.ndarray) -> Candidate | None:
        """The best tree that keeps the rows by the sums, of CART's trees of weighted points whose
        leaves are as large as rows over single leaves ask for; None where CART's own tree keeps
        the rows, and where none of these does. size float64 (M,): what each point counts."""
        search, off = self.search, self._off()
        if off is None or search.worth(self._cart)[1] <= SAME_WORTH:
            return None
        before, search.price = search.price, DEAREST * search.sums.unit
        sizes = size, self._least(size)
        best, value, found_at = None, np.inf, 0
        each = WEIGHTS if off.any() else WEIGHTS[:1]
        tried, due = dict[int, Candidate](), sorted(range(0, len(each), COARSE), key=_from_middle)
        while due and not search.late:
            at = due.pop(0)
            toward = self._toward(off, float(each[at]) * search.sums.unit)
            tree = tried[at] = self.begin.purest_tree(toward, sizes)
            objective, violation = search.worth(tree)
            if violation <= SAME_WORTH and objective < value:
                best, value, found_at = tree, objective, at
                self.highest = max(PRICES[-1], ENOUGH * float(each[at]))
                near = range(max(0, at - COARSE + 1), min(len(each), at + 2))
                lighter = [k for k in due if k < at and k % COARSE == 0]
                due = [k for k in (*lighter, *near) if k not in tried]
        search.price = before
        below = [k for k in tried if k < found_at]
        self.lighter = tried[max(below)] if best is not None and below else None
        return best

    def improved_by_weights(self, kept: Candidate) -> Candidate:
        """The best of what comes of the tree that `kept_by_weights` gave and of the one of the next
        lighter weights, at prices above these; the tree itself, where that is no better."""
        search, before = self.search, self.search.price
        best, value = kept, search.worth(kept)[0]
        for tree in (kept, self.lighter):
            if tree is None or search.late:
                continue
            other = tree.copy()
            for times in DEARER_TWICE:
                search.price = times * self.highest * search.sums.unit
                search.improve(other, -np.inf)
                objective, violation = search.worth(other)
                if violation <= SAME_WORTH or search.late:
                    break
            if violation <= SAME_WORTH and objective < value:
                best, value = other, objective
        search.price = before
        return best

    def _least(self, size: np.ndarray) -> float:
        """The least of SIZES with which CART's tree keeps the rows over single leaves."""
        local = self.search.sums.local_rows
        for share in SIZES if len(local) else ():
            tree = self.begin.purest_tree(sizes=(size, share * size.sum()))
            rows = self.search.rows(tree)[local]
            low, high = self.search.sums.low[local], self.search.sums.high[local]
            if ((rows >= low - SAME_WORTH) & (rows <= high + SAME_WORTH)).all():
                return share * float(size.sum())
        return 0.0

    def _toward(self, off: np.ndarray, price: float) -> np.ndarray:
        toward = price * off
        toward[0] = self.search.sums.sign
        return toward

    def _off(self) -> np.ndarray | None:
        """For each row -1 where CART's tree falls short and 1 where it exceeds, over the unit of
        its violation, float64 (R,); 0 for rows that points do not add to. None where leaves answer
        something else than classes. Where it breaks no such row, larger leaves may, and each counts
        by the bound that it has."""
        sums = self.search.sums
        if not sums.answers.are_classes:
            return None
        rows = self.search.rows(self._cart)
        off = np.where(rows < sums.low, -1.0, np.where(rows > sums.high, 1.0, 0.0)) / sums.scale
        added = np.ptp(sums.shared, axis=(0, 1)) > 0
        if not off[added].any():
            low, high = np.isfinite(sums.low), np.isfinite(sums.high)
            off = (high.astype(float) - low) / sums.scale
        return np.where(added, off, 0.0)

    @cached_property
    def _cart(self) -> Candidate:
        """CART's tree, where leaves answer their heaviest class whatever the rows are."""
        search, tree = self.search, self.begin.purest_tree()
        in_leaf = np.zeros((len(search.topology.leaves), search.sums.classes))
        np.add.at(in_leaf, search.leaf_number[tree.ends(search.x)], search.counts)
        tree.labels[:] = in_leaf.argmax(axis=1)
        return tree
