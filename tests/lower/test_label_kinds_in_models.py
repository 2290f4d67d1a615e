"""Small specs over labels that are numbers, solved and compared with every tree."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import treemip

SPEC = """data "points.csv" {{ {data} }}
topology complete(depth = {depth});
param delta = 0.25;
var coef {{t in branches, j in features}} binary;
var bias {{t in branches}} >= -10, <= 10;
var reach {{i in points, l in leaves}} binary;
var beta {{l in leaves}} >= -20, <= 20;
var apart {{i in points}} >= 0;
minimize deviations: {objective};
subject to
  one_feature {{t in branches}}: sum {{j in features}} coef[t,j] = 1;
  one_leaf {{i in points}}: sum {{l in leaves}} reach[i,l] = 1;
  go_left {{i in points, l in leaves, t in left_ancestors(l)}}:
    reach[i,l] = 1 ==> dot(coef[t,*], x[i,*]) <= bias[t] - delta;
  go_right {{i in points, l in leaves, t in right_ancestors(l)}}:
    reach[i,l] = 1 ==> dot(coef[t,*], x[i,*]) >= bias[t] + delta;
  above {{i in points, l in leaves}}: reach[i,l] = 1 ==> apart[i] >= {number} - beta[l];
  below {{i in points, l in leaves}}: reach[i,l] = 1 ==> apart[i] >= beta[l] - {number};
"""


def tables(seed: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Features 0 to 3 in whole steps, so that cuts lie 1 apart, and numbers of either sign."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (points, 2)), rng.normal(0, 4, points).round(2)


def partitions(x: np.ndarray, depth: int) -> set[tuple[int, ...]]:
    """The leaf of each point under every tree of univariate splits."""
    cuts = [(j, c - 0.5) for j in range(x.shape[1]) for c in range(5)]
    found = set()
    for branches in product(cuts, repeat=2**depth - 1):
        node = np.zeros(len(x), int)
        for _ in range(depth):
            feature, cut = np.array([j for j, _ in branches]), np.array([c for _, c in branches])
            right = x[np.arange(len(x)), feature[node]] > cut[node]
            node = 2 * node + 1 + right
        found.add(tuple(node.tolist()))
    return found


def least_absolute(x: np.ndarray, y: np.ndarray, depth: int) -> float:
    """The least sum of distances from medians of leaves."""
    return min(
        sum(np.abs(y[leaf == node] - np.median(y[leaf == node])).sum() for node in np.unique(leaf))
        for leaf in map(np.array, partitions(x, depth))
    )


def least_squares(x: np.ndarray, y: np.ndarray, depth: int) -> float:
    return min(
        sum(((y[leaf == node] - y[leaf == node].mean()) ** 2).sum() for node in np.unique(leaf))
        for leaf in map(np.array, partitions(x, depth))
    )


def written(folder: Path, x: np.ndarray, y: np.ndarray, **parts: object) -> treemip.Program:
    lines = ["a,b,amount", *(f"{a},{b},{value}" for (a, b), value in zip(x, y, strict=True))]
    (folder / "points.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "ort.tree").write_text(SPEC.format(**parts), encoding="utf-8")
    return treemip.load(folder / "ort.tree")


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.truth) for k in (1, 2))])
@pytest.mark.parametrize(
    ("data", "number"),
    [("label amount number;", "y[i]"), ("label none; number amount;", "amount[i]")],
)
def test_absolute_deviations(tmp_path: Path, seed: int, data: str, number: str) -> None:
    x, y = tables(seed, 6)
    program = written(
        tmp_path, x, y, data=data, number=number, depth=1, objective="sum {i in points} apart[i]"
    )
    result = program.compile().solve(solver="highs", time_limit=60)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(least_absolute(x, y, 1), abs=1e-5)
    reach = result.values["reach"].reshape(len(y), 2)
    beta = result.values["beta"]
    assert np.abs(y - beta[reach.argmax(axis=1)]).sum() == pytest.approx(result.objective, abs=1e-4)


def test_squared_deviations(tmp_path: Path) -> None:
    x, y = tables(7, 5)
    program = written(
        tmp_path,
        x,
        y,
        data="label amount number;",
        number="y[i]",
        depth=1,
        objective="sum {i in points} apart[i] ^ 2",
    )
    result = program.compile().solve(solver="scip", time_limit=60)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(least_squares(x, y, 1), abs=1e-3)


@pytest.mark.truth
def test_two_levels(tmp_path: Path) -> None:
    x, y = tables(11, 7)
    objective = "sum {i in points} apart[i]"
    data = "label amount number;"
    program = written(tmp_path, x, y, data=data, number="y[i]", depth=2, objective=objective)
    result = program.compile().solve(solver="highs", time_limit=120)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(least_absolute(x, y, 2), abs=1e-5)


@pytest.mark.parametrize("label", ["label amount number;", "label none; number amount;"])
def test_equal_points_with_other_numbers_are_not_merged(tmp_path: Path, label: str) -> None:
    """Points 1 and 2 have equal features, and 3 and 4 have equal numbers too."""
    x = np.array([[0, 0], [0, 0], [3, 1], [3, 1], [2, 2]])
    y = np.array([1.0, 9.0, 4.0, 4.0, -2.0])
    number = "y[i]" if "amount number" in label else "amount[i]"
    objective = "sum {i in points} apart[i]"
    parts = {"data": label, "number": number, "depth": 1, "objective": objective}
    compiled = written(tmp_path, x, y, **parts).compile()
    for presolve in ("merge_points", "none"):
        result = compiled.solve(solver="highs", presolve=presolve, time_limit=60)
        assert result.objective == pytest.approx(least_absolute(x, y, 1), abs=1e-5)


def test_fairness_counts_all_other_classes_as_negative() -> None:
    """Of three classes, those of both others are false positives."""
    data = {"x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "g": list("uuuuvv"), "c": list("abcbba")}
    text = (
        'data "t" { label c positive "b"; group g; scale minmax; } topology complete(depth = 1);'
        "split univariate by oct; use fairness; set groups = values(g);"
        "param belongs {i in points, q in groups} = if g[i] = q then 1 else 0;"
        "minimize misclassified + sum {q in groups} false_positives[q];"
    )
    result = treemip.loads(text, data).compile().solve(time_limit=30)
    assert result.tree is not None and result.objective is not None
    right = (np.array(data["c"]) != "b") & (result.tree.predict(data) == "b")
    wrong = int((result.tree.predict(data) != np.array(data["c"])).sum())
    assert result.objective == wrong + int(right.sum())
    best = min(
        sum((a if i < cut else b) != c for i, c in enumerate(data["c"]))
        + sum((a if i < cut else b) == "b" != c for i, c in enumerate(data["c"]))
        for cut in range(7)
        for a in "abc"
        for b in "abc"
    )
    assert result.objective == best
