"""Search and engines on random small specs, against every tree: see tests/fuzz/searches.py."""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.cases import Case
from fuzz.judge import Ending
from fuzz.searches import ended

NUMBERS = [number for number in range(36) if number % 12 < 10]
"""30 cases of formulations whose trees are enumerated; the others are in tests/truth."""
FEW = NUMBERS[10:20]
"""Those of the suite."""
SEED = 11
SEARCH = 4.0
"""Seconds of a search. Proofs end long before on an idle core, and a loaded one needs them."""


@cache
def ending(number: int) -> Ending:
    return ended(Case("searches", SEED, number), search=SEARCH)


@pytest.mark.parametrize(
    "number", [*FEW, *(pytest.param(k, marks=pytest.mark.truth) for k in NUMBERS if k not in FEW)]
)
def test_no_promise_is_broken(number: int) -> None:
    """Verified, no better than possible, no worse than CART; "optimal" and bounds are true."""
    assert ending(number).outcome != "refused" or ending(number).code == "E902"


@pytest.mark.parametrize("numbers", [FEW, pytest.param(NUMBERS, marks=pytest.mark.truth)])
def test_most_optima_are_reached_by_the_search_alone(numbers: list[int]) -> None:
    every = [ending(number) for number in numbers]
    count = Counter(e.outcome for e in every)
    reached, solvable = count["optimal"] + count["found"], len(every) - count["none"]
    assert reached >= 0.8 * (solvable - count["refused"]), count
    proven = {e.formulation for e in every if "engine" in e.proven}
    assert len(proven & {"oct", "binoct", "flow_oct"}) >= 2
