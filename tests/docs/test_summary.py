"""docs/summary.md, the language on one page: complete in its statements and formulations, true in
its names, and all that it shows is resolved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from walkthrough import blocks

import treemip
from treemip.core.resolve.library_page import reserved
from treemip.core.resolve.modules import formulation_names, library_statements, shared_names
from treemip.core.resources import grammar_path, specs_path
from treemip.core.source.codes import TITLES
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse

PAGE = (Path(__file__).parents[2] / "docs" / "summary.md").read_text(encoding="utf-8")
SPEC, OWN = (block.text for block in blocks(PAGE) if block.language == "tree")
BASE = re.sub(r"(?s)(minimize|strategy).*", "", SPEC)
ALONE = ("formulation", "tree ", "data", "topology", "split", "route", "predict", "concept")
OF_MODULES = ("use ", "drop", "strategy")
"""Statements that need a file, a row or a block beside the one of the table."""


def section(title: str) -> str:
    return re.split(r"^## ", PAGE.split(f"## {title}\n")[1], flags=re.M)[0]


STATEMENTS = [
    text
    for row in re.findall(r"^\|.*\| (.*) \|$", section("Statements"), re.M)
    for text in re.findall(r"`([^`]+[;}])`", row)
]


def keywords() -> set[str]:
    """The words that begin a statement, from the grammar."""
    grammar = grammar_path().read_text(encoding="utf-8")
    rules = re.search(r"\?statement:((?:.|\n)*?)\n\n", grammar)
    assert rules is not None
    found = set()
    for name in re.findall(r"\w+", rules[1]):
        body = re.search(rf'^\??{name}: (?:"(\w+)"|(\w+))', grammar, re.M)
        assert body is not None, name
        terminal = re.search(rf"^{body[2]}\.\d: /\(([^)]+)\)", grammar, re.M) if body[2] else None
        found |= {body[1]} if terminal is None else set(terminal[1].split("|"))
    return found


def test_it_is_one_page() -> None:
    assert len(PAGE.splitlines()) <= 170


def test_every_statement_has_an_example() -> None:
    begun = {text.split()[0] for text in STATEMENTS} | {"data", "topology", "split"}
    assert keywords() == begun


@pytest.mark.parametrize("text", STATEMENTS)
def test_examples_are_resolved(text: str) -> None:
    parse(Source("summary.md", text))
    if not text.startswith(ALONE + OF_MODULES):
        kept = text if text.startswith(("minimize", "maximize")) else f"minimize splits; {text}"
        treemip.loads(BASE + kept, base=specs_path())


def test_the_spec_and_the_formulation_solve(tmp_path: Path) -> None:
    assert treemip.loads(SPEC, base=specs_path()).compile().solve().verified
    (tmp_path / "ordinal.tree").write_text(OWN)
    spec = re.sub(r"by oct.*", "by ordinal;", BASE)
    result = treemip.loads(spec, base=specs_path(), include=[tmp_path]).compile().solve()
    assert result.verified and result.optimality.proven


def test_names_exist() -> None:
    known = set(re.findall(r"`(\w+)`", reserved())) | {"sum", "prod", "argmax", "argmin"}
    known |= {node.name for node in library_statements("fairness") if hasattr(node, "name")}
    text = section("Names that are there")
    named = {word for code in re.findall(r"`([^`]+)`", text) for word in code.split()}
    names = {re.split(r"[\[({]", word)[0] for word in named if re.match(r"\w+\b", word)}
    given = {
        "use",
        "fairness;",
        "group",
        "number",
        "points",
        "in",
        "default",
        "condition}",
        "1,",
        "0)",
        "i)",
    }
    assert names - known - given == set()


def test_formulations_are_those_of_the_library() -> None:
    text = section("Formulations")
    table = "\n".join(re.findall(r"^\|.*\|$", text, re.M))
    assert set(re.findall(r"`(\w+)`", table)) - {"randomized"} == set(formulation_names())
    modules = text.rsplit("Modules:", 1)[1]
    assert set(re.findall(r"`(\w+)`", modules)) == set(shared_names()) - {"together"}


def test_messages_have_their_titles() -> None:
    rows = re.findall(r"^\| ([EW]\d+) \| (.*?) \|", section("Common messages"), re.M)
    assert rows
    assert [row for row in rows if TITLES[row[0]] != row[1]] == []
