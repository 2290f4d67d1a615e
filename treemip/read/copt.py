"""COPT's solution file (``writesol``), and its start (``writemst``).

::

    # Objective value -39.812571428571431
    go_left(12,1)       1
    ...

Every column is listed, in 17 digits, but neither their number nor a status is stated: a cut
shows when the names are compared with the model's. Without a solution COPT writes no file.
"""

from __future__ import annotations

from treemip.read.solution import Format, SolutionFile, Text, named_values

DIGITS = 17
OBJECTIVE_IS = b"# Objective value "


def _recognises(head: bytes) -> bool:
    return head.startswith(OBJECTIVE_IS) and not head.startswith(OBJECTIVE_IS + b"=")


def _read(text: Text) -> SolutionFile:
    text.demand_line_end()
    value = text.line(0).removeprefix(OBJECTIVE_IS).strip()
    objective = float(text.numbers([value], 0)[0])
    names, values = named_values(text, 1, len(text.lines), 2, 0, 1, "a column's name and value")
    return SolutionFile(text.path, FORMAT.name, "feasible", True, DIGITS, objective, names, values)


FORMAT = Format("COPT", _recognises, _read)
