"""Trees of class shares, by the Brier score and the log-loss, against every tree of tiny data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from reference.leaf_losses import Columns, brier, log_loss
from reference.leaf_sums import least_cost, tiny
from saved_trees import changed_leaf

import treemip
from treemip.api.result import Result
from treemip.cli.main import main

pytest.importorskip("pyscipopt", reason="quadratic and logarithmic rows need a solver")

DATA = 'data "t.csv" { label c; scale minmax; weight w; }'
ALPHAS = (0.0, 0.3)


def table(seed: int) -> tuple[Columns, np.ndarray, int]:
    """Columns with weights of 1 and 2, and two or three classes; x (N, p); a depth."""
    rng, x, depth = tiny(seed)
    kinds = rng.integers(0, 2 + seed % 2, len(x))
    kinds[:2] = 0, 1
    weight = rng.integers(1, 3, len(x)).astype(float)
    features = {f"a{j}": column for j, column in enumerate(x.T)}
    return {**features, "c": np.array(["p", "q", "r"])[kinds], "w": weight}, x, depth


GOALS: dict[str, Callable[[Columns, np.ndarray], float]] = {"brier": brier, "log_loss": log_loss}


def solved(goal: str, seed: int) -> tuple[Result, float]:
    """A result, and the objective of the best of all trees."""
    columns, x, depth = table(seed)
    alpha, size = ALPHAS[seed // 2 % 2], 1 + seed % 3
    text = (
        f"{DATA} topology complete(depth = {depth}); "
        f"split univariate by share_trees(min_leaf = {size}); minimize {goal} + {alpha} * splits;"
    )
    best = least_cost(x, depth, alpha, size, lambda leaf: GOALS[goal](columns, leaf))
    return treemip.loads(text, columns).compile().solve("scip", time_limit=300), best


def check(goal: str, seed: int) -> None:
    result, best = solved(goal, seed)
    assert result.objective == pytest.approx(best, abs=1e-4)
    assert (result.status, result.verdict, result.problems) == ("optimal", "verified", ())
    assert result.report is not None and result.report.taken == ()
    assert result.report.tree_objective == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("goal", GOALS)
def test_the_optimum_is_that_of_all_trees(goal: str) -> None:
    check(goal, 0)


@pytest.mark.truth
@pytest.mark.parametrize("goal", GOALS)
def test_the_optimum_is_that_of_all_trees_on_50_tables(goal: str) -> None:
    for seed in range(100, 150):
        check(goal, seed)


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


@pytest.mark.parametrize("leaf", [2, 3])
def test_changed_shares_are_found(
    leaf: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns, *_ = table(4)
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    text = f"{DATA} topology complete(depth = 1); split univariate by share_trees;"
    (tmp_path / "t.tree").write_text(text)
    result = treemip.load(tmp_path / "t.tree").compile().solve("scip")
    assert result.status == "optimal"

    def change(node: dict) -> None:
        node["distribution"] = {"p": 0.45, "q": 0.55}

    path = changed_leaf(result, tmp_path, change, leaf)
    assert main(["verify", str(path)]) == 1
    assert (
        f"node {leaf} of the tree does not follow from the saved values" in capsys.readouterr().out
    )
