import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.instance.columns import Unreadable
from treemip.instance.raw_table import read_cells

SEPARATORS = st.sampled_from([",", ";", "\t", "|"])
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


def table(raw: bytes, separator: str = ",") -> list[list[str]]:
    cells = read_cells(raw, separator)
    rows = [
        [cells.data[a:b].decode() for a, b in zip(*bounds, strict=True)]
        for bounds in zip(cells.start, cells.stop, strict=True)
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
    ],
)
def test_spellings_of_one_table(raw: bytes) -> None:
    assert table(raw) == [["a", "b"], ["1", "2"], ["3", "4"]]


def test_names_and_cells_of_all_sorts() -> None:
    raw = 'größe in %,"a,b",c "d"\n"x ""y""",z\u00a0,"two\nlines"\n'.encode()
    assert table(raw) == [["größe in %", "a,b", 'c "d"'], ['x "y"', "z\u00a0", "two\nlines"]]


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
    ],
)
def test_what_is_no_table(raw: bytes, message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_cells(raw, ",")
    assert caught.value.message == message


def test_one_column_may_be_all_there_is() -> None:
    cells = read_cells(b"a\n1\n2\n", ",")
    assert cells.header == ("a",)
    assert cells.start.shape == (2, 1)


@pytest.mark.parametrize(
    ("raw", "remedy"),
    [
        (b"a,b\n1,2,3\n", "a cell that holds the separator, ',', stands in double quotes"),
        (b"a,b,c\n1,2\n", "an empty cell still needs its separator, ','"),
        (
            b"a,b\n1,2\n\n3,4\n",
            "an empty cell still needs its separator, ','; an empty line between rows has to go",
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
        (b"a;b\n1;2\n", 'say  separator ";";  in the data block'),
        (b"a\tb\n1\t2\n", "say  separator tab;  in the data block"),
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
