"""Diagnostics as text, on any terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.source.diagnostic import Diagnostic, Related, Severity
from treemip.core.source.render import (
    LONGEST,
    by_place,
    head,
    render,
    render_all,
    tail,
    visible,
    width,
)
from treemip.core.source.span import Source

SOURCE = Source(
    "specs/iris.tree",
    "subject to\n"
    "  few {t in branchs}: sum {j in features}\n"
    "      uses[t,j] <= 2;   # the budget\n"
    "\n"
    "  more {t in branches}:\n"
    "    active[t] = 1;\n",
)


def at(text: str, source: Source = SOURCE) -> Diagnostic:
    start = source.text.index(text)
    return Diagnostic("E201", "a message", source.span(start, start + len(text)))


def test_place_caret_chain_and_remedy() -> None:
    diagnostic = Diagnostic(
        "E201",
        "unknown name 'branchs'",
        at("branchs").span,
        "names are declared",
        "did you mean 'branches'?",
        (Related(at("active").span, "used from here"),),  # type: ignore[arg-type]
    )
    assert render(diagnostic) == (
        "error[E201]: unknown name 'branchs'\n"
        " --> specs/iris.tree:2:13\n"
        "  |\n"
        "2 |   few {t in branchs}: sum {j in features}\n"
        "  |             ^^^^^^^ did you mean 'branches'?\n"
        " --> specs/iris.tree:6:5\n"
        "  |\n"
        "6 |     active[t] = 1;\n"
        "  |     ^^^^^^ used from here\n"
        "  = help: names are declared"
    )


def test_without_a_place() -> None:
    assert render(Diagnostic.outside("E901", "no file")) == "error[E901]: no file"


def test_severities() -> None:
    warning = Diagnostic("W301", "large", None, severity=Severity.WARNING)
    assert render(warning) == "warning[W301]: large"
    assert render(Diagnostic("W301", "so", None, severity=Severity.NOTE)) == "note[W301]: so"


def test_a_span_of_two_lines_is_underlined_on_both() -> None:
    assert render(at("sum {j in features}\n      uses[t,j]")) == (
        "error[E201]: a message\n"
        " --> specs/iris.tree:2:23\n"
        "  |\n"
        "2 |   few {t in branchs}: sum {j in features}\n"
        "  |                       ^^^^^^^^^^^^^^^^^^^\n"
        "3 |       uses[t,j] <= 2;   # the budget\n"
        "  |       ^^^^^^^^^"
    )


def test_a_span_of_many_lines_shows_its_ends() -> None:
    everything = Diagnostic("E201", "all", SOURCE.span(0, len(SOURCE.text) - 1), caret="here")
    assert render(everything) == (
        "error[E201]: all\n"
        " --> specs/iris.tree:1:1\n"
        "  |\n"
        "1 | subject to\n"
        "  | ^^^^^^^^^^\n"
        "...\n"
        "6 |     active[t] = 1;\n"
        "  |     ^^^^^^^^^^^^^^ here"
    )


def test_the_end_of_a_line_and_of_the_text_can_be_pointed_at() -> None:
    source = Source("t", "param a\n")
    assert render(Diagnostic("E106", "end", source.span(7, 7))).endswith(
        "1 | param a\n  |        ^"
    )
    assert render(Diagnostic("E106", "end", source.span(8, 8))).endswith("2 |\n  | ^")
    assert render(Diagnostic("E106", "end", Source("t", "").span(0, 0))).endswith("1 |\n  | ^")


def test_line_numbers_of_different_lengths_share_a_margin() -> None:
    source = Source("t", "a\n" * 9 + "b\n")
    diagnostic = Diagnostic(
        "E201", "m", source.span(18, 19), related=(Related(source.span(0, 1), "r"),)
    )
    assert render(diagnostic) == (
        "error[E201]: m\n  --> t:10:1\n   |\n10 | b\n   | ^\n  --> t:1:1\n   |\n 1 | a\n   | ^ r"
    )


def test_carets_stand_below_wide_combining_and_tabbed_text() -> None:
    source = Source("t", "\t木 e\u0301 = größe 決定;")
    for marked, before, carets in (("größe", 11, 5), ("決定", 17, 4), ("木", 4, 2)):
        excerpt, underline = render(at(marked, source)).split("\n")[-2:]
        assert excerpt == "1 |     木 e\u0301 = größe 決定;"
        assert underline == "  | " + " " * before + "^" * carets


def test_a_long_line_is_cut_around_the_place() -> None:
    source = Source("t", "a" * 500 + "HERE" + "b" * 500)
    excerpt, underline = render(at("HERE", source)).split("\n")[-2:]
    assert excerpt == "1 | ..." + "a" * 57 + "HERE" + "b" * (LONGEST - 67) + "..."
    assert underline == "  | " + " " * 60 + "^^^^"
    whole = source.span(0, len(source.text))
    excerpt, underline = render(Diagnostic("E201", "m", whole)).split("\n")[-2:]
    assert len(excerpt) <= LONGEST + 4
    assert underline == "  | " + "^" * (LONGEST - 120)
    short = Source("t", "x" * LONGEST)
    assert (
        render(Diagnostic("E201", "m", short.span(0, 1))).split("\n")[-2] == "1 | " + "x" * LONGEST
    )


def test_what_a_terminal_would_obey_is_not_passed_on() -> None:
    source = Source("t", "a \x1b[2J b")
    assert "\x1b" not in render(at("b", source))


def test_colour_changes_nothing_but_the_colour() -> None:
    diagnostic = Diagnostic("E201", "m", at("branchs").span, "remedy", "caret")
    coloured = render(diagnostic, colour=True)
    assert coloured != render(diagnostic)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(diagnostic)
    assert coloured.count("\x1b[0m") * 2 == coloured.count("\x1b[")


def test_several_stand_in_the_order_of_their_places() -> None:
    other = Source("a.tree", "x\ny\n")
    late, early = at("active"), at("few")
    outside = Diagnostic.outside("E901", "no file")
    second, first = (Diagnostic("E201", "m", other.span(k, k + 1)) for k in (2, 0))
    given = [late, second, outside, early, first]
    assert by_place(given) == [outside, early, late, first, second]
    assert render_all(given) == "\n\n".join(render(d) for d in by_place(given))


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
