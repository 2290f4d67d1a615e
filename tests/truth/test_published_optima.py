"""Whole data sets at depth 2, proven: what the authors and exact algorithms found."""

from __future__ import annotations

import pytest
from truth_cases import HERE, SPECS, compiled, known

from treemip.api.compiled import Compiled
from treemip.api.result import Result

pytestmark = pytest.mark.truth

MINMAX = "scale minmax(0.00001, 0.99999);"
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


def solved(made: Compiled, one_point: float) -> Result:
    """Proven: errors are whole, so that a gap below one point's worth of objective is a proof."""
    start = "none" if made.program.spec.formulation == "soct" else "cart"
    result = made.solve("scip", start=start, absolute_gap=0.999 * one_point)
    assert result.status in ("optimal", "gap_limit")
    assert result.objective is not None and result.bound is not None
    assert abs(result.objective - result.bound) < one_point
    return result


@pytest.mark.parametrize("dataset", ["iris", "wine", "balance_scale"])
def test_soct(dataset: str) -> None:
    made = compiled("soct", SPECS, f"{dataset.replace('_', '-')}.csv", ENCODING[dataset])
    points, correct = published("SOCT-baseline", dataset)
    result = solved(made, 1)
    check(result, points, correct)
    assert result.objective == pytest.approx(correct, abs=1e-6)


def test_oct_on_iris() -> None:
    """The loss is divided by 50, the size of the largest class."""
    points, correct = published("OCT", "iris")
    result = solved(compiled("oct", SPECS, "iris.csv", MINMAX), 1 / 50)
    check(result, points, correct)
    assert result.objective == pytest.approx((points - correct) / 50, abs=1e-6)


@pytest.mark.parametrize("dataset", ["iris", "wine"])
def test_flow_oct_on_quantile_bins(dataset: str) -> None:
    points, correct = published("FlowOCT", dataset)
    result = solved(compiled("flow_oct", SPECS, f"{dataset}.csv", "bin quantile(5);"), 1)
    check(result, points, correct)
    assert result.objective == pytest.approx(correct, abs=1e-6)


@pytest.mark.parametrize(
    ("dataset", "correct"), [("monks-1", 102), ("monks-2", 112), ("monks-3", 114)]
)
def test_flow_oct_on_one_hot_codes(dataset: str, correct: int) -> None:
    """What odtlearn's FlowOCT and exact algorithms find; its BendersOCT with CBC found less."""
    folder = SPECS if dataset == "monks-1" else HERE
    result = solved(compiled("flow_oct", folder, f"{dataset}.csv", "encode onehot all;"), 1)
    assert result.train_errors == result.points - correct
    assert result.objective == pytest.approx(correct, abs=1e-6)
    assert result.verified, result.report


EXACT = {
    (r["dataset"], int(r["depth"])): int(r["min_errors"]) for r in known("univariate_exact.csv")
}


@pytest.mark.parametrize(("dataset", "depth"), list(EXACT))
def test_binoct(dataset: str, depth: int) -> None:
    result = solved(compiled("binoct", SPECS, f"{dataset}.csv", depth=depth), 1)
    assert result.objective == pytest.approx(EXACT[dataset, depth], abs=1e-6)
    assert result.train_errors == EXACT[dataset, depth]
    assert result.verified, result.report


@pytest.mark.parametrize("dataset", ["iris", "monks-1", "balance-scale"])
def test_binoct_at_class_boundaries_is_never_better(dataset: str) -> None:
    rest = "set cut_points {f in features} = class_thresholds(f);"
    result = solved(compiled("binoct", SPECS, f"{dataset}.csv", rest=rest), 1)
    assert result.train_errors is not None
    assert result.train_errors >= EXACT[dataset, 2]
    assert result.verified, result.report
