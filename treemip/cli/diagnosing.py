"""diagnose: why a spec has no solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treemip.cli.console import (
    DONE,
    NO_SOLUTION,
    complain,
    load_spec,
    note,
    parameters,
    say,
    say_json,
)
from treemip.cli.options import AsJson, Parameters, SpecFile

if TYPE_CHECKING:
    import numpy as np

    from treemip.model.blocks import Rows
    from treemip.strategy.conflict import Conflict

SHOWN = 10  # rows of a family
NO_SOLUTION_SAID = (
    "there is no solution: these rows, with the bounds of the variables, exclude each other"
)


def diagnose(
    spec: SpecFile,
    time_limit: Annotated[float, typer.Option(help="Seconds of wall clock.")] = 60.0,
    parameter: Parameters = None,
    json: AsJson = False,
) -> int:
    """Say which rows of a spec without solution contradict each other.

    Leaving any of them out gives the others a solution, unless the time was over before that was
    sure.
    """
    compiled = load_spec(spec, parameters(parameter or [])).compile()
    complain(compiled.warnings)
    found = compiled.diagnose(time_limit)
    if json:
        say_json(_as_json(found))
    elif found.feasible is False:
        say(_text(found))
    elif found.feasible:
        print("there is a solution")
    if found.feasible is None:
        note("the time was over before a solution, or a proof that there is none")
        return NO_SOLUTION
    return DONE


def _text(found: Conflict) -> str:
    said: dict[str, list[str]] = {}
    for block, rows in found.rows:
        text = " ".join(block.span.text.split()) if block.span else block.name
        said.setdefault(f"{block.span or block.name}: {text}", []).extend(_rows_said(block, rows))
    lines = [NO_SOLUTION_SAID]
    for head, places in said.items():
        lines += ["", head, *places]
    if not found.irreducible:
        lines += ["", "the time was over, so some of them may not be needed"]
    return "\n".join(lines)


def _rows_said(block: Rows, rows: np.ndarray) -> list[str]:
    """The rows of a block by their indices; of products, which are only numbered, how many."""
    if block.made_by == "product":
        return [f"  with {len(rows)} of the rows '{block.name}' that state its products"]
    places = [", ".join(f"{n} = {v}" for n, v in place.items()) for place in _places(block, rows)]
    lines = [f"  for {place}" for place in places[:SHOWN] if place]
    return lines + ([f"  and {len(places) - SHOWN} more"] if len(places) > SHOWN else [])


def _as_json(found: Conflict) -> dict[str, Any]:
    return {
        "feasible": found.feasible,
        "irreducible": found.irreducible,
        "rows": [
            {
                "family": block.name,
                "place": str(block.span) if block.span else None,
                "indices": _places(block, rows),
            }
            for block, rows in found.rows
        ],
    }


def _places(block: Rows, rows: np.ndarray) -> list[dict[str, str]]:
    """The indices of some rows of a block, each by its name."""
    from treemip.model.text import label

    columns = [[label(v) for v in column[rows].tolist()] for column in block.index.columns]
    names = block.index.names
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] or [{}]
