"""SCIP's solution file, from ``write solution`` or PySCIPOpt's writeBestSol.

::

    solution status: optimal solution found
    objective value:                                   21
    go_left(1,2)                                        1   (obj:3)
    ...

The first line is missing in files of PySCIPOpt; a file without solution says ``no solution
available``. Columns that are 0 are left out and their number is not stated, so a file that was cut
between two lines reads like a whole one. What can be seen is whether the listed costs and values
still add up to the objective value: see `values_by_name`. Values have 15 digits.
"""

from __future__ import annotations

import numpy as np

from treemip.core.files.solution_files import Format, SolutionFile, Text, outcome
from treemip.core.model.answer import Status

DIGITS = 15
STATUS_IS, OBJECTIVE_IS = b"solution status:", b"objective value:"
NOTHING = b"no solution available"

FOR_OBJECTIVE = (b"qmatrixvar", b"quadobjvar", b"nlobjvar")
"""The columns SCIP adds for the products in the objective of an MPS, an LP and an NL file."""

OF_INDICATOR = b"indslack_"
"""How the columns begin that SCIP adds for the indicators of an MPS or LP file, one for each."""

STATUS: dict[bytes, Status] = {
    b"optimal solution found": "optimal",
    b"gap limit reached": "gap_limit",
    b"infeasible": "infeasible",
    b"unbounded": "unbounded",
    b"infeasible or unbounded": "infeasible_or_unbounded",
    b"time limit reached": "time_limit",
    b"user interrupt": "interrupted",
    b"termination signal received": "interrupted",
    b"node limit reached": "solver_limit",
    b"total node limit reached": "solver_limit",
    b"stall node limit reached": "solver_limit",
    b"memory limit reached": "solver_limit",
    b"solution limit reached": "solver_limit",
    b"solution improvement limit reached": "solver_limit",
    b"restart limit reached": "solver_limit",
    b"primal limit reached": "solver_limit",
    b"dual limit reached": "solver_limit",
}


def _recognises(head: bytes) -> bool:
    return head.startswith((STATUS_IS, OBJECTIVE_IS, NOTHING))


def _read(text: Text) -> SolutionFile:
    if not text.data.endswith(b"\n"):
        text.fail_cut()
    at = 1 if text.line(0).startswith(STATUS_IS) else 0
    words = text.line(0).removeprefix(STATUS_IS).strip() if at else b""
    line = text.line(at)
    found = line.startswith(OBJECTIVE_IS)
    if not found and line != NOTHING:
        text.fail(at, f"expected '{OBJECTIVE_IS.decode()}' or '{NOTHING.decode()}' here")
    status, kept = outcome(STATUS.get(words), found)
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=False, digits=DIGITS)
    objective = float(text.numbers([line.removeprefix(OBJECTIVE_IS).strip()], at)[0])
    names, values, costs = _columns(text, at + 1)
    slacks = names[np.char.startswith(names, OF_INDICATOR)].tolist()
    return SolutionFile(
        text.path,
        FORMAT.name,
        status,
        complete=False,
        digits=DIGITS,
        objective=objective,
        names=names,
        values=values,
        listed=float(values @ costs),
        added=(*FOR_OBJECTIVE, *slacks),
    )


def _columns(text: Text, first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Names, values and costs of the listed columns."""
    tokens = [line.split() for line in text.lines[first:]]
    for k, token in enumerate(tokens):
        if len(token) != 3 or not token[2].startswith(b"(obj:") or not token[2].endswith(b")"):
            text.fail(first + k, "expected a column's name, its value and '(obj:cost)' here")
    values = text.numbers([token[1] for token in tokens], first)
    costs = text.numbers([token[2][5:-1] for token in tokens], first)
    names = np.array([token[0] for token in tokens], "S") if tokens else np.zeros(0, "S1")
    return names, values, costs


FORMAT = Format("SCIP", _recognises, _read)
