import hashlib
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from small_data import fault, load, spanned, spec_of

from treemip.core.instance.data_frames import columns_of
from treemip.core.instance.table import from_frame, load_rows, load_table
from treemip.core.source.diagnostic import TreemipError

CSV = """number,größe in %,colour,sex,w,y
n1,10,red,f,1,good
n2,20,blue,m,2,bad
n3,40,red,m,1,good
n4,30,blue,f,0.5,bad
n5,15,red,f,1,good
n6,25,blue,m,1,bad
n7,35,red,f,1,good
n8,30,blue,m,3,bad
"""
SETTINGS = (
    "label y positive good; id number; group sex; weight w; encode keep colour; scale minmax; "
)


def test_a_whole_table(tmp_path: Path) -> None:
    data = load(tmp_path, CSV, SETTINGS)
    train = data.train
    assert train.features == ("größe in %",)
    np.testing.assert_allclose(
        train.x[:, 0], [0, 1 / 3, 1, 2 / 3, 1 / 6, 0.5, 5 / 6, 2 / 3], rtol=1e-15
    )
    assert train.y.tolist() == [1, 0, 1, 0, 1, 0, 1, 0]
    assert train.classes == ("bad", "good")
    assert train.weight.tolist() == [1, 2, 1, 0.5, 1, 1, 1, 3]
    assert train.groups.keys() == {"sex"}
    codes, values = train.groups["sex"]
    assert (codes.tolist(), values) == ([0, 1, 1, 0, 0, 1, 0, 1], ("f", "m"))
    codes, levels = train.categorical["colour"]
    assert (codes.tolist(), levels) == ([1, 0, 1, 0, 1, 0, 1, 0], ("blue", "red"))
    assert train.row_numbers.tolist() == list(range(1, 9))
    assert train.ids == tuple(f"n{k}" for k in range(1, 9))
    assert data.test is None
    assert data.positive == 1
    assert data.digest == hashlib.sha256(CSV.encode()).hexdigest()
    assert data.warnings == ()


def test_the_parts_of_a_table(tmp_path: Path) -> None:
    whole = load(tmp_path, CSV, SETTINGS).train
    data = load(tmp_path, CSV, SETTINGS + "train 0.5 seed 2;")
    assert data.test is not None
    rows = np.concatenate([data.train.row_numbers, data.test.row_numbers])
    assert sorted(rows.tolist()) == list(range(1, 9))
    assert len(data.train.row_numbers) == 4
    for part in (data.train, data.test):
        at = part.row_numbers - 1
        assert (np.diff(part.row_numbers) > 0).all()
        np.testing.assert_array_equal(part.y, whole.y[at])
        np.testing.assert_array_equal(part.weight, whole.weight[at])
        np.testing.assert_array_equal(part.groups["sex"][0], whole.groups["sex"][0][at])
        assert part.ids == tuple(whole.ids[k] for k in at) if whole.ids else False
        assert part.features == whole.features and part.classes == whole.classes


def test_the_same_rows_whatever_else_is_said(tmp_path: Path) -> None:
    """The choice depends on the labels and the seed alone."""
    said = ["scale minmax;", "encode onehot;", "train 0.6 seed 5;", "label y;", "id number;"]
    rows = {
        tuple(load(tmp_path, CSV, " ".join(order)).train.row_numbers.tolist())
        for order in (said, said[::-1], [*said[2:4], "use w;"], [*said[2:], "bin quantile(2);"])
    }
    assert len(rows) == 1


def test_folds_over_one_file(tmp_path: Path) -> None:
    tests = []
    for k in (1, 2, 3, 4):
        data = load(tmp_path, CSV, f"label y; use w; train fold {k} of 4 seed 1;")
        assert data.test is not None
        assert sorted(data.test.y.tolist()) == [0, 1]
        tests += data.test.row_numbers.tolist()
    assert sorted(tests) == list(range(1, 9))


