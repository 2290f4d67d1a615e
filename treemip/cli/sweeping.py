"""sweep, cv: one spec with many values of what varies, and cross-validation."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.cli.console import (
    DONE,
    INTERRUPTED,
    NO_SOLUTION,
    NOT_VERIFIED,
    complain,
    load_spec,
    note,
    parameters,
    say,
    say_json,
    table,
)
from treemip.cli.outputs import demand_writable
from treemip.core.source.diagnostic import refused
from treemip.core.source.render import visible

if TYPE_CHECKING:
    from treemip.study.sweeps.plan import Plan
    from treemip.study.sweeps.run import Row
    from treemip.study.sweeps.table import Configuration, Sweep


def sweep(
    spec: Path,
    vary: Sequence[str] = (),
    output: Path | None = None,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    solver: str | None = None,
    time_limit: float | None = None,
    gap: float | None = None,
    threads: int | None = None,
    jobs: int = 1,
    backend: str | None = None,
    plot: Path | None = None,
    json: bool = False,
) -> int:
    """Solve a spec with every combination of values.

    Each run is kept in the folder as soon as it is done; after an interruption the same command
    continues. A run without a tree is a row of the table with its status.
    """
    from treemip.study.sweeps.axes import axes_of
    from treemip.study.sweeps.plan import planned

    if not vary:
        raise refused("nothing varies", "such as --vary depth=2,3")
    if output is None:
        raise refused("no folder for the runs", "add -o runs")
    axes = axes_of(vary)
    settings = settings_of(solver=solver, time_limit=time_limit, gap=gap, threads=threads)
    plan = planned(
        load_spec(spec, parameters(parameter), plot, data=data, include=include), axes, settings
    )
    return _carried_out(plan, output, jobs, backend, plot, json)


def cv(
    spec: Path,
    folds: int = 5,
    seed: int | None = None,
    vary: Sequence[str] = (),
    output: Path | None = None,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    solver: str | None = None,
    time_limit: float | None = None,
    gap: float | None = None,
    threads: int | None = None,
    jobs: int = 1,
    backend: str | None = None,
    plot: Path | None = None,
    json: bool = False,
) -> int:
    """Cross-validate a spec.

    It is solved once for each fold, on the rows of the other folds, and its tree is tested on that
    fold; with --vary, for each combination of values. The folds take the place of the spec's
    training part.
    """
    from treemip.study.sweeps.axes import axes_of
    from treemip.study.sweeps.plan import planned
    from treemip.study.sweeps.sweep import demand_folds

    demand_folds(folds, seed)
    axes = axes_of(vary)
    settings = settings_of(solver=solver, time_limit=time_limit, gap=gap, threads=threads)
    program = load_spec(spec, parameters(parameter), plot, data=data, include=include)
    plan = planned(program, axes, settings, (folds, seed))
    return _carried_out(plan, output, jobs, backend, plot, json)


def settings_of(**given: Any) -> dict[str, Any]:
    """The arguments of a solve that the command line has."""
    return {name: value for name, value in given.items() if value is not None}


def _carried_out(
    plan: Plan, output: Path | None, jobs: int, backend: str | None, plot: Path | None, json: bool
) -> int:
    """Do the runs and say what came of them."""
    if plot is not None:
        from treemip.study.sweeps.plot import demand_plot

        demand_plot(plot)
        demand_writable([plot])
    complain(plan.warnings)
    runs = runs_of(plan, output, jobs, backend)
    if runs is None:
        return INTERRUPTED
    if plot is not None:
        from treemip.study.sweeps.plot import plot as draw

        draw(runs, plot)
    return _report(runs, output, json)


def runs_of(
    plan: Plan, output: Path | None, jobs: int, backend: str | None, option: str = "-o"
) -> Sweep | None:
    """Do the runs with a line of progress; None after Ctrl-C, which says how to go on. option: of
    the command, that names the folder for runs."""
    from treemip.core.files.undo import last_words, undoing
    from treemip.study.sweeps.sweep import carry_out

    line, farewell = _Line(), _resume(output, option)
    try:
        with undoing(line.clear), last_words(farewell):
            return carry_out(plan, output, jobs, backend, line.show)
    except KeyboardInterrupt:
        line.clear()
        note(farewell)
        return None
    finally:
        line.clear()


def _resume(output: Path | None, option: str) -> str:
    if output is None:
        return f"interrupted; no run was kept: name a folder for them with {option}"
    return visible(
        f"interrupted; finished runs are kept in {output}: run the same command again to continue"
    )


class _Line:
    """`12 of 100 runs`, rewritten on stderr where that is a terminal."""

    def __init__(self) -> None:
        self._wanted = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def show(self, row: Row, done: int, runs: int) -> None:
        self._print(f"\r{done} of {runs} runs  (Ctrl-C keeps them)\x1b[K")

    def clear(self) -> None:
        self._print("\r\x1b[K")

    def _print(self, text: str) -> None:
        if self._wanted:
            with suppress(OSError):
                print(text, end="", file=sys.stderr, flush=True)


# ------------------------------------------------------------------------ the outcome


def _report(runs: Sweep, output: Path | None, json: bool) -> int:
    for text in _warnings(runs):
        note(f"warning: {text}")
    if json:
        say_json(as_json(runs))
    else:
        say("\n\n".join(text for text in (means(runs), _choices(runs)) if text))
        say(_count(runs, output))
    return exit_code(runs)


def exit_code(runs: Sweep) -> int:
    """3 where no run has a tree, 1 where a tree is not verified."""
    if not any(row["verdict"] for row in runs.rows):
        return NO_SOLUTION
    return NOT_VERIFIED if any(row["verdict"] == "not verified" for row in runs.rows) else DONE


def as_json(runs: Sweep) -> dict[str, Any]:
    """Rows, means and choices; `sparsest` is the choice of the fewest features."""
    from dataclasses import asdict

    return {
        "runs": list(runs.rows),
        "kept": runs.kept,
        "configurations": [
            {**asdict(each), "measure": each.measure.title} for each in runs.configurations
        ],
        "best": {name: each.values for name, each in runs.best().items()},
        "sparsest": {name: each.values for name, each in runs.sparsest().items()},
    }


def means(runs: Sweep) -> str:
    """A line for each configuration."""
    from treemip.study.sweeps.measures import ACCURACY

    tested = any(each.tested for each in runs.configurations)
    measure = runs.measure
    of = "" if measure == ACCURACY else f" {measure.title}"
    heads = (*runs.settled, "runs", "trees", f"training{of}", *([f"test{of}"] if tested else []))
    beside = [title for title, _ in measure.beside]
    rows = [(*heads, "deviation", *beside, "features", "seconds")]
    for each in runs.configurations:
        cells = [*each.values.values(), str(each.runs), str(each.trees)]
        cells += [_number(each.train_score), *([_number(each.score)] if tested else [])]
        cells += [_number(each.deviation), *map(_number, each.beside.values())]
        rows.append((*cells, _number(each.features), f"{each.seconds:.1f}"))
    return table(rows)


def _choices(runs: Sweep) -> str:
    """The best mean score, and MARGOT's choice of the fewest features near it."""
    if not runs.settled:
        return ""
    from treemip.study.sweeps.table import WITHIN

    lines = []
    for title, chosen in (
        (f"best mean {runs.measure.title}", runs.best()),
        (f"fewest features within {WITHIN} of it", runs.sparsest()),
    ):
        lines += [f"{title}: {_named(each)}" for each in chosen.values()]
    return "\n".join(lines)


