"""What goes left at each option, for some points, beside a count of each option by itself."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.engines.frontier.options import options_of
from treemip.answers.engines.frontier.sweeps import Sweeps

SPEC = """data "t.csv" { label c; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
"""


@pytest.mark.parametrize("seed", range(8))
def test_counts_sums_and_likeness(seed: int) -> None:
    """A column of many thresholds, one of few, and categories."""
    rng = np.random.default_rng(seed)
    columns = {
        "a": rng.integers(0, 30, 40).tolist(),
        "b": rng.integers(0, 3, 40).tolist(),
        "d": rng.choice(["u", "v", "w"], 40).tolist(),
        "c": rng.choice(["p", "q"], 40).tolist(),
    }
    made = treemip.loads(SPEC, data=columns).compile()
    x = np.unique(made.instance.table.inputs, axis=0)
    options = options_of(made.instance, made.stated, x)
    sweeps = Sweeps(options)
    assert len(sweeps.sweeps) == 1 and len(sweeps.alone) > 5
    stats = rng.integers(0, 9, (len(x), 3)).astype(float)
    for share in (1.0, 0.6, 0.1, 0.0):
        points = rng.random(len(x)) < share
        left = options.left[:, points]
        assert (sweeps.counts(points) == left.sum(axis=1)).all()
        assert (sweeps.sums(points, stats) == left @ stats[points]).all()
        alike = sweeps.alike(points)
        for one, other in rng.integers(0, options.count, (200, 2)):
            same = (left[one] == left[other]).all()
            apart = {one, other} & set(sweeps.alone.tolist())
            assert same or alike[one] != alike[other]
            assert alike[one] == alike[other] or not same or len(apart) == 1
