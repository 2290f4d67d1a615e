"""Gurobi's solution file, ``ResultFile=x.sol``, and its start, ``x.mst``.

::

    # Solution for model sample
    # Objective value = -3.9812571428571431e+01
    go_left(12,1) 1
    ...

Every column is listed, in 17 digits, but neither their number nor a status is stated: a cut
shows when the names are compared with the model's, and "optimal" is in the log or in the JSON
file (gurobi_json.py). An unbounded model's file has values near 1e30.
"""

from __future__ import annotations

from treemip.read.solution import Format, SolutionFile, Text, named_values

DIGITS = 17
SOLUTION, START = b"# Solution for model", b"# MIP start"
OBJECTIVE_IS = b"# Objective value = "
HUGE = 1e20


def _recognises(head: bytes) -> bool:
    return head.startswith((SOLUTION, START, OBJECTIVE_IS))


def _read(text: Text) -> SolutionFile:
    text.demand_line_end()
    first = next((k for k, line in enumerate(text.lines) if not line.startswith(b"#")), None)
    first = len(text.lines) if first is None else first
    objective = None
    for number in range(first):
        if text.lines[number].startswith(OBJECTIVE_IS):
            value = text.lines[number].removeprefix(OBJECTIVE_IS).strip()
            objective = float(text.numbers([value], number)[0])
    if objective is None and text.line(0).startswith(SOLUTION):
        text.fail_cut()
    if objective is not None and abs(objective) >= HUGE:
        return SolutionFile(text.path, FORMAT.name, "unbounded", complete=True, digits=DIGITS)
    names, values = named_values(text, first, len(text.lines), 2, 0, 1, "a column's name and value")
    return SolutionFile(text.path, FORMAT.name, "feasible", True, DIGITS, objective, names, values)


FORMAT = Format("Gurobi", _recognises, _read)
