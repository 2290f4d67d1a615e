"""MRCT's prices from which no split pays: Proposition 1, right for more than one branch."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import table

import treemip

GAMMA = 8.0
TEXT = """data "t" { label c; scale minmax; }
topology complete(depth = DEPTH);
split randomized by mrct(gamma = 8, min_rate = 0);
"""


def expected_cost(x, y, a, mu, c):  # type: ignore[no-untyped-def]
    """(2a) with costs 0.5 off the diagonal; nodes of the complete tree level by level."""
    branches = len(mu)
    p = 1 / (1 + np.exp(-GAMMA * (x @ a.T / x.shape[1] - mu)))
    passed = np.ones((len(x), 2 * branches + 1))
    for t in range(branches):
        passed[:, 2 * t + 1] = passed[:, t] * p[:, t]
        passed[:, 2 * t + 2] = passed[:, t] * (1 - p[:, t])
    prices = 0.5 * (1 - np.eye(c.shape[1]))[y]
    return float((passed[:, branches:] * (prices @ c.T)).sum())


def slopes(x, y, mu, c, step=1e-6):  # type: ignore[no-untyped-def]
    """Derivatives of (2a) by each coefficient at 0, (branches, p)."""
    found = np.zeros((len(mu), x.shape[1]))
    for t, j in np.ndindex(found.shape):
        a = np.zeros_like(found)
        a[t, j] = step
        found[t, j] = (expected_cost(x, y, a, mu, c) - expected_cost(x, y, -a, mu, c)) / (2 * step)
    return found


def case(seed: int, depth: int):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    y = np.append([0, 1, 2], rng.integers(0, 3, 5))
    made = treemip.loads(TEXT.replace("DEPTH", str(depth)), data=table(rng.random((8, 2)), y))
    instance = made.compile().instance
    return instance.table.x, instance.table.y, instance.values, rng


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_no_derivative_is_steeper(seed: int, depth: int) -> None:
    x, y, values, rng = case(seed, depth)
    steepest = values["steepest"].values
    level = np.concatenate([np.full(2**d, d) for d in range(depth)])
    for _ in range(20):
        mu = rng.uniform(-0.3, 0.3, len(level))
        c = np.eye(3)[rng.integers(0, 3, 2**depth)]
        found = np.abs(slopes(x, y, mu, c))
        for d in range(depth):
            assert (found[level == d].sum(axis=0) <= steepest + 1e-6).all()
    assert values["local_only"].values[0] == steepest.max()
    assert values["global_only"].values[0] == pytest.approx(depth * steepest.max())


def test_the_bound_is_reached() -> None:
    x, y, values, _ = case(0, 2)
    mu = np.zeros(3)
    reached = np.zeros(2)
    for k, h in np.ndindex(3, 3):
        c = np.eye(3)[[k, k, h, h]]
        reached = np.maximum(reached, np.abs(slopes(x, y, mu, c)[0]))
    assert reached == pytest.approx(values["steepest"].values, rel=1e-6)


@pytest.mark.parametrize("kind", ["local", "global"])
def test_no_direction_descends_at_these_prices(kind: str) -> None:
    x, y, values, rng = case(1, 2)
    price = float(values[f"{kind}_only"].values[0])
    for _ in range(200):
        mu, c = rng.uniform(-0.3, 0.3, 3), np.eye(3)[rng.integers(0, 3, 4)]
        slope = slopes(x, y, mu, c)
        way = rng.normal(size=slope.shape)
        size = np.abs(way).sum() if kind == "local" else np.abs(way).max(axis=0).sum()
        assert (slope * way).sum() + price * size >= 0


def test_the_papers_own_global_bound_is_too_low_for_more_than_one_branch() -> None:
    """max_t |xi[t,j]| <= global lets a step along all branches of one feature descend."""
    x, y, _, _ = case(0, 2)
    mu, c = np.zeros(3), np.eye(3)[[0, 1, 0, 1]]
    slope = slopes(x, y, mu, c)
    j = int(np.abs(slope).sum(axis=0).argmax())
    price = float(np.abs(slope).max())
    way = -np.sign(slope[:, j])
    assert (slope[:, j] * way).sum() + price * np.abs(way).max() < 0
