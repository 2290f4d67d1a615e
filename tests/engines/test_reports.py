"""What an engine reports while it runs: trees that there are, and bounds that hold."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.engines import reports
from treemip.answers.engines.reports import Reports
from treemip.core.model.answer import Progress


def table(points: int = 60) -> dict[str, list]:
    draw = np.random.default_rng(2)
    x = draw.integers(0, 12, (points, 3))
    noisy = x[:, 0] + x[:, 1] * 0.7 - x[:, 2] * 0.4 + draw.normal(0, 3, points)
    columns = {name: x[:, j].tolist() for j, name in enumerate("abd")}
    return columns | {"c": np.where(noisy > noisy.mean(), "y", "n").tolist()}


SPECS = {
    "a sum over leaves": "topology complete(depth = 3); split univariate by binoct;"
    " minimize misclassified;",
    "maximized": "topology complete(depth = 3); split univariate by binoct;"
    " maximize sum {i in points} correct[i];",
    "coupled leaves": "topology complete(depth = 2); split univariate by oct;"
    " minimize misclassified + splits; subject to floor {k in classes}: recall[k] >= 0.6;",
    "oblique": "topology complete(depth = 1); split oblique by soct;",
}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_reports_are_of_trees_and_bounds_that_hold(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "EVERY", 0.0)
    monkeypatch.setattr(reports, "SOON", 0.0)
    every: list[Progress] = []
    made = treemip.loads(f'data "t" {{ label c; scale minmax; }} {spec}', data=table()).compile()
    result = made.solve(time_limit=60, start="search", on_progress=every.append)
    assert result.status == "optimal"
    assert result.objective is not None
    sign = -1.0 if made.model.objective.sense == "maximize" else 1.0
    best = sign * result.objective
    told = [one for one in every if one.stage == "engine"]
    objectives = [sign * one.objective for one in told if one.objective is not None]
    bounds = [sign * one.bound for one in told if one.bound is not None]
    assert objectives and objectives == sorted(objectives, reverse=True)
    assert min(objectives) >= best - 1e-6
    assert bounds and bounds == sorted(bounds)
    assert max(bounds) <= best + 1e-6


def test_reports_come_once_a_second_and_soon_after_a_better_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(reports.time, "perf_counter", lambda: now)
    every: list[Progress] = []
    told = Reports(every.append, sign=-1.0)
    for now in np.arange(0.0, 2.95, 0.05).tolist():
        if now == pytest.approx(1.5):
            told.better(-8.0)
            told.ruled_out(-10.0)
        told.tick()
    assert [(round(one.seconds, 2), one.objective, one.bound, one.gap) for one in every] == [
        (1.0, None, None, None),
        (1.5, 8.0, 10.0, 0.25),
        (2.5, 8.0, 10.0, 0.25),
    ]
