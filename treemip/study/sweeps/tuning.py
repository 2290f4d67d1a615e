"""Values chosen for the user: a cross-validation over a path, a rule, and a solve of all rows."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from treemip.api.program import Program, load
from treemip.api.result import Result
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.study.sweeps.along import NOT_RUN
from treemip.study.sweeps.axes import FOLD, axes_of
from treemip.study.sweeps.choice import (
    ONE_ERROR,
    best_of,
    candidates_of,
    chosen_of,
    demand_rule,
    standard_error,
)
from treemip.study.sweeps.conflicts import Folds, RowFolds
from treemip.study.sweeps.drawn_rows import LAST, Drawn, demand_rows, drawn
from treemip.study.sweeps.fold_rows import row_folds
from treemip.study.sweeps.plan import Plan, column_of, planned, with_training_part
from treemip.study.sweeps.price_path import default_axes, demand_tunable, price_of
from treemip.study.sweeps.run import Run
from treemip.study.sweeps.sweep import OnRow, Vary, carry_out, demand_folds
from treemip.study.sweeps.table import Configuration, Sweep

TIME_LIMIT = 60.0
"""Seconds for all, where nobody says."""


@dataclass(frozen=True)
class Tuned:
    """runs: the cross-validation. chosen: the configuration by the rule; best: that of the best
    mean score. result: of the spec with the chosen values over all rows. seconds: of all. drawn: on
    how many rows of how many the values were chosen, None where these were all."""

    runs: Sweep = field(repr=False)
    rule: str
    best: Configuration
    chosen: Configuration
    result: Result = field(repr=False)
    seconds: float
    drawn: tuple[int, int] | None = None

    @property
    def values(self) -> dict[str, str]:
        """The chosen values by name."""
        return self.chosen.values

    @property
    def unproven(self) -> int:
        """How many trees of the folds have no proof."""
        return sum(bool(row["verdict"]) and not row["proven_by"] for row in self.runs.rows)

    @property
    def standard_error(self) -> float:
        """Of the best mean score."""
        return standard_error(self.best)


def tune(
    spec: str | Path | Program,
    vary: Vary = (),
    *,
    folds: int = 5,
    seed: int | None = None,
    groups: str | None = None,
    time: str | None = None,
    rows: int | None = None,
    rule: str | None = None,
    time_limit: float | None = TIME_LIMIT,
    folder: str | Path | None = None,
    jobs: int = 1,
    backend: str | None = None,
    on_row: OnRow | None = None,
    **settings: Any,
) -> Tuned:
    """Choose values by cross-validation, and solve the spec with them over all rows.

    vary: as of `sweep`; nothing: depths and prices of a split. groups: a column whose values are
    each in one fold. time: a column by whose order each fold is learned from what comes before it.
    rows: of a larger table, how many the values are chosen on, drawn by the seed and of each class
    its share; None for all, which are taken too where a price of a split would mean something else.
    rule: "1se", the fewest splits within one standard error of the best mean score, or "best"; None
    for "1se", and for "best" where rows are drawn, of which fewer say less of small differences.
    time_limit: seconds for all together, None for no limit. The other arguments are those of
    `cross_validate`.
    Raises TreemipError as `cross_validate` does, and E605 where no configuration has a tree in each
    fold.
    """
    began = clock.perf_counter()
    program = spec if isinstance(spec, Program) else load(spec)
    demand_tuning(folds, seed, rule, time_limit, rows)
    few = drawn(program, rows, seed)
    parts = parts_asked(few.program, folds, seed, groups, time)
    plan = tuning_plan(few, vary, settings, parts, time_limit, jobs)
    runs = carry_out(plan, folder, jobs, backend, on_row)
    return finished(plan, runs, rule, time_limit, began, few=few)


def demand_tuning(
    folds: int,
    seed: int | None,
    rule: str | None,
    time_limit: float | None,
    rows: int | None = None,
) -> None:
    """E902 for what no tuning takes."""
    demand_folds(folds, seed)
    demand_rule(rule)
    demand_rows(rows)
    if time_limit is not None and not 0 < time_limit < float("inf"):
        raise refused(f"the time limit is {time_limit}", "give seconds for all runs together")


def parts_asked(
    program: Program, folds: int, seed: int | None, groups: str | None, time: str | None
) -> Folds | RowFolds:
    """The folds by class, or by a column of the table. Raises E902 as `row_folds` does."""
    if groups is None and time is None:
        return int(folds), seed
    return row_folds(program, int(folds), seed, groups, time)


def tuning_plan(
    few: Drawn,
    vary: Vary,
    settings: dict[str, Any],
    folds: Folds | RowFolds,
    time_limit: float | None,
    jobs: int = 1,
) -> Plan:
    """The runs of a tuning. Raises E902 for what cannot be tuned."""
    axes, program = axes_of(vary), few.program
    demand_tunable(axes)
    axes = axes or default_axes(program, settings, few.most_prices)
    count = len(folds) if isinstance(folds, Mapping) else int(folds[0])
    shared = None
    if time_limit is not None:
        at_once = min(count, jobs) if jobs > 0 else count
        shared = round((1 - few.last) * time_limit * at_once / count, 3)
    plan = planned(program, axes, settings, folds, shared)
    price = price_of(program.spec)
    along = column_of(price) if price is not None and price in axes else ""
    along = along if along and all(float(value) > 0 for value in axes[price or ""]) else ""
    return replace(plan, together=True, along=along)


def finished(
    plan: Plan,
    runs: Sweep,
    rule: str | None,
    time_limit: float | None,
    began: float,
    solve: Callable[[Run, dict[str, Any]], Result] | None = None,
    few: Drawn | None = None,
) -> Tuned:
    """The choice, and the solve of all rows with it. Raises E605 where there is nothing to choose.

    began: of the clock. solve: a run with more settings; None: as `solved`. few: the rows that the
    runs had; None for all.
    """
    candidates = candidates_of(runs)
    if not candidates:
        raise _no_candidate(runs)
    rule = rule or (few.rule if few is not None else ONE_ERROR)
    chosen = chosen_of(candidates, rule)
    limit = {}
    if time_limit is not None:
        left = time_limit - (clock.perf_counter() - began)
        limit = {"time_limit": round(max(LAST * time_limit, left), 3)}
    run, counts = whole_run(plan, chosen), None
    if few is not None and few.whole is not None:
        counts = run.table.count, few.count
        run = replace(run, table=few.whole.table)
    result = (solve or solved)(run, limit)
    seconds = clock.perf_counter() - began
    return Tuned(runs, rule, best_of(candidates), chosen, result, seconds, counts)


def _no_candidate(runs: Sweep) -> TreemipError:
    """E605; its remedy is more time only where a run had too little."""
    without = [row for row in runs.rows if not row["verdict"]]
    reasons = sorted({str(row["message"] or row["status"]) for row in without})
    if not without:
        reasons = [f"trees have no finite {runs.measure.title} on the rows of some folds"]
    message = "no configuration has a tree in each fold: " + "; ".join(reasons[:3])
    statuses = {row["status"] for row in without}
    remedy = "correct the spec, or vary other values"
    if statuses & {"time_limit", NOT_RUN}:
        remedy = "raise --time-limit"
    elif statuses == {"infeasible"}:
        remedy = "loosen the constraints, or vary other values; treemip diagnose finds conflicts"
    return TreemipError(Diagnostic.outside("E605", message, remedy))


def whole_run(plan: Plan, chosen: Configuration) -> Run:
    """The run of the chosen values over all rows."""
    one = next(
        run
        for run in plan.runs
        if all(run.values[name] == value for name, value in chosen.values.items())
    )
    values = {name: value for name, value in one.values.items() if name != FOLD}
    return replace(one, text=with_training_part(one, ""), parts=b"", values=values, shared=None)


def solved(run: Run, settings: dict[str, Any]) -> Result:
    return run.program().compile().solve(**{**run.settings, **settings})
