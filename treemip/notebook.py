"""Cells of treemip in a notebook: `%load_ext treemip`, then

    %%treemip result --time-limit 60 -p eps=0.01
    data "iris.csv" { label class; }
    ...

solves the spec in the cell, shows the result and keeps it in the variable `result`. A cell that
fails raises `CellError`, so that a run of the whole notebook stops, and leaves no earlier result in
its variable.
"""

from __future__ import annotations

import shlex
import sys
from argparse import SUPPRESS, ArgumentError, ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treemip.api.program import Program, loads
from treemip.api.result import Result
from treemip.model.answer import OnProgress, Progress
from treemip.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.source.render import render_all

HELP = "see %treemip --help"
NAME = "result"
"""The variable of a cell that names none."""


class CellError(TreemipError):
    """What is wrong with a cell, which IPython shows as the command line does: the messages without
    a traceback, whose lines would all be treemip's."""

    def _render_traceback_(self) -> list[str]:
        return render_all(self.diagnostics, False).splitlines()


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext treemip` calls."""

    def treemip(line: str, cell: str = "") -> Any:
        """Solve the spec in the cell; `%treemip --help` lists the options."""
        return solve_cell(shell.user_ns, line, cell)

    # A line too: IPython runs no cell without a spec, such as `%%treemip --help` alone.
    shell.register_magic_function(treemip, "line_cell", "treemip")


def solve_cell(names: dict[str, Any], line: str, cell: str) -> Any:
    """The result of the spec in a cell, which becomes a variable in `names`, the notebook's own.

    cell: empty where `%treemip` is a line. With `--check`, the `Program` without solving. Raises
    CellError; the variable then holds no result of an earlier run, and where this run has ended
    without a solution, its result, which tells more.
    """
    try:
        asked = _options(line)
    except TreemipError as error:
        first = (line.split() or [NAME])[0]
        _forget(names, first if first.isidentifier() else NAME)
        raise CellError(error.diagnostics) from None
    if asked is None:
        print(_parser().format_help())
        return None
    _forget(names, asked.name)
    try:
        value = _value(names, asked, cell)
    except TreemipError as error:
        raise CellError(error.diagnostics) from None
    names[asked.name] = value
    if isinstance(value, Result) and value.answer.values is None:
        raise CellError(_without_solution(value, asked.name))
    return value


def _without_solution(result: Result, name: str) -> Diagnostic:
    """E605, and where more is to be learned."""
    why = f"; {result.answer.message}" if result.answer.message else ""
    message = f"the solve ended without a solution: {result.status.replace('_', ' ')}{why}"
    remedy = "raise --time-limit, or take a smaller tree"
    if "infeasible" in result.status:
        remedy = f"{name}.compiled.diagnose() names the requirements that exclude each other"
    return Diagnostic.outside("E605", message, remedy)


def _forget(names: dict[str, Any], variable: str) -> None:
    """Remove what an earlier run of the cell left; another value, such as a table, stays."""
    if isinstance(names.get(variable), Program | Result):
        del names[variable]


def _value(names: dict[str, Any], asked: Namespace, cell: str) -> Any:
    data = None
    if not cell.strip():
        raise refused("there is no spec to solve", "write %%treemip and the spec below it")
    if asked.data is not None:
        if asked.data not in names:
            raise refused(f"the notebook has no variable '{asked.data}'", "define it first")
        data = names[asked.data]
    program = loads(cell, data=data, parameters=_parameters(asked.parameter))
    if asked.check:
        return program
    with progress_shown() as shown:
        return program.compile().solve(
            asked.solver, time_limit=asked.time_limit, on_progress=shown, on_interrupt="keep"
        )


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="%%treemip",
        usage="%%%%treemip [NAME] [OPTIONS]",
        exit_on_error=False,
        add_help=False,
        allow_abbrev=False,
    )
    parser.add_argument("name", nargs="?", default=NAME, help="the variable for the result")
    parser.add_argument("--data", metavar="NAME", help="a variable with the table")
    parser.add_argument("--solver", metavar="NAME")
    parser.add_argument("--time-limit", metavar="SECONDS", type=float)
    parser.add_argument("-p", dest="parameter", metavar="NAME=VALUE", action="append", default=[])
    parser.add_argument("--check", action="store_true", help="resolve the spec and do not solve it")
    parser.add_argument("--help", action="store_true", help=SUPPRESS)
    return parser


def _options(line: str) -> Namespace | None:
    """What stands behind %%treemip; None where help is asked for. Raises E902."""
    try:
        asked, rest = _parser().parse_known_args(shlex.split(line))
    except ArgumentError as error:
        raise refused(str(error), HELP) from None
    except ValueError as error:
        raise refused(f"'{line}' cannot be read: {error}", HELP) from None
    if asked.help:
        return None
    if rest:
        raise refused(f"no such option: {rest[0]}", HELP)
    if not asked.name.isidentifier():
        raise refused(f"'{asked.name}' cannot be the name of a variable", HELP)
    return asked


def _parameters(given: list[str]) -> dict[str, str]:
    parted = [text.partition("=") for text in given]
    for name, equals, value in parted:
        if not (name and equals and value):
            text = f"{name}{equals}{value}"
            raise refused(f"'-p {text}' is not a parameter with a value", "write -p name=value")
    return {name: value for name, _, value in parted}


# ------------------------------------------------------------------------ progress


@contextmanager
def progress_shown() -> Iterator[OnProgress]:
    """A callback for `on_progress` that shows the progress of a solve: in a bar of tqdm where it is
    installed, else as a line on stderr for each better solution.

    The bar is text: tqdm's own for notebooks needs ipywidgets, warns where these are missing, and
    leaves their state in the saved notebook.
    """
    try:
        from tqdm import tqdm
    except ImportError:
        yield Lines()
        return
    with tqdm(bar_format="{desc} {elapsed}", leave=False) as bar:
        yield lambda progress: bar.set_description_str(progress_text(progress))


class Lines:
    """Progress as plain text: a line for a new stage and for a better objective."""

    def __init__(self) -> None:
        self.last: tuple[str, float | None] | None = None

    def __call__(self, progress: Progress) -> None:
        here = progress.stage, progress.objective
        if here != self.last:
            self.last = here
            print(f"{progress.seconds:6.1f} s  {progress_text(progress)}", file=sys.stderr)


def progress_text(progress: Progress) -> str:
    """`scip: objective 12, bound 8, gap 33 %`"""
    known = [
        f"{name} {value:.6g}"
        for name, value in (("objective", progress.objective), ("bound", progress.bound))
        if value is not None
    ]
    known += [f"gap {100 * progress.gap:.3g} %"] if progress.gap is not None else []
    stage = progress.stage or "solving"
    return f"{stage}: {', '.join(known)}" if known else stage
