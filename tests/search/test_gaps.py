"""The widest gap between points, of a tree's hyperplanes, and the gap a formulation needs."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.optimize import linprog

import treemip
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.gaps import best_gap, feature_gaps, needed_gap, own_gap, widest_gap
from treemip.core.instance.derived import least_gap


def full_program(left: np.ndarray, right: np.ndarray) -> float:
    """The width of the widest gap with a row for each point."""
    p = left.shape[1]
    ones = np.ones((len(left), 1)), np.ones((len(right), 1))
    rows = np.vstack(
        [
            np.hstack([left, -left, -ones[0], 0 * ones[0]]),
            np.hstack([-right, right, ones[1], ones[1]]),
            np.concatenate([np.ones(2 * p), [0, 0]])[None],
        ]
    )
    top = np.concatenate([np.zeros(len(left) + len(right)), [1.0]])
    bounds = [(0, None)] * (2 * p) + [(-1, 1), (None, None)]
    cost = np.concatenate([np.zeros(2 * p + 1), [-1.0]])
    return float(-linprog(cost, A_ub=rows, b_ub=top, bounds=bounds, method="highs").fun)


@pytest.mark.parametrize("seed", range(2))
def test_the_gap_of_a_few_rows_is_that_of_all(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x, normal = draw.random((900, 5)), draw.normal(size=5)
    value = x @ normal
    middle = float(np.median(value))
    x = x[np.abs(value - middle) > 0.03 * np.abs(normal).sum()]
    right = x @ normal > middle
    found = widest_gap(x[~right], x[right], normal / np.abs(normal).sum(), 20.0)
    assert found is not None
    weights, low, width = found
    assert width == pytest.approx(full_program(x[~right], x[right]), abs=1e-7)
    assert (x[~right] @ weights <= low + 1e-8).all()
    assert (x[right] @ weights >= low + width - 1e-8).all()
    again = widest_gap(x[~right], x[right], normal, 20.0, least=width * 0.999)
    assert again is not None and again[2] == pytest.approx(width)
    assert widest_gap(x[~right], x[right], normal, 20.0, least=width * 1.001) is None


def case(by: str, rest: str = "", data: str = "scale minmax;", **columns: np.ndarray):  # type: ignore[no-untyped-def]
    """The instance, the stated model, the inputs and a tree without splits of a spec; classes at
    random."""
    draw = np.random.default_rng(1)
    classes = ["xy"[k] for k in draw.integers(0, 2, len(next(iter(columns.values()))))]
    text = f'data "t" {{ label k; {data} }} topology complete(depth = 2); split {by}; {rest}'
    made = treemip.loads(text, data={**columns, "k": classes}).compile()
    x, topology = made.instance.table.inputs, made.instance.topology
    assert topology is not None
    return made.instance, made.stated, x, Candidate.empty(topology, x.shape[1])


FORMS = [("soct(eps = 0.01)", 0.01), ("octh(mu = 0.02)", 0.02), ("soct", 0.005)]


@pytest.mark.parametrize("floor", [0.0, 0.003, 0.6])
@pytest.mark.parametrize(("by", "gap"), FORMS)
def test_the_gap_is_what_the_formulation_needs_beside_a_floor_that_cuts_break(
    by: str, gap: float, floor: float
) -> None:
    draw = np.random.default_rng(0)
    rest = f"subject to floor {{k in classes}}: recall[k] >= {floor};"
    made = case("oblique by " + by, rest, a=draw.random(200), b=draw.random(200))
    assert needed_gap(*made) == pytest.approx(gap)


def test_points_that_may_go_either_way_do_not_slice_the_gap() -> None:
    """Between the two points that matter the gap is 1 wide, along the first feature, with the two
    others in its middle; along the second it is 0.8, and these are at its ends."""
    x = np.array([[0.0, 0.0], [1.0, 0.8], [0.5, 0.0], [0.5, 0.8]])
    left, matter = np.array([True, False, True, False]), np.array([True, True, False, False])
    weights = np.array([0.3, 0.7])
    assert own_gap(x, left, weights) == pytest.approx(0.56)
    width, weights, middle = best_gap(x, left, matter, weights, time.perf_counter() + 10)
    assert width == pytest.approx(0.8)
    assert weights == pytest.approx([0.0, 1.0])
    assert middle == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(3))
def test_the_gap_is_free_of_all_points_and_no_narrower(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x, weights = draw.random((40, 3)), draw.normal(size=3)
    weights /= np.abs(weights).sum()
    position = x @ weights
    threshold = float(np.sort(position)[18:20].mean())
    left, matter = position <= threshold, draw.random(40) < 0.5
    own = own_gap(x, left, weights)
    width, wide, middle = best_gap(x, left, matter, weights, time.perf_counter() + 10)
    assert width >= own - 1e-9
    assert np.abs(wide).sum() <= 1 + 1e-9
    assert (np.abs(x @ wide - middle) >= width / 2 - 1e-7).all()
    assert ((x @ wide <= middle) == left)[matter].all()


@pytest.mark.parametrize(("by", "gap"), FORMS)
def test_the_gap_is_seen_where_all_cuts_of_single_features_are_wide(by: str, gap: float) -> None:
    draw = np.random.default_rng(0)
    made = case("oblique by " + by, a=draw.integers(0, 21, 150), b=draw.integers(0, 21, 150))
    width = np.diff(np.sort(made[2], axis=0), axis=0)
    assert width[width > 0].min() > 2 * gap
    assert needed_gap(*made) == pytest.approx(gap)


@pytest.mark.parametrize(
    ("by", "data"), [("oct", "scale minmax;"), ("binoct", ""), ("flow_oct", "bin quantile(9);")]
)
def test_cuts_of_single_features_need_the_gaps_that_the_rows_ask_for(by: str, data: str) -> None:
    draw = np.random.default_rng(0)
    columns = {"a": draw.integers(0, 9, 60), "b": draw.random(60).round(3)}
    made = case("univariate by " + by, "", data, **columns)
    x = made[2]
    gaps = feature_gaps(*made, np.array([1]))
    assert gaps == pytest.approx(least_gap(x) if by == "oct" else np.zeros(x.shape[1]), abs=1e-12)
