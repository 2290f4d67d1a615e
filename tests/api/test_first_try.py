"""Small models: the solver has some seconds before a long search, where no engine is sure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treemip
from treemip.answers.engines.frontier import cells
from treemip.answers.search import start
from treemip.answers.starts.searched_start import QUICK
from treemip.api import first_try, solving
from treemip.api.result import Result

pytest.importorskip("pyscipopt")

SPECS = Path(__file__).parents[2] / "specs"
DRAW = np.random.default_rng(3)
NOISE = {
    "a": DRAW.random(10).tolist(),
    "b": DRAW.random(10).tolist(),
    "c": np.where(DRAW.random(10) < 0.5, "y", "n").tolist(),
}
SVM1 = (
    'data "t" { label c; scale minmax; } topology complete(depth = 1); split oblique by svm1_odt;'
)


def searches(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """The seconds of each search, as they are made."""
    asked, real = list[float | None](), start.search

    def watched(*arguments: Any) -> Any:
        asked.append(arguments[3])
        return real(*arguments)

    monkeypatch.setattr(start, "search", watched)
    return asked


def solved(text: str = SVM1, **how: Any) -> Result:
    return treemip.loads(text, data=NOISE).compile().solve(**how)


def test_the_solver_proves_it_before_a_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    alone, asked = solved(solver="mip", start="none"), searches(monkeypatch)
    result = solved()
    assert asked == [QUICK]
    assert (result.status, result.answer.solver) == ("optimal", "scip") and result.verified
    assert result.objective == pytest.approx(alone.objective, abs=1e-6)


def test_what_it_does_not_prove_goes_its_usual_way(monkeypatch: pytest.MonkeyPatch) -> None:
    alone, asked = solved(solver="mip", start="none"), searches(monkeypatch)
    monkeypatch.setattr(first_try, "ALONE", 1e-3)
    result = solved()
    assert asked == [QUICK, None]
    assert result.status == "optimal" and result.verified
    assert result.objective == pytest.approx(alone.objective, abs=1e-6)


def test_a_tree_of_the_try_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual search finds nothing here."""
    monkeypatch.setattr(first_try, "ALONE", 1e-3)
    real, starts, solve = start.search, [], solving.solve_with

    def searched(instance: Any, stated: Any, model: Any, seconds: float | None, *rest: Any) -> Any:
        found = real(instance, stated, model, QUICK, *rest)
        return found if seconds == QUICK else replace(found, values=None)

    def watched(model: Any, solver: str, limits: Any, values: Any, *rest: Any) -> Any:
        starts.append(values)
        return solve(model, solver, limits, values, *rest)

    monkeypatch.setattr(start, "search", searched)
    monkeypatch.setattr(solving, "solve_with", watched)
    assert solved().verified
    assert starts and all(values is not None for values in starts)


@pytest.mark.parametrize("how", [{"start": "search"}, {"solver": "highs"}], ids=str)
def test_nothing_is_tried_where_somebody_says_how(
    monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
) -> None:
    asked = searches(monkeypatch)
    solved(time_limit=1, **how)
    assert asked and QUICK not in asked


def test_an_engine_that_is_quick_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = searches(monkeypatch)
    result = solved(SVM1.replace("oblique by svm1_odt", "univariate by oct"))
    assert (asked, result.answer.solver) == ([], "engine")


def test_no_proof_is_sought_among_trees_that_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sums say nothing of what this spec minimizes, so each of these trees costs time only."""
    judged, real = [], cells.Cells._complete

    def watched(*arguments: Any) -> None:
        judged.append(arguments)
        real(*arguments)

    monkeypatch.setattr(cells.Cells, "_complete", watched)
    result = treemip.load(SPECS / "iris_robust.tree").compile().solve()
    assert (result.status, result.objective) == ("optimal", pytest.approx(3.0))
    assert len(judged) <= cells.IN_VAIN + 2  # the first one is better than none
