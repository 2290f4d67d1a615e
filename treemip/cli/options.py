"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

import typer

from treemip.cli.console import refuse


class Way(Enum):
    big_m = "big_m"
    indicator = "indicator"
    sos1 = "sos1"


SpecFile = Annotated[Path, typer.Argument(metavar="SPEC", help="A .tree file.")]
TreeFile = Annotated[
    Path, typer.Argument(metavar="TREE", help="A tree.json that `solve` or `decode` wrote.")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "-p",
        metavar="NAME=VALUE",
        help="Give a parameter another value; stronger than the text. May be repeated.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="The file to write.")]
Target = Annotated[
    str, typer.Option("--for", metavar="SOLVER", help="Whose reader the model's file is for.")
]
Implied = Annotated[
    Way | None,
    typer.Option(
        "--implications", help="All implications by this, whatever the spec says of them."
    ),
]
Separator = Annotated[
    str | None, typer.Option(help="What parts the cells; a tab is \\t. Comma without it.")
]


def way_of(given: Way | None) -> Literal["big_m", "indicator", "sos1"] | None:
    """The word of `--implications`."""
    return given.value if given is not None else None


def separator_mark(given: str | None, data: Path) -> str | None:
    """The one character that `--separator` means for a data file. Raises E902."""
    from treemip.resolve.settings.data_spec import is_parquet

    if given is not None and is_parquet(data.name):
        raise refuse(f"--separator means nothing for '{data.name}', a Parquet file", "leave it out")
    mark = "\t" if given in ("\\t", "tab") else given
    if mark is not None and len(mark) != 1:
        raise refuse(f"'{given}' is no separator", "give one character, or \\t")
    return mark


def options_given(context: typer.Context) -> list[str]:
    """The options that stand on the command line, each by its long name where it has one."""
    return [
        parameter.opts[-1]
        for parameter in context.command.params
        if parameter.param_type_name == "option"
        and (source := context.get_parameter_source(parameter.name or "")) is not None
        and source.name == "COMMANDLINE"
    ]
