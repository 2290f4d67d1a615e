from pathlib import Path

import numpy as np
import pytest
from small_data import fault, load, spanned

from treemip.core.instance.missing import fill_value

CSV = "a,b,sex,y\n1,x,m,0\n,x,f,1\n3,?,m,1\n4,z,,0\n6,z,f,0\n7,u,m,1\n"


def test_refused_by_default(tmp_path: Path) -> None:
    error = fault(tmp_path, CSV, "label y;")
    assert error.code == "E303"
    other = "; values are missing in 'sex' too"
    assert error.message == "row 2 of small.csv has no value in column 'a'" + other
    assert "missing drop;" in error.remedy
    assert spanned(error) == 'data "small.csv" { label y; }'


def test_how_many_rows_are_refused(tmp_path: Path) -> None:
    error = fault(tmp_path, "a,y\n1,0\n,1\n,1\n4,0\n", "label y; scale minmax a;")
    assert error.message == "row 2 of small.csv has no value in column 'a' (2 such rows)"
    assert spanned(error) == "a"


def test_columns_nobody_uses_may_have_gaps(tmp_path: Path) -> None:
    train = load(tmp_path, CSV, "label y; use b; encode onehot b;").train
    assert train.row_numbers.tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("settings", "rows"),
    [
        ("missing drop;", [1, 3, 4, 5, 6]),
        ('missing drop marks "?";', [1, 4, 5, 6]),
        ("group sex; missing drop;", [1, 3, 5, 6]),
        ('group sex; missing drop a, sex marks "z";', None),
        ("group sex; missing drop a, sex;", [1, 3, 5, 6]),
        ("missing drop a;", [1, 3, 4, 5, 6]),
        ("missing impute(mean);", [1, 2, 3, 4, 5, 6]),
    ],
)
def test_which_rows_stay(tmp_path: Path, settings: str, rows: list[int] | None) -> None:
    settings = f"label y; {settings}"
    settings += "" if "group" in settings else " drop sex;"
    if rows is None:
        error = fault(tmp_path, CSV, settings)
        assert error.message.startswith("row 5 of small.csv has no value in column 'b'")
    else:
        assert load(tmp_path, CSV, settings).train.row_numbers.tolist() == rows


@pytest.mark.parametrize(
    ("settings", "column", "row"),
    [
        ("missing impute(mean);", "y", 2),
        ("missing impute(mean); group g;", "g", 3),
        ("missing impute(mean); weight w;", "w", 4),
    ],
)
def test_only_features_are_filled_in(tmp_path: Path, settings: str, column: str, row: int) -> None:
    csv = f"a,g,w,y\n1,u,1,0\n2,u,1,{'' if column == 'y' else 1}\n"
    csv += f"3,{'' if column == 'g' else 'u'},1,0\n4,u,{'' if column == 'w' else 1},1\n"
    error = fault(tmp_path, csv, f"label y; {settings}")
    assert (error.code, spanned(error)) == ("E303", column)
    assert error.message == f"row {row} of small.csv has no value in column '{column}'"


def test_a_row_that_is_dropped_refuses_nothing(tmp_path: Path) -> None:
    csv = "a,b,y\n1,1,0\n,,1\n3,3,1\n"
    assert load(tmp_path, csv, "label y; missing drop a;").train.row_numbers.tolist() == [1, 3]


@pytest.mark.parametrize(("how", "filled"), [("mean", 4.2), ("median", 4.0), ("mode", 1.0)])
def test_what_is_filled_in(tmp_path: Path, how: str, filled: float) -> None:
    train = load(tmp_path, CSV, f"label y; use a; missing impute({how}) a;").train
    assert train.x[:, 0].tolist() == [1, filled, 3, 4, 6, 7]


