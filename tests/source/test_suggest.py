"""Suggestions and lists of names."""

from __future__ import annotations

import pytest

from treemip.core.source.suggest import did_you_mean, listed


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


def test_exchanged_letters_are_nearer_than_other_letters() -> None:
    assert did_you_mean("otc", ["ost", "oct", "ort"]) == "did you mean 'oct'?"


@pytest.mark.parametrize(
    ("name", "known"),
    [("setosa", "uses"), ("median", "min"), ("out", "routed"), ("k", "kk"), ("lo", "log")],
)
def test_nothing_is_suggested_that_is_merely_short_or_alike(name: str, known: str) -> None:
    assert did_you_mean(name, [known]) == ""


@pytest.mark.parametrize(
    ("name", "known"),
    [("epsilon", "eps"), ("esp", "eps"), ("deep", "depth"), ("class", "classes"), ("m", "M")],
)
def test_what_is_near_enough(name: str, known: str) -> None:
    assert did_you_mean(name, [known]) == f"did you mean '{known}'?"


def test_the_first_pool_with_a_near_name_counts() -> None:
    assert did_you_mean("leafs", ["leafs_of"], ["leaves"]) == "did you mean 'leafs_of'?"
    assert did_you_mean("leafs", ["roots"], ["leaves"]) == "did you mean 'leaves'?"


def test_the_suggestion_does_not_depend_on_the_order_of_the_names() -> None:
    assert did_you_mean("ab", ["aba", "abb"]) == did_you_mean("ab", ["abb", "aba"])


def test_listed() -> None:
    assert listed([]) == ""
    assert listed(["b", "a"]) == "'b', 'a'"
    assert listed("abcdef", most=4) == "'a', 'b', 'c', 'd' and 2 more"
