"""lp_solve, called as a program: https://lpsolve.sourceforge.net."""

from __future__ import annotations

from treemip.core.files.profiles import NOTHING_MORE, Caps
from treemip.core.files.solution_files import Format, SolutionFile, Text, named_values, outcome
from treemip.core.model.answer import Status
from treemip.core.solving.solver import Call, Solver

DIGITS = 6
OBJECTIVE_IS = b"Value of objective function:"
VARIABLES, CONSTRAINTS = b"Actual values of the variables:", b"Actual values of the constraints:"

INFINITE = 0.999e30
"""lp_solve's infinity is 1e30; a column without rows may run there and be called optimal. Costs
of other columns, and scaling, leave the objective a little below."""

STATUS: dict[bytes, Status] = {
    b"": "feasible",
    b"Suboptimal solution": "feasible",
    b"The model is sub-optimal. Only a faster solution was found.": "feasible",
    b"This problem is infeasible": "infeasible",
    b"This problem is unbounded": "unbounded",
    b"Timeout": "time_limit",
    b"User aborted": "interrupted",
    b"The B&B routine failed": "no_solution",
    b"lp_solve failed": "no_solution",
}
"""By the first words of the output. None stand before what lp_solve takes for optimal; that is not
believed, since 5.5.2.5 was seen to be wrong (tests/solvers/test_lp_solve.py has the model)."""


def _recognises(head: bytes) -> bool:
    first = head.lstrip().partition(b"\n")[0].rstrip()
    return first.startswith(OBJECTIVE_IS) or (first != b"" and first in STATUS)


def _read(text: Text) -> SolutionFile:
    """What lp_solve prints with ``-S3`` or ``-S4``; it writes no solution file.

    ::

        Value of objective function: -39.81257143

        Actual values of the variables:
        go_left(12,1)                   1
        ...

        Actual values of the constraints:
        ...

    "Suboptimal solution" stands before that when a limit came first; other words stand alone. All
    columns are listed, in 6 digits; the constraints after them tell that none is missing, so the
    variables alone (``-S2``) are not read.
    """
    text.demand_line_end()
    filled = [number for number, line in enumerate(text.lines) if line.strip()]
    at = filled[0]
    words = text.line(at).strip()
    if words.startswith(OBJECTIVE_IS):
        words = b""
    elif len(filled) > 1:
        at = filled[1]
    found = text.line(at).startswith(OBJECTIVE_IS)
    status, kept = outcome(STATUS[words], found)
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    value = text.line(at).removeprefix(OBJECTIVE_IS).strip()
    objective = float(text.numbers([value], at)[0])
    if abs(objective) >= INFINITE:
        return SolutionFile(text.path, FORMAT.name, "unbounded", complete=True, digits=DIGITS)
    first, stop = (_place(text, words) for words in (VARIABLES, CONSTRAINTS))
    while stop > first + 1 and not text.lines[stop - 1].strip():
        stop -= 1
    names, values = named_values(text, first + 1, stop, 2, 0, 1, "a variable's name and value")
    return SolutionFile(text.path, FORMAT.name, status, True, DIGITS, objective, names, values)


def _place(text: Text, words: bytes) -> int:
    """The line that begins with these words; E606 when it is missing or there twice."""
    places = [k for k, line in enumerate(text.lines) if line.startswith(words)]
    if not places:
        text.fail_cut()
    if len(places) > 1:
        text.fail(places[1], "a second solution begins here", "let lp_solve print one (without -i)")
    return places[0]


FORMAT = Format("lp_solve", _recognises, _read)


SOLVER = Solver(
    "lp_solve",
    "lp_solve",
    Caps(mps=NOTHING_MORE),  # what it calls LP is another language
    order=60,
    install="apt install lp-solve, or https://lpsolve.sourceforge.net",
    formats=(FORMAT,),
    program=Call(
        ("lp_solve",),
        ("-fmps", "{model}", "-S3", "{options}"),
        {
            "time": ("-timeout", "{whole}"),
            "gap": ("-gr", "{value}"),
            "absolute_gap": ("-ga", "{value}"),
        },
        prints=True,
    ),
    serial=True,
)
