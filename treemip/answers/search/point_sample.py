"""A spec over some of its points, which weigh as much as all."""

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
    """The spec over as many of its points, drawn by the seed, and what it states of them.

    Raises TreemipError where they do not have what the spec requires.
    """
    data, table = instance.data, instance.table
    assert data is not None
    rows = np.random.default_rng(seed).choice(len(table.y), points, replace=False)
    part = table.take(np.sort(rows))
    part = replace(part, weight=part.weight * (table.weight.sum() / part.weight.sum()))
    sample = bind(instance.spec, replace(data, train=part, test=None))
    return sample, on_demand(sample) or lower(sample)
