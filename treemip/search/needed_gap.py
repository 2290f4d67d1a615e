"""How wide a formulation wants the gap between the points on the two sides of a hyperplane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.search.candidate import Candidate
from treemip.search.complete import complete, never
from treemip.search.univariate import Cuts


def needed_gap(
    instance: Instance,
    model: Model,
    cuts: Cuts,
    counts: np.ndarray,
    late: Callable[[], bool] = never,
) -> float:
    """The least gap along weights whose 1-norm is 1, as S-OCT's eps; 0 where none is seen.

    Nothing is assumed of the formulation: a tree with one cut whose gap is as narrow as can be is
    completed to a solution of the stated model, and the row that it breaks most says by how much
    the gap falls short. A cut that is as wide as that has to break none. counts float64 (M, K): the
    weight of each point under each class; a leaf has its majority's label. late: whether the time
    is used up; a gap that is not known by then counts as none.
    """
    assert instance.topology is not None
    width = np.diff(cuts.sorted, axis=1)
    width[width <= 0] = np.inf
    if not width.size or not np.isfinite(width.min()):
        return 0.0

    def broken(gap_from: float) -> tuple[float, float]:
        """The narrowest gap from a width on, and by how much a tree with it breaks a row."""
        enough = np.where(width >= gap_from, width, np.inf)
        feature, cut = np.unravel_index(int(enough.argmin()), width.shape)
        if not np.isfinite(enough[feature, cut]):
            return np.inf, 0.0
        tree = Candidate.empty(topology, cuts.x.shape[1])
        tree.weights[0, feature] = 1.0
        tree.threshold[0] = cuts.threshold(cuts.order[feature], int(feature), int(cut))
        np.add.at(in_leaf := np.zeros((topology.size, counts.shape[1])), tree.ends(cuts.x), counts)
        tree.labels[:] = in_leaf[topology.leaves].argmax(axis=1)
        violations = complete(instance, model, tree, late=late).violations
        return float(enough[feature, cut]), max((v.amount for v in violations), default=0.0)

    topology = instance.topology
    narrowest, short = broken(0.0)
    if short <= 0 or late():
        return 0.0
    needed = narrowest + short
    return needed if broken(needed)[1] <= 0 else 0.0
