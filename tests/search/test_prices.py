"""Rows that CART's tree breaks: weights of points that keep them, and what comes of such a tree."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import treemip
from treemip.answers.search.tree_search import TreeSearch
from treemip.core.model.tolerances import SAME_WORTH


def rare(seed: int) -> dict:
    """1,200 rows of which 4 % are positive, more often where two of five numbers are high."""
    rng = np.random.default_rng(seed)
    x = rng.random((1200, 5)).round(3)
    chance = 0.01 + 0.1 * (x[:, 0] > 0.7) + 0.08 * (x[:, 1] > 0.6)
    answers = np.where(rng.random(1200) < chance, "yes", "no")
    return {f"x{j}": column for j, column in enumerate(x.T)} | {"c": answers}


SPEC = """data "t.csv" { label c positive "yes"; }
topology complete(depth = 2);
split univariate by binoct;
minimize misclassified;
subject to
  found: recall["yes"] >= 0.6;
  least {l in leaves}: points_in[l] >= 0.05 * card(points) * occupied[l];
"""


@pytest.mark.parametrize("seed", [0, 1])
def test_a_tree_of_weighted_points_is_improved_at_a_price_above_its_weight(seed: int) -> None:
    compiled = treemip.loads(SPEC, data=rare(seed)).compile()
    prices = TreeSearch(compiled.instance, compiled.model, np.inf, 0).prices
    worth = prices.search.worth
    everyone = worth(prices.search.empty())[1]
    weighted = prices.kept_by_weights(prices.search.counts.sum(axis=1))
    assert weighted is not None and everyone > 0
    before = prices.search.price
    improved = prices.improved_by_weights(weighted)
    assert worth(improved)[1] <= SAME_WORTH
    assert worth(improved)[0] < 0.95 * worth(weighted)[0]
    assert prices.search.price == before


def steps(points: int = 400) -> dict:
    """Numbers of which one split explains most."""
    x = np.random.default_rng(0).random((points, 3))
    worth = 10.0 * (x[:, 0] > 0.5) + (x[:, 1] > 0.3) + 0.5 * (x[:, 2] > 0.6)
    return {f"x{j}": column for j, column in enumerate(x.T)} | {"c": worth}


def test_splits_that_cost_more_than_they_are_worth_are_left_out_of_cart() -> None:
    text = """data "t.csv" { label c number; scale minmax; }
topology complete(depth = 3);
split univariate by ort(squared = 1, alpha = 0.1);
"""
    made = treemip.loads(text, data=steps()).compile()
    search = TreeSearch(made.instance, made.model, np.inf, 0)
    tree = search.begin.purest_tree()
    bare = search.begin.shorn(tree)
    splits = [int(one.weights.any(axis=1).sum()) for one in (tree, bare)]
    assert splits[0] > 1 and splits[1] == 1
    assert search.search.worth(bare)[0] < search.search.worth(tree)[0]
    report = TreeSearch(made.instance, made.model, 0.0, 0).run()
    assert report.best is not None
    assert report.best.objective <= search.search.worth(bare)[0] + SAME_WORTH


def test_the_engines_do_without_scipys_optimizers_until_one_is_needed() -> None:
    """They take longer to import than a small spec to solve."""
    code = "import treemip.answers.engines.registry, sys; print('scipy.optimize' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
