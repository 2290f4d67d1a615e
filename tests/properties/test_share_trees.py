"""Trees of class shares, by the Brier score and the log-loss, against every tree of tiny data."""

from __future__ import annotations

import numpy as np
import pytest
from reference.leaf_losses import Columns
from reference.leaf_sums import tiny

import treemip

pytest.importorskip("pyscipopt", reason="quadratic and logarithmic rows need a solver")

DATA = 'data "t.csv" { label c; scale minmax; weight w; }'


def table(seed: int) -> tuple[Columns, np.ndarray, int]:
    """Columns with weights of 1 and 2, and two or three classes; x (N, p); a depth."""
    rng, x, depth = tiny(seed)
    kinds = rng.integers(0, 2 + seed % 2, len(x))
    kinds[:2] = 0, 1
    weight = rng.integers(1, 3, len(x)).astype(float)
    features = {f"a{j}": column for j, column in enumerate(x.T)}
    return {**features, "c": np.array(["p", "q", "r"])[kinds], "w": weight}, x, depth


def test_a_spec_may_ask_for_a_larger_score() -> None:
    """The loss then has its rows for the other side, and is exact."""
    columns, *_ = table(4)
    text = (
        f"{DATA} topology complete(depth = 1); split univariate by share_trees; "
        "minimize 0; subject to vague {i in points}: loss[i] = 0.5;"
    )
    result = treemip.loads(text, columns).compile().solve("scip", time_limit=60)
    assert (result.status, result.verdict, result.problems) == ("optimal", "verified", ())
    assert result.train_score.brier == pytest.approx(0.5, abs=1e-3)


def test_oblique_splits_have_shares_by_the_same_module() -> None:
    """One hyperplane parts what no threshold does."""
    x = np.array([[0, 0], [1, 0.4], [0.4, 1], [1, 1], [0.5, 0.5], [0, 0.6]])
    columns = {"a": x[:, 0], "b": x[:, 1], "c": np.where(x.sum(axis=1) > 1.1, "q", "p")}
    text = (
        'data "t.csv" { label c; scale minmax; } topology complete(depth = 1); split oblique; '
        "use oblique_routing; use class_shares; minimize brier;"
    )
    result = treemip.loads(text, columns).compile().solve("scip", time_limit=60)
    assert result.objective == pytest.approx(0, abs=1e-5)
    assert (result.status, result.verdict, result.problems) == ("optimal", "verified", ())
