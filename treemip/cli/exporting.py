"""export: a spec as a script for a modelling package, with its data beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treemip.cli.console import DONE, complain, load_spec, note, parameters, refuse, write_text
from treemip.cli.options import Parameters, SpecFile
from treemip.source.render import visible


def export(
    spec: SpecFile,
    target: Annotated[
        str,
        typer.Option("--to", help="ampl, cvxpy, gurobipy, pyomo or pyscipopt.", metavar="TARGET"),
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="The script, .py or .mod for AMPL, or a folder."),
    ],
    parameter: Parameters = None,
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
        raise refuse(
            f"'{output}' is no folder and no {suffix} file", f"name the script: -o model{suffix}"
        )
    outputs = [script.with_name(name) for name in file_names(target, script.stem)]
    compiled = load_spec(spec, parameters(parameter or []), *outputs).compile()
    complain(compiled.warnings)
    files = script_files(compiled, target, script.stem)
    with together():
        for name, text in reversed(files.items()):
            write_text(script.with_name(name), text)
    *others, last = (str(script.with_name(name)) for name in files)
    note(visible(f"{', '.join(others)} and {last} written"))
    return DONE
