"""Whole data sets at depth 2, proven: what the authors and exact algorithms found."""

from __future__ import annotations

import pytest
from truth_cases import SPECS, compiled, known

from treemip.api.result import Result

pytestmark = pytest.mark.truth

MINMAX = "scale minmax(0.00001, 0.99999);"
SOCT_SOLVER = OCT_SOLVER = BINOCT_SOLVER = "scip"
ENCODING = {"iris": MINMAX, "wine": MINMAX, "balance_scale": "encode onehot all;"}


def published(method: str, dataset: str) -> tuple[int, int]:
    """Points, and how many the published tree classifies correctly."""
    (row,) = [
        r for r in known("published_mip.csv") if (r["method"], r["dataset"]) == (method, dataset)
    ]
    return int(row["N"]), int(row["incumbent"])


def check(result: Result, points: int, correct: int) -> None:
    assert result.verified, result.report
    assert result.points == points
    assert result.train_errors == points - correct


@pytest.mark.parametrize("dataset", ["iris", "wine", "balance_scale"])
def test_soct(dataset: str) -> None:
    """The number of correct points is whole, so that a gap below 1 is a proof."""
    file = f"{dataset.replace('_', '-')}.csv"
    made = compiled("soct", SPECS, file, ENCODING[dataset])
    result = made.solve(SOCT_SOLVER, absolute_gap=0.999)
    points, correct = published("SOCT-baseline", dataset)
    check(result, points, correct)
    assert result.status in ("optimal", "gap_limit")
    assert result.objective == pytest.approx(correct, abs=1e-6)
    assert result.bound is not None
    assert result.bound < correct + 1


def test_oct_on_iris() -> None:
    made = compiled("oct", SPECS, "iris.csv", MINMAX)
    result = made.solve(OCT_SOLVER, start="cart")
    points, correct = published("OCT", "iris")
    check(result, points, correct)
    assert result.status == "optimal"
    assert result.objective == pytest.approx((points - correct) / 50, abs=1e-6)


EXACT = {
    (r["dataset"], int(r["depth"])): int(r["min_errors"]) for r in known("univariate_exact.csv")
}


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("dataset", ["iris", "balance-scale", "monks-1"])
def test_binoct(dataset: str, depth: int) -> None:
    result = compiled("binoct", SPECS, f"{dataset}.csv", depth=depth).solve(BINOCT_SOLVER)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(EXACT[dataset, depth], abs=1e-6)
    assert result.train_errors == EXACT[dataset, depth]
    assert result.verified, result.report


@pytest.mark.parametrize("dataset", ["iris", "balance-scale", "monks-1"])
def test_binoct_at_class_boundaries_is_never_better(dataset: str) -> None:
    rest = "set cut_points {f in features} = class_thresholds(f);"
    result = compiled("binoct", SPECS, f"{dataset}.csv", rest=rest).solve(BINOCT_SOLVER)
    assert result.status == "optimal"
    assert result.train_errors is not None
    assert result.train_errors >= EXACT[dataset, 2]
    assert result.verified, result.report
