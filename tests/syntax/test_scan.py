"""Lexemes without a parser agree with the grammar's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.syntax.scan import NAME, NUMBER, Lexeme, comments, lexeme_at, scan
from treemip.syntax.tables import parser

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
