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


def separator_mark(given: str | None) -> str | None:
    """The one character that `--separator` means. Raises E902."""
    mark = "\t" if given in ("\\t", "tab") else given
    if mark is not None and len(mark) != 1:
        raise refuse(f"'{given}' is no separator", "give one character, or \\t")
    return mark
