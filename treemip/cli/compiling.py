"""compile, export: a spec as a model file, as any stage before it, or as a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from treemip.cli.console import (
    DONE,
    at_stage,
    complain,
    load_spec,
    note,
    parameters,
    say,
    say_json,
    write_text,
)
from treemip.cli.outputs import demand_writable
from treemip.resolve.checks import is_over_separated
from treemip.source.diagnostic import refused
from treemip.source.render import visible

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Implied
    from treemip.cli.stages import Stage
    from treemip.files.model_files import WriteReport
    from treemip.source.diagnostic import Diagnostic


Names = Literal["spec", "short"]
CutsAs = Literal["rows", "lazy", "user"]


def compile_spec(
    spec: Path,
    output: Path | None = None,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    names: Names = "spec",
    map_file: Path | None = None,
    cuts: str | None = None,
    cuts_as: CutsAs = "rows",
    fixed: bool = False,
    target: str = "portable",
    implications: Implied | None = None,
    stage: int | None = None,
    earlier: str | None = None,
    start: str | None = None,
    start_file: Path | None = None,
    priorities: Path | None = None,
    stop_after: Stage | None = None,
    json: bool = False,
    given: Sequence[str] = (),
) -> int:
    """Write a spec's model for any solver.

    An MPS, LP, MathOptFormat or NL file, as its suffix says, the first three plain or
    compressed; or with --stop-after, a stage of the way to it as text. Without --for it has only
    what all readers take alike.
    """
    from treemip.files.atomic import together
    from treemip.files.model_files import format_of, side_files

    if output is None and stop_after is None:
        raise refused("no output file", "add -o model.mps, or --stop-after")
    pairs = parameters(parameter)
    wanted = None if cuts is None else [c.strip() for c in cuts.split(",") if c.strip()]
    if stop_after is not None:
        from treemip.cli.stages import demand_read, shown

        demand_read(stop_after, given)
        text = shown(
            stop_after, spec, pairs, wanted, implications, output, data, include, stage, earlier
        )
        return _tell(*text, output)
    assert output is not None
    outputs = (output, *side_files(output), map_file, start_file, priorities)
    demand_writable(outputs, [spec])
    demand_start(start, start_file, target)
    program = load_spec(spec, pairs, *outputs, data=data, include=include)
    program = at_stage(program, stage, earlier)
    format_of(output)
    compiled = program.compile(wanted, target=target, implications=implications)
    complain(compiled.warnings)
    _demand_cuts(compiled, cuts_as)
    beside = writers(compiled, (start, start_file), priorities, names)
    with together():
        report = compiled.write(output, names=names, map_path=map_file, cuts=cuts_as, fixed=fixed)
        for write in beside:
            write()
    _say_what_became(compiled)
    _summary(report, json)
    return DONE


def _demand_cuts(compiled: Compiled, cuts_as: CutsAs) -> None:
    if cuts_as == "rows" or any(block.cut for block in compiled.model.rows):
        return
    known = [cut.name for cut in compiled.program.spec.cuts if not is_over_separated(cut)]
    remedy = (
        f"name some: --cuts {','.join(known)}" if known else "leave it out: the spec has no cuts"
    )
    raise refused(f"--cuts-as {cuts_as} needs cuts", remedy)


def _say_what_became(compiled: Compiled) -> None:
    """What the source asks for and the target does not have."""
    if compiled.program.spec.strategy.separates:
        note("the file has the stated rows: rows are separated by solve, not by a file")
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


def _tell(text: str, warnings: Sequence[Diagnostic], output: Path | None) -> int:
    complain(warnings)
    if output is None:
        say(text.removesuffix("\n"))
    else:
        write_text(output, text if text.endswith("\n") else text + "\n")
    return DONE


# ------------------------------------------------- a start and priorities beside the model


def demand_start(start: str | None, file: Path | None, target: str) -> None:
    """Before the model is built: E902 for a start without a file, E601 for a target without such
    files."""
    if start is not None and file is None:
        raise refused("--start needs a file to write to", "add --start-file m.mst")
    if start == "none":
        raise refused("--start none leaves nothing to write to --start-file", "leave both out")
    if file is not None:
        from treemip.files.profiles import profile_named
        from treemip.files.search_hints import require_start

        require_start(profile_named(target))


def writers(
    compiled: Compiled,
    start: tuple[str | None, Path | None],
    priorities: Path | None,
    names: Names,
) -> list[Callable[[], int]]:
    """What writes the files, to be called when the model is written.

    All else that can fail is done here, so that no file is left of a command that ends with an
    error. Raises E601 where there are no priorities, and what `Compiled.start_values` does.
    """
    from treemip.files.profiles import profile_named
    from treemip.files.search_hints import require_order, write_start

    found: list[Callable[[], int]] = []
    profile = profile_named(compiled.target)
    kind, file = start
    if priorities is not None:
        require_order(compiled.model, profile)
        found.append(lambda: compiled.write_priorities(priorities, names=names))
    if file is not None:
        values, notes = compiled.start_values(kind)
        complain(notes)
        if values is not None:
            found.append(lambda: write_start(compiled.model, values, file, profile, names))
    return found


# -------------------------------------------------------------------------- scripts


def export(
    spec: Path,
    target: str,
    output: Path,
    parameter: Sequence[str] = (),
    include: Sequence[Path] = (),
    data: Path | None = None,
    stage: int | None = None,
    earlier: str | None = None,
) -> int:
    """Write a spec as a program of its own.

    A Python script over indexed sets, and its data as JSON beside it; it needs the package it is
    written for, and no treemip. For AMPL a model, its data and a run file; GNU MathProg reads
    linear models too.
    """
    from treemip.api.exporting import file_names, script_files
    from treemip.files.atomic import together

    suffix = file_names(target, "")[0]
    script = output / f"{spec.stem}{suffix}" if output.is_dir() else output
    if script.suffix != suffix:
        raise refused(
            f"'{output}' is neither a folder nor a {suffix} file",
            f"name the script: -o model{suffix}",
        )
    outputs = [script.with_name(name) for name in file_names(target, script.stem)]
    program = load_spec(spec, parameters(parameter), *outputs, data=data, include=include)
    compiled = at_stage(program, stage, earlier).compile()
    complain(compiled.warnings)
    files = script_files(compiled, target, script.stem)
    with together():
        for name, text in reversed(files.items()):
            write_text(script.with_name(name), text)
    *others, last = (str(script.with_name(name)) for name in files)
    note(visible(f"{', '.join(others)} and {last} written"))
    return DONE
