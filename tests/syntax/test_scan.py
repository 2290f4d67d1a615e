"""Lexemes without a parser, and spans of single words and marks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.source.span import Source, Span
from treemip.core.syntax.scan import (
    NAME,
    NUMBER,
    Lexeme,
    comments,
    lexeme_at,
    mark_span,
    scan,
    word_span,
)
from treemip.core.syntax.tables import parser

SAMPLES = sorted((Path(__file__).parent / "format").glob("*.tree"))


def test_scan() -> None:
    assert [(x.kind, x.text) for x in scan('a1<=2.5e-3..b["x\\"#"] ==> @ # end')] == [
        ("name", "a1"), ("mark", "<="), ("number", "2.5e-3"), ("mark", ".."), ("name", "b"),
        ("mark", "["), ("string", '"x\\"#"'), ("mark", "]"), ("mark", "==>"), ("stray", "@"),
        ("comment", "# end"),
    ]  # fmt: skip


def test_places_are_offsets_of_the_text() -> None:
    text = "  ab\n= 12"
    assert list(scan(text)) == [
        Lexeme("name", "ab", 2, 4), Lexeme("mark", "=", 5, 6), Lexeme("number", "12", 7, 9)
    ]  # fmt: skip
    assert lexeme_at(text, 0) is None
    assert lexeme_at(text, 3) == Lexeme("name", "b", 3, 4)
    assert lexeme_at(text, len(text)) is None


def test_a_comment_sign_in_a_string_is_text() -> None:
    assert [c.text for c in comments('a "# no" # yes\n# and "this')] == ["# yes", '# and "this']


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_the_lexemes_are_the_tokens_of_the_parse(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    stepping = parser().parse_interactive(text)
    tokens = [(t.start_pos, str(t)) for t in stepping.iter_parse()]
    assert [(x.start, x.text) for x in scan(text) if x.kind != "comment"] == tokens


@given(st.text("aé_9²½٣.eE+-x ", max_size=8))
def test_names_and_numbers_are_those_of_the_grammar(text: str) -> None:
    patterns = {t.name: t.pattern.to_regexp() for t in parser().terminals}
    for own, terminal in ((NAME, "NAME"), (NUMBER, "NUMBER")):
        for at in range(len(text)):
            ours = re.compile(own).match(text, at)
            theirs = re.compile(patterns[terminal]).match(text, at)
            assert (ours and ours.group()) == (theirs and theirs.group())


def whole(text: str) -> Span:
    return Source("a.tree", text).span(0, len(text))


def test_words_behind_the_first_ones() -> None:
    text = "split oblique by oblique(split = 1);"
    assert word_span(whole(text), "oblique", 1).start == 6
    assert word_span(whole(text), "oblique", 3).start == 17
    assert word_span(whole(text), "split", 1).start == 25


def test_comments_and_strings_hold_no_words() -> None:
    text = 'minimize # e\n "e" ee e: 1;'
    assert word_span(whole(text), "e", 1).start == text.index("ee") + 3


def test_what_is_not_written_out_is_the_whole() -> None:
    assert word_span(whole("split oblique;"), "soct") == whole("split oblique;")


def test_marks_between_expressions() -> None:
    text = "a # a < b\n  < b"
    source = Source("a.tree", text)
    left, right = source.span(0, 1), source.span(len(text) - 1, len(text))
    assert mark_span(whole(text), (left, right), ("<",)).start == text.rindex("<")
    assert mark_span(whole(text), (left, right), (">",)) == whole(text)
