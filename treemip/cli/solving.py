"""solve, decode: from a spec to a verified tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treemip.cli.console import (
    DONE,
    INTERRUPTED,
    NO_SOLUTION,
    NOT_VERIFIED,
    complain,
    load_spec,
    note,
    parameters,
    say_json,
    table,
    writable,
)
from treemip.cli.options import AsJson, Implied, Output, Parameters, SpecFile, Target, way_of
from treemip.cli.progress import ProgressLine

if TYPE_CHECKING:
    from treemip.api.result import Result


LONGER = "a longer limit, or a start such as --start cart, may give one"
REMEDIES = {
    "infeasible": "treemip diagnose says which rows exclude each other",
    "infeasible_or_unbounded": "treemip diagnose says which of the two it is",
    "unbounded": "the objective can be had as good as one likes: bound the variables in it",
    "time_limit": LONGER,
    "solver_limit": LONGER,
}


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
    threads: Annotated[int | None, typer.Option(help="At most so many.")] = None,
    start: Annotated[str | None, typer.Option(help="cart, local_svm or none.")] = None,
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
    log: Annotated[bool, typer.Option("--log", help="Show the solver's own log.")] = False,
    keep: Annotated[
        Path | None,
        typer.Option(help="A folder for model, solution and log of an installed solver."),
    ] = None,
) -> int:
    """Solve a spec for its verified tree.

    Ctrl-C ends the search and keeps the best tree found so far. What is left out here is taken
    from the spec's strategy.
    """
    writable(output, spec)
    program = load_spec(spec, parameters(parameter or []), output)
    takes_indicators = (solver or program.spec.strategy.solver) == "scip"
    compiled = program.compile(
        target="scip" if takes_indicators else "portable",
        implications=way_of(implications),
    )
    complain(compiled.warnings)
    line = ProgressLine(quiet=log)
    try:
        result = compiled.solve(
            solver,
            time_limit=time_limit,
            gap=gap,
            threads=threads,
            feasibility=feasibility,
            seed=seed,
            start=start,
            starts=starts,
            log=log,
            keep=keep,
            on_progress=line.show if line.wanted else None,
        )
    finally:
        line.clear()
    return report(result, output, json, len(compiled.warnings))


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
    writable(output, spec, solution)
    compiled = load_spec(spec, parameters(parameter or []), output).compile(
        target=target, implications=way_of(implications)
    )
    complain(compiled.warnings)
    return report(compiled.decode(solution), output, json, len(compiled.warnings))


def report(result: Result, output: Path | None, json: bool, said: int) -> int:
    """Save and show a result, and its exit code; `said` of its warnings were shown before."""
    complain(result.warnings[said:])
    if output is not None:
        result.save(output)
    if json:
        say_json(result.to_json())
    else:
        print(table(_numbers(result)))
        if result.tree is not None:
            print(f"\n{_drawn(result)}")
    return _code(result)


def _code(result: Result) -> int:
    if result.answer.values is None:
        remedy = REMEDIES.get(result.status)
        note("no solution" + (f"; {remedy}" if remedy else ""))
        return INTERRUPTED if result.status == "interrupted" else NO_SOLUTION
    if result.report is None:
        return DONE
    return DONE if result.verified else NOT_VERIFIED


def _numbers(result: Result) -> list[tuple[str, ...]]:
    answer = result.answer
    rows = [("status", answer.status.replace("_", " "))]
    rows += [("objective", number(answer.objective))] if answer.objective is not None else []
    rows += [("bound", number(answer.bound))] if answer.bound is not None else []
    rows += [("gap", f"{100 * answer.gap:.4g} %")] if answer.gap is not None else []
    if result.report is not None:
        rows.append(("training errors", f"{result.train_errors} of {result.points} points"))
    data = result.compiled.instance.data
    if result.test_errors is not None and data is not None and data.test is not None:
        rows.append(("test errors", f"{result.test_errors} of {len(data.test.y)} points"))
    if result.sparsity is not None:
        local, everywhere = result.sparsity.local, result.sparsity.everywhere
        rows.append(("unused features", f"{local:.4g} % by branch, {everywhere:.4g} % by all"))
    rows += verdict(result.report)
    seconds = f", {answer.seconds:.1f} s" if answer.seconds else ""
    rows.append(("solver", f"{answer.solver} {answer.solver_version}".rstrip() + seconds))
    return list(rows)


def verdict(found: Any) -> list[tuple[str, str]]:
    """`verified: yes`, or every problem; `found` has `verified` and `problems`, or is None."""
    if found is None:
        return []
    if found.verified:
        return [("verified", "yes")]
    return [("verified", "NO"), *(("", problem) for problem in found.problems)]


def number(value: float) -> str:
    return f"{value:.10g}"


def _drawn(result: Result) -> str:
    from treemip.tree.draw import class_counts

    assert result.tree is not None
    points = result.compiled.instance.table
    return result.tree.drawn(class_counts(result.tree, points.inputs, points.y))
