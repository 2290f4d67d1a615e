"""Rows that are separated while a solver runs, as its callbacks ask for them and as shared code
checks them.

What a source of rows raises must not travel through a solver's native frames, and a solution that
breaks a row must never be returned: both are seen to here, for every solver.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from treemip.core.model.answer import (
    Answer,
    Limits,
    Progress,
    Separated,
    Status,
    finite,
    relative_gap,
)
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import take_rows
from treemip.core.model.tolerances import FEASIBILITY, SEPARATED, START
from treemip.core.model.values import row_sums
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.lazy_rows import LazyRows, ViolatedRows
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail

ROOT_ROUNDS = 50
"""Rounds of cutting planes from fractional points at the root of the tree."""

NODE_ROUNDS = 3
"""The same at any other node."""

Reached = tuple["float | None", "float | None", int]
"""Objective, bound and nodes so far."""


@dataclass(frozen=True)
class OneSided:
    """A row of one side: columns and coefficients, E, G or L, right side."""

    columns: list[int]
    coefs: list[float]
    sense: str
    side: float


class Separation:
    """A source of rows at work in one solve.

    A row counts as violated where it is missed by more than `tolerance`, relative to its side where
    that is above 1, as solvers count; what is missed by less would come back for ever. What the
    source raises ends the search and is raised by `Watch.run`; from then on every point passes,
    which is of no consequence.
    """

    def __init__(self, source: LazyRows, model: Model, limits: Limits) -> None:
        self.tolerance = max(limits.feasibility or FEASIBILITY, FEASIBILITY) * SEPARATED
        self._source = source
        self._integer = np.flatnonzero(model.integer)
        self._columns = model.column_count
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._start: np.ndarray | None = None
        self._rounds: dict[int, int] = {}
        self._failed = False
        self._calls, self._rows, self._seconds = 0, 0, 0.0
        self.start_accepted: bool | None = None

    @property
    def record(self) -> Separated:
        """Calls, rows and seconds so far."""
        return Separated(self._calls, self._rows, self._seconds)

    # ---------------------------------------------------------------- what a solver's callbacks ask

    def watched(self, watch: Watch) -> None:
        """Errors go to this watch, and reports by `tell`."""
        self._watch = watch

    def seek(self, start: np.ndarray) -> None:
        """Take note when a candidate that breaks no row has the known values of `start`, float64
        (columns,), nan where unknown."""
        self._start, self.start_accepted = start, False

    def of_candidate(self, x: np.ndarray) -> ViolatedRows | None:
        """Rows that an integral point breaks; None where it breaks none."""
        rows = self._ask(x, True)
        if rows is None and self._start is not None and not self.start_accepted:
            missed = np.abs(x[: self._columns] - self._start)
            self.start_accepted = not (missed > START).any()
        return rows

    def of_relaxation(self, x: np.ndarray, node: int, at_root: bool) -> ViolatedRows | None:
        """Rows that the relaxation's point at a node breaks, for so many rounds at each node."""
        rounds = self._rounds.get(node, 0)
        if rounds >= (ROOT_ROUNDS if at_root else NODE_ROUNDS):
            return None
        self._rounds[node] = rounds + 1
        whole = x[self._integer]
        return self._ask(x, bool((np.abs(whole - np.round(whole)) <= FEASIBILITY).all()))

    def tell(self, reached: Callable[[], Reached]) -> None:
        """Report progress now and then."""
        watch = self._watch
        if watch is not None and watch.due():
            objective, bound, nodes = reached()
            objective, bound = _known(objective), _known(bound)
            gap = relative_gap(objective, bound)
            watch.report(Progress(watch.seconds, objective, bound, gap, nodes))

    def _ask(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        try:
            return None if self._failed else self.violated(x, integral)
        except BaseException as error:
            self._fail(error)
            return None

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """What a package raises inside ends the search with E604, and does not travel through
        native frames."""
        try:
            yield
        except Exception as error:
            message = f"the solver failed in a callback: {error or type(error).__name__}"
            remedy = "solve with SCIP, or with the log on to see where it happens"
            failure = TreemipError(Diagnostic.outside("E604", message, remedy))
            failure.__cause__ = error
            self._fail(failure)

    def _fail(self, error: BaseException) -> None:
        if self._watch is None:
            raise error
        self._failed = True
        self._watch.fail(error)

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        """The rows of the source that x, float64 (columns,), misses by more than the tolerance.

        Raises E604 for rows over columns that are not there and sides that are no numbers, and
        what the source raises.
        """
        with self._lock:
            begun = time.perf_counter()
            try:
                rows = self._source.violated(x[: self._columns].copy(), integral)
                broken = None if rows is None else self._broken(rows, x)
            finally:
                self._calls += 1
                self._seconds += time.perf_counter() - begun
            if broken is not None:
                self._rows += broken.count
            return broken

    def _broken(self, rows: ViolatedRows, x: np.ndarray) -> ViolatedRows | None:
        _require_rows(rows, self._columns)
        sums = row_sums(rows.matrix, x)
        slack = [
            self.tolerance * np.maximum(1.0, np.where(np.isfinite(side), np.abs(side), 1.0))
            for side in (rows.lower, rows.upper)
        ]
        missed = (sums < rows.lower - slack[0]) | (sums > rows.upper + slack[1])
        at = np.flatnonzero(missed)
        if not len(at):
            return None
        return ViolatedRows(take_rows(rows.matrix, at), rows.lower[at], rows.upper[at])


def _known(value: float | None) -> float | None:
    return None if value is None else finite(value)


def _require_rows(rows: ViolatedRows, columns: int) -> None:
    matrix, count = rows.matrix, rows.matrix.count
    if rows.lower.shape != (count,) or rows.upper.shape != (count,):
        what = f"{count} rows with {rows.lower.shape} lower and {rows.upper.shape} upper limits"
    elif matrix.nonzeros and not 0 <= matrix.indices.min() <= matrix.indices.max() < columns:
        what = f"a row over column {matrix.indices.max()} of a model of {columns} columns"
    elif not np.isfinite(matrix.data).all() or np.isnan([rows.lower, rows.upper]).any():
        what = "a row with a coefficient or limit that is not a number"
    else:
        return
    remedy = "check what 'violated' of the lazy rows returns"
    fail("E604", f"the separation returned {what}", remedy=remedy)


def one_sided(rows: ViolatedRows) -> Iterator[OneSided]:
    """Each row as solvers take it in callbacks; one with two different limits is two."""
    matrix = rows.matrix
    for r in range(rows.count):
        at = slice(int(matrix.indptr[r]), int(matrix.indptr[r + 1]))
        columns, coefs = matrix.indices[at].tolist(), matrix.data[at].tolist()
        low, high = float(rows.lower[r]), float(rows.upper[r])
        if low == high:
            yield OneSided(columns, coefs, "E", low)
            continue
        if np.isfinite(low):
            yield OneSided(columns, coefs, "G", low)
        if np.isfinite(high):
            yield OneSided(columns, coefs, "L", high)


def settled(separation: Separation, answer: Answer) -> Answer:
    """The answer with its record, once its values are known to break no row.

    Raises E604 where they break one. What a solver claims of unbounded models it claims of the
    stated rows alone, so it says nothing.
    """
    if answer.values is not None:
        broken = separation.violated(answer.values, True)
        if broken is not None:
            message = (
                f"{answer.solver} returned a solution that breaks {broken.count} of the rows "
                "that were separated while it ran"
            )
            remedy = "solve with another solver, and report this with the spec and its data"
            fail("E604", message, remedy=remedy)
    status: Status = answer.status
    if status in ("unbounded", "infeasible_or_unbounded"):
        notes = [answer.message, f"{status.replace('_', ' ')} without the rows to be separated"]
        status, message = "no_solution", "; ".join(filter(None, notes))
        answer = replace(answer, status=status, message=message)
    return replace(answer, separated=separation.record)
