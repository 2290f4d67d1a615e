"""Curves of the leaves of survival trees, against other programs and by hand."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.core.resources import specs_path
from treemip.core.tree.survival import leaf_curves, observed_in
from treemip.core.tree.survival_curves import Observed, curve_of, curves_by_leaf


def random_times(seed: int, size: int, steps: int = 40) -> Observed:
    """Times with many ties, half of them censored."""
    rng = np.random.default_rng(seed)
    time = rng.integers(1, steps, size).astype(float)
    return Observed(time, rng.random(size) < 0.5, np.ones(size))


def test_a_curve_by_hand() -> None:
    """Seven points of the weights 1, 1, 2, 1, 1, 1, 1."""
    observed = Observed(
        np.array([2.0, 3, 3, 5, 5, 8, 9]),
        np.array([1, 1, 0, 1, 1, 0, 0], bool),
        np.array([1.0, 1, 2, 1, 1, 1, 1]),
    )
    curve = curve_of(observed)
    assert curve.time.tolist() == [2, 3, 5, 8, 9]
    assert curve.at_risk.tolist() == [8, 7, 4, 2, 1]
    assert curve.events.tolist() == [1, 1, 2, 0, 0]
    assert curve.survival == pytest.approx([7 / 8, 6 / 8, 3 / 8, 3 / 8, 3 / 8])
    assert curve.hazard == pytest.approx(np.cumsum([1 / 8, 1 / 7, 1 / 2, 0, 0]))
    assert curve.median == 5
    assert curve.survival_at(np.array([0, 2, 4.9, 100])) == pytest.approx([1, 7 / 8, 6 / 8, 3 / 8])
    assert curve.hazard_at(np.array([[1.9], [2.0]])).tolist() == [[0], [1 / 8]]
    assert curve.to_json()["events"] == [1, 1, 2, 0, 0]


def test_no_median_where_most_survive() -> None:
    curve = curve_of(Observed(np.array([1.0, 2, 3]), np.array([True, False, False]), np.ones(3)))
    assert curve.median is None


@pytest.mark.parametrize("size", [1, 2, 50, 10_000])
def test_curves_are_those_of_scikit_survival(size: int) -> None:
    nonparametric = pytest.importorskip("sksurv.nonparametric")
    observed = random_times(size, size)
    observed.event[0] = True
    curve = curve_of(observed)
    time, survival = nonparametric.kaplan_meier_estimator(observed.event, observed.time)
    _, hazard = nonparametric.nelson_aalen_estimator(observed.event, observed.time)
    assert curve.time.tolist() == time.tolist()
    assert curve.survival == pytest.approx(survival, abs=1e-12)
    assert curve.hazard == pytest.approx(hazard, rel=1e-12)


def test_each_leaf_has_the_curve_of_its_points() -> None:
    observed, leaf = random_times(3, 90), np.tile([2, 5, 6], 30)
    curves = curves_by_leaf(leaf, observed)
    assert list(curves) == [2, 5, 6]
    assert curves[5].at_risk[0] == 30
    assert curves[5].survival.tolist() == curve_of(observed.taken(leaf == 5)).survival.tolist()


@pytest.fixture(scope="module")
def pumps() -> treemip.Result:
    return treemip.load(specs_path() / "pumps_survival.tree").compile().solve(time_limit=60)


def test_curves_of_a_solved_spec(pumps: treemip.Result) -> None:
    """The columns are called months and failed, and the spec says so in two lines."""
    instance, tree = pumps.compiled.instance, pumps.tree
    assert tree is not None
    curves = leaf_curves(instance, tree)
    assert curves is not None
    assert sorted(curve.at_risk[0] for curve in curves.values()) == [5, 6, 13]
    observed = observed_in(instance)
    assert observed is not None
    assert sum(curve.events.sum() for curve in curves.values()) == observed.event.sum() > 0
    assert set(curves) == set(tree.route(instance.table.inputs).tolist())


def test_other_specs_have_none() -> None:
    compiled = treemip.load(specs_path() / "credit.tree").compile()
    assert observed_in(compiled.instance) is None
