"""Specs whose leaves have values or choose treatments, small tables, and their best trees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from reference.leaf_sums import least_cost

import treemip
from treemip.api.compiled import Compiled

HEAD = """
data "t" {{ {label} scale minmax; }}
topology complete(depth = {depth});
split univariate by own;
"""

REGRESSION = """
formulation own splits univariate "for tests";
use univariate_routing;
var leaf_value {l in leaves} >= -100, <= 100;
var predicted  {i in points} >= -100, <= 100;
MINIMIZE
subject to
  given {i in points, l in leaves}: reach[i,l] = 1 ==> predicted[i] = leaf_value[l];
predict value leaf_value[l];
"""

OBJECTIVES = {
    "squared": "minimize sum {i in points} weight[i] * (predicted[i] - y[i])^2 + splits;",
    "absolute": "minimize sum {i in points} weight[i] * abs(predicted[i] - y[i]) + splits;",
    # 3 times as much for a value that is too low: the quantile 3/4
    "quantile": "minimize sum {i in points} "
    "weight[i] * max(3 * (y[i] - predicted[i]), predicted[i] - y[i]) + splits;",
}

DECISIONS = """
formulation own splits univariate "for tests";
use univariate_routing;
var give    {l in leaves, k in values(drug)} binary;
var follows {i in points, k in values(drug)} >= 0, <= 1
  means sum {l in leaves} routed[i,l] * given_drug[l,k];
maximize sum {i in points, k in values(drug)}
  (if k = drug[i] then worth[i] else 0) * follows[i,k] - splits;
subject to
  one_drug {l in leaves}: sum {k in values(drug)} give[l,k] = 1;
  same     {i in points, l in leaves, k in values(drug)}:
    reach[i,l] = 1 ==> follows[i,k] = give[l,k];
predict class argmax {k in values(drug)} give[l,k];
"""


def compiled(folder: Path, kind: str, data: dict[str, object], depth: int = 2) -> Compiled:
    if kind == "decisions":
        text, label = DECISIONS, "label none; group drug; number worth;"
    else:
        text, label = REGRESSION.replace("MINIMIZE", OBJECTIVES[kind]), "label price number;"
    (folder / "own.tree").write_text(text)
    return treemip.loads(HEAD.format(label=label, depth=depth), data, base=folder).compile()


def table(kind: str, seed: int) -> dict[str, object]:
    """Few values with ties, and points that occur twice with different answers."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(5, 9))
    x = draw.integers(0, 4, (n, 2)).astype(float)
    x[0], x[1] = 0.0, 3.0
    data: dict[str, object] = {"a": x[:, 0], "b": x[:, 1]}
    if kind == "decisions":
        drugs = draw.choice(["one", "two", "three"], n)
        drugs[:2] = "one", "two"
        return {**data, "drug": drugs, "worth": draw.normal(size=n).round(2) * 5}
    return {**data, "price": draw.integers(-5, 6, n).astype(float)}


def leaf_worth(kind: str, data: dict[str, object]) -> Callable[[np.ndarray], float]:
    """The least cost of a leaf with the rows given by a mask."""
    if kind == "decisions":
        drug, worth = np.asarray(data["drug"]), np.asarray(data["worth"])
        return lambda rows: -max(worth[rows & (drug == k)].sum() for k in np.unique(drug))
    y = np.asarray(data["price"], float)
    losses = {
        "squared": lambda off: off**2,
        "absolute": np.abs,
        "quantile": lambda off: np.maximum(-3 * off, off),
    }

    def cost(rows: np.ndarray) -> float:
        own = y[rows]
        if not len(own):
            return 0.0
        values = [own.mean()] if kind == "squared" else own
        return min(float(losses[kind](value - own).sum()) for value in values)

    return cost


def least(data: dict[str, object], cost: Callable[[np.ndarray], float], depth: int = 2) -> float:
    """The optimum of all trees of a depth with a price of 1 for a split that parts points."""
    return least_cost(np.column_stack([data["a"], data["b"]]), depth, 1.0, 1, cost)
