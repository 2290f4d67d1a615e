"""Suggestions and lists of names."""

from __future__ import annotations

import pytest

from treemip.source.suggest import did_you_mean, listed


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("branchs", "did you mean 'branches'?"),
        ("LEAVES", "did you mean 'leaves'?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_did_you_mean(name: str, answer: str) -> None:
    assert did_you_mean(name, ["leaves", "branches", "points"]) == answer


def test_the_suggestion_does_not_depend_on_the_order_of_the_names() -> None:
    assert did_you_mean("ab", ["aba", "abb"]) == did_you_mean("ab", ["abb", "aba"])


def test_listed() -> None:
    assert listed([]) == ""
    assert listed(["b", "a"]) == "'b', 'a'"
    assert listed("abcdef", most=4) == "'a', 'b', 'c', 'd' and 2 more"
