"""Going on after faults: nothing is lost, nothing is invented, whatever the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.faults.machine import STATEMENT_WORDS, Machine, statement_words
from treemip.core.syntax.faults.recover import MOST, find_faults, stop_at_end
from treemip.core.syntax.parse import parse
from treemip.core.syntax.scan import scan

SAMPLES = [
    path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parent / "format").glob("*.expected"))
]
MARKS = [
    *";:,{}()[]\"'\\=<>!&|+-*^.#@~%$?",
    "==",
    "≤",
    "“",
    "\n",
    "\t",
    "in",
    "sum",
    "2x",
    "\u200b",
]


def said(text: str) -> list[Diagnostic]:
    with pytest.raises(TreemipError) as caught:
        parse(Source("t.tree", text))
    return list(caught.value.diagnostics)


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in said(text)]


@given(st.sampled_from(SAMPLES), st.data())
def test_any_edit_parses_or_is_explained_in_its_place(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 12))
        text = text[:start] + data.draw(st.sampled_from(["", *MARKS])) + text[end:]
    try:
        parse(Source("t.tree", text))
    except TreemipError as error:
        assert 1 <= len(error.diagnostics) <= MOST
        for diagnostic in error.diagnostics:
            span = diagnostic.span
            assert span is not None
            assert 0 <= span.start <= span.end <= len(text)
            assert diagnostic.message != "unexpected text"
        assert str(error)


@given(st.text(max_size=60))
def test_any_text_at_all_is_parsed_or_explained(text: str) -> None:
    try:
        parse(Source("t.tree", text))
    except TreemipError as error:
        assert str(error)


@pytest.mark.parametrize("text", SAMPLES)
def test_a_sound_text_has_no_faults(text: str) -> None:
    assert find_faults(Source("t.tree", text)) == []


@pytest.mark.parametrize("step", [36, pytest.param(9, marks=pytest.mark.truth)])
def test_a_word_left_out_is_one_fault(step: int) -> None:
    """Most single slips are named once: what follows them is not blamed for them."""
    counts = []
    for text in SAMPLES:
        for lexeme in [x for x in scan(text) if x.kind != "comment"][::step]:
            cut = text[: lexeme.start] + " " + text[lexeme.end :]
            try:
                parse(Source("t.tree", cut))
            except TreemipError as error:
                counts.append(len(error.diagnostics))
    assert len(counts) > 720 / step
    assert sum(count == 1 for count in counts) > 0.9 * len(counts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minimize card(i in points : w[i] = 1);", "an operator is missing before 'in'"),
        ("set s = {i in : x[i] > max {h in T} h};", "a set or range is missing after 'in'"),
        ("term a(b = sum {t in T} c[t];", "unexpected 'sum'"),
    ],
)
def test_words_left_out_beside_brackets(text: str, message: str) -> None:
    assert [diagnostic.message for diagnostic in said(text)] == [message]


def test_faults_in_several_statements_are_all_found() -> None:
    text = "param a = ;\nvar b binary;\nparam c = * 2;\nsubject to\n  d: 1 <= ;\n  e: x = 1;\n"
    assert [(d.code, d.span.line) for d in said(text) if d.span] == [
        ("E101", 1),
        ("E101", 3),
        ("E101", 5),
    ]


def test_faults_are_in_the_order_of_the_text() -> None:
    places = [d.span.start for d in said("param a = b c;\nparam d = 3 @;\nparam e == 1;") if d.span]
    assert places == sorted(places)
    assert len(places) == 3


def test_no_more_than_a_screenful_is_shown() -> None:
    assert len(said("param = 1;\n" * 100)) == MOST


def test_the_same_foreign_mark_is_shown_once_and_counted() -> None:
    (diagnostic,) = said("param a == 1;\nparam b == 2;\nparam c == 3;\n")
    assert diagnostic.remedy == "write = (the same at 2 more places)"


def test_a_number_stuck_to_a_name_is_no_setting() -> None:
    assert codes('data "a.csv" { train 0.75seed 1; }') == ["E104"]


def test_every_word_that_begins_a_statement_is_known() -> None:
    opening = Machine().expected() - {"$END"}
    assert set(statement_words().values()) == opening
    assert len(set(STATEMENT_WORDS)) == len(STATEMENT_WORDS)


@pytest.mark.parametrize("closer", [")", "]", "}"])
@pytest.mark.parametrize("opened", ["topology complete(", "minimize reach[", "data {", "set a = {"])
def test_a_bracket_of_another_sort_may_be_the_last_character(opened: str, closer: str) -> None:
    stop = stop_at_end(Source("<text>", opened + closer))
    assert not stop.ahead[0].text