def test_groups_number_alike_in_both_parts(tmp_path: Path) -> None:
    csv = "\n".join(["a,g,y", *(f"{k},g{k},{k % 2}" for k in range(6))])
    data = load(tmp_path, csv, "label y; group g; train 0.5;")
    assert data.test is not None
    assert data.train.groups["g"][1] == data.test.groups["g"][1] == tuple(f"g{k}" for k in range(6))


def test_groups_and_numbers_have_the_names_that_the_spec_gives_them(tmp_path: Path) -> None:
    csv = "a,drug given,y 1,b\n1,x,0.5,2\n2,z,1.5,4\n3,x,2.5,6\n"
    setting = 'label none; group treatment from "drug given"; number outcome from "y 1", b;'
    data = load(tmp_path, csv, setting)
    assert data.train.features == ("a",) and list(data.train.groups) == ["treatment"]
    assert data.train.groups["treatment"][1] == ("x", "z")
    assert {name: known.tolist() for name, known in data.train.numbers.items()} == {
        "outcome": [0.5, 1.5, 2.5],
        "b": [2.0, 4.0, 6.0],
    }


def test_an_unseen_category_in_the_test_part(tmp_path: Path) -> None:
    rows = [f"{'common' if k else 'rare'},{k % 2}" for k in range(8)]
    csv = "\n".join(["a,y", *rows])
    seed = next(
        seed for seed in range(20)
        if 1 not in load(
            tmp_path, csv, f"label y; encode onehot(unseen = zero) a; train 0.5 seed {seed};"
        ).train.row_numbers
    )  # fmt: skip
    error = fault(tmp_path, csv, f"label y; encode onehot a; train 0.5 seed {seed};")
    assert (error.code, spanned(error)) == ("E309", "a")
    assert error.message.startswith("row 1 of small.csv has 'rare' in column 'a'")
    data = load(tmp_path, csv, f"label y; encode onehot(unseen = zero) a; train 0.5 seed {seed};")
    assert data.test is not None
    assert data.train.features == ("a=common",)
    assert data.test.x[data.test.row_numbers == 1].tolist() == [[0]]


def test_row_numbers_are_those_of_the_file(tmp_path: Path) -> None:
    csv = "a,w,y\n1,1,0\n,1,1\n3,1,1\n4,0,0\n"
    train = load(tmp_path, csv, "label y; use a; missing drop;").train
    assert train.row_numbers.tolist() == [1, 3, 4]
    error = fault(tmp_path, csv, "label y; use a; weight w; missing drop;")
    assert error.message.startswith("row 4 of small.csv has the weight '0'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,y\n1,0\n2\n", "'small.csv': row 2 has 1 cell where the header has 2"),
        ("a,a\n1,0\n", "'small.csv': two columns are called 'a'"),
        ("a,\n1,0\n", "'small.csv': column 2 has no name"),
        ("a,y\n", "'small.csv': there is a header but no row of data"),
        ("", "'small.csv': the file is empty"),
    ],
)
def test_files_that_are_no_table(tmp_path: Path, text: str, message: str) -> None:
    error = fault(tmp_path, text, "label y;")
    assert (error.code, error.message) == ("E301", message)
    assert spanned(error) == 'data "small.csv" { label y; }'


