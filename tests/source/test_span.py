"""Sources and spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source

TEXT = "one\n\tzwei drei\n\nlast"


@pytest.mark.parametrize(
    ("offset", "place"),
    [(0, (1, 1)), (3, (1, 4)), (4, (2, 1)), (10, (2, 7)), (15, (3, 1)), (20, (4, 5))],
)
def test_position(offset: int, place: tuple[int, int]) -> None:
    assert Source("t", TEXT).position(offset) == place


@given(st.text("ab\n", max_size=30), st.integers(0, 30))
def test_position_and_line_agree_with_the_text(text: str, offset: int) -> None:
    source = Source("t", text)
    offset = min(offset, len(text))
    line, column = source.position(offset)
    assert line == text[:offset].count("\n") + 1
    assert source.line(line) == text.split("\n")[line - 1]
    assert source.line_starts[line - 1] + column - 1 == offset


def test_a_span_knows_its_text_and_both_ends() -> None:
    source = Source("t.tree", TEXT)
    span = source.span(5, 20)
    assert span.text == "zwei drei\n\nlast"[:15]
    assert (span.line, span.column, span.last_line, span.last_column) == (2, 2, 4, 5)
    assert str(span) == "t.tree:2:2"
    empty = source.span(20, 20)
    assert (empty.line, empty.column, empty.last_line, empty.last_column) == (4, 5, 4, 5)


def test_to_reaches_from_one_to_the_other() -> None:
    source = Source("t", TEXT)
    assert source.span(0, 3).to(source.span(5, 9)).text == "one\n\tzwei"
    assert source.span(0, 9).to(source.span(1, 2)) == source.span(0, 9)


def test_read_drops_the_byte_order_mark_and_foreign_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.tree"
    path.write_bytes(b"\xef\xbb\xbfparam a = 1;\r\nparam b = 2;\rparam c = 3;\n")
    source = Source.read(path)
    assert source.text == "param a = 1;\nparam b = 2;\nparam c = 3;\n"
    assert source.name == str(path)


def test_a_file_that_cannot_be_read_is_an_error_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(TreemipError) as caught:
        Source.read(tmp_path / "none.tree")
    assert str(caught.value) == (
        f"error[E901]: cannot read '{tmp_path / 'none.tree'}': no such file or directory"
    )
    (tmp_path / "latin.tree").write_bytes(b"# caf\xe9\n")
    with pytest.raises(TreemipError) as caught:
        Source.read(tmp_path / "latin.tree")
    assert str(caught.value) == (
        f"error[E901]: cannot read '{tmp_path / 'latin.tree'}': byte 5 is not UTF-8 text\n"
        "  = help: save the file in the encoding UTF-8"
    )
