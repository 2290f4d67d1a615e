"""Texts to nodes with spans, within limits of length and nesting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tree_text import tree_text

from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax import parse as parsing
from treemip.core.syntax.parse import DEEPEST, LONGEST, parse

CORPORA = sorted((Path(__file__).parent / "corpus").glob("*.txt"))


_RULE = "=" * 30


_CASE = re.compile(rf"{_RULE}\n(?P<title>.*)\n{_RULE}\n(?P<text>(?:.*\n)*?)---\n")


def read(text: str) -> n.File:
    return parse(Source("t.tree", text))


@pytest.mark.parametrize("path", CORPORA, ids=lambda p: p.stem)
def test_corpus(path: Path, golden) -> None:
    """Each case of a corpus: title, text, and below `---` the tree of each statement."""
    made = ""
    for case in _CASE.finditer(path.read_text(encoding="utf-8")):
        trees = "\n".join(tree_text(s) for s in read(case["text"]).statements)
        made += f"{_RULE}\n{case['title']}\n{_RULE}\n{case['text']}---\n{trees}\n\n"
    assert made, "the corpus has no cases"
    golden(path, made)


def test_the_corpora_have_every_kind_of_node() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in CORPORA)
    kinds = {k.__name__ for k in _subclasses(n.Node) if not k.__subclasses__()}
    leaves = {"Name", "Number", "String", "All", "File"}  # these are written otherwise
    assert {k for k in kinds - leaves if f"({k}" not in texts} == set()


def _subclasses(kind: type) -> set[type]:
    below = set(kind.__subclasses__())
    return below.union(*(_subclasses(k) for k in below))


def test_an_empty_text_has_no_statements() -> None:
    assert read("").statements == ()
    assert read(" \n# only a comment").statements == ()


def test_every_node_knows_its_text() -> None:
    text = "# first\nlet a {i in points} = x[i] +\n  2 * b;\n"
    (statement,) = read(text).statements
    assert isinstance(statement, n.Let)
    assert statement.span.text == "let a {i in points} = x[i] +\n  2 * b;"
    assert statement.name_span.text == "a"
    assert statement.domain is not None
    assert statement.domain.span.text == "{i in points}"
    assert statement.domain.binders[0].span.text == "i in points"
    assert isinstance(statement.value, n.Binary)
    assert statement.value.span.text == "x[i] +\n  2 * b"
    assert statement.value.right.span.text == "2 * b"
    assert str(statement.value.right.span) == "t.tree:3:3"


def test_spans_do_not_make_trees_differ() -> None:
    assert read("param a = 1;") == read("\n\n  param\ta=1 ;")
    assert read("param a = 1;") != read("param a = 2;")


def test_a_sum_as_long_as_allowed_parses_and_a_longer_one_is_refused() -> None:
    terms = DEEPEST - 20
    assert read("minimize " + " + ".join(["a"] * terms) + ";")
    with pytest.raises(TreemipError) as caught:
        read("minimize " + " + ".join(["a"] * (DEEPEST + 1)) + ";")
    assert [d.code for d in caught.value.diagnostics] == ["E111"]


def test_thousands_of_brackets_are_refused_without_exhausting_the_stack() -> None:
    for text in ("(" * 2000 + "a" + ")" * 2000, "-" * 2000 + "a", "+".join(["a"] * 2000)):
        with pytest.raises(TreemipError) as caught:
            read(f"minimize {text};")
        assert [d.code for d in caught.value.diagnostics] == ["E111"]


def refused(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is said of a text that the parser never sees."""
    monkeypatch.setattr(parsing, "parser", lambda: pytest.fail("the text was parsed"))
    with pytest.raises(TreemipError) as caught:
        parse(Source("long.tree", text))
    return str(caught.value)


def test_too_many_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused("param a = 1;\n" * 60_000, monkeypatch)
    assert said == (
        "error[E112]: the text has more than 250 000 tokens\n"
        "     --> long.tree:50001:1\n"
        "      |\n"
        "50001 | param a = 1;\n"
        "      | ^^^^^\n"
        "      = help: put long lists of numbers into columns of the data, and rows into one family"
    )


@pytest.mark.parametrize("opener", ["(", "{", "[", "max(", "({["])
def test_thousands_of_brackets(opener: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(f"let a = {opener * 50_000}", monkeypatch)
    assert said.startswith("error[E111]: an expression is nested more than 150 levels deep\n")


def test_a_bracket_forgotten_in_each_of_many_statements_is_not_nested() -> None:
    with pytest.raises(TreemipError) as caught:
        parse(Source("open.tree", "param a = (1;\n" * (DEEPEST + 10)))
    assert {d.code for d in caught.value.diagnostics} == {"E102"}


def test_long_comments_strings_and_names_are_few_words() -> None:
    long = "x" * (4 * LONGEST)
    (statement,) = parse(Source("t.tree", f'# {long}\nparam {long} "{long}" = 1;')).statements
    assert statement.name == long


def test_a_long_string_of_escapes_takes_no_memory_for_each() -> None:
    (statement,) = parse(Source("t.tree", 'param a "' + r"\\\\" * 100_000 + '" = 1;')).statements
    assert statement.span.text.endswith('" = 1;')
