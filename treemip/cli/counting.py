"""count: equal rows of tables of any size as one, with their number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from treemip.cli.console import DONE, note, write_text
from treemip.cli.outputs import demand_new, demand_writable
from treemip.core.files.atomic import is_stream, together
from treemip.core.source.diagnostic import refused
from treemip.core.source.render import visible

if TYPE_CHECKING:
    from treemip.study.counting.counted import Counted


def count(
    data: Sequence[Path],
    label: str,
    output: Path,
    use: Sequence[str] = (),
    drop: Sequence[str] = (),
    weight: str | None = None,
    bins: int = 8,
    missing: Sequence[str] = (),
    separator: str | None = None,
    jobs: int = 1,
    backend: str | None = None,
    force: bool = False,
) -> int:
    """Count equal rows of tables of any size.

    Numbers are put in bins first. The files are read some rows at a time, so that memory holds no
    more than the kinds of rows. A spec for the counted table is written beside it; its trees are
    those of the rows themselves.
    """
    from treemip.cli.prediction_files import write_predictions
    from treemip.cli.streaming import Batch
    from treemip.cli.trees import separator_mark
    from treemip.study.counting.counted import Asked, counted

    spec = output.with_suffix(".tree")
    _demand_files(data, output, spec, force)
    mark = separator_mark(separator, data[0])
    asked = Asked(label, tuple(use), tuple(drop), weight, bins, mark, tuple(missing))
    found = counted(data, asked, jobs, backend)
    text = found.text(output.name, ", ".join(each.name or str(each) for each in data))
    with together():
        write_predictions(output, iter([Batch(found.columns, None)]))
        write_text(spec, text)
    _tell(found, output, spec)
    return DONE


def _demand_files(data: Sequence[Path], output: Path, spec: Path, force: bool) -> None:
    """E902 for tables that cannot be read twice and for names that mean something else, E603 for
    what cannot be written."""
    from treemip.cli.prediction_files import demand_format
    from treemip.study.counting.counted import files_of

    stream = next((each for each in (*data, output) if is_stream(each)), None)
    if stream is not None:
        raise refused(f"'{stream}' is a pipe, and the tables are read twice", "name a file")
    if spec == output:
        raise refused(f"'{output}' is the name of a spec", "name a table, as counted.parquet")
    inside = next((f for f in data if f.is_dir() and _is_in(output, f)), None)
    if inside is not None:
        message = f"'{output}' would be counted with the tables of '{inside}' the next time"
        raise refused(message, "write it to another folder with -o")
    demand_format(output, "counted tables are")
    demand_writable([output, spec], files_of(data))
    for path in (output, spec):
        demand_new(path, force)


def _tell(found: Counted, output: Path, spec: Path) -> None:
    """What was counted, what was left out, and how to go on."""
    note(visible(f"{output}: {found.kinds:,} kinds of {found.rows:,} rows"))
    if found.dropped:
        note(visible(f"left out, with a single value or nearly so: {', '.join(found.dropped)}"))
    if found.unlabelled:
        rows = "1 row" if found.unlabelled == 1 else f"{found.unlabelled:,} rows"
        note(f"left out, without a label: {rows}")
    solve = f"treemip solve {quote(str(spec))} -o {quote(str(spec.with_suffix('.json')))}"
    note(f"next: {visible(solve)}")


def _is_in(path: Path, folder: Path) -> bool:
    return folder.resolve() in path.resolve().parents
