"""solve, decode: from a spec to a verified tree, with a line on the terminal meanwhile."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.cli.console import at_stage, complain, load_spec, parameters
from treemip.cli.outputs import demand_outside, demand_writable
from treemip.cli.process import let_go, results_apart
from treemip.cli.results import report
from treemip.core.source.deadline import until

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.near_optimal import NearOptimalTrees
    from treemip.api.program import Implied, Program
    from treemip.api.result import Result
    from treemip.core.model.answer import OnProgress, Progress

TREES, WITHIN = 10, 0.02
"""Of a set of good trees, where only one of the two is asked for."""

GRACE = 1.0
"""Seconds after a time limit in which the data may still be read to their end."""

SECONDS, SET_SHARE = 10.0, 0.3
"""For looking for them: at most, and of a time limit."""


def solve(
    spec: Path,
    output: Path | None = None,
    solver: str | None = None,
    time_limit: float | None = None,
    gap: float | None = None,
    threads: int | None = None,
    start: Sequence[str] = (),
    starts: int | None = None,
    seed: int | None = None,
    feasibility: float | None = None,
    trees: int | None = None,
    within: float | None = None,
    implications: Implied | None = None,
    presolve: str | None = None,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    json: bool = False,
    log: bool = False,
    log_json: Path | None = None,
    keep: Path | None = None,
    backend: str | None = None,
    resume: Path | None = None,
) -> int:
    """Solve a spec for its verified tree.

    Ctrl-C ends the search and keeps the best tree found so far. What is left out here is taken
    from the spec's strategy.
    """
    import treemip.api.pipeline  # noqa: F401  The limit is of the solve, not of imports.

    began = time.perf_counter()
    wanted = _set_wanted(trees, within)
    outputs = [output] if wanted is None or output is None else wanted.files(output)
    if keep is not None:
        _demand_apart(keep, output, log_json)
    begun = [Path(one) for one in start]
    program = load_spec(
        spec,
        parameters(parameter),
        *outputs,
        log_json,
        others_read=begun,
        data=data,
        include=include,
    )
    line = ProgressLine(quiet=log)
    limit = program.spec.strategy.time_limit if time_limit is None else time_limit
    with until(inf if limit is None else began + limit + GRACE):
        compiled = _compiled(program, implications, line)
    if wanted is not None:
        wanted.require_searched(compiled)
    from treemip.core.files.undo import undoing
    from treemip.core.solving.interrupt import stoppable

    def run(on_progress: OnProgress | None) -> Result:
        return compiled.solve(
            solver,
            time_limit=time_limit if wanted is None else wanted.solve_limit(time_limit),
            gap=gap,
            threads=threads,
            feasibility=feasibility,
            seed=seed,
            start=start[0] if len(start) == 1 else list(start) or None,
            starts=starts,
            presolve=None if presolve is None else presolve.split(","),
            log=log,
            keep=keep,
            log_json=log_json,
            on_progress=on_progress,
            on_interrupt="keep",
            backend=backend,
            resume=resume,
            spent=time.perf_counter() - began - compiled.seconds.get("select", 0.0),
        )

    with stoppable(), undoing(line.clear):
        result = _watched(run, line, json)
        if result.status == "interrupted" and result.answer.values is None:
            output = None  # an older tree is worth more than the news that there is none
        near = None
        if wanted is not None and result.tree is not None:
            near = wanted.listed(result, time_limit)
            result = replace(near.results[0], unwritten=result.unwritten)
        return report(result, output, json, len(compiled.warnings), near)


def _demand_apart(keep: Path, *outputs: Path | None) -> None:
    """Raises E603 for a folder to keep with files in it, and for an output within it."""
    from treemip.core.solving.process import demand_new

    demand_new(keep)
    for output in outputs:
        demand_outside(output, keep)


def _compiled(program: Program, implications: Implied | None, line: ProgressLine) -> Compiled:
    """The model, with its warnings printed; the selection of points shows its progress."""
    try:
        shown = line.show if line.wanted else None
        compiled = program.compile(implications=implications, on_progress=shown)
    finally:
        line.clear()
    if not compiled.checked.is_kept:
        let_go()
    complain(compiled.warnings)
    return compiled


def _watched(run: Callable[[OnProgress | None], Result], line: ProgressLine, apart: bool) -> Result:
    """A solve with its line of progress; apart: what solvers print goes to stderr."""
    try:
        with results_apart(apart):
            return run(line.show if line.wanted else None)
    finally:
        line.clear()


@dataclass(frozen=True)
class _Set:
    """What is asked for beside the best tree; of a time limit a part is for looking for it."""

    trees: int
    within: float

    def files(self, output: Path) -> list[Path]:
        from treemip.api.near_optimal import files

        return files(output, self.trees)

    def require_searched(self, compiled: Compiled) -> None:
        """Raises E902 before the solve where no others can be had."""
        from treemip.api.near_optimal import require_searched

        require_searched(compiled.instance)

    def listed(self, best: Result, limit: float | None) -> NearOptimalTrees:
        """The trees near the best; that one alone, with a warning, where this fails."""
        from treemip.api.near_optimal import best_alone

        try:
            near = best.near_optimal(self.trees, self.within, self.seconds(limit))
            near.table()
            return near
        except (Exception, KeyboardInterrupt) as error:
            return best_alone(best, self.within, error)

    def seconds(self, limit: float | None) -> float:
        return SECONDS if limit is None else min(SECONDS, SET_SHARE * limit)

    def solve_limit(self, limit: float | None) -> float | None:
        return None if limit is None else limit - self.seconds(limit)


def _set_wanted(trees: int | None, within: float | None) -> _Set | None:
    """Raises E902 for numbers out of range."""
    if trees is None and within is None:
        return None
    from treemip.api.near_optimal import require_set

    wanted = _Set(TREES if trees is None else trees, WITHIN if within is None else within)
    require_set(wanted.trees, wanted.within)
    return wanted


def decode(
    spec: Path,
    solution: Path,
    output: Path | None = None,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    target: str = "portable",
    implications: Implied | None = None,
    stage: int | None = None,
    earlier: str | None = None,
    json: bool = False,
) -> int:
    """Read the tree out of a solution file.

    It is of the model that `compile` made of the same spec with the same parameters, --for,
    --implications, --stage and --earlier; the format is told by what stands in the file.
    """
    from treemip.core.solvers.cbc import SUFFIX

    demand_writable([output], [solution, Path(f"{solution}{SUFFIX}")])
    program = load_spec(spec, parameters(parameter), output, data=data, include=include)
    compiled = at_stage(program, stage, earlier).compile(target=target, implications=implications)
    complain(compiled.warnings)
    return report(compiled.decode(solution), output, json, len(compiled.warnings))


# ------------------------------------------------------------------------- progress


class ProgressLine:
    """Rewrites one line of stderr; silent where that is no terminal, or beside a solver's log."""

    def __init__(self, quiet: bool = False) -> None:
        self.wanted = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def show(self, progress: Progress) -> None:
        if self.wanted:
            self._print(f"\r{progress_text(progress)}\x1b[K")

    def clear(self) -> None:
        if self.wanted:
            self._print("\r\x1b[K")

    def _print(self, text: str) -> None:
        with suppress(OSError):  # such as a terminal that was closed
            print(text, end="", file=sys.stderr, flush=True)


def progress_text(progress: Progress) -> str:
    """`12 s  scip  best 149  bound 150  gap 0.67 %  3 nodes  (Ctrl-C keeps the best)`.

    A search counts `trees`, a selection the points that it has decided; an engine and other starts
    count nothing.
    """
    parts = [f"{progress.seconds:.0f} s"]
    if progress.objective_number is not None:
        parts.append(f"objective {progress.objective_number}")
    if progress.stage:
        parts.append(progress.stage)
    if progress.objective is not None:
        parts.append(f"best {progress.objective:.6g}")
    if progress.bound is not None:
        parts.append(f"bound {progress.bound:.6g}")
    if progress.gap is not None:
        parts.append(f"gap {100 * progress.gap:.3g} %")
    if progress.stage == "select":
        parts.append(f"{progress.nodes} points decided")
    elif progress.stage not in ("start", "engine"):
        parts.append(f"{progress.nodes} {'trees' if progress.stage == 'search' else 'nodes'}")
    if progress.objective is not None:
        parts.append("(Ctrl-C keeps the best)")
    return "  ".join(parts)
