"""Leaves whose losses are logarithms of their value, as likelihoods of times and counts are,
against all trees."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in
from valued_trees import least

import treemip
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.univariate import best_tree, fits
from treemip.answers.search.curves.log_linear import LogLinear
from treemip.core.model.tolerances import LEAST_RATE

HEAD = 'data "t" {{ {label} scale minmax; }}\ntopology complete(depth = {depth});\n'
TIMES = "split univariate by ost(alpha = 0.1);"
COUNTS = """split univariate by ort(lowest = 0.5, highest = 6);
minimize sum {i in points} (predicted[i] - y[i] * log(predicted[i])) + 0.1 * splits;"""

PRICE = 0.1  # of a split


def features(draw: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    x = draw.integers(0, 4, (n, 2)).astype(float)
    x[0], x[1] = 0.0, 3.0
    return {"a": x[:, 0], "b": x[:, 1]}


def of_times(data: dict[str, np.ndarray], rows: np.ndarray) -> float:
    """Minus the likelihood of some points, less that of the saturated model."""
    time, event = data["time"], data["event"]
    at_risk = np.array([(time >= t).sum() for t in time])
    hazard = np.array([(event / at_risk)[time <= t].sum() for t in time])
    events, whole = event[rows].sum(), hazard[rows].sum()
    if events == 0:
        return 0.0
    value = events / whole
    here = rows & (event == 1)
    return float(value * whole - events - np.log(hazard[here] * value).sum())


def of_counts(data: dict[str, np.ndarray], rows: np.ndarray) -> float:
    if not rows.any():
        return 0.0
    value = np.clip(data["count"][rows].mean(), 0.5, 6)
    return float(rows.sum() * value - data["count"][rows].sum() * np.log(value))


@pytest.mark.parametrize(("seed", "depth"), one_in(4, range(4), [1, 2, 3]))
def test_likelihoods_of_times_are_those_of_the_best_tree(seed: int, depth: int) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(5, 9))
    data = {"time": draw.integers(1, 9, n).astype(float), "event": draw.integers(0, 2, n)}
    data = features(draw, n) | data
    data["event"][0] = 1
    text = HEAD.format(label="label none; number time, event;", depth=depth) + TIMES
    check(text, data, lambda rows: of_times(data, rows), depth)


@pytest.mark.parametrize(("seed", "depth"), one_in(3, range(4), [1, 2]))
def test_likelihoods_of_counts_are_those_of_the_best_tree(seed: int, depth: int) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(5, 9))
    data = features(draw, n) | {"count": draw.integers(0, 9, n)}
    text = HEAD.format(label="label count number;", depth=depth) + COUNTS
    check(text, data, lambda rows: of_counts(data, rows), depth)


def check(text, data, worth, depth: int) -> None:
    made = treemip.loads(text, data).compile()
    spec = summed(made.instance)
    assert isinstance(spec.sums.curve, LogLinear) and fits(made.instance, spec) is None
    result = best_tree(made.instance, spec, 30)
    optimum = PRICE * least(data, lambda rows: worth(rows) / PRICE, depth)
    assert result.proven and result.value == pytest.approx(optimum, abs=1e-6)
    solved = made.solve(time_limit=30)
    assert solved.optimality is not None and solved.optimality.proven
    assert solved.objective == pytest.approx(optimum, abs=1e-5)
    assert solved.report.verdict == "verified"


def test_the_least_worth_of_a_curve() -> None:
    curve = LogLinear((0.1, 1.0, 2.0), LEAST_RATE, 10.0)
    for a, b, c in ((3.0, 2.0, 4.0), (1.0, 5.0, 0.0), (0.0, 0.01, 4.0)):
        at = np.array([a + b * v - c * np.log(v) for v in curve.at])
        values = np.geomspace(LEAST_RATE, 10.0, 2_000_001)
        every = a + b * values - c * np.log(values)
        assert curve.least(at) == pytest.approx(every.min(), abs=1e-6)
        assert curve.greatest(at) == pytest.approx(every.max(), rel=1e-9)
        assert curve.weights(np.array([7.0])) @ at == pytest.approx(a + 7 * b - c * np.log(7))
    assert curve.why_not(np.array([[1.0, 2.0, 3.0 - 4.0]])) or curve.why_not(-at[None])
