"""Trees grown from the root down whose hyperplanes have the gap that a formulation asks for.

CART's cuts among thousands of points have no such gap. Few points are too near to them where a
branch has hundreds, and a hyperplane nearby avoids these (`clearing`); above, cuts between values
that are far apart take their place: of numbers with few values, and of categories.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.clearing import Place
from treemip.answers.search.splits.threshold_cut import Cut, purest_cut
from treemip.core.model.tolerances import SAME_WORTH

TRIED = 4  # features whose best cuts are cleared at a branch
WIDE = 0.2  # of a feature's range between the values at a cut that is taken above


def gapped_trees(search: Alternation, gap: float) -> Iterator[Candidate]:
    """Such trees, the first one with cuts between WIDE values at all levels but the last, and so on
    up to none: which levels need them, the points say. They have their best labels."""
    far = WIDE * float(np.ptp(search.x[:, : search.features], axis=0).max(initial=0.0))
    for wide in range(int(search.topology.depth.max()) - 1, -1, -1):
        tree = search.empty()
        for node in search.topology.branches.tolist():
            if search.late:
                return
            rows = search.members(tree, node)
            tree.threshold[node] = 1.0
            if len(rows) > 1 and np.count_nonzero(search.counts[rows].sum(axis=0)) > 1:
                wanted = max(gap, far) if search.topology.depth[node] < wide else gap
                _split(search, tree, node, rows, gap, wanted)
        search.relabelled(tree)
        yield tree


def _split(
    search: Alternation, tree: Candidate, node: int, rows: np.ndarray, gap: float, wanted: float
) -> None:
    """The purest split of a branch with the gap: a cut by one feature between values that are
    `wanted` apart, or one of the purest cuts, cleared of points, where that is enough of a gap."""
    best = purest_cut(search.cuts, rows, search.counts, wanted)
    value = np.inf
    if best is not None:
        search.put(tree, node, best)
        value = best.value
    if best is not None and wanted > gap:
        return
    for cut in _purest_of_features(search, rows):
        if cut.value >= value - SAME_WORTH:
            break
        place = Place(search, rows, _as_weights(search, cut), cut.threshold, gap).found()
        if place is None:
            continue
        right = search.x[rows, : search.features] @ place[0] > place[1]
        impurity = _impurity(search.counts[rows], right)
        if impurity < value - SAME_WORTH:
            value = impurity
            tree.weights[node] = 0.0
            tree.weights[node, : search.features], tree.threshold[node] = place


def _purest_of_features(search: Alternation, rows: np.ndarray) -> list[Cut]:
    """The purest cut of each of TRIED features, the purest first."""
    each = np.arange(search.features)[:, None]
    cuts = (purest_cut(search.cuts, rows, search.counts, among=feature) for feature in each)
    return sorted((cut for cut in cuts if cut is not None), key=lambda cut: cut.value)[:TRIED]


def _as_weights(search: Alternation, cut: Cut) -> np.ndarray:
    weights = np.zeros(search.features)
    weights[cut.feature] = 1.0
    return weights


def _impurity(counts: np.ndarray, right: np.ndarray) -> float:
    """As of a cut: less the squares of the classes' weights over each side's weight."""
    sides = (counts[part].sum(axis=0) for part in (right, ~right))
    return -sum(float((own**2).sum() / own.sum()) for own in sides)
