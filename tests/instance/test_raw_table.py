import csv
import gzip
import hashlib
import io
import os
import sys
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance import raw_table as raw_columns
from treemip.core.instance.columns import Unreadable
from treemip.core.instance.raw_table import read_table, table_of_arrays
from treemip.core.instance.text_cells import read_cells
from treemip.core.source import reading


def test_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"n,t\n1,x\n?,y\n")
    raw = read_table(path, marks=("?",))
    assert (raw.names, raw.count) == (("n", "t"), 2)
    assert raw.digest == hashlib.sha256(b"n,t\n1,x\n?,y\n").hexdigest()
    np.testing.assert_array_equal(raw["n"].numbers, [1, np.nan])
    assert raw["t"].texts.levels == ("x", "y")


@pytest.mark.parametrize("name", ["a.tsv", "a.TAB"])
def test_tabs_by_suffix(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"n\tt\n1\tx,y\n")
    assert read_table(path)["t"].texts.levels == ("x,y",)


def test_a_separator_goes_before_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"n;t\n1;x\n")
    assert read_table(path, ";").names == ("n", "t")


@pytest.mark.parametrize(("name", "mark"), [("a.csv.gz", b","), ("a.TSV.gz", b"\t"), ("a", b",")])
def test_a_gzipped_text_whatever_it_is_called(tmp_path: Path, name: str, mark: bytes) -> None:
    path = tmp_path / name
    packed = gzip.compress(b"n,t\n1,x\n".replace(b",", mark))
    path.write_bytes(packed)
    raw = read_table(path)
    assert raw.names == ("n", "t")
    assert raw["t"].texts.levels == ("x",)
    assert raw.digest == hashlib.sha256(packed).hexdigest()


@pytest.mark.parametrize("cut", [5, 15, -3])
def test_a_damaged_gzip_file(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"n,t\n1,x\n")[:cut])
    with pytest.raises(Unreadable, match="gzip compression is damaged") as caught:
        read_table(path)
    assert caught.value.remedy == "copy or download it again"


@pytest.mark.parametrize("name", ["a.parquet", "a.pq"])
def test_parquet(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    pl.DataFrame({"n": [1.5, None], "t": ["x", "?"], "d": [None, date(2020, 1, 1)]}).write_parquet(
        path
    )
    raw = read_table(path, marks=("?",))
    assert (raw.names, raw.count) == (("n", "t", "d"), 2)
    assert raw.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    np.testing.assert_array_equal(raw["n"].numbers, [1.5, np.nan])
    assert raw["t"].missing.tolist() == [False, True]
    with pytest.raises(Unreadable, match="'d' holds datetime64"):
        raw["d"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="no such file") as caught:
        read_table(tmp_path / "none.csv")
    assert str(tmp_path) in caught.value.remedy
    with pytest.raises(Unreadable, match="it is a directory"):
        read_table(tmp_path)
    (tmp_path / "a.parquet").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(Unreadable, match="not Parquet"):
        read_table(tmp_path / "a.parquet")


def test_arrays_in_memory() -> None:
    raw = table_of_arrays({"a": np.array([1, 2]), "b": np.array(["x", None], object)})
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
    digests = [table_of_arrays(arrays).digest for arrays in made]
    assert len(set(digests)) == len(made)
    assert digests[0] == table_of_arrays({"a": np.array([1, 2])}).digest


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.zeros(2), "b": np.zeros(3)}, "have different lengths"),
        ({"a": np.zeros(0)}, "no row"),
        ({"a": np.float64(1)}, "no row"),
        ({}, "no column"),
        ({"": np.zeros(2)}, "has no name"),
    ],
)
def test_arrays_that_are_no_table(arrays: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        table_of_arrays(arrays)


def test_what_is_no_file_to_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.csv")
    for path, message in (
        (tmp_path / "fifo.csv", "the file cannot be read: it is a named pipe, not an ordinary"),
        (Path("/dev/zero"), "the file cannot be read: it is a device, not an ordinary file"),
        (tmp_path / "a\0.csv", "the file cannot be read: a file name cannot hold such characters"),
    ):
        with pytest.raises(Unreadable, match=message):
            read_table(path)


def test_a_bomb_says_how_to_use_the_file_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "EXPANDED", 1_000_000)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000))
    with pytest.raises(Unreadable, match="expands to more than") as caught:
        read_table(path)
    assert caught.value.remedy == "unpack it with gunzip to use it"


