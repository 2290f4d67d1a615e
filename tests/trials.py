"""Tables of treatments with their outcomes, specs over them, and all policies of small trees."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

METHODS = ("ipw", "dm", "dr")
DRUGS = np.array(["none", "low", "high"])
PREDICTED = """
param predicted_outcome {i in points, k in treatments} =
  if k = "none" then under_none[i] else if k = "low" then under_low[i] else under_high[i];
"""

Columns = dict[str, np.ndarray]


def random_trial(seed: int, points: int = 12, features: int = 3) -> Columns:
    """Binary features, so most points are equal to others; outcomes of any sign, some equal."""
    rng = np.random.default_rng(seed)
    drugs = 2 + seed % 2
    received = np.append(np.arange(drugs), rng.integers(0, drugs, points - drugs))
    columns: Columns = {f"a{j}": rng.integers(0, 2, points) for j in range(features)}
    columns["treatment"] = DRUGS[received]
    columns["outcome"] = rng.integers(-3, 6, points).astype(float)
    columns["propensity"] = rng.choice([0.2, 0.5, 0.8, 1.0], points)
    for drug in DRUGS:
        columns[f"under_{drug}"] = np.round(rng.normal(1.0, 2.0, points), 2)
    columns["sex"] = rng.choice(["f", "m"], points)
    return columns


def estimates(method: str, columns: Columns) -> np.ndarray:
    """What each treatment of each point is worth, float64 (N, K), treatments in sorted order."""
    drugs = np.unique(columns["treatment"])
    received = columns["treatment"][:, None] == drugs
    outcome, chance = columns["outcome"][:, None], columns["propensity"][:, None]
    if method == "ipw":
        return np.where(received, outcome / chance, 0.0)
    predicted = np.column_stack([columns[f"under_{drug}"] for drug in drugs])
    if method == "dm":
        return predicted
    return predicted + np.where(received, (outcome - predicted) / chance, 0.0)


def policies(x: np.ndarray, treatments: int, depth: int) -> Iterator[np.ndarray]:
    """The treatments, int64 (N,), that each tree of at most this depth gives to the rows of x."""
    for k in range(treatments):
        yield np.full(len(x), k)
    if depth == 0:
        return
    below = list(policies(x, treatments, depth - 1))
    for j in range(x.shape[1]):
        for left, right in product(below, below):
            yield np.where(x[:, j] == 0, left, right)


def all_policies(columns: Columns, depth: int) -> np.ndarray:
    """Each distinct policy of a tree once, int64 (policies, N)."""
    x = np.column_stack([v for name, v in columns.items() if name.startswith("a")])
    drugs = len(np.unique(columns["treatment"]))
    return np.unique(np.array(list(policies(x, drugs, depth))), axis=0)


def values(worth: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The mean outcome of each policy int64 (policies, N), float64 (policies,)."""
    return np.asarray(worth[np.arange(len(worth)), chosen].mean(axis=1))


def text_of(method: str, depth: int, rest: str = "") -> str:
    known = ", ".join(f"under_{drug}" for drug in DRUGS)
    return (
        'data "trial.csv" { label none; group treatment, sex; '
        f"number outcome, propensity, {known}; }}\n"
        f"topology complete(depth = {depth});\n"
        f"split univariate by prescriptive_{method};\n"
        f"{'' if method == 'ipw' else PREDICTED}{rest}"
    )


BUDGET = """
subject to budget: sum {i in points} prescribed[i,"high"] <= 3;
"""
PARITY = """
let treated {g in values(sex)} =
  sum {i in points : sex[i] = g} (1 - prescribed[i,"none"]) / card({i in points : sex[i] = g});
subject to parity: -0.25 <= treated["f"] - treated["m"] <= 0.25;
"""


def allowed_under(rest: str, columns: Columns, policy: np.ndarray) -> np.ndarray:
    """Which policies int64 (policies, N) keep the BUDGET and the PARITY that are in `rest`."""
    high, none = 0, 2  # of the treatments in sorted order
    scarce = (policy == high).sum(axis=1) <= 3
    female = columns["sex"] == "f"
    share = (policy[:, female] != none).mean(axis=1) - (policy[:, ~female] != none).mean(axis=1)
    even = np.abs(share) <= 0.25 + 1e-9
    return (scarce | (BUDGET not in rest)) & (even | (PARITY not in rest))


def best_value(columns: Columns, worth: np.ndarray, depth: int, price: float = 0.0) -> float:
    """The greatest sum of worth float64 (N, K) of all trees, less a price for each split."""
    x = np.column_stack([v for name, v in columns.items() if name.startswith("a")])

    def best(rows: np.ndarray, depth: int) -> float:
        stop = worth[rows].sum(axis=0).max()
        if not depth or not len(rows):
            return float(stop)
        sides = [(rows[x[rows, j] == 0], rows[x[rows, j] == 1]) for j in range(x.shape[1])]
        return max(float(stop), *(sum(best(r, depth - 1) for r in two) - price for two in sides))

    return best(np.arange(len(x)), depth)
