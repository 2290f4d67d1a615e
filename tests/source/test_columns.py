"""Text as it stands on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.source.columns import head, tail, visible, width


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("決定木", 6),
        ("\uff41", 2),
        ("ξ²", 2),
        ("🌳", 2),
    ],
)
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ξ", "plain ξ"),
        ("a\tb", "a    b"),
        ("a\x1b[31mb", "a\ufffd[31mb"),
        ("a\u200bb\u202ec\ufeff", "a\ufffdb\ufffdc\ufffd"),
        ("a\u2028b", "a\ufffdb"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(max_size=30), st.integers(4, 20))
def test_what_is_cut_fits_and_is_marked(text: str, columns: int) -> None:
    text = visible(text)
    for cut, kept in ((head(text, columns), text.startswith), (tail(text, columns), text.endswith)):
        assert width(cut) <= columns
        assert cut == text or (kept(cut.strip(".")) and "..." in cut) or "." in text
