"""Starts of a local solver, alone and with a seed."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, resolved

from treemip.source.diagnostic import TreemipError


@pytest.mark.parametrize(
    ("text", "starts", "seed"),
    [
        ("starts 5;", 5, None),
        ("starts 5 seed 7;", 5, 7),
        ("starts 5; seed 0;", 5, 0),
        ("seed 3; starts 1 seed 2; solver ipopt;", 1, 2),
        ("seed 3;", None, 3),
    ],
)
def test_starts_and_seed(text, starts, seed):
    strategy = resolved(f"{HEAD}split oblique by soct;\nstrategy {{ {text} }}").strategy
    assert (strategy.starts, strategy.seed) == (starts, seed)


@pytest.mark.parametrize(
    "text",
    ["0", "2.5", "many", "5 seed", "5 seed x", "5 7", "seed 5", "5 seed 1.5", "5, seed 1, 2"],
)
def test_what_are_no_starts(text):
    with pytest.raises(TreemipError) as caught:
        resolved(f"{HEAD}split oblique by soct;\nstrategy {{ starts {text}; }}")
    (found,) = caught.value.diagnostics
    assert found.code == "E213"
    assert found.message == "'starts' takes a whole number, at least 1, and perhaps a seed"
    assert found.remedy == "such as starts 10 seed 0;"
