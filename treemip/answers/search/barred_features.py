"""Trees that keep rows which no sum says, by features that some of their branches do not split by.

Improved branch by branch, trees come to the same few splits again and again. Where these break
an order of leaves, say, no other answers may help, and a tree that keeps it is found by what the
broken one must not do: the feature of one of its branches is barred there, or in all branches, and
the tree is improved anew. Where that still breaks the rows more is barred, of the best tree first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.core.model.tolerances import SAME_WORTH

MOST = 24
"""Trees that are improved for one that breaks the rows."""

Kept = Callable[[Candidate], tuple[float, Candidate] | None]
"""The tree, or with other answers, that keeps the rows, and its value; None where there is none."""


class BarredFeatures:
    """For the univariate trees of one search; each tree of those that break the rows is looked at
    once."""

    def __init__(self, search: Alternation) -> None:
        self.search = search
        self.seen: set[bytes] = set()

    def kept(
        self, tree: Candidate, below: float, keeps: Kept, late: Callable[[], bool]
    ) -> tuple[float, Candidate] | None:
        """The best tree found that keeps the rows, and its value, less than `below`; None where
        none is. tree: one that breaks them, as it was improved."""
        search, best, order = self.search, None, count()
        none = np.zeros((search.topology.size, search.features), bool)
        waiting = [(-np.inf, next(order), tree, none)]
        tried = 0
        while waiting and waiting[0][0] < below - SAME_WORTH:
            _, _, broken, barred = heappop(waiting)
            for more in self._ways(broken, barred):
                if tried >= MOST or late():
                    return best
                tried += 1
                value, other = self._improved(broken, more)
                if not value < below - SAME_WORTH:
                    continue
                found = keeps(other)
                if found is not None and found[0] < below - SAME_WORTH:
                    best, below = found, found[0]
                if found is None or found[0] > value + SAME_WORTH:
                    heappush(waiting, (value, next(order), other, more))
        return best

    def _ways(self, tree: Candidate, barred: np.ndarray) -> Iterator[np.ndarray]:
        """What else is barred where a tree breaks the rows: each feature everywhere, and then in
        one branch. None twice."""
        search = self.search
        node, feature = np.nonzero(tree.weights[:, : search.features])
        places = [(search.topology.branches, j) for j in np.unique(feature)]
        places += [(np.array([k]), j) for k, j in zip(node, feature, strict=True)]
        for nodes, j in places:
            more = barred.copy()
            more[nodes, j] = True
            key = search.shape(tree) + np.packbits(more).tobytes()
            if key not in self.seen:
                self.seen.add(key)
                yield more

    def _improved(self, tree: Candidate, barred: np.ndarray) -> tuple[float, Candidate]:
        """The tree without splits that are barred, improved."""
        search, other = self.search, tree.copy()
        gone = ((other.weights[:, : search.features] != 0) & barred).any(axis=1)
        other.weights[gone], other.threshold[gone] = 0.0, 1.0
        search.barred = barred
        try:
            return search.improve(other, -np.inf), other
        finally:
            search.barred = None
