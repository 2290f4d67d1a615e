"""compare: published formulations on the same tables, folds, solver and machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.cli.console import INTERRUPTED, say, say_json, table
from treemip.source.diagnostic import refused

if TYPE_CHECKING:
    from treemip.sweeps.compare import Comparison


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
    from treemip.sweeps.compare import Comparison
    from treemip.sweeps.study import DEPTH, Study, study_plan

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
    comparison = Comparison.of(runs, study)
    if output is not None:
        comparison.write(plan, output)
    if json:
        say_json(_as_json(comparison))
    else:
        say(_report(comparison, output))
    return exit_code(runs)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _named(names: list[str], what: str, such_as: str) -> list[str]:
    if not names:
        raise refused(f"no {what} is named", f"such as {such_as}")
    return names


def _tables(texts: Sequence[str]) -> list[str]:
    """Paths: those between commas, unless a file has the whole name. Raises E902 for a stream."""
    from treemip.files.atomic import is_stream

    paths = [path for text in texts for path in ([text] if Path(text).exists() else _parts(text))]
    for path in paths:
        if is_stream(path):
            raise refused(f"'{path}' cannot be read again by each run", "save the table as a file")
    return paths


def _as_json(comparison: Comparison) -> dict[str, object]:
    from treemip.sweeps.comparison import record

    return {
        "runs": list(comparison.runs.rows),
        "kept": comparison.runs.kept,
        "cases": [record(case) for case in comparison.cases],
        "profiles": {
            name: {"ratio": each.ratios.tolist(), "share": each.shares.tolist()}
            for name, each in comparison.profiles.items()
        },
    }


def _report(comparison: Comparison, output: Path | None) -> str:
    from treemip.sweeps.comparison_text import cells, heads_of

    where = f" in {output}" if output is not None else ""
    cases = comparison.cases
    count = f"{sum(case.runs for case in cases)} runs{where}"
    if comparison.runs.kept:
        count += f", {comparison.runs.kept} of them done before"
    return "\n".join([table([heads_of(cases), *cells(cases)]), "", *comparison.notes, count])
