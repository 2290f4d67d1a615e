"""Models that a solver would get only when the time limit comes."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.core.solving import handover
from treemip.core.solving.handover import OWN_SHARE, for_solving, has_time_for, nonzeros


def compiled(by: str = "soct") -> treemip.Compiled:
    draw = np.random.default_rng(0)
    columns: dict = {name: draw.integers(0, 9, 60).tolist() for name in "abd"}
    columns["c"] = [f"k{k}" for k in draw.integers(0, 2, 60)]
    text = 'data "t" { label c; scale minmax; } topology complete(depth = 1); split oblique by '
    return treemip.loads(f"{text}{by};", data=columns).compile()


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


def test_a_search_does_not_hand_over_what_takes_all_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of SVM1-ODT's trees a linear program knows the best hyperplanes."""
    monkeypatch.setattr(handover, "rate", lambda solver: 1)
    result = compiled("svm1_odt").solve(time_limit=0.01)
    assert (result.answer.solver, result.verdict) == ("search", "verified")
    (note,) = (w.message for w in result.warnings if w.code == "W601")
    nonzeros = f"{handover.nonzeros(result.compiled.model):,}"
    assert note == (
        f"the hyperplanes stay where the search put them: handing {nonzeros} nonzeros to highs "
        "takes too long for the time limit"
    )


def test_a_model_that_memory_does_not_suffice_for_is_not_handed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handover, "room", lambda: 1000)
    result = compiled().solve("mip", start="search", time_limit=2.0)
    nonzeros = handover.nonzeros(result.compiled.model)
    assert result.answer.solver == "search"
    assert result.answer.message == (
        f"handing {nonzeros:,} nonzeros to scip takes about {nonzeros * 440 / 1e9:.2g} GB of "
        "memory, and 1e-06 GB are free"
    )
