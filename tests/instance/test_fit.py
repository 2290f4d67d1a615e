from pathlib import Path

import numpy as np
import pytest
from small_data import fault, load, spanned

CSV = """n,k,t,size,y
1,3,red,low,0
2,1,blue,high,1
4,2,red,medium,1
5,1,green,low,0
"""


@pytest.mark.parametrize(
    ("settings", "features"),
    [
        ("", "n k t=blue t=green t=red size=high size=low size=medium"),
        ("encode onehot t; drop size;", "n k t=blue t=green t=red"),
        ("encode onehot k; drop t, size;", "n k=1 k=2 k=3"),
        ("encode onehot all; use k, t;", "k=1 k=2 k=3 t=blue t=green t=red"),
        ("encode onehot all; scale minmax k; use k, t;", "k t=blue t=green t=red"),
        ("encode onehot all; bin thresholds k; use k;", "k>=1.5 k>=2.5"),
        ("encode ordinal; drop n;", "k t size"),
        ("encode ordinal t; use t, size;", "t size=high size=low size=medium"),
        ("encode keep t; use n, t;", "n"),
        ("bin thresholds(1.5, 4); use n, t;", "n>=1.5 n>=4 t=blue t=green t=red"),
        ("bin quantile(3); encode keep t, size;", "n>=2 n>=4 k>=2"),
        ("bin thresholds; scale minmax k; use n, k;", "n>=1.5 n>=3 n>=4.5 k"),
        (
            'bin thresholds size; encode ordinal size("low", "medium", "high"); use size;',
            "size>=0.5 size>=1.5",
        ),
    ],
)
def test_names(tmp_path: Path, settings: str, features: str) -> None:
    assert " ".join(load(tmp_path, CSV, f"label y; {settings}").train.features) == features


@pytest.mark.parametrize(
    ("settings", "x"),
    [
        ("use n; scale minmax;", [[0], [0.25], [0.75], [1]]),
        ("use n; scale minmax(-1, 1);", [[-1], [-0.5], [0.5], [1]]),
        ("use n; scale minmax; scale none n;", [[1], [2], [4], [5]]),
        ("use n, k; scale minmax n;", [[0, 3], [0.25, 1], [0.75, 2], [1, 1]]),
        ("use t; scale minmax(3, 4);", [[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0]]),
        ("use t; encode ordinal;", [[2], [0], [2], [1]]),
        ('use size; encode ordinal size("low", "medium", "high");', [[0], [2], [1], [0]]),
        (
            'use size; encode ordinal size("low", "medium", "high"); scale minmax;',
            [[0], [1], [0.5], [0]],
        ),
        ("use k; encode ordinal k(3, 2, 1);", [[0], [2], [1], [2]]),
        ("use k; bin thresholds; scale minmax(3, 4);", [[1, 1], [0, 0], [1, 0], [0, 0]]),
        (
            "use k; encode onehot k; scale minmax(3, 4);",
            [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]],
        ),
    ],
)
def test_what_features_become(tmp_path: Path, settings: str, x: list[list[float]]) -> None:
    train = load(tmp_path, CSV, f"label y; {settings}").train
    assert train.x.tolist() == x
    assert train.x.dtype == np.float64 and train.x.flags.c_contiguous


def test_dropping_the_first_of_two(tmp_path: Path) -> None:
    csv = "two,three,one,y\na,1,u,0\nb,2,u,1\na,3,u,1\n"
    train = load(tmp_path, csv, "label y; encode onehot(drop = if_binary) all;").train
    assert train.features == ("two=b", "three=1", "three=2", "three=3", "one=u")
    assert train.x.tolist() == [[0, 1, 0, 0, 1], [1, 0, 1, 0, 1], [0, 0, 0, 1, 1]]


def test_names_of_numbers_have_no_needless_digits(tmp_path: Path) -> None:
    train = load(tmp_path, "a,y\n1.0,0\n2.50,1\n1e3,1\n", "label y; encode onehot a;").train
    assert train.features == ("a=1", "a=2.5", "a=1000")


def test_fitted_on_the_training_part_alone(tmp_path: Path) -> None:
    csv = "\n".join(["a,y", *(f"{k},{k % 2}" for k in range(40))])
    data = load(tmp_path, csv, "label y; scale minmax; train fold 1 of 4 seed 1;")
    assert data.test is not None
    raw = np.arange(40.0)
    training = raw[data.train.row_numbers - 1]
    low, high = training.min(), training.max()
    for table in (data.train, data.test):
        expected = (raw[table.row_numbers - 1] - low) / (high - low)
        np.testing.assert_allclose(table.x[:, 0], expected, rtol=1e-15)
    assert (data.train.x.min(), data.train.x.max()) == (0, 1)


@pytest.mark.parametrize(
    ("settings", "code", "place"),
    [
        ("scale minmax t;", "E304", "t"),
        ("bin quantile(2) t;", "E304", "t"),
        ("encode ordinal k(1, 2);", "E309", "encode ordinal k(1, 2);"),
        ('encode ordinal size("low", "high");', "E309", 'encode ordinal size("low", "high");'),
        ('encode ordinal k(1, "1.0");', "E213", 'encode ordinal k(1, "1.0");'),
    ],
)
def test_what_does_not_fit_the_data(tmp_path: Path, settings: str, code: str, place: str) -> None:
    error = fault(tmp_path, CSV, f"label y; {settings}")
    assert error.code == code
    assert spanned(error) in (place, place.removeprefix("encode ordinal ").rstrip(";"))


def test_a_value_that_is_not_in_the_order(tmp_path: Path) -> None:
    error = fault(tmp_path, CSV, 'label y; encode ordinal size("low", "high");')
    assert error.message.startswith("row 3 of small.csv has 'medium' in column 'size'")


def test_two_features_of_one_name(tmp_path: Path) -> None:
    error = fault(tmp_path, "a,a=u,y\nu,1,0\nv,2,1\n", "label y;")
    assert (error.code, error.message) == (
        "E202",
        "two encoded features would be called 'a=u'",
    )


def test_nothing_left_to_split_on(tmp_path: Path) -> None:
    assert fault(tmp_path, "a,y\n1,0\n1,1\n", "label y; bin quantile(3);").code == "E306"


def test_a_feature_that_binning_loses(tmp_path: Path) -> None:
    data = load(tmp_path, "a,b,y\n1,1,0\n1,2,1\n", "label y; bin thresholds;")
    assert data.train.features == ("b>=1.5",)
    (warning,) = data.warnings
    assert warning.message == "binning drops 'a', which has too few values"


@pytest.mark.parametrize("setting", ["scale minmax", "scale standard", "bin quantile(2)"])
def test_ranges_beyond_doubles(tmp_path: Path, setting: str) -> None:
    error = fault(tmp_path, "a,y\n-1.7e308,0\n1.7e308,1\n", f"label y; {setting} a;")
    assert (error.code, spanned(error)) == ("E304", "a")
