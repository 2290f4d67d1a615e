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

OF_ANY_NORM = """data "points.csv" {{ label y; }}
topology complete(depth = {depth});
var reach {{i in points, t in nodes}} binary;
var label {{l in leaves, k in classes}} binary;
var coef  {{t in branches, j in features}} free;
var bias  {{t in branches}} free;
var hit   {{i in points, l in leaves}} >= 0, <= 1 means reach[i,l] * label[l,y[i]];
maximize hits: sum {{i in points, l in leaves}} hit[i,l];
subject to
  one_leaf  {{i in points}}: sum {{l in leaves}} reach[i,l] = 1;
  flow      {{i in points, t in branches}}:
    reach[i,t] = reach[i,left(t)] + reach[i,right(t)];
  one_label {{l in leaves}}: sum {{k in classes}} label[l,k] = 1;
  hit_reach {{i in points, l in leaves}}: hit[i,l] <= reach[i,l];
  hit_label {{i in points, l in leaves}}: hit[i,l] <= label[l,y[i]];
  go_left   {{i in points, t in branches}}:
    reach[i,left(t)] = 1 ==> dot(coef[t,*], x[i,*]) + 1 <= bias[t] by indicator;
  go_right  {{i in points, t in branches}}:
    reach[i,right(t)] = 1 ==> dot(coef[t,*], x[i,*]) - 1 >= bias[t] by indicator;
cut shattered {{s in supports, t in branches}}:
  sum {{i in left_support(s)}} reach[i,left(t)] + sum {{i in right_support(s)}} reach[i,right(t)]
  <= card(left_support(s)) + card(right_support(s)) - 1;
cut both {{i in points, l in leaves, k in classes : y[i] = k}}:
  hit[i,l] + sum {{o in classes : o != k}} label[l,o] <= 1;
route left when dot(coef[t,*], x[i,*]) <= bias[t];
strategy {{ solver scip; start none; {strategy} }}
"""
"""The paper's own hyperplanes, of any norm and parted by 1, so by as little as one likes."""


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
