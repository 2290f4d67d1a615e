"""init: a first spec for a table."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from treemip.cli.console import DONE, note, write_text
from treemip.cli.outputs import demand_new, demand_writable
from treemip.core.source.diagnostic import refused
from treemip.core.source.render import visible

if TYPE_CHECKING:
    from treemip.study.init.first_spec import FirstSpec


def init(
    data: Path,
    output: Path | None = None,
    label: str | None = None,
    formulation: str | None = None,
    depth: int = 2,
    separator: str | None = None,
    treatment: str | None = None,
    outcome: str | None = None,
    propensity: str | None = None,
    randomized: bool = False,
    time: str | None = None,
    event: str | None = None,
    force: bool = False,
) -> int:
    """Write a first spec that fits a table.

    The label, the columns that are no features, the encoding and what becomes of missing values
    are chosen from the data, each with a comment that says why. The spec is compiled before it is
    written, so that it solves as it is. With --treatment and --outcome the spec has no label: its
    tree says who should be given which treatment; with --time and --event, or a formulation that
    learns from them, its tree tells early events from late ones.
    """
    from treemip.cli.trees import separator_mark
    from treemip.core.files.atomic import is_stream
    from treemip.study.init.first_spec import first_spec
    from treemip.study.init.first_spec_survival import SurvivalAsked
    from treemip.study.init.first_spec_treatments import Treatments

    if is_stream(data):
        raise refused(f"'{data}' cannot be read again by the spec", "save the table as a file")
    output = output if output is not None else Path(f"{_stem(data)}.tree")
    demand_writable([output], [data])
    stream = is_stream(output)
    demand_new(output, force or stream)
    folder = Path.cwd() if stream else output.resolve().parent
    mark = separator_mark(separator, data)
    treatments = Treatments.asked(label, treatment, outcome, propensity, randomized)
    times = SurvivalAsked(time, event)
    spec = first_spec(
        data, folder, label, formulation, depth, mark, treatments=treatments, survival=times
    )
    write_text(output, spec.text)
    if not stream:
        _tell(spec, output)
    return DONE


def _tell(spec: FirstSpec, output: Path) -> None:
    """What was written, and how to go on."""
    kind = "a number" if spec.number else f"{len(spec.classes)} classes"
    label = f"label '{spec.label}' ({kind}{f', {spec.why}' if spec.why else ''})"
    if spec.roles is not None:
        label = spec.roles.told(spec.classes)
    note(visible(f"{output}: {label}, {formulation_text(spec)}"))
    note_unlabelled(spec)
    solve = f"treemip solve {quote(str(output))} -o {quote(str(output.with_suffix('.json')))}"
    note(f"next: {visible(solve)}")


def formulation_text(spec: FirstSpec) -> str:
    """The formulation that was taken, and why not one that comes first."""
    why = f", since {spec.passed_over}" if spec.passed_over else ""
    return f"formulation {spec.formulation}{why}"


def note_unlabelled(spec: FirstSpec) -> None:
    """How many rows of the table the spec leaves out, if any."""
    count = spec.unlabelled
    if count:
        missing = "no label" if spec.roles is None else spec.roles.gaps
        rows = f"{count} rows have" if count > 1 else "1 row has"
        note(f"note: {rows} {missing} and {'are' if count > 1 else 'is'} left out")


def _stem(data: Path) -> str:
    """The file's name without its suffixes, in the current folder."""
    name = data.name
    for suffix in (".gz", ".csv", ".tsv", ".tab", ".txt", ".data", ".parquet", ".pq"):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            name = name[: -len(suffix)]
    return name
