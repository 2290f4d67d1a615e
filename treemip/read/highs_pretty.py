"""HiGHS's table of columns and rows (`write_solution_style` 1).

::

    Columns
        Index Status        Lower        Upper       Primal         Dual  Type        Name
            0                   0            4            4               Integer     x1
    Rows
        Index ...

    Model status: Optimal

    Objective value: 21

Values have 6 significant digits only. The rows and the two lines at the end must be there, and
the columns be numbered from 0, so a file that was cut is found out. Whether values violate rows
is not said: those of a linear model count as a solution only when it was solved to optimality.
"""

from __future__ import annotations

import numpy as np

from treemip.read.highs_status import STATUS
from treemip.read.solution import Format, SolutionFile, Text, outcome

DIGITS = 6
MODEL_STATUS, OBJECTIVE = b"Model status: ", b"Objective value: "


def _recognises(head: bytes) -> bool:
    first, _, rest = head.replace(b"\r\n", b"\n").partition(b"\n")
    return first == b"Columns" and rest.split()[:2] == [b"Index", b"Status"]


def _read(text: Text) -> SolutionFile:
    try:
        stop = text.lines.index(b"Rows")
    except ValueError:
        text.fail_cut()
    words, objective_line = _ending(text, stop)
    names, cells, integer = _table(text, stop)
    valued = [cell != b"" for cell in cells]
    found = any(valued) or not cells
    status, kept = outcome(STATUS.get(words), found and (integer or words == b"Optimal"))
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    if not all(valued):
        text.fail(2 + valued.index(False), "this column has no value, others have")
    values = text.numbers(cells, 2)
    value = text.line(objective_line).removeprefix(OBJECTIVE)
    objective = float(text.numbers([value], objective_line)[0])
    return SolutionFile(
        text.path, FORMAT.name, status, True, DIGITS, objective, np.array(names, "S"), values
    )


def _ending(text: Text, start: int) -> tuple[bytes, int]:
    """The model's status, and the line of the objective, which come after all rows."""
    for number in range(start, len(text.lines)):
        if text.lines[number].startswith(MODEL_STATUS):
            if not text.line(number + 2).startswith(OBJECTIVE):
                text.fail(number + 2, f"expected '{OBJECTIVE.decode().strip()}' here")
            return text.lines[number].removeprefix(MODEL_STATUS), number + 2
    text.fail_cut()


def _table(text: Text, stop: int) -> tuple[list[bytes], list[bytes], bool]:
    """Names and values of the columns, a value empty where none is printed; any integer?"""
    header = text.line(1)
    edges = [header.find(word) + len(word) for word in (b"Upper", b"Primal", b"Dual")]
    if min(edges) < 6:
        text.fail(1, "expected the headings Upper, Primal and Dual here")
    above, primal, dual = edges
    typed = b" Type " in header  # a linear model's table has no such column
    names, cells, integer = [], [], False
    for number in range(2, stop):
        line = text.lines[number]
        fields = line.split()
        if len(fields) < 4 or fields[0] != b"%d" % (number - 2) or line[above : above + 1] != b" ":
            text.fail(number, f"expected column {number - 2} of the table here")
        names.append(fields[-1])
        cells.append(line[above:primal].strip())
        integer = integer or (typed and line[dual:].split()[:1] != [b"Continuous"])
    return names, cells, integer


FORMAT = Format("HiGHS table", _recognises, _read)
