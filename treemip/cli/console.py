"""What the commands say: results on stdout, messages on stderr, and the exit codes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.source.diagnostic import Diagnostic, refused
from treemip.source.render import render_all, visible, visible_lines

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.source.span import Source

DONE, NOT_VERIFIED, BAD_INPUT, NO_SOLUTION, IN_PART, INTERRUPTED = 0, 1, 2, 3, 4, 130

EXIT_CODES = """\
Exit codes:
  0    done
  1    the tree is not verified, or a solution was found that gives no tree;
       with `fmt --check`, a file is not in layout
  2    bad input: the messages on stderr say what, where and how to fix it
  3    no solution: infeasible, unbounded, or a limit came before the first one
  4    the tree is verified in part: the rest has no meaning on the tree
  130  interrupted before anything was found"""


def coloured() -> bool:
    """Whether messages are coloured: on a terminal, unless NO_COLOR is set."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


def complain(diagnostics: Iterable[Diagnostic]) -> None:
    """Errors and warnings on stderr, where they stand in the text."""
    text = render_all(diagnostics, coloured())
    if text:
        note(text)


def note(text: str) -> None:
    """A line about the run itself, which is no part of the result.

    Whether it can be read anywhere, or the disk is full, changes neither the run nor its exit code.
    """
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Text with names of users' files in it, which cannot move the cursor."""
    print(visible_lines(text))


def say_json(said: Any) -> None:
    print(json.dumps(said, indent=1, allow_nan=False))


def parameters(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`name=value` texts as pairs. Raises E902, also for a name with two values."""
    pairs: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise refused(
                f"'-p {text}' is not a parameter with a value", "write it as -p name=value"
            )
        name, value = name.strip(), value.strip()
        if pairs.setdefault(name, value) != value:
            raise refused(
                f"-p sets '{name}' twice: {pairs[name]} and {value}", "keep one of the two"
            )
    return tuple(pairs.items())


def load_spec(
    path: Path,
    given: tuple[tuple[str, str], ...],
    *outputs: Path | None,
    others_read: Sequence[Path] = (),
    data: Path | None = None,
    include: Sequence[Path] = (),
) -> Program:
    """A spec with parameters by name; unlike keywords these may be called `data`.

    outputs: every file that the command will write. others_read: files that it reads beside the
    spec's. data: the table to use in place of the spec's. include: folders to look for modules in.
    Raises what `demand_writable` does where an output is one that is read.
    """
    from treemip.api.program import Program
    from treemip.cli.outputs import demand_writable, files_read
    from treemip.resolve.module_files import module_folders

    demand_writable(outputs, [path, *others_read])
    base = path.resolve().parent
    modules = module_folders(base, include)
    program = Program(read_spec(path), given, base, data_file=data, modules=modules)
    demand_writable(outputs, files_read(path, program.file, program.spec.modules))
    return program


def at_stage(program: Program, stage: int | None, earlier: str | None) -> Program:
    """The program of one of several objectives, as --stage and --earlier name it. Raises E902, and
    E218 for several objectives of which none is named."""
    if stage is None:
        if earlier is not None:
            raise refused(
                "--earlier has the values of the objectives before --stage", "add --stage"
            )
        stated = program.spec.objective
        if stated is not None and stated.then:
            from treemip.lower.lower import several_objectives

            raise several_objectives(stated.span)
        return program
    texts = [text.strip() for text in (earlier or "").split(",") if text.strip()]
    try:
        values = [float(text) for text in texts]
    except ValueError:
        raise refused(f"--earlier '{earlier}' is not numbers", "such as --earlier 12,0.5") from None
    return program.stage(stage, values)


TABLES = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".csv.gz", ".tsv.gz")


def read_spec(path: Path) -> Source:
    """The text of a spec. Raises E902 for a table, and E901."""
    from shlex import quote

    from treemip.source.span import Source

    if path.name.lower().endswith(TABLES):
        remedy = f"write a spec for it first: treemip init {quote(str(path))}"
        raise refused(f"'{path}' is a table, not a spec", remedy)
    return Source.read(path)


def write_text(path: Path, text: str) -> None:
    """The whole file or none. Raises E603."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """The whole file or none. Raises E603."""
    from treemip.files.atomic import replacing

    with replacing(path) as file:
        file.write(content)


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns of text, the last one ragged; names in it cannot move the cursor."""
    rows = [tuple(visible(cell) for cell in row) for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return "\n".join(lines)