def test_the_mode_of_texts(tmp_path: Path) -> None:
    csv = "a,y\nu,0\nv,1\n,1\nv,0\n"
    train = load(tmp_path, csv, "label y; missing impute(mode);").train
    assert train.features == ("a=u", "a=v")
    assert train.x.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ("missing impute(mean);", "add  missing impute(mode) a;"),
        ("missing impute(median) a;", "write  missing impute(mode) a;"),
        (
            "missing impute(median) a, n;",
            "remove them here and add  missing impute(mode) a;",
        ),
    ],
)
def test_texts_have_no_mean(tmp_path: Path, settings: str, remedy: str) -> None:
    error = fault(tmp_path, "a,n,y\nu,1,0\nv,2,1\n,3,1\n", f"label y; {settings}")
    assert (error.code, spanned(error)) == ("E304", settings)
    assert error.remedy == remedy


def test_all_texts_without_a_mean_are_named_at_once(tmp_path: Path) -> None:
    csv = "a,n,b c,y\nu,1,u,0\nv,,v,1\n,3,,1\n"
    error = fault(tmp_path, csv, "label y; missing impute(mean);")
    assert error.message == "columns 'a', 'b c' are encoded, so they have no mean"
    assert error.remedy == 'add  missing impute(mode) a, "b c";'


def test_a_general_mean_leaves_whole_texts_alone(tmp_path: Path) -> None:
    train = load(tmp_path, "a,n,y\nu,1,0\nv,,1\n", "label y; missing impute(mean);").train
    assert train.x.tolist() == [[1, 0, 1], [0, 1, 1]]


def test_the_fill_is_fitted_on_the_training_part(tmp_path: Path) -> None:
    rows = [f"{value},{k % 2}" for k, value in enumerate([1, 2, 3, 4, "", "", 100, 200])]
    data = load(tmp_path, "\n".join(["a,y", *rows]), "label y; missing impute(mean); train 0.5;")
    assert data.test is not None
    known = [
        float(r.split(",")[0])
        for k, r in enumerate(rows, 1)
        if k in data.train.row_numbers and not r.startswith(",")
    ]
    filled = [
        x
        for table in (data.train, data.test)
        for x, k in zip(table.x[:, 0], table.row_numbers, strict=True)
        if k in (5, 6)
    ]
    assert filled == [np.mean(known)] * 2


def test_nothing_left(tmp_path: Path) -> None:
    error = fault(tmp_path, "a,y\n,0\n1,\n", "label y; missing drop;")
    assert (error.code, error.message) == (
        "E306",
        "every row has a missing value, so no row is left",
    )


def test_nothing_to_fill_in_from(tmp_path: Path) -> None:
    error = fault(tmp_path, "a,b,y\n,1,0\n,1,1\n", "label y; missing impute(mean);")
    assert error.code == "E303" and "'a' has no value" in error.message


def test_fill_values() -> None:
    values = np.array([5.0, 1, 5, 1, 9])
    assert fill_value("mode", values) == 1
    assert fill_value("median", values) == 5
    assert fill_value("mean", values) == 4.2


@pytest.mark.parametrize(
    ("csv", "settings", "remedy"),
    [
        ("a,g,y\n1,u,0\n2,,1\n", "group g;", "write  missing drop g;  to leave such rows out"),
        ("a,g,y\n1,1,0\n2,,1\n", "weight g;", "write  missing drop g;  to leave such rows out"),
        (
            "a,y\n1,0\n2,\n",
            "",
            'write  missing drop y;  to leave such rows out, or  missing impute("none") y;  if '
            "they are a class of their own",
        ),
        (
            "a,y\n1,0\nNaN,1\n",
            "",
            'write  missing side marks "NaN";  if it stands for a missing value, or write  encode '
            "onehot a;  if the column is meant as text",
        ),
        ("a,e,y\n1,,0\n2,,1\n", "use a, e;", "take 'e' out of  use"),
        ("a,e,y\n1,,0\n2,,1\n", "", "drop it:  drop e;"),
    ],
)
def test_the_remedy_beside_sides_is_one_that_helps(
    tmp_path: Path, csv: str, settings: str, remedy: str
) -> None:
    assert fault(tmp_path, csv, f"label y; missing side; {settings}").remedy == remedy


def test_a_mark_joins_the_others(tmp_path: Path) -> None:
    error = fault(
        tmp_path, "a,y\n1,0\nNaN,1\n", 'label y; missing side a marks "?"; missing drop y;'
    )
    assert error.remedy.startswith('write  missing side a marks "?", "NaN";  if it stands')
