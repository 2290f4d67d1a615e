import hashlib
import tracemalloc
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


def test_the_same_rows_whatever_else_is_said(tmp_path: Path) -> None:
    """The choice depends on the labels and the seed alone."""
    said = ["scale minmax;", "encode onehot;", "train 0.6 seed 5;", "label y;", "id number;"]
    rows = {
        tuple(load(tmp_path, CSV, " ".join(order)).train.row_numbers.tolist())
        for order in (said, said[::-1], [*said[2:4], "use w;"], [*said[2:], "bin quantile(2);"])
    }
    assert len(rows) == 1


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


def test_one_table_from_everywhere(tmp_path: Path) -> None:
    settings = "label y positive good; drop number; group sex; weight w; train 0.5 seed 1;"
    of_file = load(tmp_path, CSV, settings)
    assert of_file.digest == hashlib.sha256(CSV.encode()).hexdigest()
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


def test_points_as_a_table_of_their_own(tmp_path: Path) -> None:
    settings = "label y; id number; group sex; number w; encode keep colour; missing side;"
    whole = load(tmp_path, CSV, settings).train
    rows = np.array([3, 0])
    part = whole.take(rows)
    for name in ("x", "y", "weight", "row_numbers", "inputs"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[rows])
    np.testing.assert_array_equal(part.numbers["w"], whole.numbers["w"][rows])
    np.testing.assert_array_equal(part.groups["sex"][0], whole.groups["sex"][0][rows])
    assert part.ids == ("n4", "n1")


def test_reading_takes_three_times_the_encoded_table(tmp_path: Path) -> None:
    """The file, its numbers, and not the file any more while they are encoded."""
    rows, draw = 20_000, np.random.default_rng(0)
    labels = np.where(draw.random(rows) < 0.5, "no", "yes")[:, None]
    cells = np.concatenate([draw.normal(size=(rows, 20)).round(4).astype(str), labels], axis=1)
    head = ",".join([*(f"a{j}" for j in range(20)), "y"])
    np.savetxt(tmp_path / "t.csv", cells, "%s", ",", header=head, comments="")
    spec = spec_of("label y; scale minmax;", "t.csv")
    load_table(spec, tmp_path)
    tracemalloc.start()
    encoded = load_table(spec, tmp_path).train.x.nbytes
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept <= 1.25 * encoded and most <= 3.2 * encoded
