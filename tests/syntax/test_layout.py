"""Documents set within a width."""

from __future__ import annotations

import pytest

from treemip.core.syntax.printing.layout import (
    BLANK,
    HARD,
    LINE,
    SOFT,
    Comment,
    Doc,
    Fit,
    Line,
    Nest,
    joined,
    set_lines,
)

CALL = Fit(("call(", Nest(2, (SOFT, joined(["alpha", "beta"], (",", LINE)))), SOFT, ")"))


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (17, ["call(alpha, beta)"]),
        (16, ["call(", "  alpha,", "  beta", ")"]),
        (3, ["call(", "  alpha,", "  beta", ")"]),
    ],
)
def test_a_fit_breaks_all_its_own_lines_or_none(width: int, lines: list[str]) -> None:
    assert set_lines(CALL, width) == lines


def test_the_outer_fit_breaks_first() -> None:
    inner = Fit(("b", Nest(2, (LINE, "c"))))
    assert set_lines(Fit(("aaaa", Nest(2, (LINE, inner)))), 7) == ["aaaa", "  b c"]


def test_what_follows_without_a_break_must_fit_too() -> None:
    doc: Doc = (Fit(("a", LINE, "b")), ";;")
    assert set_lines(doc, 5) == ["a b;;"]
    assert set_lines(doc, 4) == ["a", "b;;"]


def test_hard_and_blank_lines_and_the_fit_around_them() -> None:
    assert set_lines(("a", HARD, "b", BLANK, "c"), 80) == ["a", "b", "", "c"]
    assert set_lines(Fit(("a", LINE, "b", HARD, "c")), 80) == ["a", "b", "c"]
    assert set_lines(Line("-"), 80) == [""]


def test_a_trailing_comment_goes_behind_the_text_before_a_break() -> None:
    doc = Fit(("a", Nest(2, (LINE, Comment("# x", True), "b"))))
    assert set_lines(doc, 80) == ["a  # x", "  b"]


def test_a_comment_on_its_own_line_keeps_the_indent() -> None:
    doc = Fit(("a", Nest(2, (LINE, Comment("# x", False), "b"))))
    assert set_lines(doc, 80) == ["a", "  # x", "  b"]


def test_text_never_follows_a_comment_on_its_line() -> None:
    assert set_lines(("a", Comment("# x", True), " b"), 80) == ["a  # x", "b"]
    assert set_lines(("a", Comment("# x", True), Comment("# y", True)), 80) == ["a  # x", "# y"]


def test_trailing_comments_of_neighbouring_lines_stand_in_a_column() -> None:
    lines: Doc = joined([("a;", Comment("# 1", True)), ("bbbb;", Comment("# 2", True)), "c;"], HARD)
    assert set_lines((lines, HARD, "d;", Comment("# 3", True)), 80) == [
        "a;     # 1",
        "bbbb;  # 2",
        "c;",
        "d;  # 3",
    ]
    assert set_lines(lines, 8) == ["a;  # 1", "bbbb;  # 2", "c;"]
