"""MOSEK's solution files: .int of integer models, .bas and .sol of linear ones.

::

    NAME                : sample
    PROBLEM STATUS      : PRIMAL_FEASIBLE
    SOLUTION STATUS     : INTEGER_OPTIMAL
    OBJECTIVE NAME      : gain
    PRIMAL OBJECTIVE    : -39.812571428571

    CONSTRAINTS
    INDEX      NAME          AT ACTIVITY       LOWER LIMIT        UPPER LIMIT
    ...

    VARIABLES
    INDEX      NAME          AT ACTIVITY       LOWER LIMIT        UPPER LIMIT
    0          go_left(12,1) BS 1              0                  1

Every column is listed, in 14 digits, numbered from 0, but their number is not stated: a cut
shows when the names are compared with the model's.
https://docs.mosek.com/latest/toolbox/sol-format.html
"""

from __future__ import annotations

from treemip.model.answer import Status
from treemip.read.solution import Format, SolutionFile, Text, named_values, outcome

DIGITS = 14
PROBLEM, SOLUTION = b"PROBLEM STATUS", b"SOLUTION STATUS"
OBJECTIVE = b"PRIMAL OBJECTIVE"
VARIABLES = b"VARIABLES"

STATUS: dict[bytes, Status] = {
    b"OPTIMAL": "optimal",
    b"INTEGER_OPTIMAL": "optimal",
    b"PRIMAL_FEASIBLE": "feasible",
    b"PRIMAL_AND_DUAL_FEASIBLE": "feasible",
}
"""Solution statuses with a point that is feasible."""

NONE: dict[bytes, Status] = {
    b"PRIMAL_INFEASIBLE": "infeasible",
    b"PRIMAL_AND_DUAL_INFEASIBLE": "infeasible",
    b"DUAL_INFEASIBLE": "unbounded",
    b"PRIMAL_INFEASIBLE_OR_UNBOUNDED": "infeasible_or_unbounded",
}
"""Problem statuses of models without solution."""


def _recognises(head: bytes) -> bool:
    lines = head.splitlines()
    return len(lines) > 2 and lines[1].startswith(PROBLEM) and lines[2].startswith(SOLUTION)


def _read(text: Text) -> SolutionFile:
    text.demand_line_end()
    problem, solution = _said(text, 1, PROBLEM), _said(text, 2, SOLUTION)
    status, kept = outcome(
        STATUS.get(solution, NONE.get(problem, "no_solution")), solution in STATUS
    )
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    objective = float(text.numbers([_said(text, 4, OBJECTIVE)], 4)[0])
    if VARIABLES not in text.lines:
        text.fail_cut()
    first = text.lines.index(VARIABLES) + 2
    head = text.line(first - 1).split()
    wide = b"DUAL" in head  # linear models have two columns of multipliers
    filled = [number for number in range(first, len(text.lines)) if text.lines[number].strip()]
    stop = filled[-1] + 1 if filled else first
    for number in range(first, stop):
        if text.lines[number].split()[:1] != [b"%d" % (number - first)]:
            text.fail(number, f"expected variable {number - first} here")
    names, values = named_values(
        text, first, stop, 8 if wide else 6, 1, 3, "a variable with its limits"
    )
    return SolutionFile(text.path, FORMAT.name, status, True, DIGITS, objective, names, values)


def _said(text: Text, number: int, label: bytes) -> bytes:
    words, _, value = text.line(number).partition(b":")
    if words.strip() != label:
        text.fail(number, f"expected '{label.decode()}' here")
    return value.strip()


FORMAT = Format("MOSEK", _recognises, _read)
