"""Small random tables and specs of oblique trees over them."""

from __future__ import annotations

import numpy as np

import treemip

SOCT = """data "points.csv" {{ label y; scale minmax; }}
topology complete(depth = {depth});
split oblique by soct(eps = {eps});
{objective}
strategy {{ solver highs; start none; {strategy} }}
"""


def table(seed: int, most: int = 11) -> dict[str, list]:
    """Points on a coarse grid, so that many coincide or lie on a line; classes at random."""
    rng = np.random.default_rng(seed)
    points, features = int(rng.integers(5, most)), int(rng.integers(1, 4))
    x = rng.integers(0, 4, (points, features)).astype(float)
    x[0], x[1] = 0.0, 3.0
    y = rng.integers(0, int(rng.integers(2, 4)), points)
    y[:2] = 0, 1
    names = [f"f{j}" for j in range(features)]
    return {name: x[:, j].tolist() for j, name in enumerate(names)} | {
        "y": [f"c{k}" for k in y.tolist()]
    }


def compiled(
    seed: int, strategy: str = "", depth: int = 1, eps: float = 0.02, objective: str = ""
) -> treemip.Compiled:
    text = SOCT.format(depth=depth, eps=eps, strategy=strategy, objective=objective)
    return treemip.loads(text, data=table(seed)).compile()
