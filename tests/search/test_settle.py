"""Whether any solution has a tree: what is not known is not claimed."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

import treemip
from treemip.answers.search import settle
from treemip.core.source.diagnostic import Diagnostic, TreemipError

COLUMNS = {"a": [0.0, 0.2, 0.7, 1.0], "c": ["u", "v", "u", "v"]}
SPEC = 'data "t.csv" { label c; } topology complete(depth = 1); split univariate by oct;'


def failing(*_: object, **__: object) -> None:
    raise TreemipError(Diagnostic.outside("E604", "HiGHS stopped with 'Solve error'", "try SCIP"))


def test_a_solver_that_fails_proves_nothing_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = treemip.loads(SPEC, data=COLUMNS).compile()
    result = model.solve()
    values = np.concatenate([result.values[block.name] for block in model.stated.variables])
    assert not settle.is_loose(model.stated, values)
    monkeypatch.setattr(settle, "solve", failing)
    assert not settle.is_loose(model.stated, values)


def test_no_solver_is_asked_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    model = treemip.loads(SPEC, data=COLUMNS).compile()
    result = model.solve()
    values = np.concatenate([result.values[block.name] for block in model.stated.variables])
    limits = []

    def asked(*given: object) -> None:
        limits.append(given[2])
        failing()

    monkeypatch.setattr(settle, "solve", asked)
    settle.is_loose(model.stated, values, perf_counter() - 1)
    assert limits == []
    settle.is_loose(model.stated, values, perf_counter() + 1)
    assert [limit.time <= 1 for limit in limits] == [True]
