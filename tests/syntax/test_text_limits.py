"""Texts that are too long or too deep are refused before they are parsed."""

import pytest

from treemip.source.diagnostic import TreemipError
from treemip.source.span import Source
from treemip.syntax import parse as parsing
from treemip.syntax.limits import DEEPEST, LONGEST
from treemip.syntax.parse import parse


def refused(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is said of a text that the parser never sees."""
    monkeypatch.setattr(parsing, "parser", lambda: pytest.fail("the text was parsed"))
    with pytest.raises(TreemipError) as caught:
        parse(Source("long.tree", text))
    return str(caught.value)


def test_a_million_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused("param a = 1;\n" * 1_000_000, monkeypatch)
    assert said == (
        "error[E112]: the text has more than 250 000 words and marks\n"
        "     --> long.tree:50001:1\n"
        "      |\n"
        "50001 | param a = 1;\n"
        "      | ^^^^^\n"
        "      = help: put long lists of numbers into columns of the data, and rows into one family"
    )


@pytest.mark.parametrize("opener", ["(", "{", "[", "max(", "({["])
def test_thousands_of_brackets(opener: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(f"let a = {opener * 50_000}", monkeypatch)
    assert said.startswith("error[E111]: an expression is nested more than 150 deep\n")


def test_a_bracket_forgotten_in_each_of_many_statements_is_not_nested() -> None:
    with pytest.raises(TreemipError) as caught:
        parse(Source("open.tree", "param a = (1;\n" * (DEEPEST + 10)))
    assert {d.code for d in caught.value.diagnostics} == {"E102"}


def test_long_comments_strings_and_names_are_few_words() -> None:
    long = "x" * (4 * LONGEST)
    (statement,) = parse(Source("t.tree", f'# {long}\nparam {long} "{long}" = 1;')).statements
    assert statement.name == long


def test_a_long_string_of_escapes_takes_no_memory_for_each() -> None:
    (statement,) = parse(Source("t.tree", 'param a "' + r"\\\\" * 500_000 + '" = 1;')).statements
    assert statement.span.text.endswith('" = 1;')