def test_a_path_is_relative_to_the_base(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.csv").write_text("a,y\n1,0\n2,1\n")
    said = "label y;"
    for base, path in (
        (tmp_path, "sub/a.csv"),
        (tmp_path / "sub", "../sub/a.csv"),
        (Path("elsewhere"), f"{tmp_path}/sub/a.csv"),
    ):
        assert load_table(spec_of(said, path), base).train.x.tolist() == [[1], [2]]
    with pytest.raises(TreemipError) as caught:
        load_table(spec_of(said, "a.csv"), tmp_path)
    (error,) = caught.value.diagnostics
    assert (error.code, error.message) == ("E301", "'a.csv': there is no such file")
    assert str(tmp_path / "a.csv") in error.remedy


def test_a_separator(tmp_path: Path) -> None:
    csv = "a;y\n1,5;0\n2,5;1\n"
    assert fault(tmp_path, csv, "label y;").remedy == 'write  separator ";";  in the data block'
    data = load(tmp_path, csv, 'label y; separator ";";')
    assert data.train.features == ("a=1,5", "a=2,5")


def test_one_table_from_everywhere(tmp_path: Path) -> None:
    settings = "label y positive good; drop number; group sex; weight w; train 0.5 seed 1;"
    of_file = load(tmp_path, CSV, settings)
    pl.read_csv(CSV.encode()).write_parquet(tmp_path / "small.parquet")
    made = [
        load_table(spec_of(settings, "small.parquet"), tmp_path),
        from_frame(spec_of(settings), columns_of(pl.read_csv(CSV.encode()))),
        from_frame(spec_of(settings), columns_of(pd.read_csv(tmp_path / "small.csv"))),
    ]
    for data in made:
        assert data.encoder == of_file.encoder
        assert data.positive == of_file.positive
        for part, expected in ((data.train, of_file.train), (data.test, of_file.test)):
            assert part is not None and expected is not None
            np.testing.assert_array_equal(part.x, expected.x)
            np.testing.assert_array_equal(part.y, expected.y)
            np.testing.assert_array_equal(part.weight, expected.weight)
            np.testing.assert_array_equal(part.row_numbers, expected.row_numbers)
            np.testing.assert_array_equal(part.groups["sex"][0], expected.groups["sex"][0])


def test_faults_of_arrays_stand_at_the_spec() -> None:
    columns = {"a": np.array(["2020-01-01"] * 2, "datetime64[D]"), "y": np.array([0, 1])}
    with pytest.raises(TreemipError) as caught:
        from_frame(spec_of("label y;", "frame"), columns)
    (error,) = caught.value.diagnostics
    assert error.code == "E301"
    assert error.message.startswith("'frame': column 'a' holds datetime64[D]")
    assert from_frame(
        spec_of("label y; use b;"), columns | {"b": np.array([1, 2])}
    ).train.x.shape == (2, 1)


def test_reading_text_needs_no_polars(tmp_path: Path) -> None:
    """Importing it costs more than reading most data sets does."""
    import subprocess
    import sys

    (tmp_path / "small.csv").write_text(CSV, encoding="utf-8")
    program = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]);"
        "from small_data import spec_of; from treemip.core.instance.table import load_table;"
        "load_table(spec_of('label y; drop number;'), Path(sys.argv[1]));"
        "assert 'polars' not in sys.modules and 'pandas' not in sys.modules"
    )
    here = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", program, str(tmp_path), here], check=True)


def test_new_rows_from_a_file(tmp_path: Path) -> None:
    data = load(tmp_path, CSV, 'label y; use w, colour; missing marks "?";')
    (tmp_path / "new.tsv").write_text("colour\tother\tw\nred\t?\t7\n", encoding="utf-8")
    assert data.encoder.encode(*load_rows(tmp_path / "new.tsv", data.encoder)).tolist() == [
        [7, 0, 1]
    ]
    (tmp_path / "new.csv").write_text("colour|w\nred|1\n?|2\n", encoding="utf-8")
    with pytest.raises(TreemipError) as caught:
        data.encoder.encode(*load_rows(tmp_path / "new.csv", data.encoder, "|"))
    assert caught.value.diagnostics[0].message == "row 2 of new.csv has no value in column 'colour'"
    with pytest.raises(TreemipError) as caught:
        load_rows(tmp_path / "none.csv", data.encoder)
    assert caught.value.diagnostics[0].code == "E301"


def test_new_rows_with_dates_that_nobody_uses(tmp_path: Path) -> None:
    data = load(tmp_path, CSV, "label y; use w;")
    frame = pl.DataFrame({"w": [1.5], "day": [date(2020, 1, 1)]})
    frame.write_parquet(tmp_path / "new.parquet")
    raw, place = load_rows(tmp_path / "new.parquet", data.encoder)
    assert data.encoder.encode(raw, place).tolist() == [[1.5]]
    dates = data.encoder.from_json(data.encoder.to_json() | {"label": "day"})
    with pytest.raises(TreemipError, match="'day' holds datetime64"):
        dates.labels(raw, place)