def test_of_a_binary_file_the_beginning_is_enough(tmp_path: Path) -> None:
    with open(tmp_path / "a.csv", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Unreadable, match="it holds NUL bytes"):
        read_table(tmp_path / "a.csv")


@pytest.mark.parametrize("together", [1, 2, 5, 10_000])
def test_columns_read_together_are_those_read_alone(
    tmp_path: Path, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers, texts, missing cells and marks; asked for in any order, and taken in part."""
    monkeypatch.setattr(raw_columns, "TOGETHER", together)
    path = tmp_path / "a.csv"
    path.write_text("a,b,c,d,e\n1,x,,?,1e3\n-2.5,y,3,4,z\n")
    raw = read_table(path, marks=("?",))
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
    raw = table_of_arrays({f"f{j}": np.arange(2.0) for j in range(count)})
    raw = type(raw)(tuple(map(Name, raw.names)), raw.count, raw.digest, raw.make)
    assert all(name in raw and len(raw[name]) == 2 for name in map(str, raw.names))
    assert compared < 10 * count


def test_parquet_without_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame({"n": [1.5]}).write_parquet(tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "polars", None)  # importing it fails then
    with pytest.raises(Unreadable) as refused:
        read_table(tmp_path / "a.parquet")
    assert refused.value.message == "reading Parquet needs polars"
    assert refused.value.remedy == 'pip install "polars>=1.20,<3", or save the table as CSV'


SEPARATORS = st.sampled_from([",", ";", "\t", "|"])
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


def table(raw: bytes, separator: str = ",") -> list[list[str]]:
    cells = read_cells(raw, separator)
    width, shape = len(cells.header), (len(cells.header), len(cells.line))
    start, stop = (bound.reshape(shape).T for bound in cells.bounds(0, width))
    rows = [
        [cells.data[a:b].decode() for a, b in zip(*bounds, strict=True)]
        for bounds in zip(start, stop, strict=True)
    ]
    return [list(cells.header), *rows]


@given(
    SEPARATORS,
    st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1)
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)
def test_what_a_csv_writer_wrote(
    separator: str, rows: list[list[str]], ending: str, quoting: int, bom: bool
) -> None:
    header = [f"column {k}" for k in range(len(rows[0]))]
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, lineterminator=ending, quoting=quoting).writerows(
        [header, *rows]
    )
    raw = out.getvalue().encode("utf-8-sig" if bom else "utf-8")
    bare = quoting == csv.QUOTE_MINIMAL and ending == "\n"
    if bare and any("\r" in cell for row in rows for cell in row):
        return  # the writer leaves this CR unquoted, and to every reader it is a line end
    expected = [[cell.strip(" \t") for cell in row] for row in [header, *rows]]
    assert table(raw, separator) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b"a,b\n1,2\n3,4\n",
        b"a,b\n1,2\n3,4",
        b"a,b\r\n1,2\r\n3,4\r\n",
        b"a,b\r1,2\r3,4\r",
        b"a,b\n1,2\n3,4\n\n\n",
        b"\xef\xbb\xbfa,b\n1,2\n3,4\n",
        b" a , b\n 1,2 \n3\t, 4\n",
        b'"a","b"\n"1","2"\n"3","4"\n',
        b'a,"b"\n1, "2"\n 3 ,4\n\n',
        b'a,"b" \n"1" , "2"\t\r\n"3"  ,4\n\n',
    ],
)
def test_spellings_of_one_table(raw: bytes) -> None:
    assert table(raw) == [["a", "b"], ["1", "2"], ["3", "4"]]


def test_names_and_cells_of_all_sorts() -> None:
    raw = 'größe in %,"a,b",c "d"\n"x ""y""",z\u00a0,"two\nlines"\n'.encode()
    assert table(raw) == [["größe in %", "a,b", 'c "d"'], ['x "y"', "z\u00a0", "two\nlines"]]


def test_blanks_behind_a_closing_quote_are_told_from_those_inside() -> None:
    raw = b'a,b\n"x ""y"" , z" ,"1" \n"two\n"" ,", 2\n'
    assert table(raw) == [["a", "b"], ['x "y" , z', "1"], ['two\n" ,', "2"]]
    assert table(b'a\tb\n"1" \t"2"\n', "\t") == [["a", "b"], ["1", "2"]]


def test_empty_cells_stay() -> None:
    assert table(b"a,b,c\n,,\n1,,\n") == [["a", "b", "c"], ["", "", ""], ["1", "", ""]]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf\n \n", "the file is empty"),
        (b"a,b\n", "there is a header but no row of data"),
        (b"a,b\n1,2\n3\n", "row 2 has 1 cell where the header has 2"),
        (b"a,b\n1,2,3\n3,4\n", "row 1 has 3 cells where the header has 2"),
        (b'a,b\n1,2\n"3",4,5\n', "row 2 has 3 cells where the header has 2"),
        (b"a,b\n\n1,2\n", "row 1 has 1 cell where the header has 2"),
        (b'a,b\n\n"1",2\n', "row 1 has 1 cell where the header has 2"),
        (b"a,b,a\n1,2,3\n", "two columns are called 'a'"),
        (b"a, \n1,2\n", "column 2 has no name"),
        (b"a,b\n1,\x00\n", "the file is not text: it holds NUL bytes"),
        (b"a,b\n1,2\n3,\xe9\n", "line 3 is not UTF-8 text"),
        (b'a,b\n1,"2\n', "line 2 is not CSV: unexpected end of data"),
        (b'a,b\n"1"x,2\n', "line 2 is not CSV: ',' expected after '\"'"),
        (b'a,b\n"1" ,2\n"3" x,4\n', "line 3 is not CSV: ',' expected after '\"'"),
    ],
)
def test_what_is_no_table(raw: bytes, message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_cells(raw, ",")
    assert caught.value.message == message


def test_one_column_may_be_all_there_is() -> None:
    cells = read_cells(b"a\n1\n2\n", ",")
    assert cells.header == ("a",)
    assert cells.end.shape == (2, 1)


@pytest.mark.parametrize(
    ("raw", "remedy"),
    [
        (b"a,b\n1,2,3\n", "put a cell that contains the separator, ',', in double quotes"),
        (b"a,b,c\n1,2\n", "an empty cell still needs its separator, ','"),
        (
            b"a,b\n1,2\n\n3,4\n",
            "an empty cell still needs its separator, ','; remove empty lines between rows",
        ),
    ],
)
def test_rows_of_other_lengths_hint_at_quotes_and_empty_cells(raw: bytes, remedy: str) -> None:
    with pytest.raises(Unreadable, match="where the header has") as caught:
        read_cells(raw, ",")
    assert caught.value.remedy == remedy


@pytest.mark.parametrize(
    ("raw", "remedy"),
    [
        (b"a;b\n1;2\n", 'write  separator ";";  in the data block'),
        (b"a\tb\n1\t2\n", "write  separator tab;  in the data block"),
    ],
)
def test_one_column_hints_at_the_separator(raw: bytes, remedy: str) -> None:
    with pytest.raises(Unreadable, match="names only one column") as caught:
        read_cells(raw, ",")
    assert caught.value.remedy == remedy


@pytest.mark.parametrize("cell", [b"9" * 200_000, b" " * 200_000, b"n" * 200_000])
@pytest.mark.parametrize(
    ("table", "place"), [(b"a,%s\n1,2\n", "the header"), (b"a,b\n1,2\n3,%s\n", "row 2")]
)
def test_a_cell_without_end(cell: bytes, table: bytes, place: str) -> None:
    with pytest.raises(Unreadable, match=f"cell 2 of {place} has 200000 bytes"):
        read_cells(table % cell, ",")
