import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from treemip.instance.encodings import AsIs, MinMax, Standard, fit_scale
from treemip.resolve.data_spec import Scaling
from treemip.source.span import Source, Span

AT = Span(Source("", ""), 0, 0)
# -0.1 + 0.4 rounds to more than 0.3, -3.0 + 2.3 to less than -0.7.
ENDS = [(0.0, 1.0), (0.00001, 0.99999), (-0.1, 0.3), (-3.0, -0.7)]
SIZES = st.floats(-1e6, 1e6)


def minmax(lower: float = 0.0, upper: float = 1.0) -> Scaling:
    return Scaling(kind="minmax", lower=lower, upper=upper, span=AT)


STANDARD = Scaling(kind="standard", span=AT)


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


def test_a_constant_feature() -> None:
    values = np.full(3, 0.1)
    assert fit_scale(minmax(0.00001, 0.99999), values).apply(np.array([0.1, 7])).tolist() == [
        [0.00001],
        [0.00001],
    ]
    assert fit_scale(STANDARD, values).apply(np.array([0.1, 7])).tolist() == [[0], [0]]


def test_no_scaling() -> None:
    for scaling in (None, Scaling(kind="none", span=AT)):
        assert fit_scale(scaling, np.array([1.0, 5.0])) == AsIs()
    assert AsIs().apply(np.array([1.0, 5.0])).tolist() == [[1], [5]]
    assert AsIs().names("a", ()) == ("a",)


@pytest.mark.parametrize("values", [[-1.7e308, 1.7e308], [0.0, 5e-324], [0, 1e-320, 3e-310]])
@pytest.mark.parametrize("scaling", [minmax(), STANDARD])
def test_ranges_no_double_can_tell(values: list[float], scaling: Scaling) -> None:
    with pytest.raises(OverflowError):
        fit_scale(scaling, np.array(values))
