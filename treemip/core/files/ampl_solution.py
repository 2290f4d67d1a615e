"""The .sol file that solvers write for AMPL's NL files.

::

    a message, of some lines

    Options
    3
    1
    1
    0
    5
    5
    9
    9
    (dual values, then primal ones)
    objno 0 0

After the options come the numbers of constraints, of dual values, of variables and of their
values; ``objno`` has the result as a number. Columns have no names and stand in the NL file's
order, which is not the model's: the names are taken from the .col file beside it.
Gay, Writing .nl files (2005), and Hooking your solver to AMPL (1997), section "Returning a
solution".
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.core.files.solution_files import NO_NAMES, Format, SolutionFile, Text, outcome
from treemip.core.model.answer import Status
from treemip.core.source.reading import read_bytes

DIGITS = 15
OPTIONS = b"Options"
RESULT = b"objno"
FEW, TOLERANCE_FOLLOWS = 4, 2
"""More than four options: two of them were not counted, and a tolerance follows the numbers."""

RANGES: tuple[tuple[int, Status], ...] = (
    (100, "optimal"),
    (200, "feasible"),  # solved, with doubts
    (300, "infeasible"),
    (400, "unbounded"),
    (500, "solver_limit"),
)
"""Results below each number, from the number before on; the rest are failures."""


def _recognises(head: bytes) -> bool:
    lines = head.replace(b"\r\n", b"\n").split(b"\n")
    if OPTIONS not in lines:
        return False
    at = lines.index(OPTIONS)
    return lines[at + 1 : at + 2] != [] and lines[at + 1].strip().isdigit()


def _read(text: Text) -> SolutionFile:
    at = text.lines.index(OPTIONS) + 1
    count = _whole(text, at)
    many = count > FEW
    at += 1 + (count - TOLERANCE_FOLLOWS if many else count)
    sizes = [_whole(text, at + k) for k in range(4)]
    at += 4 + many
    _, duals, columns, listed = sizes
    end = at + duals + listed
    result = _result(text, end)
    if listed not in (0, columns):
        text.fail(at, f"the file has {listed} values for {columns} variables")
    said: Status = next((status for below, status in RANGES if result < below), "no_solution")
    status, kept = outcome(said, listed == columns)
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    first = at + duals
    values = text.numbers([line.strip() for line in text.lines[first:end]], first)
    names = _names(Path(text.path).with_suffix(".col"), columns)
    # Not complete: an NL file leaves out columns that no row and no cost mentions.
    return SolutionFile(text.path, FORMAT.name, status, False, DIGITS, None, names, values)


def _whole(text: Text, number: int) -> int:
    return text.whole(text.line(number).strip(), number)


def _result(text: Text, number: int) -> int:
    words = text.line(number).split()
    if words[:1] != [RESULT] or len(words) != 3:
        text.fail(number, "expected 'objno', the objective's number and the result here")
    return text.whole(words[2], number)


def _names(path: Path, columns: int) -> np.ndarray | None:
    """The lines of the .col file; None when it is not there or belongs to another model."""
    try:
        names = read_bytes(path).split()
    except OSError:
        return None
    if len(names) != columns:
        return None
    return np.array(names, "S") if names else NO_NAMES


FORMAT = Format("AMPL", _recognises, _read)
