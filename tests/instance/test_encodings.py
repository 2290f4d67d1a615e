import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, StandardScaler

from treemip.core.instance.encodings import (
    AsIs,
    MinMax,
    OneHot,
    Standard,
    Thermometer,
    fit_bins,
    fit_scale,
)
from treemip.core.instance.encodings.bins import midpoints, quantile_edges
from treemip.core.instance.encodings.rank import Rank
from treemip.core.resolve.settings.data_spec import Binning, Scaling
from treemip.core.source.span import Source, Span

AT = Span(Source("", ""), 0, 0)
# -0.1 + 0.4 rounds to more than 0.3, -3.0 + 2.3 to less than -0.7.
ENDS = [(0.0, 1.0), (0.00001, 0.99999), (-0.1, 0.3), (-3.0, -0.7)]
SIZES = st.floats(-1e6, 1e6)


def minmax(lower: float = 0.0, upper: float = 1.0) -> Scaling:
    return Scaling(kind="minmax", arguments=(lower, upper), span=AT)


STANDARD = Scaling(kind="standard", span=AT)
RANK = Scaling(kind="rank", span=AT)


@given(st.lists(SIZES, min_size=1), st.sampled_from(ENDS))
def test_minmax_reaches_both_ends_and_passes_neither(
    numbers: list[float], ends: tuple[float, float]
) -> None:
    values = np.array(numbers)
    scaled = fit_scale(minmax(*ends), values).apply(values)[:, 0]
    assert ((ends[0] <= scaled) & (scaled <= ends[1])).all()
    assert (scaled[values == values.min()] == ends[0]).all()
    if values.min() < values.max():
        assert (scaled[values == values.max()] == ends[1]).all()
    assert (np.diff(scaled[np.argsort(values)]) >= 0).all()


@given(st.lists(st.integers(-1000, 1000), min_size=1), st.lists(SIZES, min_size=1))
def test_as_scikit_learn_scales(training: list[int], new: list[float]) -> None:
    fitted = np.array(training, float)[:, None]
    rows = np.array(new)
    ends = (0.25, 0.75)
    theirs = MinMaxScaler(ends).fit(fitted)
    ours = fit_scale(minmax(*ends), fitted[:, 0])
    standard = fit_scale(STANDARD, fitted[:, 0])
    for values in (fitted[:, 0], rows) if len(set(training)) > 1 else (fitted[:, 0],):
        np.testing.assert_allclose(
            ours.apply(values), theirs.transform(values[:, None]), rtol=1e-9, atol=1e-9
        )
        np.testing.assert_allclose(
            standard.apply(values),
            StandardScaler().fit(fitted).transform(values[:, None]),
            rtol=1e-9,
            atol=1e-9,
        )


@given(st.floats(-10, 10), st.floats(-10, 10), st.integers(0, 3))
def test_no_training_value_passes_the_upper_end(one: float, other: float, steps: int) -> None:
    lower, upper = sorted((one, other))
    if upper - lower < 1e-300:
        return
    scaling = MinMax(0, 1, lower, upper)
    near = 1 - steps * 2.0**-53
    (ours,) = scaling.apply(np.array([near]))[0]
    assert lower <= ours <= upper
    assert steps > 0 or ours == upper


@given(st.lists(SIZES, min_size=1), st.lists(SIZES))
def test_ranks_step_evenly_and_never_fall(training: list[float], new: list[float]) -> None:
    values = np.unique(training)
    ranks = fit_scale(RANK, np.array(training))
    steps = np.arange(len(values)) / max(1, len(values) - 1)
    assert ranks.apply(values)[:, 0].tolist() == steps.tolist()
    back = [ranks.unscaled(step) for step in steps.tolist()]
    np.testing.assert_allclose(back, values if len(values) > 1 else values[:1], rtol=1e-12)
    rows = np.sort([*new, *np.nextafter(values, -np.inf), *np.nextafter(values, np.inf), -2e6, 2e6])
    scaled = ranks.apply(rows)[:, 0]
    assert (np.diff(scaled) >= 0).all()
    assert set(scaled[[0, -1]].tolist()) == {0, float(len(values) > 1)}


def test_worked_examples() -> None:
    values = np.array([2.0, 4.0, 10.0])
    assert fit_scale(minmax(), values) == MinMax(2, 10, 0, 1)
    assert fit_scale(minmax(), values).apply(np.array([2, 4, 10, 18, 0])).tolist() == [
        [0],
        [0.25],
        [1],
        [2],
        [-0.25],
    ]
    assert fit_scale(STANDARD, np.array([1.0, 3.0])) == Standard(2, 1)
    assert fit_scale(STANDARD, np.array([1.0, 3.0])).apply(np.array([4.0])).tolist() == [[2]]
    outlier = fit_scale(RANK, np.array([4.0, 2.0, 1e6, 4.0]))
    assert outlier == Rank((2.0, 4.0, 1e6))
    assert outlier.names("a", ()) == ("a (rank)",)
    assert outlier.apply(np.array([2, 3, 4, 1e6, 1, 2e6])).tolist() == [
        [0],
        [0.25],
        [0.5],
        [1],
        [0],
        [1],
    ]


def test_a_constant_feature() -> None:
    values = np.full(3, 0.1)
    assert fit_scale(minmax(0.00001, 0.99999), values).apply(np.array([0.1, 7])).tolist() == [
        [0.00001],
        [0.00001],
    ]
    for scaling in (STANDARD, RANK):
        assert fit_scale(scaling, values).apply(np.array([0.1, 7])).tolist() == [[0], [0]]


