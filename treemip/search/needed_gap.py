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
    completed to a solution of the stated model, and a family of rows that asks for a gap is broken
    by as much as the gap falls short. Cuts that are wide enough then keep the family, and cuts half
    as wide break it; a family of which this is not true, such as a floor that the tree misses, asks
    for something else. counts float64 (M, K): the weight of each point under each
    class; a leaf has its majority's label. late: whether the time is used up; a gap that is not
    known by then counts as none.
    """
    assert instance.topology is not None
    topology = instance.topology
    width = np.diff(cuts.sorted, axis=1)
    width[width <= 0] = np.inf
    if not width.size or not np.isfinite(width.min()):
        return 0.0

    def broken(place: int) -> dict[str, float]:
        """By how much a tree with the cut at that place of `width` breaks each family."""
        feature, cut = np.unravel_index(place, width.shape)
        tree = Candidate.empty(topology, cuts.x.shape[1])
        tree.weights[0, feature] = 1.0
        tree.threshold[0] = cuts.threshold(cuts.order[feature], int(feature), int(cut))
        np.add.at(in_leaf := np.zeros((topology.size, counts.shape[1])), tree.ends(cuts.x), counts)
        tree.labels[:] = in_leaf[topology.leaves].argmax(axis=1)
        violations = complete(instance, model, tree, late=late).violations
        return {v.name: v.amount for v in violations}

    order = np.argsort(width, axis=None)[: int(np.isfinite(width).sum())]
    widths = width.ravel()[order]

    def is_gap(family: str, least: float) -> bool:
        """Whether cuts that are wide enough keep the family, and narrow ones break it."""
        enough = int(np.searchsorted(widths, least))
        wide = order[[enough, -1]] if enough < len(order) else ()
        narrow = order[[0, int(np.searchsorted(widths, least / 2)) - 1]]
        keeps = (family not in broken(place) for place in wide)
        return len(wide) > 0 and all(keeps) and all(family in broken(place) for place in narrow)

    short = broken(int(order[0]))
    wanted = {name: float(widths[0]) + amount for name, amount in short.items() if amount > 0}
    gaps = [least for family, least in wanted.items() if not late() and is_gap(family, least)]
    return max(gaps, default=0.0)
