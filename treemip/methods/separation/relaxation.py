"""Rounds of cuts on the continuous relaxation: solve it, add what its solution breaks, solve again.

One HiGHS keeps its basis from round to round, so that after the first solve the dual simplex only
has to mend what the new rows cut off.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.registry import solvers
from treemip.core.solvers.highs.model import failure, load
from treemip.core.solvers.highs.solve import heed_stop, limit_seconds, run_to_end, status_of
from treemip.core.solving.arrays import assemble
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.lazy_rows import ViolatedRows

Broken = Callable[[np.ndarray], "ViolatedRows | None"]


def relaxed(model: Model) -> Model:
    """Every column continuous within its bounds, without what only branching keeps."""
    variables = []
    for block in model.variables:
        lower, upper = block.domain
        variables.append(replace(block, kind=Kind.CONTINUOUS, lower=lower, upper=upper))
    return model.with_(variables=tuple(variables), special_sets=(), implications=())


def rounds_of_cuts(
    model: Model, broken: Broken, rounds: int, until: float = inf
) -> list[ViolatedRows]:
    """What the relaxation's solutions break, a block of rows for each round that found some.

    broken: the rows that a solution, float64 (columns,), breaks, or None. until: of
    time.perf_counter(); the rounds end then, or at a signal, with what they found so far. Raises
    E601 for models whose relaxation HiGHS cannot take.
    """
    relaxation = _Relaxation(relaxed(model))
    blocks: list[ViolatedRows] = []
    for _ in range(rounds):
        x = relaxation.solution(until)
        rows = None if x is None else broken(x)
        if rows is None:
            break
        blocks.append(rows)
        relaxation.add(rows)
    return blocks


class _Relaxation:
    """A continuous model in HiGHS, to which rows are added."""

    def __init__(self, model: Model) -> None:
        # The stubs of highspy do not know addRows.
        self.arrays = assemble(model, solvers()["highs"])
        self.highs: Any
        self.highs, self.complaints = load(model, self.arrays)
        self.watch = Watch()
        heed_stop(self.highs, self.watch)

    def solution(self, until: float) -> np.ndarray | None:
        """float64 (columns,): an optimum; None where there is none by `until`."""
        left = until - time.perf_counter()
        if left <= 0 or self.watch.stopping.is_set():
            return None
        limit_seconds(self.highs, left, self.arrays)
        stopped = self.watch.run(partial(run_to_end, self.highs), stop=lambda: None)
        if stopped or status_of(self.highs, self.complaints) != "optimal":
            return None
        return np.array(self.highs.getSolution().col_value, dtype=np.float64)

    def add(self, rows: ViolatedRows) -> None:
        matrix = rows.matrix
        status = self.highs.addRows(
            rows.count,
            rows.lower,
            rows.upper,
            matrix.nonzeros,
            matrix.indptr[:-1].astype(np.int32),
            matrix.indices.astype(np.int32),
            matrix.data,
        )
        if int(status) < 0:
            raise failure("HiGHS refuses the cuts", self.complaints)
