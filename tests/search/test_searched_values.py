"""Trees whose leaves have values or choose treatments, searched: never better than the best of all
trees, never infeasible, and as good where all of them can be tried."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from valued_trees import OBJECTIVES, compiled, leaf_worth, least, table

from treemip.answers.search.start import search
from treemip.core.model.values import objective_value
from treemip.core.tree.readout import by_name
from treemip.core.tree.residuals import model_violations


def check(folder: Path, kind: str, seed: int) -> None:
    data = table(kind, seed)
    model = compiled(folder, kind, data)
    searched = search(model.instance, model.stated, model.model, 2.0, 0)
    optimum = least(data, leaf_worth(kind, data))
    sign = -1.0 if kind == "decisions" else 1.0
    assert searched.values is not None and not np.isnan(searched.values).any()
    values = by_name(model.stated, searched.values)
    assert model_violations(model.stated, values) == []
    worth = sign * objective_value(model.stated, searched.values)
    assert worth >= optimum - 1e-6
    assert worth == pytest.approx(optimum, abs=1e-6)
    assert sign * searched.bound <= optimum + 1e-6


KINDS = (*OBJECTIVES, "decisions")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_the_best_tree_is_found(kind: str, seed: int, tmp_path: Path) -> None:
    check(tmp_path, kind, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_solve_begins_with_the_search_and_is_verified_whole(kind: str, tmp_path: Path) -> None:
    data = table(kind, 1)
    result = compiled(tmp_path, kind, data).solve(time_limit=30)
    sign = -1.0 if kind == "decisions" else 1.0
    assert (result.verdict, result.problems) == ("verified", ())
    assert result.status == "optimal"
    optimum = least(data, leaf_worth(kind, data))
    assert sign * result.objective == pytest.approx(optimum, abs=1e-4)


@pytest.mark.truth
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2, 30))
def test_the_best_tree_is_found_truth(kind: str, seed: int, tmp_path: Path) -> None:
    check(tmp_path, kind, seed)
