"""Models that a solver would get only when the time limit comes."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.strategy import handover
from treemip.strategy.handover import OWN_SHARE, for_solving, has_time_for, nonzeros


def compiled() -> treemip.Compiled:
    draw = np.random.default_rng(0)
    columns: dict = {name: draw.integers(0, 9, 60).tolist() for name in "abd"}
    columns["c"] = [f"k{k}" for k in draw.integers(0, 2, 60)]
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 1); split oblique by soct;'
    )
    return treemip.loads(text, data=columns).compile()


def slow_scip(monkeypatch: pytest.MonkeyPatch) -> None:
    rate = handover.rate
    monkeypatch.setattr(handover, "rate", lambda solver: 1 if solver == "scip" else rate(solver))


@pytest.mark.parametrize(
    ("limit", "spent", "after", "seconds"),
    [
        (None, 5.0, 1.0, None),
        (0.0, 5.0, 1.0, 0.0),
        (20.0, 5.0, 2.0, 13.0),
        (20.0, 15.0, 2.0, 20 * OWN_SHARE),
        (20.0, 30.0, 2.0, 20 * OWN_SHARE),
    ],
)
def test_what_is_left_for_solving(
    limit: float | None, spent: float, after: float, seconds: float | None
) -> None:
    assert for_solving(limit, spent, after) == seconds


def test_a_limit_is_measured_against_the_nonzeros() -> None:
    model = compiled().model
    needed = nonzeros(model) / handover.rate("scip") / handover.SHARE
    assert nonzeros(model) == sum(len(block.matrix.data) for block in model.rows)
    assert has_time_for(model, None)
    assert has_time_for(model, needed * 1.01)
    assert not has_time_for(model, needed * 0.99)


def test_the_search_has_all_the_time_where_a_solver_would_have_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow_scip(monkeypatch)
    result = compiled().solve("mip", start="search", time_limit=1.0)
    assert (result.status, result.verdict) == ("time_limit", "verified")
    assert result.answer.solver == "search"
    assert "takes too long for the time limit" in result.answer.message


def test_a_solver_that_is_asked_for_by_name_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    slow_scip(monkeypatch)
    result = compiled().solve("highs", start="search", time_limit=1.0)
    assert result.answer.solver == "highs"
