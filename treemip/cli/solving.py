"""solve, decode: from a spec to a verified tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treemip.cli.console import complain, load_spec, parameters
from treemip.cli.options import AsJson, Implied, Output, Parameters, SpecFile, Target, way_of
from treemip.cli.outputs import demand_outside, demand_writable
from treemip.cli.process import results_apart
from treemip.cli.progress import ProgressLine
from treemip.cli.results import report
from treemip.registry import in_memory, installed

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.near_optimal import NearOptimalTrees
    from treemip.api.result import Result

TREES, WITHIN = 10, 0.02
"""Of a set of good trees, where only one of the two is asked for."""

SECONDS, SET_SHARE = 10.0, 0.3
"""For looking for them: at most, and of a time limit."""


def solve(
    spec: SpecFile,
    output: Output = None,
    solver: Annotated[
        str | None,
        typer.Option(
            help=f"auto, mip, {', '.join(in_memory())}; installed: {', '.join(installed())}; "
            "or 'command:…' with {model} and {solution}."
        ),
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds of wall clock.")] = None,
    gap: Annotated[float | None, typer.Option(help="Relative gap that is good enough.")] = None,
    threads: Annotated[int | None, typer.Option(help="Maximum number of threads.")] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="search (the default), cart, local_svm, none, or a tree.json; may be repeated.",
        ),
    ] = None,
    starts: Annotated[
        int | None, typer.Option(help="From how many random points Ipopt begins; 10 without.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For the solver's random choices and random starts.")
    ] = None,
    feasibility: Annotated[
        float | None,
        typer.Option(help="How far rows may be violated, 1e-10 to 1e-3; the solver's own without."),
    ] = None,
    trees: Annotated[
        int | None,
        typer.Option(
            help="Number of good trees to find; with -o a.json also a-2.json, ..., a-trees.csv."
        ),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(help="How much worse they may be, as a share of the objective; 0.02 without."),
    ] = None,
    implications: Implied = None,
    parameter: Parameters = None,
    json: AsJson = False,
    log: Annotated[
        bool, typer.Option("--log", help="Show the solver's own log; beside --json, on stderr.")
    ] = False,
    log_json: Annotated[
        Path | None, typer.Option(help="A file for the progress, a line of JSON for each event.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(help="A new folder for model, solution and log of an installed solver."),
    ] = None,
) -> int:
    """Solve a spec for its verified tree.

    Ctrl-C ends the search and keeps the best tree found so far. What is left out here is taken
    from the spec's strategy.
    """
    wanted = _set_wanted(trees, within)
    outputs = [output] if wanted is None or output is None else wanted.files(output)
    if keep is not None:
        from treemip.solving.process import demand_new

        demand_new(keep)
        demand_outside(output, keep)
        demand_outside(log_json, keep)
    begun = [Path(one) for one in start or ()]
    program = load_spec(spec, parameters(parameter or []), *outputs, log_json, others_read=begun)
    compiled = program.compile(implications=way_of(implications))
    complain(compiled.warnings)
    if wanted is not None:
        wanted.require_searched(compiled)
    from treemip.files.undo import undoing
    from treemip.solving.interrupt import stoppable

    line = ProgressLine(quiet=log)
    with stoppable(), undoing(line.clear):
        try:
            with results_apart(json):
                result = compiled.solve(
                    solver,
                    time_limit=time_limit if wanted is None else wanted.solve_limit(time_limit),
                    gap=gap,
                    threads=threads,
                    feasibility=feasibility,
                    seed=seed,
                    start=start[0] if start and len(start) == 1 else start or None,
                    starts=starts,
                    log=log,
                    keep=keep,
                    log_json=log_json,
                    on_progress=line.show if line.wanted else None,
                )
        finally:
            line.clear()
        if result.status == "interrupted" and result.answer.values is None:
            output = None  # an older tree is worth more than the news that there is none
        near = None
        if wanted is not None and result.tree is not None:
            near = wanted.listed(result, time_limit)
            result = replace(near.results[0], unwritten=result.unwritten)
        return report(result, output, json, len(compiled.warnings), near)


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
    spec: SpecFile,
    solution: Annotated[
        Path, typer.Argument(metavar="SOLUTION", help="What a solver wrote for the spec's model.")
    ],
    output: Output = None,
    parameter: Parameters = None,
    target: Target = "portable",
    implications: Implied = None,
    json: AsJson = False,
) -> int:
    """Read the tree out of a solution file.

    It is of the model that `compile` made of the same spec with the same parameters, --for and
    --implications; the format is told by what stands in the file.
    """
    from treemip.solvers.cbc import SUFFIX

    demand_writable([output], [solution, Path(f"{solution}{SUFFIX}")])
    compiled = load_spec(spec, parameters(parameter or []), output).compile(
        target=target, implications=way_of(implications)
    )
    complain(compiled.warnings)
    return report(compiled.decode(solution), output, json, len(compiled.warnings))
