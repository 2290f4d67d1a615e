"""Constraints that limit the value of one leaf each: the best value of a leaf is then the nearest
one within its limits, since losses are convex in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.search.curves.registry import CURVES
from treemip.answers.search.leaf_answers import LeafAnswers, answers_of, listed_values
from treemip.answers.search.sum_builder import sums_among
from treemip.answers.search.sums import NoSums, Sums
from treemip.core.instance.instance import Instance
from treemip.core.model.tolerances import EQUAL
from treemip.core.source.diagnostic import TreemipError


@dataclass(frozen=True)
class ValueLimits:
    """low, high float64 (L,): of the leaves' values, by the spec's constraints `names` alone."""

    low: np.ndarray
    high: np.ndarray
    names: frozenset[str] = frozenset()


def value_limits(
    instance: Instance, of_point: np.ndarray, names: frozenset[str]
) -> ValueLimits | None:
    """Those among some of the spec's constraints; None where there are none."""
    probes = _probes(instance) if names else None
    if probes is None or instance.topology is None:
        return None
    far = np.full(len(instance.topology.leaves), np.inf)
    found = ValueLimits(-far, far)
    alone = replace(instance, spec=replace(instance.spec, objective=None))
    for name in sorted(names):
        try:
            sums = sums_among(alone, of_point, probes, without=instance.spec.own_names - {name})
        except (NoSums, TreemipError):
            continue
        rows = [r for r, of in enumerate(sums.constraints) if of == name]
        limits = [_limits(sums, r) for r in rows]
        if not limits or name in sums.limiting:
            continue
        for one in limits:
            if one is None:
                break
            leaf, low, high = one
            found.low[leaf] = max(found.low[leaf], low)
            found.high[leaf] = min(found.high[leaf], high)
        else:
            found = replace(found, names=found.names | {name})
    return found if found.names else None


def _probes(instance: Instance) -> LeafAnswers | None:
    """Values at which it is seen what constraints say of them; None where leaves choose labels."""
    if answers_of(instance) is not None or listed_values(instance) is not None:
        return None
    probes = (kind.probes(instance) for kind in CURVES)
    return next((tried for one in probes if one is not None for tried in one[1:]), None)


def _limits(sums: Sums, row: int) -> tuple[int, float, float] | None:
    """The leaf that a row is about, and the limits of its value; None where the row is about
    anything else, or not linear in it."""
    values, worth = sums.answers.values, sums.label[:, :, row]
    others = [sums.shared[:, :, row], sums.structure[:, row], *(f.to[:, row] for f in sums.folds)]
    leaves = np.flatnonzero(worth.any(axis=1))
    told = row in sums.local_rows or any((fold.rows == row).any() for fold in sums.folds)
    if told or values is None or len(leaves) != 1 or any(part.any() for part in others):
        return None
    slope, start = np.polyfit(values, worth[leaves[0]], 1)
    size = EQUAL * max(1.0, float(np.abs(worth).max()))
    if not slope or (np.abs(start + slope * values - worth[leaves[0]]) > size).any():
        return None
    ends = (np.array([sums.low[row], sums.high[row]]) - sums.constant[row] - start) / slope
    return int(leaves[0]), float(ends.min()), float(ends.max())
