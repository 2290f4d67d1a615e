"""compare: published formulations on the same tables, folds, solver and machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.cli.console import INTERRUPTED, refuse, say, say_json, table

if TYPE_CHECKING:
    from treemip.sweeps.comparison import Case
    from treemip.sweeps.table import Sweep


def compare(
    formulations: str,
    data: Sequence[str],
    depth: str = "2",
    folds: int = 5,
    seed: int = 0,
    label: str | None = None,
    objective: str | None = None,
    solver: str | None = None,
    time_limit: float = 60,
    gap: float | None = None,
    threads: int | None = None,
    jobs: int = 1,
    backend: str | None = None,
    output: Path | None = None,
    include: Sequence[Path] = (),
    json: bool = False,
) -> int:
    """Compare formulations, of the library or your own.

    Each is solved on every table, depth and fold, with the spec that `init` would write for it,
    the same solver and the same limits. A formulation that does not take a table is a row that
    says why. With -o each run is kept as soon as it is done; after an interruption the same
    command continues.
    """
    from treemip.cli.sweeping import exit_code, runs_of, settings_of
    from treemip.sweeps.axes import axes_of
    from treemip.sweeps.comparison import cases_of
    from treemip.sweeps.study import DEPTH, Study, study_plan, write_specs

    study = Study(
        formulations=_named(_parts(formulations), "formulation", "oct,binoct"),
        data=_named(_tables(data), "table", "--data iris.csv,wine.csv"),
        depths=axes_of([f"{DEPTH}={depth}"])[DEPTH],
        folds=folds,
        seed=seed,
        label=label,
        objective=objective,
        settings=settings_of(solver=solver, time_limit=time_limit, gap=gap, threads=threads),
        include=include,
    )
    plan = study_plan(study)
    runs = runs_of(plan, output, jobs, backend)
    if runs is None:
        return INTERRUPTED
    cases = cases_of(runs, study)
    if output is not None:
        write_specs(plan, output)
        _write(runs, cases, output)
    if json:
        say_json(_as_json(runs, cases))
    else:
        say(_report(runs, cases, output))
    return exit_code(runs)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _named(names: list[str], what: str, such_as: str) -> list[str]:
    if not names:
        raise refuse(f"no {what} is named", f"such as {such_as}")
    return names


def _tables(texts: Sequence[str]) -> list[str]:
    """Paths: those between commas, unless a file has the whole name. Raises E902 for a stream."""
    from treemip.files.atomic import is_stream

    paths = [path for text in texts for path in ([text] if Path(text).exists() else _parts(text))]
    for path in paths:
        if is_stream(path):
            raise refuse(f"'{path}' cannot be read again by each run", "save the table as a file")
    return paths


def _write(runs: Sweep, cases: list[Case], output: Path) -> None:
    from treemip.sweeps.comparison_text import write_comparison
    from treemip.sweeps.profiles import profiles_of, write_profiles

    write_comparison(cases, output)
    write_profiles(profiles_of(runs), output)


def _as_json(runs: Sweep, cases: list[Case]) -> dict[str, object]:
    from treemip.sweeps.comparison import record
    from treemip.sweeps.profiles import profiles_of

    return {
        "runs": list(runs.rows),
        "kept": runs.kept,
        "cases": [record(case) for case in cases],
        "profiles": {
            each.formulation: {"ratio": each.ratios.tolist(), "share": each.shares.tolist()}
            for each in profiles_of(runs)
        },
    }


def _report(runs: Sweep, cases: list[Case], output: Path | None) -> str:
    from treemip.sweeps.comparison_text import cells, heads_of, notes

    where = f" in {output}" if output is not None else ""
    count = f"{sum(case.runs for case in cases)} runs{where}"
    if runs.kept:
        count += f", {runs.kept} of them done before"
    return "\n".join([table([heads_of(cases), *cells(cases)]), "", *notes(cases), count])
