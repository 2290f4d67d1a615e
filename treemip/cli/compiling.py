"""compile: a spec to a model file, or to any stage before it as text."""

from __future__ import annotations

from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treemip.cli.beside import demand_start, writers
from treemip.cli.console import (
    DONE,
    complain,
    load_spec,
    note,
    parameters,
    refuse,
    say,
    say_json,
    write_text,
)
from treemip.cli.options import AsJson, Implied, Parameters, SpecFile, Target, options_given, way_of
from treemip.cli.outputs import demand_writable
from treemip.cli.stages import Stage, demand_read, shown

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.files.model_files import WriteReport
    from treemip.source.diagnostic import Diagnostic


class Names(Enum):
    spec = "spec"
    short = "short"


class CutsAs(Enum):
    rows = "rows"
    lazy = "lazy"
    user = "user"


def compile_spec(
    context: typer.Context,
    spec: SpecFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The model: .mps, .lp or .mof.json, also with .gz, or .nl."
        ),
    ] = None,
    parameter: Parameters = None,
    names: Annotated[
        Names, typer.Option(help="Names from the spec, such as go_left(3,1), or short ones.")
    ] = Names.spec,
    map_file: Annotated[
        Path | None, typer.Option("--map", help="A JSON file of what each name stands for.")
    ] = None,
    cuts: Annotated[
        str | None, typer.Option(help="Names of the families of cuts to add, separated by commas.")
    ] = None,
    cuts_as: Annotated[
        CutsAs, typer.Option(help="Cuts as ordinary rows, lazy constraints or user cuts.")
    ] = CutsAs.rows,
    fixed: Annotated[
        bool, typer.Option("--fixed", help="MPS in fixed columns, for old readers.")
    ] = False,
    target: Target = "portable",
    implications: Implied = None,
    start: Annotated[
        str | None,
        typer.Option(help="search, cart or local_svm: the start to write; search without."),
    ] = None,
    start_file: Annotated[
        Path | None, typer.Option(help="The start, in the form that --for reads.")
    ] = None,
    priorities: Annotated[
        Path | None, typer.Option(help="The strategy's branching priorities, as --for reads them.")
    ] = None,
    stop_after: Annotated[
        Stage | None, typer.Option(help="Show this stage as text and write no model.")
    ] = None,
    json: AsJson = False,
) -> int:
    """Write a spec's model for any solver.

    An MPS, LP, MathOptFormat or NL file, as its suffix says, the first three plain or
    compressed; or with --stop-after, a stage of the way to it as text. Without --for it has only
    what all readers take alike.
    """
    from treemip.files.atomic import together
    from treemip.files.model_files import format_of, side_files

    if output is None and stop_after is None:
        raise refuse("compile does not know where to write", "add -o model.mps, or --stop-after")
    said, way = parameters(parameter or []), way_of(implications)
    wanted = None if cuts is None else [c.strip() for c in cuts.split(",") if c.strip()]
    if stop_after is not None:
        demand_read(stop_after, options_given(context))
        return _tell(*shown(stop_after, spec, said, wanted, way, output), output)
    assert output is not None
    outputs = (output, *side_files(output), map_file, start_file, priorities)
    demand_writable(outputs, [spec])
    demand_start(start, start_file, target)
    program = load_spec(spec, said, *outputs)
    format_of(output)
    compiled = program.compile(wanted, target=target, implications=way)
    complain(compiled.warnings)
    _demand_cuts(compiled, cuts_as)
    beside = writers(compiled, (start, start_file), priorities, names.value)
    with together():
        report = compiled.write(
            output, names=names.value, map_path=map_file, cuts=cuts_as.value, fixed=fixed
        )
        for write in beside:
            write()
    _say_what_became(compiled)
    _summary(report, json)
    return DONE


def _demand_cuts(compiled: Compiled, cuts_as: CutsAs) -> None:
    if cuts_as is CutsAs.rows or any(block.cut for block in compiled.model.rows):
        return
    known = [cut.name for cut in compiled.program.spec.cuts]
    remedy = f"name some: --cuts {','.join(known)}" if known else "leave it out: the spec has none"
    raise refuse(f"--cuts-as {cuts_as.value} means nothing without cuts", remedy)


def _say_what_became(compiled: Compiled) -> None:
    """What the source asks for and the target does not have."""
    for one in compiled.reformed.notes:
        if one.instead:
            where = f"{one.span}: " if one.span else ""
            note(f"{where}'{one.source}' is stated with big-M, in place of {one.instead}")


def _summary(report: WriteReport, as_json: bool) -> None:
    if as_json:
        say_json({k: str(v) if isinstance(v, Path) else v for k, v in asdict(report).items()})
        return
    say(
        f"{report.path}: {report.rows} rows, {report.columns} columns, "
        f"{report.nonzeros} nonzeros, {report.bytes} bytes"
    )
    if report.negated:
        note("the spec maximizes; the file minimizes the negative of its objective")
    if report.constant_column:
        note(f"column {report.constant_column}, fixed at 1, carries the objective's constant")
    if report.free_rows:
        note(f"{report.free_rows} rows without bounds were left out")
    if report.cuts:
        note(f"{report.cuts} rows are in the section of cuts")


def _tell(text: str, warnings: list[Diagnostic], output: Path | None) -> int:
    complain(warnings)
    if output is None:
        say(text.removesuffix("\n"))
    else:
        write_text(output, text if text.endswith("\n") else text + "\n")
    return DONE
