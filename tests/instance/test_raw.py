import gzip
import hashlib
import os
import sys
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from treemip.instance import raw_table as raw_columns
from treemip.instance.columns import Unreadable
from treemip.instance.raw_table import raw_of, read_raw
from treemip.source import reading


def test_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"n,t\n1,x\n?,y\n")
    raw = read_raw(path, marks=("?",))
    assert (raw.names, raw.count) == (("n", "t"), 2)
    assert raw.digest == hashlib.sha256(b"n,t\n1,x\n?,y\n").hexdigest()
    np.testing.assert_array_equal(raw["n"].numbers, [1, np.nan])
    assert raw["t"].texts.levels == ("x", "y")


@pytest.mark.parametrize("name", ["a.tsv", "a.TAB"])
def test_tabs_by_suffix(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"n\tt\n1\tx,y\n")
    assert read_raw(path)["t"].texts.levels == ("x,y",)


def test_a_separator_goes_before_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"n;t\n1;x\n")
    assert read_raw(path, ";").names == ("n", "t")


@pytest.mark.parametrize(("name", "mark"), [("a.csv.gz", b","), ("a.TSV.gz", b"\t"), ("a", b",")])
def test_a_gzipped_text_whatever_it_is_called(tmp_path: Path, name: str, mark: bytes) -> None:
    path = tmp_path / name
    packed = gzip.compress(b"n,t\n1,x\n".replace(b",", mark))
    path.write_bytes(packed)
    raw = read_raw(path)
    assert raw.names == ("n", "t")
    assert raw["t"].texts.levels == ("x",)
    assert raw.digest == hashlib.sha256(packed).hexdigest()


@pytest.mark.parametrize("cut", [5, 15, -3])
def test_a_damaged_gzip_file(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"n,t\n1,x\n")[:cut])
    with pytest.raises(Unreadable, match="gzip compression is damaged") as caught:
        read_raw(path)
    assert caught.value.remedy == "copy or download it again"


@pytest.mark.parametrize("name", ["a.parquet", "a.pq"])
def test_parquet(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    pl.DataFrame({"n": [1.5, None], "t": ["x", "?"], "d": [None, date(2020, 1, 1)]}).write_parquet(
        path
    )
    raw = read_raw(path, marks=("?",))
    assert (raw.names, raw.count) == (("n", "t", "d"), 2)
    assert raw.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    np.testing.assert_array_equal(raw["n"].numbers, [1.5, np.nan])
    assert raw["t"].missing.tolist() == [False, True]
    with pytest.raises(Unreadable, match="'d' holds datetime64"):
        raw["d"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="no such file") as caught:
        read_raw(tmp_path / "none.csv")
    assert str(tmp_path) in caught.value.remedy
    with pytest.raises(Unreadable, match="it is a directory"):
        read_raw(tmp_path)
    (tmp_path / "a.parquet").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(Unreadable, match="not Parquet"):
        read_raw(tmp_path / "a.parquet")


def test_arrays_in_memory() -> None:
    raw = raw_of({"a": np.array([1, 2]), "b": np.array(["x", None], object)})
    assert (raw.names, raw.count) == (("a", "b"), 2)
    assert raw["b"].missing.tolist() == [False, True]
    assert (list(raw), len(raw), "b" in raw, "c" in raw) == (["a", "b"], 2, True, False)


def test_the_digest_tells_arrays_apart() -> None:
    made = [
        {"a": np.array([1, 2])},
        {"a": np.array([1, 3])},
        {"b": np.array([1, 2])},
        {"a": np.array([1.0, 2.0])},
        {"a": np.array(["1", "2"], object)},
        {"a": np.array([1]), "b": np.array([2])},
    ]
    digests = [raw_of(arrays).digest for arrays in made]
    assert len(set(digests)) == len(made)
    assert digests[0] == raw_of({"a": np.array([1, 2])}).digest


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.zeros(2), "b": np.zeros(3)}, "not of one length"),
        ({"a": np.zeros(0)}, "no row"),
        ({"a": np.float64(1)}, "no row"),
        ({}, "no column"),
        ({"": np.zeros(2)}, "has no name"),
    ],
)
def test_arrays_that_are_no_table(arrays: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        raw_of(arrays)


def test_what_is_no_file_to_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.csv")
    for path, message in (
        (tmp_path / "fifo.csv", "the file cannot be read: it is a named pipe, not an ordinary"),
        (Path("/dev/zero"), "the file cannot be read: it is a device, not an ordinary file"),
        (tmp_path / "a\0.csv", "the file cannot be read: a file name cannot hold such characters"),
    ):
        with pytest.raises(Unreadable, match=message):
            read_raw(path)


def test_a_bomb_says_how_to_use_the_file_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "EXPANDED", 1_000_000)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000))
    with pytest.raises(Unreadable, match="expands to more than") as caught:
        read_raw(path)
    assert caught.value.remedy == "unpack it with gunzip to use it"


def test_of_a_binary_file_the_beginning_is_enough(tmp_path: Path) -> None:
    with open(tmp_path / "a.csv", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Unreadable, match="it holds NUL bytes"):
        read_raw(tmp_path / "a.csv")


@pytest.mark.parametrize("together", [1, 2, 5, 10_000])
def test_columns_read_together_are_those_read_alone(
    tmp_path: Path, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers, texts, missing cells and marks; asked for in any order, and taken in part."""
    monkeypatch.setattr(raw_columns, "TOGETHER", together)
    path = tmp_path / "a.csv"
    path.write_text("a,b,c,d,e\n1,x,,?,1e3\n-2.5,y,3,4,z\n")
    raw = read_raw(path, marks=("?",))
    expected = {
        "a": ([1, -2.5], ["1", "-2.5"], [False, False]),
        "b": ([np.nan, np.nan], ["x", "y"], [False, False]),
        "c": ([np.nan, 3], ["", "3"], [True, False]),
        "d": ([np.nan, 4], ["?", "4"], [True, False]),
        "e": ([1000, np.nan], ["1e3", "z"], [False, False]),
    }
    for name in ("c", "a", "e", "d", "b", "a"):
        numbers, texts, missing = expected[name]
        np.testing.assert_array_equal(raw[name].numbers, numbers)
        assert [raw[name].text(k) for k in range(2)] == texts
        np.testing.assert_array_equal(raw[name].missing, missing)
        np.testing.assert_array_equal(raw[name].take(np.array([1])).numbers, numbers[1:])
    with pytest.raises(KeyError):
        raw["f"]


def test_a_column_is_found_in_one_step(tmp_path: Path) -> None:
    """20,000 columns: no walk through the others' names for each."""
    compared = 0

    class Name(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    count = 20_000
    raw = raw_of({f"f{j}": np.arange(2.0) for j in range(count)})
    raw = type(raw)(tuple(map(Name, raw.names)), raw.count, raw.digest, raw.make)
    assert all(name in raw and len(raw[name]) == 2 for name in map(str, raw.names))
    assert compared < 10 * count


def test_parquet_without_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame({"n": [1.5]}).write_parquet(tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "polars", None)  # importing it fails then
    with pytest.raises(Unreadable) as refused:
        read_raw(tmp_path / "a.parquet")
    assert refused.value.message == "reading Parquet needs polars"
    assert refused.value.remedy == 'pip install "treemip[parquet]", or save the table as CSV'