def _named(each: Configuration) -> str:
    values = " ".join(f"{name}={value}" for name, value in each.values.items())
    score, features = _number(each.score), _number(each.features)
    return f"{values}  ({each.measure.title} {score}, features {features})"


def _count(runs: Sweep, output: Path | None) -> str:
    where = f" in {output}/table.csv" if output is not None else ""
    text = f"{len(runs.rows)} runs{where}"
    if runs.kept:
        text += f", {runs.kept} of them done before"
    return "\n".join([text, *without_score(runs), *without_tree(runs.rows)])


def _warnings(runs: Sweep) -> list[str]:
    """Messages of runs with a verified tree, each once."""
    verified = (row for row in runs.rows if row["verdict"] and row["verdict"] != "not verified")
    return list(dict.fromkeys(row["message"] for row in verified if row["message"]))


def without_score(runs: Sweep) -> list[str]:
    """A line on the folds that no mean counts, where there are any."""
    if not runs.unscored:
        return []
    folds = f"fold{'s' if len(runs.unscored) > 1 else ''} {', '.join(runs.unscored)}"
    return [f"{folds} left out of all means: the {runs.measure.title} has no finite value there"]


def without_tree(rows: Iterable[Row]) -> list[str]:
    """A line for each reason for which runs have no tree."""
    reasons = Counter(
        f"{row['status']}, {row['message']}" if row["message"] else str(row["status"])
        for row in rows
        if row["verdict"] is None
    )
    return [f"{number} without a tree: {reason}" for reason, number in reasons.items()]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
