"""explain, stats: what a spec becomes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from treemip.cli.console import (
    DONE,
    complain,
    load_spec,
    parameters,
    refuse,
    say,
    say_json,
    table,
    write_text,
)
from treemip.cli.options import AsJson, Output, Parameters, SpecFile

SUFFIXES = {
    ".txt": "text",
    "": "text",
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".tex": "latex",
}


def explain(
    spec: SpecFile,
    output: Output = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", help="text, md, html or latex; without it the output's suffix tells."
        ),
    ] = None,
    parameter: Parameters = None,
) -> int:
    """Say what a spec states and becomes.

    Its objective, variables, rows and reformulations: as text that quotes the spec, or as
    mathematics in the paper's symbols, for LaTeX, a browser or Markdown.
    """
    from treemip.api.explain import FORMATS
    from treemip.api.explain import explain as explained

    if format_ is not None and format_ not in FORMATS:
        raise refuse(f"unknown format '{format_}'", f"one of {', '.join(FORMATS)}")
    program = load_spec(spec, parameters(parameter or []), output)
    chosen = format_ if format_ is not None else _by_suffix(output)
    compiled = program.compile()
    complain(compiled.warnings)
    text = explained(compiled, chosen, spec.stem)
    if output is None:
        say(text)
    else:
        write_text(output, text.rstrip("\n") + "\n")
    return DONE


def _by_suffix(output: Path | None) -> str:
    """The format of the output's suffix; text for none. Raises E902 for one of no format."""
    suffix = output.suffix.lower() if output else ""
    if suffix not in SUFFIXES:
        known = ", ".join(each for each in SUFFIXES if each)
        message = f"no format is known by the suffix of '{output}'"
        raise refuse(message, f"use one of {known}, or say --format")
    return SUFFIXES[suffix]


def stats(
    spec: SpecFile,
    bound: Annotated[
        bool, typer.Option("--bound", help="Solve the continuous relaxation for its bound.")
    ] = False,
    parameter: Parameters = None,
    json: AsJson = False,
) -> int:
    """Sizes of the compiled model.

    In all and by family, with the ranges of coefficients and of the big-M numbers, the
    parameters without indices, and what is known of the VC dimension.
    """
    compiled = load_spec(spec, parameters(parameter or [])).compile()
    complain(compiled.warnings)
    found = compiled.stats(relaxation=bound)
    if json:
        say_json(found)
        return DONE
    print(table([(name.replace("_", " "), text) for name, text in _plain(found)]))
    for part, title in PARTS.items():
        if lines := [_line(*one) for one in found.get(part, {}).items() if not _is_empty(one[1])]:
            print(f"\n{title}")
            print(table(lines))
    return DONE


PARTS = {
    "variables": "variables",
    "constraints": "constraints",
    "big_m": "big-m",
    "parameters": "parameters",
    "vc_dimension": "VC dimension",
}


def _is_empty(value: Any) -> bool:
    """A family without members, such as one over categorical features where there are none."""
    return isinstance(value, dict) and value.get("columns") == 0


def _line(name: str, value: Any) -> tuple[str, ...]:
    """A name with its number or range, and with what else is known of it."""
    if not isinstance(value, dict):
        return f"  {name}", _range(value), ""
    number, more = value.values()
    return f"  {name}", _range(number), str(more)


def _plain(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(k, _range(v)) for k, v in found.items() if not isinstance(v, dict)]


def _range(value: Any) -> str:
    """A number, `least .. greatest`, or "none"."""
    if value is None:
        return "none"
    if isinstance(value, list):
        low, high = value
        return f"{low:.10g}" if low == high else f"{low:.10g} .. {high:.10g}"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
