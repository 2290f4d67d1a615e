"""What a strategy separates, and how."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, resolved

from treemip.core.registry import separator_names, separators


def _strategy(text: str):
    return resolved(f"{HEAD}split oblique by soct;\nstrategy {{ {text} }}").strategy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("separate shattering;", [("shattering", (), ())]),
        (
            "separate go_left, go_right by shattering(per_node = 2, at = root);",
            [("shattering", ("go_left", "go_right"), (("per_node", 2.0), ("at", "root")))],
        ),
        (
            "separate hit_reach by enumeration; separate shattering(eps = 0);",
            [("enumeration", ("hit_reach",), ()), ("shattering", (), (("eps", 0.0),))],
        ),
    ],
)
def test_separate(text, expected):
    read = _strategy(text).separate
    assert [(s.separator, tuple(w.name for w in s.names), s.given) for s in read] == expected
    assert all(s.rounds == 0 for s in read)


@pytest.mark.parametrize(("text", "rounds"), [("shattering", 10), ("shattering(rounds = 3)", 3)])
def test_initial_cuts(text, rounds):
    strategy = _strategy(f"cuts {text};")
    assert [(s.separator, s.rounds) for s in strategy.initial] == [("shattering", rounds)]
    assert strategy.cuts == ()


def test_each_file_is_the_separator_it_is_called():
    assert tuple(separators()) == separator_names()
