"""tune, fit: depth and complexity chosen by cross-validation, and a verified tree of all rows."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from treemip.cli.console import (
    INTERRUPTED,
    load_spec,
    note,
    parameters,
    say,
    write_text,
)
from treemip.cli.outputs import demand_new, demand_writable
from treemip.cli.results import report
from treemip.cli.starting import formulation_text, note_unlabelled
from treemip.cli.sweeping import as_json, means, runs_of, settings_of, without_score, without_tree
from treemip.core.source.diagnostic import refused
from treemip.core.source.render import visible

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.api.result import Result
    from treemip.study.init.first_spec import FirstSpec
    from treemip.study.sweeps.run import Run
    from treemip.study.sweeps.tuning import Tuned


def tune(
    spec: Path,
    vary: Sequence[str] = (),
    output: Path | None = None,
    folds: int = 5,
    seed: int | None = None,
    groups: str | None = None,
    time: str | None = None,
    rows: int = 0,
    rule: str | None = None,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    solver: str | None = None,
    time_limit: float = 60.0,
    gap: float | None = None,
    threads: int | None = None,
    jobs: int = 1,
    backend: str | None = None,
    folder: Path | None = None,
    plot: Path | None = None,
    json: bool = False,
) -> int:
    """Choose a spec's depth and complexity by cross-validation.

    Without --vary these are depths from 1 on and prices of a split, as far as the spec has them.
    The folds take the place of the spec's training part; the tree is then learned from all rows.
    """
    how = _How(folds, seed, groups, time, rows, rule, time_limit, jobs, backend, folder, plot)
    how.demand()
    program = load_spec(spec, parameters(parameter), output, plot, data=data, include=include)
    settings = settings_of(solver=solver, gap=gap, threads=threads)
    tuned = how.tuned(program, vary, settings)
    return INTERRUPTED if tuned is None else _said(tuned, output, how, json)


def fit(
    data: Path,
    output: Path | None = None,
    label: str | None = None,
    formulation: str | None = None,
    spec: Path | None = None,
    separator: str | None = None,
    folds: int = 5,
    seed: int | None = None,
    groups: str | None = None,
    time: str | None = None,
    rows: int = 5_000,
    rule: str | None = None,
    time_limit: float = 60.0,
    jobs: int = 1,
    backend: str | None = None,
    folder: Path | None = None,
    plot: Path | None = None,
    force: bool = False,
    json: bool = False,
) -> int:
    """From a table to a tuned and verified tree.

    The spec is that of `treemip init`; depth and price of a split are chosen as `treemip tune`
    does. The columns of --groups and --time are no features.
    """
    from treemip.api.program import loads
    from treemip.cli.trees import separator_mark
    from treemip.study.init.first_spec import first_spec
    from treemip.study.init.fitted_spec import with_values

    how = _How(folds, seed, groups, time, rows, rule, time_limit, jobs, backend, folder, plot)
    how.demand()
    _demand_files(data, output, spec, plot, force)
    base = Path.cwd() if spec is None else spec.resolve().parent
    mark = separator_mark(separator, data)
    apart = {name: f"of --{option}" for option, name in _apart(groups, time)}
    first = first_spec(data, base, label, formulation, separator=mark, apart=apart, whole=True)
    _tell(first)
    tuned = how.tuned(loads(first.text, base=base), (), {})
    if tuned is None:
        return INTERRUPTED
    if spec is not None:
        write_text(spec, with_values(first.text, tuned.values))
        note(visible(f"{spec}: the spec with the chosen values"))
    code = _said(tuned, output, how, json)
    if spec is None:
        note("the spec was not kept: --spec FILE writes it")
    if output is None:
        note(f"the tree was not kept: treemip fit {visible(quote(str(data)))} -o tree.json")
    return code


def _demand_files(
    data: Path, output: Path | None, spec: Path | None, plot: Path | None, force: bool
) -> None:
    """E902 for a table that cannot be read again; E603 for what cannot be written."""
    from treemip.core.files.atomic import is_stream

    if is_stream(data):
        raise refused(f"'{data}' cannot be read again by the tree", "save the table as a file")
    demand_writable([one for one in (output, spec, plot) if one is not None], [data])
    if spec is not None:
        demand_new(spec, force, "for --spec")


def _apart(groups: str | None, time: str | None) -> list[tuple[str, str]]:
    given = (("groups", groups), ("time", time))
    return [(option, name) for option, name in given if name is not None]


def _tell(first: FirstSpec) -> None:
    kind = "a number" if first.number else f"{len(first.classes)} classes"
    label = f"label '{first.label}' ({kind}{f', {first.why}' if first.why else ''})"
    note(visible(f"{label}, {formulation_text(first)}"))
    note_unlabelled(first)


@dataclass(frozen=True)
class _How:
    """How values are chosen: what the command line says of it."""

    folds: int
    seed: int | None
    groups: str | None
    time: str | None
    rows: int
    rule: str | None
    time_limit: float
    jobs: int
    backend: str | None
    folder: Path | None
    plot: Path | None

    def demand(self) -> None:
        """Raises for options that cannot be had, before a table is read."""
        from treemip.study.sweeps.tuning import demand_tuning
        from treemip.study.sweeps.workers import demand_workers

        demand_tuning(self.folds, self.seed, self.rule, self.time_limit, self.rows)
        demand_workers(self.jobs, self.backend)
        if self.plot is not None:
            from treemip.study.sweeps.plot import demand_plot

            demand_plot(self.plot)
            demand_writable([self.plot])

    def tuned(
        self, program: Program, vary: Sequence[str], settings: dict[str, Any]
    ) -> Tuned | None:
        """None after Ctrl-C in the folds, or before there is a tree of all rows."""
        from treemip.core.files.undo import last_words
        from treemip.core.solving.interrupt import stoppable
        from treemip.study.sweeps.drawn_rows import drawn
        from treemip.study.sweeps.tuning import finished, parts_asked, tuning_plan

        began = clock.perf_counter()
        few = drawn(program, self.rows, self.seed)
        if few.note:
            note(few.note)
        parts = parts_asked(few.program, self.folds, self.seed, self.groups, self.time)
        plan = tuning_plan(few, vary, settings, parts, self.time_limit, self.jobs)
        runs = runs_of(plan, self.folder, self.jobs, self.backend, "--folder")
        if runs is None:
            return None
        farewell = f"{means(runs)}\ninterrupted before there was a tree of all rows"
        try:
            with last_words(farewell), stoppable():
                tuned = finished(plan, runs, self.rule, self.time_limit, began, _kept, few)
        except KeyboardInterrupt:
            note(farewell)
            return None
        if self.plot is not None:
            from treemip.study.sweeps.plot import plot as draw

            draw(runs, self.plot)
        return tuned


def _kept(run: Run, settings: dict[str, Any]) -> Result:
    """The solve of all rows; the first signal ends only its search."""
    from treemip.study.sweeps.tuning import solved

    return solved(run, {**settings, "on_interrupt": "keep"})


def _said(tuned: Tuned, output: Path | None, how: _How, json: bool) -> int:
    """The means, the choice, and the tree, which is saved."""
    if tuned.result.status == "interrupted" and tuned.result.answer.values is None:
        output = None  # an older tree is worth more than the news that there is none
    if json:
        said = as_json(tuned.runs)
        beside = {
            "rule": tuned.rule,
            "chosen": tuned.chosen.values,
            "best": tuned.best.values,
            "standard_error": tuned.standard_error,
            "unproven": tuned.unproven,
            "drawn": tuned.drawn,
            "runs": said["runs"],
            "configurations": said["configurations"],
        }
        return report(tuned.result, output, True, 0, beside=beside)
    say(means(tuned.runs))
    say("\n" + choice_text(tuned) + "\n")
    return report(tuned.result, output, False, 0)


def choice_text(tuned: Tuned) -> str:
    """What was chosen and why, what of it is not proven, and why runs have no tree."""
    from treemip.study.sweeps.along import NOT_RUN

    measure = tuned.runs.measure.title
    lines = [f"best mean {measure}: {_named(tuned.best)}"]
    if tuned.rule == "1se":
        error = f"{tuned.standard_error:.4g}"
        lines.append(f"fewest splits within one standard error, {error}: {_named(tuned.chosen)}")
    if tuned.drawn is not None:
        few, count = tuned.drawn
        lines.append(f"chosen on {few} of {count} rows (--rows 0 takes all)")
    rows = tuned.runs.rows
    late = sum(row["status"] == NOT_RUN for row in rows)
    if tuned.unproven:
        trees = sum(bool(row["verdict"]) for row in rows)
        lines.append(f"not proven: {tuned.unproven} of {trees} trees of the folds")
    lines += without_score(tuned.runs)
    lines += without_tree(row for row in rows if row["status"] != NOT_RUN)
    if late:
        lines.append(f"not tried for lack of time: {late}; raise --time-limit")
    return "\n".join(lines)


def _named(each: Any) -> str:
    values = " ".join(f"{name}={value}" for name, value in each.values.items())
    return f"{values}  ({each.measure.title} {each.score:.4g}, splits {each.splits:.3g})"
