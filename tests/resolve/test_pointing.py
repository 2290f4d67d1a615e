"""Spans of single words and marks."""

from __future__ import annotations

from treemip.resolve.pointing import mark, word
from treemip.source.span import Source, Span


def whole(text: str) -> Span:
    return Source("a.tree", text).span(0, len(text))


def test_words_behind_the_first_ones() -> None:
    text = "split oblique by oblique(split = 1);"
    assert word(whole(text), "oblique", 1).start == 6
    assert word(whole(text), "oblique", 3).start == 17
    assert word(whole(text), "split", 1).start == 25


def test_comments_and_strings_hold_no_words() -> None:
    text = 'minimize # e\n "e" ee e: 1;'
    assert word(whole(text), "e", 1).start == text.index("ee") + 3


def test_what_is_not_written_out_is_the_whole() -> None:
    assert word(whole("split oblique;"), "soct") == whole("split oblique;")


def test_marks_between_expressions() -> None:
    text = "a # a < b\n  < b"
    source = Source("a.tree", text)
    left, right = source.span(0, 1), source.span(len(text) - 1, len(text))
    assert mark(whole(text), (left, right), ("<",)).start == text.rindex("<")
    assert mark(whole(text), (left, right), (">",)) == whole(text)
