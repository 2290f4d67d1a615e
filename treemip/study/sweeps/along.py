"""The runs of a fold as one piece of work: in order of their size, within seconds that they share.

Where a number that varies is a price in the objective and nowhere else, a tree is worth a line in
that price, and the best of all is concave (of a maximum convex) in it. A tree that is optimal at
two prices is therefore optimal at all between them, which need no solve; and whatever is found at
one price is a tree for the others.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from treemip.answers.search.remembered import Known, of_one_spec
from treemip.core.model.tolerances import EQUAL
from treemip.core.solving.backends import leave_signals_to
from treemip.study.sweeps.axes import FOLD
from treemip.study.sweeps.run import MEASURED, Row, Run, executed

if TYPE_CHECKING:
    from treemip.api.result import Result

LEAST = 0.5
"""Seconds that a run has at least."""

PART = 3.0
"""Of the seconds that are left a run has this part: most runs end long before, with a proof."""

NOT_RUN = "not_run"
"""The status of a run for which no second was left."""


@dataclass(frozen=True)
class Line:
    """A tree's objective by the price p: constant + p slope. row: of the run that found it."""

    constant: float
    slope: float
    row: Row

    def at(self, price: float) -> float:
        return self.constant + price * self.slope

    def same(self, other: Line) -> bool:
        size = max(1.0, abs(self.constant), abs(self.slope))
        return (
            abs(self.constant - other.constant) <= EQUAL * size
            and abs(self.slope - other.slope) <= EQUAL * size
        )


@dataclass(frozen=True)
class Path:
    """runs: of one fold, those with the same values but for `along` side by side. along: the column
    of the price, empty without one."""

    runs: tuple[Run, ...]
    along: str

    def rows(self, known: dict[tuple[str, ...], Known] | None = None) -> Iterator[Row]:
        """The rows of the runs, group by group. known: of each group, from other folds."""
        known = {} if known is None else known
        groups: dict[tuple[str, ...], list[Run]] = {}
        for run in self.runs:
            apart = self.along, FOLD
            others = tuple(value for name, value in run.values.items() if name not in apart)
            groups.setdefault(others, []).append(run)
        shares = _Shares(self.runs[0].shared)
        for others, runs in groups.items():
            yield from _Group(runs, self.along, shares, known.setdefault(others, {})).rows()


def paths_of(runs: Sequence[Run], along: str) -> list[Path]:
    """A path for each fold."""
    folds: dict[str, list[Run]] = {}
    for run in runs:
        folds.setdefault(run.values.get(FOLD, ""), []).append(run)
    return [Path(tuple(some), along) for some in folds.values()]


def solved_apart(path: Path, parent: int) -> list[Row]:
    """The rows of a path in a worker process, which leaves Ctrl-C to its parent."""
    leave_signals_to(parent)
    return list(path.rows())


@dataclass
class _Shares:
    """Who has how much of the seconds, None for no end: what a run leaves, those after it have.
    begun: whether some run has had its part; the first one has it in any case."""

    seconds: float | None
    began: float = field(default_factory=time.perf_counter)
    begun: bool = False

    @property
    def rest(self) -> float:
        return inf if self.seconds is None else self.seconds - (time.perf_counter() - self.began)

    def limit(self) -> dict[str, float]:
        """The time limit of the next run, as a setting; none where there is no end."""
        self.begun = True
        return {} if self.seconds is None else {"time_limit": max(LEAST, self.rest / PART)}


class _Group:
    """The runs with the same values but for the price, the greatest price first."""

    def __init__(self, runs: list[Run], along: str, shares: _Shares, known: Known) -> None:
        self.along, self.shares, self.known = along, shares, known
        self.runs = sorted(runs, key=self._price) if along else runs
        self.lines: dict[int, Line] = {}
        self.done: dict[int, Row] = {}

    def rows(self) -> Iterator[Row]:
        if not self.along:
            for run in self.runs:
                late = self.shares.rest <= 0 and self.shares.begun
                yield not_run(run) if late else executed(run, **self.shares.limit())[0]
            return
        if self.shares.rest <= 0 and self.shares.begun:
            yield from map(not_run, self.runs)
            return
        last = len(self.runs) - 1
        with of_one_spec(self.known):
            for one in dict.fromkeys((last, 0)):
                self._solve(one)
            self._between(0, last)
        for one in range(len(self.runs)):
            yield self._best(one)

    def _price(self, run: Run) -> float:
        return float(run.values[self.along])

    def _between(self, low: int, high: int) -> None:
        if high - low < 2:
            return
        first, second = self.lines.get(low), self.lines.get(high)
        if first is not None and second is not None and first.same(second):
            proven = all(self.done[one]["proven_by"] for one in (low, high))
            for one in range(low + 1, high):
                self.done[one] = self._moved(first, one, proven)
            return
        if self.shares.rest <= 0 and first is not None and second is not None:
            for one in range(low + 1, high):  # the better of the two, which `_best` finds
                self.done[one] = self._moved(first, one, proven=False)
            return
        middle = (low + high) // 2
        self._solve(middle)
        self._between(low, middle)
        self._between(middle, high)

    def _solve(self, one: int) -> None:
        run = self.runs[one]
        row, result = executed(run, **self.shares.limit())
        self.done[one] = row
        line = None if result is None else line_of(result, row, self.along, self._price(run))
        if line is not None:
            self.lines[one] = line

    def _best(self, one: int) -> Row:
        """The run's row, or with its bound the row of a better tree that another run found."""
        row, price = self.done[one], self._price(self.runs[one])
        if row["proven_by"] or not self.lines:
            return row
        sign = -1.0 if any(line.row["sense"] == "maximize" for line in self.lines.values()) else 1.0
        line = min(self.lines.values(), key=lambda line: sign * line.at(price))
        own = row["objective"]
        if own is not None and sign * (own - line.at(price)) <= EQUAL * max(1.0, abs(own)):
            return row
        moved = self._moved(line, one, proven=False)
        return {**moved, "bound": row["bound"], "seconds": row["seconds"]}

    def _moved(self, line: Line, one: int, proven: bool) -> Row:
        """The row of a tree that another run found, at this run's price."""
        run, row, price = self.runs[one], line.row, self._price(self.runs[one])
        more = price - float(row[self.along])
        objectives = {
            name: None if row[name] is None else row[name] + more * line.slope
            for name in ("train_objective", "test_objective")
        }
        found = line.at(price)
        return {
            **row,
            **run.values,
            **objectives,
            "status": row["status"] if proven else "time_limit",
            "objective": found,
            "bound": found if proven else None,
            "gap": 0.0 if proven else None,
            "proven_by": row["proven_by"] if proven else None,
            "seconds": 0.0,
            "message": row["message"] if proven else None,
            "key": run.key,
        }


def not_run(run: Run) -> Row:
    """The row of a run for which no second was left."""
    row: Row = {**run.values, **dict.fromkeys(MEASURED), "key": run.key, "seconds": 0.0}
    return {**row, "status": NOT_RUN, "message": "no time was left; raise the time limit"}


def line_of(result: Result, row: Row, along: str, price: float) -> Line | None:
    """What the tree is worth at each price; None where its objective does not say."""
    score = result.whole_score or result.train_score
    if score is None or row["objective"] is None or price == 0:
        return None
    word = re.compile(rf"\b{re.escape(along)}\b")
    priced = [value for text, value in score.terms if word.search(text)]
    if len(priced) != 1:
        return None
    return Line(row["objective"] - priced[0], priced[0] / price, row)
