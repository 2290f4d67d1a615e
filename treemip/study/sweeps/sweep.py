"""Sweeps and cross-validation: runs that are not done yet are done and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from treemip.api.program import Program, load
from treemip.core.source.diagnostic import refused
from treemip.study.sweeps.along import NOT_RUN, paths_of
from treemip.study.sweeps.axes import axes_of
from treemip.study.sweeps.folder import Folder
from treemip.study.sweeps.plan import Plan, planned
from treemip.study.sweeps.run import Row, Run
from treemip.study.sweeps.table import Sweep
from treemip.study.sweeps.workers import demand_workers, rows_of, rows_of_paths

Vary = Mapping[str, Any] | Iterable[str]
OnRow = Callable[[Row, int, int], None]
"""Called after each run with its row, how many are done and how many there are."""


def sweep(
    spec: str | Path | Program,
    vary: Vary,
    *,
    folder: str | Path | None = None,
    jobs: int = 1,
    backend: str | None = None,
    on_row: OnRow | None = None,
    **settings: Any,
) -> Sweep:
    """Solve a spec with every combination of values.

    vary: values by name, {"depth": [2, 3], "seed": range(5)}, or texts as `--vary` takes them.
    Names are those of parameters; `depth` and `seed` of the training part; `data`, paths from the
    current folder; and solver, start, time_limit, gap and threads. folder: where each run is kept
    as soon as it is done, and is taken from when the same sweep begins again. jobs: runs at the
    same time. backend: "loky", or "dask" or "ray" for a cluster that exists. settings: arguments
    of `Compiled.solve` for all runs.
    Raises TreemipError before the first run for a faulty spec, value or data file. What fails in
    one run is that run's status.
    """
    program = spec if isinstance(spec, Program) else load(spec)
    plan = planned(program, axes_of(vary), settings)
    return carry_out(plan, folder, jobs, backend, on_row)


def cross_validate(
    spec: str | Path | Program,
    folds: int = 5,
    *,
    seed: int | None = None,
    vary: Vary = (),
    folder: str | Path | None = None,
    jobs: int = 1,
    backend: str | None = None,
    on_row: OnRow | None = None,
    **settings: Any,
) -> Sweep:
    """Solve a spec once for each fold: trained on the others, tested on that one.

    The folds are stratified, and are those of `train fold 1 of 5 seed 0;`, which takes the place
    of the spec's training part. seed: 0 where it is None, unless `seed` varies. With `vary`, each
    combination of values is cross-validated. All else is as for `sweep`.
    """
    program = spec if isinstance(spec, Program) else load(spec)
    demand_folds(folds, seed)
    plan = planned(
        program, axes_of(vary), settings, (int(folds), None if seed is None else int(seed))
    )
    return carry_out(plan, folder, jobs, backend, on_row)


def demand_folds(folds: int, seed: int | None) -> None:
    """E902 for less than two folds, or a seed below 0."""
    if isinstance(folds, bool) or folds != int(folds) or folds < 2:
        raise refused(f"the number of folds is {folds}", "give a whole number, at least 2")
    if seed is not None and (isinstance(seed, bool) or seed != int(seed) or seed < 0):
        raise refused(f"the seed is {seed}", "give a whole number, at least 0")


def carry_out(
    plan: Plan,
    folder: str | Path | None = None,
    jobs: int = 1,
    backend: str | None = None,
    on_row: OnRow | None = None,
) -> Sweep:
    """Do the runs of a plan that its folder does not have, and write the table there."""
    demand_workers(jobs, backend)
    store = None if folder is None else Folder(Path(folder))
    rows: dict[str, Row] = {}
    for run in plan.runs if store else ():
        kept = store.kept(run) if store else None
        if kept is not None:
            rows[run.key] = kept
    before = len(rows)
    missing = {run.key: run for run in plan.runs if run.key not in rows}
    total = len(rows) + len(missing)
    for row in _done(plan, list(missing.values()), jobs, backend):
        if store is not None and row["status"] != NOT_RUN:
            store.keep(row)
        rows[row["key"]] = row
        if on_row is not None:
            on_row(row, len(rows), total)
    ordered = tuple({**rows[run.key], **run.values} for run in plan.runs)
    every = (*ordered, *plan.refused)
    table = Sweep(every, plan.names, plan.repeats, before, plan.warnings)
    if store is not None:
        store.write_table(list(table.columns), table.rows)
    return table


def _done(plan: Plan, missing: list[Run], jobs: int, backend: str | None) -> Iterator[Row]:
    """The rows of the runs that are missing, one by one or path by path."""
    if not plan.together:
        return rows_of(missing, jobs, backend)
    return rows_of_paths(paths_of(missing, plan.along), jobs, backend)
