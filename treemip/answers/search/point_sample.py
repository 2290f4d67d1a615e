"""A spec over some of its points, each of which stands for as many as there are to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.bind import bind
from treemip.core.lower.lower import lower
from treemip.core.lower.on_demand import on_demand
from treemip.core.model.model import Model

POINTS = 20_000
"""Size of a first sample."""


def sample_of(instance: Instance, points: int, seed: int) -> tuple[Instance, Model]:
    """The spec over about as many of its points, drawn by the seed, and what it states of them.

    Sums over points are those of all but for chance, so that costs, prices of splits and rows that
    count points keep their proportion. Each point stands for a whole number of points, as sums that
    are whole numbers are exact. Raises TreemipError where they do not have what the spec requires.
    """
    data, table = instance.data, instance.table
    assert data is not None
    stands_for = max(2, round(len(table.y) / points))
    size = len(table.y) // stands_for
    rows = np.random.default_rng(seed).choice(len(table.y), size, replace=False)
    part = replace(data, train=table.take(np.sort(rows)), test=None)
    sample = bind(instance.spec, part, counts=np.full(size, float(stands_for)))
    return sample, on_demand(sample) or lower(sample)
