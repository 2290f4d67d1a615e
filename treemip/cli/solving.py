"""solve, decode: from a spec to a verified tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treemip.cli.console import complain, load_spec, parameters
from treemip.cli.options import AsJson, Implied, Output, Parameters, SpecFile, Target, way_of
from treemip.cli.outputs import demand_outside, demand_writable
from treemip.cli.process import results_apart
from treemip.cli.progress import ProgressLine
from treemip.cli.results import report
from treemip.source.diagnostic import TreemipError

if TYPE_CHECKING:
    from treemip.api.result import Result


def solve(
    spec: SpecFile,
    output: Output = None,
    solver: Annotated[
        str | None,
        typer.Option(
            help="auto, highs, scip, ipopt; installed: cbc, glpk, lp_solve, gurobi, cplex, xpress, "
            "copt, mosek; or 'command:…' with {model} and {solution}."
        ),
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds of wall clock.")] = None,
    gap: Annotated[float | None, typer.Option(help="Relative gap that is good enough.")] = None,
    threads: Annotated[int | None, typer.Option(help="Maximum number of threads.")] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="search, cart, local_svm, none, or a tree.json to start from; may be repeated.",
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
    if keep is not None:
        from treemip.strategy.drive import demand_new

        demand_new(keep)
        demand_outside(output, keep)
        demand_outside(log_json, keep)
    program = load_spec(spec, parameters(parameter or []), output, log_json)
    compiled = program.compile(implications=way_of(implications))
    complain(compiled.warnings)
    from treemip.emit.interrupts import undoing
    from treemip.emit.watch import stoppable

    line = ProgressLine(quiet=log)
    with stoppable(), undoing(line.clear):
        try:
            with results_apart(json):
                result = compiled.solve(
                    solver,
                    time_limit=time_limit,
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
        return _reported(result, output, json, len(compiled.warnings))


def _reported(result: Result, output: Path | None, json: bool, told: int) -> int:
    """`report`; a result that cannot be saved, as on a full disk, is shown all the same."""
    try:
        return report(result, output, json, told)
    except TreemipError:
        report(result, None, json, len(result.warnings))
        raise


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
    from treemip.read.cbc_saved import SUFFIX

    demand_writable([output], [solution, Path(f"{solution}{SUFFIX}")])
    compiled = load_spec(spec, parameters(parameter or []), output).compile(
        target=target, implications=way_of(implications)
    )
    complain(compiled.warnings)
    return report(compiled.decode(solution), output, json, len(compiled.warnings))