def test_no_scaling() -> None:
    for scaling in (None, Scaling(kind="none", span=AT)):
        assert fit_scale(scaling, np.array([1.0, 5.0])) == AsIs()
    assert AsIs().apply(np.array([1.0, 5.0])).tolist() == [[1], [5]]
    assert AsIs().names("a", ()) == ("a",)


@pytest.mark.parametrize("values", [[-1.7e308, 1.7e308], [0.0, 5e-324], [0, 1e-320, 3e-310]])
@pytest.mark.parametrize("scaling", [minmax(), STANDARD, RANK])
def test_ranges_no_double_can_tell(values: list[float], scaling: Scaling) -> None:
    with pytest.raises(OverflowError):
        fit_scale(scaling, np.array(values))


AT_of_binning = Span(Source("", ""), 0, 0)
COARSE = st.lists(st.integers(-40, 40), min_size=1, max_size=60)
FINE = st.lists(st.floats(-1e9, 1e9), min_size=1)


def test_quantile_edges_by_hand() -> None:
    values = np.arange(11.0)
    assert quantile_edges(values, 5).tolist() == [2, 4, 6, 8]
    assert quantile_edges(values, 4).tolist() == [2.5, 5, 7.5]
    assert quantile_edges(np.array([0, 0, 0, 0, 1.0]), 4).tolist() == []
    assert quantile_edges(np.array([0, 0, 1, 2, 2.0]), 4).tolist() == [1]
    assert quantile_edges(np.array([3.0]), 2).tolist() == []
    assert quantile_edges(np.array([0, 1, 1 + 1e-9, 5]), 3).tolist() == [1]


@given(st.integers(2, 9), st.integers(0, 9), st.data())
def test_a_quantile_that_is_a_data_value_is_it_exactly(
    count: int, times: int, data: st.DataObject
) -> None:
    """Positions j (N-1) / count are whole where count divides N-1; no rounding may shift them."""
    size = count * times + 1
    values = np.array(data.draw(st.lists(st.floats(-9, 9), min_size=size, max_size=size)))
    assert set(quantile_edges(values, count)) <= set(values)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.sampled_from([2, 4, 8]))
def test_bit_for_bit_as_numpy_interpolates(numbers: list[float], count: int) -> None:
    """With a power of two as count numpy's own positions are exact, so nothing may differ."""
    edges = np.quantile(numbers, np.arange(count + 1) / count)
    kept = edges[np.diff(edges, prepend=-np.inf) > 1e-8]
    assert quantile_edges(np.array(numbers), count).tolist() == kept[1:-1].tolist()


@pytest.mark.filterwarnings("ignore:Bins whose width are too small")
@given(COARSE, st.integers(2, 7))
def test_as_scikit_learn_bins(numbers: list[int], count: int) -> None:
    values = np.array(numbers, float) / 8
    if len(set(numbers)) == 1:
        assert quantile_edges(values, count).size == 0
        return
    theirs = KBinsDiscretizer(
        count, encode="ordinal", strategy="quantile", quantile_method="linear", subsample=None
    )
    edges = theirs.fit(values[:, None]).bin_edges_[0]
    np.testing.assert_allclose(quantile_edges(values, count), edges[1:-1], rtol=1e-12, atol=1e-12)


@given(FINE | COARSE)
def test_midpoints_part_all_neighbours(numbers: list[float]) -> None:
    values = np.array(numbers, float)
    distinct = np.unique(values)
    middle = midpoints(values)
    assert len(middle) == len(distinct) - 1
    assert ((distinct[:-1] < middle) & (middle <= distinct[1:])).all()


def test_midpoints_by_hand() -> None:
    assert midpoints(np.array([3, 1, 1, 2.0])).tolist() == [1.5, 2.5]
    assert midpoints(np.array([1, np.nextafter(1, 2)])).tolist() == [np.nextafter(1, 2)]
    assert midpoints(np.array([-1.7e308, 1.7e308])).tolist() == [0]
    assert midpoints(np.array([0, 5e-324])).tolist() == [5e-324]
    assert midpoints(np.array([7.0])).tolist() == []


def test_which_edges_a_setting_means() -> None:
    values = np.array([0.0, 1, 2, 3, 4])
    quantiles = Binning(kind="quantile", arguments=(2.0,), span=AT_of_binning)
    given_ones = Binning(kind="thresholds", arguments=(0.5, 9.0), span=AT_of_binning)
    all_of_them = Binning(kind="thresholds", span=AT_of_binning)
    assert fit_bins(quantiles, values) == Thermometer((2.0,))
    assert fit_bins(given_ones, values) == Thermometer((0.5, 9.0))
    assert fit_bins(all_of_them, values) == Thermometer((0.5, 1.5, 2.5, 3.5))
    with pytest.raises(OverflowError):
        fit_bins(quantiles, np.array([-1.7e308, 1.7e308]))


def test_a_thermometer() -> None:
    bins = Thermometer((1.0, 1.25))
    assert bins.names("a", ()) == ("a>=1", "a>=1.25")
    assert bins.apply(np.array([0.5, 1, 1.2, 1.25, 9])).tolist() == [
        [0, 0],
        [1, 0],
        [1, 0],
        [1, 1],
        [1, 1],
    ]
    assert Thermometer(()).apply(np.array([1.0, 2.0])).shape == (2, 0)


def test_a_column_for_each_level() -> None:
    coding = OneHot((0, 1, 2))
    assert coding.names("a", ("x", "y", "z")) == ("a=x", "a=y", "a=z")
    assert coding.apply(np.array([2.0, 0, 1, -1])).tolist() == [
        [0, 0, 1],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 0],
    ]


def test_the_second_of_two() -> None:
    coding = OneHot((1,))
    assert coding.names("a", ("no", "yes")) == ("a=yes",)
    assert coding.apply(np.array([0.0, 1.0])).tolist() == [[0], [1]]
