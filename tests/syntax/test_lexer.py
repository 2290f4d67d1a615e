"""One scanner for all states finds the tokens that lark's own contextual lexer finds."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from treemip.resources import grammar_path, library_path
from treemip.syntax.tables import from_grammar

SPECS = library_path().parent
BAD = Path(__file__).parents[1] / "bad"
TEXTS = sorted({*SPECS.rglob("*.tree"), *BAD.rglob("*.tree")})


@cache
def ours() -> Lark:
    return from_grammar(grammar_path().read_bytes())


@cache
def plain() -> Lark:
    text = grammar_path().read_text("utf-8")
    return Lark(text, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def outcome(parser: Lark, text: str) -> object:
    """Every token with its place, or the error with its place and what was accepted there."""
    try:
        tree = parser.parse(text)
    except UnexpectedInput as error:
        token = getattr(error, "token", None)
        accepted = getattr(error, "accepts", None) or getattr(error, "allowed", None)
        return type(error), error.line, error.column, token, getattr(token, "type", ""), accepted
    return _listed(tree)


def _listed(node: Tree | Token | None) -> object:
    if isinstance(node, Token):
        ends = node.start_pos, node.end_pos, node.line, node.column, node.end_line, node.end_column
        return node.type, str(node), *ends
    return node and (node.data, [_listed(child) for child in node.children])


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_of_every_text(path: Path) -> None:
    text = path.read_text("utf-8", errors="replace")
    assert outcome(ours(), text) == outcome(plain(), text)


TEXT = """
sum max in and or not by when else if then binary integer free minimize requires rises data tree
param set var let subject to cut drop means default class x ² 2 2.5 1e 3..4 " "a" ( ) [ ] { } ; :
, . .. = == ==> <= >= < > != + - * / ^ # points inputs sums
"""
WORDS = TEXT.split()


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["", " ", "\n"])), max_size=12))
def test_of_any_words(parts: list[tuple[str, str]]) -> None:
    for text in (
        "".join(map("".join, parts)),
        "param p = " + "".join(map("".join, parts)),
        "subject to c {i in points}: " + "".join(map("".join, parts)),
        'data "d.csv" { ' + "".join(map("".join, parts)),
    ):
        assert outcome(ours(), text) == outcome(plain(), text)


def test_a_spec_needs_few_scanners() -> None:
    code = (
        "from lark.lexer import BasicLexer as B\n"
        "made, make = [], B._build_scanner\n"
        "B._build_scanner = lambda self: made.append(self) or make(self)\n"
        "import treemip\n"
        "data = 'data \"d.csv\" { label k; } topology complete(depth = 2); '\n"
        "treemip.loads(data + 'split oblique by soct;')\n"
        "assert len(made) < 10, len(made)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
