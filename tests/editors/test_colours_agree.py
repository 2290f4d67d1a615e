"""The grammar's own lexer, the colours of pages and Pygments, the TextMate grammar, the CodeMirror
mode and the tree-sitter grammar say the same of every part of a text."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from colour_readers import (
    ROOT,
    Found,
    by_lark,
    by_node,
    by_pygments,
    by_states,
    by_tree_sitter,
    tree_of,
    tree_sitter_language,
)
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from syntax_strategies import files

from treemip.core.syntax.colours import parts
from treemip.core.syntax.format import print_node

SHIPPED = sorted((ROOT / "specs").rglob("*.tree"))
TESTED = sorted((ROOT / "tests").rglob("*.tree"))
FILES = SHIPPED + TESTED

PIECES = st.lists(
    st.sampled_from(
        ["data", "let", "sum", "max", "in", "then", "else", "default", "a", "x²", "é", "2", "2x",
         "1..3", '"b\\"', '"', "#", "\n", "€", "-", "=", "==>", *"{}()[];:,"]
    )
)  # fmt: skip
"""What a text that nobody has finished may be made of."""


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def random_texts() -> tuple[str, ...]:
    """Texts that the grammar takes, and texts that it does not."""
    texts: list[str] = []

    @settings(max_examples=150, derandomize=True, database=None, phases=[Phase.generate],
              deadline=None, suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(files, PIECES)
    def collect(file: Any, pieces: list[str]) -> None:
        texts.extend([print_node(file), " ".join(pieces), "".join(pieces)])

    collect()
    return tuple(dict.fromkeys(texts))


def first_difference(found: Found, expected: Found, text: str) -> str:
    """Where two readers do not agree, in words; "" if they do."""
    for ours, theirs in zip(found, expected, strict=False):
        if ours != theirs:
            at = min(ours[1], theirs[1])
            return f"{ours} is {theirs} in {text[max(0, at - 40) : at + 20]!r}"
    return "" if len(found) == len(expected) else f"{len(found)} parts, not {len(expected)}"


def differences(readings: dict[str, tuple[Found, Found]], texts: dict[str, str]) -> dict[str, str]:
    said = {name: first_difference(*readings[name], texts[name]) for name in readings}
    return {name: text for name, text in said.items() if text}


def named(paths: list[Path]) -> dict[str, str]:
    return {str(path.relative_to(ROOT)): text_of(path) for path in paths}


def every_text() -> dict[str, str]:
    return named(FILES) | {f"random {k}": text for k, text in enumerate(random_texts())}


def test_the_states_have_the_tokens_of_the_grammar() -> None:
    """All of a text that can be parsed, and what comes before the error in one that cannot."""
    readings, whole = {}, 0
    texts = every_text()
    for name, text in texts.items():
        tokens, done = by_lark(text)
        found = [part for part in by_states(text) if part[0] != "comment"]
        if name.startswith("random") and not done:
            continue
        readings[name] = (found if done else found[: len(tokens)]), tokens
        whole += done
    assert differences(readings, texts) == {}
    assert whole > 450


def test_comments_are_those_between_the_tokens() -> None:
    for path in SHIPPED:
        text = text_of(path)
        tokens, _ = by_lark(text)
        left = list(text)
        for _, start, end in tokens:
            left[start:end] = " " * (end - start)
        comments = [part for part in parts(text) if part.kind == "comment"]
        assert all("".join(left[c.start : c.end]) == text[c.start : c.end] for c in comments)
        assert sum(c.end - c.start for c in comments) == sum(not c.isspace() for c in "".join(
            left)) + sum(text[c.start : c.end].count(" ") for c in comments)  # fmt: skip


def test_pygments_has_the_same_parts() -> None:
    pytest.importorskip("pygments")
    texts = every_text()
    readings = {name: (by_pygments(text), by_states(text)) for name, text in texts.items()}
    assert differences(readings, texts) == {}


@pytest.mark.parametrize("reader", ["textmate", "codemirror"])
def test_editors_under_node_have_the_same_parts(reader: str) -> None:
    texts = every_text()
    answers = answers_of_node(tuple(texts.values()))
    readings = {
        name: (answer[reader], by_states(text))
        for (name, text), answer in zip(texts.items(), answers, strict=True)
    }
    assert differences(readings, texts) == {}


@cache
def answers_of_node(texts: tuple[str, ...]) -> list[dict[str, Found]]:
    return by_node(list(texts))


@pytest.fixture(scope="module")
def language(tmp_path_factory):
    return tree_sitter_language(tmp_path_factory.mktemp("tree-sitter"))


def test_tree_sitter_parses_every_shipped_spec_without_an_error(language) -> None:
    wrong = [path.name for path in SHIPPED if tree_of(text_of(path), language).has_error]
    assert wrong == []


def test_tree_sitter_has_the_same_parts_of_all_that_the_grammar_takes(language) -> None:
    texts = {name: text for name, text in every_text().items() if by_lark(text)[1]}
    texts = {
        name: text for name, text in texts.items() if "\0" not in text
    }  # ends it for tree-sitter
    readings = {
        name: (by_tree_sitter(text, language), by_states(text)) for name, text in texts.items()
    }
    assert differences(readings, texts) == {}
    assert len(readings) > 450


@given(PIECES.map(" ".join) | st.text(max_size=60))
def test_every_character_belongs_to_one_part_or_is_space(text: str) -> None:
    end = 0
    for part in parts(text):
        assert end <= part.start < part.end
        assert not text[end : part.start].strip()
        end = part.end
    assert not text[end:].strip()
