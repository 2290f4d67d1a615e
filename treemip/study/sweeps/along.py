"""The runs of folds, shallow trees first, within seconds that they share.

Where a number that varies is a price in the objective and nowhere else, a tree is worth a line in
that price, and the best of all is concave (of a maximum convex) in it. A tree that is optimal at
two prices is therefore optimal at all between them, which need no solve; and whatever is found at
one price is a tree for the others.

A tree of a fold is one for deeper trees of the fold as well: a run that comes to a worse one, for
lack of time, begins again with it while there are seconds left, and is said to have it where there
are none.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

PLACED = 2.0
"""Seconds for putting a tree that is known into a deeper spec."""

PART = 3.0
"""A run has a third of the seconds that are left to its group: most end long before, with a
proof."""

SHARE = 0.5
"""Of the seconds that are left, what all folds together have at one depth; at the last depth they
have all."""

SPARE = 0.25
"""Of the seconds of all, by which the runs of one more depth may take longer."""

NOT_RUN = "not_run"
"""The status of a run for which no second was left."""

Values = tuple[str, ...]


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
class _Tree:
    """A tree that a run has found at a price, 0 where none varies; line: what it is worth at all of
    them, None where that is not known."""

    price: float
    line: Line | None
    row: Row
    result: Result

    def at(self, price: float) -> float | None:
        """The objective at that price; None where it is not known."""
        if price == self.price:
            found: float | None = self.row["objective"]
            return found
        return None if self.line is None else self.line.at(price)


@dataclass(frozen=True)
class Path:
    """runs: of one fold, those with the same values but for `along` side by side. along: the column
    of the price, empty without one."""

    runs: tuple[Run, ...]
    along: str

    @property
    def seconds(self) -> float:
        shared = self.runs[0].shared
        return inf if shared is None else shared

    @property
    def groups(self) -> dict[Values, list[Run]]:
        """The runs that differ by the price alone."""
        apart = self.along, FOLD
        groups: dict[Values, list[Run]] = {}
        for run in self.runs:
            values = tuple(value for name, value in run.values.items() if name not in apart)
            groups.setdefault(values, []).append(run)
        return groups


def paths_of(runs: Sequence[Run], along: str) -> list[Path]:
    """A path for each fold."""
    folds: dict[str, list[Run]] = {}
    for run in runs:
        folds.setdefault(run.values.get(FOLD, ""), []).append(run)
    return [Path(tuple(some), along) for some in folds.values()]


def rows_along(paths: Sequence[Path]) -> Iterator[Row]:
    """The rows of the runs: of all folds with the first values, then with the next.

    Once the time is up, no fold goes on to the next values: values for which some fold has no tree
    are no candidates. Nor does any where runs have taken so much longer than they were given, for
    building and checking, that the next ones would take more than what is left.
    """
    folds = [(path.groups, path.along) for path in paths]
    order = list(dict.fromkeys(values for groups, _ in folds for values in groups))
    whole = _Seconds(sum(path.seconds for path in paths))
    trees: dict[str, list[_Tree]] = {}  # of each fold, with the values before
    beyond = 0.0  # seconds that a fold took at most beyond those it was given
    spare = SPARE * whole.rest if whole.end < inf else 0.0
    for place, values in enumerate(order):
        here = [(groups[values], along) for groups, along in folds if values in groups]
        if place and whole.rest + spare <= beyond * len(here):
            yield from (not_run(run) for runs, _ in here for run in runs)
            continue
        seconds, known = whole.part(1 if values == order[-1] else SHARE), Known()
        beyond = 0.0
        for done, (runs, along) in enumerate(here):
            own, fold = seconds.part(1 / (len(here) - done)), runs[0].values.get(FOLD, "")
            late = max(0.0, -own.rest)
            group = _Group(runs, along, own, known, trees.get(fold, []))
            yield from group.rows()
            beyond = max(beyond, -own.rest - late)
            trees[fold] = group.trees or trees.get(fold, [])


def rows_apart(path: Path, parent: int) -> list[Row]:
    """The rows of a path in a worker process, which leaves Ctrl-C to its parent."""
    leave_signals_to(parent)
    return list(rows_along([path]))


class _Seconds:
    """Seconds from now on; infinite for no end."""

    def __init__(self, given: float) -> None:
        self.end = time.perf_counter() + given

    @property
    def rest(self) -> float:
        return self.end - time.perf_counter()

    def part(self, share: float) -> _Seconds:
        return _Seconds(self.rest * share)


class _Group:
    """The runs of a fold with the same values but for the price, the greatest price first."""

    def __init__(
        self,
        runs: list[Run],
        along: str,
        seconds: _Seconds,
        known: Known,
        before: Sequence[_Tree] = (),
    ) -> None:
        self.along, self.seconds, self.known, self.before = along, seconds, known, before
        self.trees: list[_Tree] = []
        self.runs = sorted(runs, key=self._price) if along else runs
        self.lines: dict[int, Line] = {}
        self.done: dict[int, Row] = {}

    def rows(self) -> Iterator[Row]:
        last = len(self.runs) - 1
        if not self.along:
            for one in range(last + 1):
                yield self._as_good(one, self._executed(one)[0])
            return
        with of_one_spec(self.known):
            for one in dict.fromkeys((last, 0)):
                self._solve(one)
            self._between(0, last)
        for one in range(last + 1):
            yield self._as_good(one, self._best(one))

    def _executed(self, one: int) -> tuple[Row, Result | None]:
        """The run within its part of the seconds."""
        parts, limit = min(PART, len(self.runs) - len(self.done)), {}
        best = self._best_before(self.runs[one])
        if self.seconds.end < inf:
            limit = {"time_limit": max(LEAST, self.seconds.rest / parts)}
        row, result = executed(self.runs[one], **limit)
        if not row.get("proven_by") and best is not None and self.seconds.rest > 0:
            row, result = self._no_worse(self.runs[one], row, result, best)
        self.done[one] = row
        if result is not None and result.tree is not None:
            price = self._price(self.runs[one]) if self.along else 0.0
            line = line_of(result, row, self.along, price) if self.along else None
            self.trees.append(_Tree(price, line, row, result))
        return row, result

    def _best_before(self, run: Run) -> _Tree | None:
        """The fold's best tree with the values before, at the price of a run."""
        price = self._price(run) if self.along else 0.0
        known = [one for one in self.before if one.at(price) is not None]
        if not known:
            return None
        sign = -1.0 if known[0].row["sense"] == "maximize" else 1.0
        return min(known, key=lambda one: sign * (one.at(price) or 0.0))

    def _no_worse(
        self, run: Run, row: Row, result: Result | None, best: _Tree
    ) -> tuple[Row, Result | None]:
        """The row and the result, or those of the best tree before, where that is better here."""
        if self._is_as_good(run, row, best):
            return row, result
        own, sign = row["objective"], -1.0 if best.row["sense"] == "maximize" else 1.0
        again, placed = executed(run, time_limit=PLACED, start=[best.result])
        worth = again["objective"]
        if worth is None or (own is not None and sign * (own - worth) <= 0):
            return row, result
        return {**again, "seconds": round(row["seconds"] + again["seconds"], 3)}, placed

    def _as_good(self, one: int, row: Row) -> Row:
        """The row, or that of a better tree that the fold has with the values before, which there
        was no time to put into this spec: what is worse for lack of time says nothing of its
        values."""
        run = self.runs[one]
        best = None if row.get("proven_by") else self._best_before(run)
        if best is None or self._is_as_good(run, row, best):
            return row
        if best.line is not None:
            known = self._moved(best.line, one, proven=False)
        else:
            unproven = {"status": "time_limit", "gap": None, "proven_by": None, "message": None}
            known = {**best.row, **run.values, **unproven, "key": run.key}
        return {**known, "bound": row["bound"], "seconds": row["seconds"]}

    def _is_as_good(self, run: Run, row: Row, best: _Tree) -> bool:
        sign = -1.0 if best.row["sense"] == "maximize" else 1.0
        own, other = row["objective"], best.at(self._price(run) if self.along else 0.0) or 0.0
        return own is not None and sign * (own - other) <= EQUAL * max(1.0, abs(own))

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
        if self.seconds.rest <= 0 and first is not None and second is not None:
            for one in range(low + 1, high):  # the better of the two, which `_best` finds
                self.done[one] = self._moved(first, one, proven=False)
            return
        middle = (low + high) // 2
        self._solve(middle)
        self._between(low, middle)
        self._between(middle, high)

    def _solve(self, one: int) -> None:
        row, result = self._executed(one)
        price = self._price(self.runs[one])
        line = None if result is None else line_of(result, row, self.along, price)
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
