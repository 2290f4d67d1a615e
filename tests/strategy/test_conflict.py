"""Conflicts among rows, held against every subset of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from driven_models import infeasible, knapsack, market_split, maximum, model
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.model.model import Model
from treemip.core.solving.solve import solve
from treemip.core.strategy.conflict import find_conflict

pytest.importorskip("highspy")


def with_rows(whole: Model, matrix: np.ndarray, upper: np.ndarray, rows: list[int]) -> Model:
    kinds = "".join(b.kind.value[0] for b in whole.variables)
    low, high = ([getattr(b, end)[0] for b in whole.variables] for end in ("lower", "upper"))
    return model(kinds, [0.0] * len(kinds), matrix[rows], upper[rows], high, low=low)


@given(st.integers(0, 2**32 - 1))
def test_no_subset_of_a_conflict_is_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = random.integers(-3, 4, (7, 3)).astype(float)
    upper = random.integers(-6, 3, 7).astype(float)
    kinds = "".join(random.choice(list("bic"), 3))
    whole = model(kinds, [1.0, -1.0, 2.0], matrix, upper, 2)
    found = find_conflict(whole)
    if solve(whole, "highs").status == "optimal":
        assert (found.feasible, found.rows) == (True, ())
        return
    assert (found.feasible, found.irreducible) == (False, True)
    rows = found.rows[0][1].tolist() if found.rows else []
    if rows:
        assert solve(with_rows(whole, matrix, upper, rows), "highs").status == "infeasible"
    for fewer in combinations(rows, max(0, len(rows) - 1)):
        if fewer:
            part = with_rows(whole, matrix, upper, list(fewer))
            assert solve(part, "highs").status == "optimal"


def test_one_row_against_the_bounds() -> None:
    found = find_conflict(infeasible())
    ((block, rows),) = found.rows
    assert (block.name, rows.tolist(), found.irreducible) == ("limit", [0], True)


def test_a_solution_and_no_time() -> None:
    assert find_conflict(maximum()).feasible is True
    assert find_conflict(knapsack()).feasible is True
    assert find_conflict(market_split()[0], 0.0).feasible is None
