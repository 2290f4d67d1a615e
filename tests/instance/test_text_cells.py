"""Text tables split by the compiled library and by numpy: the same cells or the same words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance import text_cells
from treemip.core.instance.columns import CellColumn, Unreadable
from treemip.core.instance.text_cells import ColumnCells, read_cells


def read(raw: bytes, separator: str = ",") -> object:
    """The table, each cell as text and as a number; or what is wrong with it."""
    try:
        cells = read_cells(raw, separator)
    except Unreadable as fault:
        return fault.message, fault.remedy
    columns = []
    for j in range(len(cells.header)):
        column = CellColumn(cells.data, ColumnCells(cells, j), ("?", "-1"))
        texts = [column.text(k) for k in range(len(column))]
        columns.append((texts, column.missing.tolist(), column.numbers.tobytes()))
    return cells.header, columns


def read_by_numpy(raw: bytes, separator: str = ",") -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_cells, "kernel", lambda: None)
        return read(raw, separator)


CELLS = st.sampled_from(
    ["", "1", "-1", "2.5", " 3", "4 ", "\t5", "x", "é y", "?", "NA", "1e3", "+.5",
     "12345678901234567890", "0.1234567890123456789",
     '"q"', '"a,b"', '"two\nlines"', "yes", "z" * 40]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
LINES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width))
)


@given(
    LINES,
    st.lists(CELLS, max_size=4),
    ENDS,
    st.sampled_from(",;\t"),
    st.sampled_from(["", "\n", "\n\n"]),
)
def test_odd_tables_are_read_alike_with_and_without_the_kernel(
    rows: list[list[str]], odd: list[str], end: str, separator: str, last: str
) -> None:
    width = len(rows[0]) if rows else 2
    lines = [[f"c{k}" for k in range(width)], *rows, *([odd] if odd else [])]
    raw = (end.join(separator.join(line) for line in lines) + last).encode()
    assert read(raw, separator) == read_by_numpy(raw, separator)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_alike(raw: bytes) -> None:
    assert read(raw) == read_by_numpy(raw)


def test_many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece ends where a line does; a byte that is no UTF-8 is found on its line in any."""
    lines = [f"{k},{'é' * (k % 7)},{k / 8}" for k in range(500)]
    raw = "\n".join(["a,b,c", *lines]).encode()
    whole = read(raw)
    monkeypatch.setattr(text_cells, "PIECE", 64)
    assert read(raw) == whole == read_by_numpy(raw)
    wrong = raw.replace(b"\n400,", b"\n\xff400,")
    assert read(wrong) == read_by_numpy(wrong)
    assert "line 402 is not UTF-8 text" in str(read(wrong))


@pytest.mark.parametrize("length", [65_534, 65_535, 65_536, 100_000, 100_001])
def test_long_lines(length: int) -> None:
    """Ends of cells in two bytes each, and in four; a cell of 100,001 bytes is too long."""
    raw = b"a,b\n1," + b"x" * (length - 2) + b"\n2,y\n"
    kind = read_cells(raw, ",").end.dtype
    assert read(raw) == read_by_numpy(raw)
    assert kind.itemsize == (2 if length <= 65_535 else 4) or kind == np.int64
    raw = b"a,b\n1," + b"x" * length + b"\n2,y\n"
    assert read(raw) == read_by_numpy(raw)
    assert isinstance(read(raw)[1], str) == (length > 100_000)  # type: ignore[index]
