"""Small random tables of 0 and 1, and FlowOCT over them."""

from __future__ import annotations

import numpy as np

import treemip

ROWS = "conserve, conserve_leaf, left_cap, right_cap, sink_cap"
LAZY = f"separate {ROWS} by point_flow"

SPEC = """data "points.csv" {{ label y; }}
topology complete(depth = {depth});
split univariate by flow_oct(lambda = {price});
{more}
strategy {{ solver {solver}; start none; {strategy} }}
"""


def table(seed: int) -> dict[str, list]:
    """Few features, so that many points coincide; classes at random."""
    rng = np.random.default_rng(seed)
    points, features = int(rng.integers(5, 13)), int(rng.integers(2, 5))
    x = rng.integers(0, 2, (points, features))
    y = rng.integers(0, int(rng.integers(2, 4)), points)
    y[:2] = 0, 1
    columns = {f"f{j}": x[:, j].tolist() for j in range(features)}
    return columns | {"y": [f"c{k}" for k in y.tolist()]}


def compiled(
    seed: int,
    strategy: str = "",
    depth: int = 2,
    price: float = 0.0,
    solver: str = "highs",
    more: str = "",
) -> treemip.Compiled:
    text = SPEC.format(depth=depth, price=price, strategy=strategy, solver=solver, more=more)
    return treemip.loads(text, data=table(seed)).compile()
