"""export: a spec as a script for a modelling package, with its data beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treemip.cli.console import (
    DONE,
    complain,
    load_spec,
    note,
    parameters,
    refuse,
    writable,
    write_text,
)
from treemip.cli.options import Parameters, SpecFile


def export(
    spec: SpecFile,
    target: Annotated[
        str, typer.Option("--to", help="pyomo, gurobipy, pyscipopt or cvxpy.", metavar="PACKAGE")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The script, .py, or a folder for it.")
    ],
    parameter: Parameters = None,
) -> int:
    """Write a spec as a program of its own.

    A Python script over indexed sets, and its data as JSON beside it; it needs the package it is
    written for, and no treemip.
    """
    script = output / f"{spec.stem}.py" if output.is_dir() else output
    if script.suffix != ".py":
        raise refuse(f"'{output}' is no folder and no .py file", "name the script: -o model.py")
    data = script.with_name(f"{script.stem}_data.json")
    for path in (script, data):
        writable(path)
    compiled = load_spec(spec, parameters(parameter or [])).compile()
    complain(compiled.warnings)
    program, known = compiled.to_script(target, script.name)
    write_text(data, known)
    write_text(script, program)
    note(f"{script} and {data} written")
    return DONE
