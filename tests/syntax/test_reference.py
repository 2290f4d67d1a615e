"""The reference of the language shows texts of the language, laid out as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treemip.core.source.span import Source
from treemip.core.syntax.faults.machine import STATEMENT_WORDS
from treemip.core.syntax.format import format_text

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```tree\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_parse_and_are_in_the_canonical_layout(example: str) -> None:
    assert format_text(Source("language.md", example)) == example


def test_every_statement_has_an_example() -> None:
    begun = {word for example in EXAMPLES for word in re.findall(r"^\w+", example, re.MULTILINE)}
    assert set(STATEMENT_WORDS) - begun == set()


def test_links_within_the_page_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
    assert set(re.findall(r"\(#([^)]+)\)", TEXT)) <= anchors
    for target in re.findall(r"\]\(([^#)]+)\)", TEXT):
        assert (PAGE.parent / target).resolve().is_file()
