"""Leaves that answer their shares of the classes, by the Brier score and the log-loss, against all
trees."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in
from valued_trees import least

import treemip
from treemip.answers.search.curves.class_shares import LogShares, QuadraticShares, Shares

PRICE = 0.25  # of a split
KINDS: dict[str, type[Shares]] = {"brier": QuadraticShares, "log_loss": LogShares}


def impurity(loss: str, weights: np.ndarray) -> float:
    """Of weights by class (K,): what the best shares of a leaf cost."""
    if not weights.any():
        return 0.0
    shares = weights / weights.sum()
    if loss == "brier":
        return float(weights.sum() * (1 - (shares**2).sum()))
    return -float((weights[shares > 0] * np.log(shares[shares > 0])).sum())


def table(draw: np.random.Generator, points: int, classes: int) -> dict[str, np.ndarray]:
    x = draw.integers(0, 4, (points, 2)).astype(float)
    x[0], x[1] = 0.0, 3.0
    y = draw.integers(0, classes, points)
    y[:classes] = np.arange(classes)
    weight = draw.integers(1, 5, points) / 2
    return {"a": x[:, 0], "b": x[:, 1], "y": np.array(list("pqrs"))[y], "w": weight}


@pytest.mark.parametrize(
    ("classes", "depth", "weighted", "loss"),
    one_in(5, [2, 3, 4], [1, 2, 3], [False, True], KINDS),
)
def test_the_tree_is_the_best_of_all(loss: str, weighted: bool, depth: int, classes: int) -> None:
    draw = np.random.default_rng([depth, classes, weighted])
    data = table(draw, int(draw.integers(7, 12)), classes)
    weights = data["w"] if weighted else np.ones(len(data["y"]))
    of_class = weights[:, None] * (data["y"][:, None] == np.unique(data["y"]))
    text = (
        f'data "t" {{ label y; {"weight" if weighted else "drop"} w; scale minmax; }} '
        f"topology complete(depth = {depth}); split univariate by share_trees; "
        f"minimize {loss} + {PRICE} * splits;"
    )
    made = treemip.loads(text, data).compile()
    inputs = {name: data[name] for name in "ab"}
    optimum = PRICE * least(
        inputs, lambda rows: impurity(loss, of_class[rows].sum(axis=0)) / PRICE, depth
    )
    solved = made.solve(time_limit=30)
    assert solved.optimality is not None and solved.optimality.proven
    assert solved.answer.solver == "engine"
    assert solved.objective == pytest.approx(optimum, abs=1e-6)
    assert solved.report.verdict == "verified"


@pytest.mark.parametrize("loss", KINDS)
def test_what_a_leaf_costs(loss: str) -> None:
    """A sum of scores is known at any shares, least at the points' own, and never above what
    `greatest` says one more point adds."""
    draw, curve = np.random.default_rng(0), KINDS[loss](3)
    weights = draw.integers(0, 4, (6, 3)).astype(float)
    weights[0] = 0.0
    at = np.array([[score(loss, one, p) for p in curve.known] for one in weights])
    for shares in draw.dirichlet(np.ones(3), 5):
        direct = [score(loss, one, shares) for one in weights]
        assert at @ curve.weights(shares) == pytest.approx(direct)
    own = [impurity(loss, one) for one in weights]
    assert curve.least(at) == pytest.approx(own, abs=1e-9)
    assert curve.best(at)[1] == pytest.approx(weights[1] / weights[1].sum())
    assert curve.why_not(at) == "" and curve.why_not(-at)
    most, sums = curve.greatest(at), np.cumsum(weights, axis=0)
    for k in range(1, len(weights)):
        added = impurity(loss, sums[k]) - impurity(loss, sums[k - 1])
        assert own[k] - 1e-9 <= added <= most[k] + 1e-9


def score(loss: str, weights: np.ndarray, shares: np.ndarray) -> float:
    if loss == "log_loss":
        return -float(weights @ np.log(shares))
    return float((weights[:, None] * (shares - np.eye(3)) ** 2).sum())


@pytest.mark.parametrize("loss", KINDS)
def test_hyperplanes_above_shares_are_searched(loss: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """An own formulation; a class on each side of a diagonal is told apart without a loss."""
    module = 'formulation own splits oblique "-";\nuse oblique_routing;\nuse class_shares;\n'
    (tmp_path / "own.tree").write_text(module + "minimize brier;\n")
    draw = np.random.default_rng(0)
    x = draw.random((60, 2))
    x = x[np.abs(x.sum(axis=1) - 1) > 0.05]
    rows = "\n".join(f"{a},{b},{'pq'[int(a + b > 1)]}" for a, b in x.tolist())
    (tmp_path / "t.csv").write_text(f"a,b,y\n{rows}\n")
    text = (
        'data "t.csv" { label y; scale minmax; }\ntopology complete(depth = 1);\n'
        f"split oblique by own;\nminimize {loss};\n"
    )
    (tmp_path / "t.tree").write_text(text)
    solved = treemip.load(tmp_path / "t.tree").compile().solve(time_limit=20)
    assert solved.objective == pytest.approx(0.0, abs=1e-6)
    assert solved.report.verdict == "verified"
