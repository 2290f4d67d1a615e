"""GLPK, called as the program glpsol: https://www.gnu.org/software/glpk."""

from __future__ import annotations

import numpy as np

from treemip.core.files.profiles import NOTHING_MORE, Caps
from treemip.core.files.solution_files import NO_NAMES, Format, SolutionFile, Text, outcome
from treemip.core.model.answer import Status
from treemip.core.solving.solver import Call, LogPatterns, Solver

DIGITS = 6
LABELS = (b"Problem:", b"Rows:", b"Columns:", b"Non-zeros:", b"Status:", b"Objective:")
END = b"End of output"
HEADING, RULE = b"No. Column name", b"------ ------------"

STATUS: dict[bytes, Status] = {
    b"INTEGER OPTIMAL": "optimal",
    b"INTEGER NON-OPTIMAL": "feasible",
    b"INTEGER EMPTY": "infeasible",
    b"OPTIMAL": "optimal",
    b"FEASIBLE": "feasible",
    b"INFEASIBLE (FINAL)": "infeasible",
    b"UNBOUNDED": "unbounded",
}
"""The others, UNDEFINED and INFEASIBLE (INTERMEDIATE), mean that nothing was found."""


def _recognises(head: bytes) -> bool:
    lines = head.splitlines()[: len(LABELS)]
    return len(lines) == len(LABELS) and all(map(bytes.startswith, lines, LABELS))


def _read(text: Text) -> SolutionFile:
    """GLPK's printable solution, from ``glpsol -o FILE``.

    ::

        Problem:    sample
        Rows:       5
        Columns:    9 (5 integer, 3 binary)
        Non-zeros:  12
        Status:     INTEGER OPTIMAL
        Objective:  gain = -39.81257143 (MINimum)

           No.   Row name        Activity     Lower bound   Upper bound
        ------ ------------    ------------- ------------- -------------
             1 at_most(0)                  2                        2.25
        ...
           No. Column name       Activity     Lower bound   Upper bound
             1 go_left(12,1)
                            *              1             0             1
        ...
        End of output

    A name of more than 12 letters has a line of its own. The number of columns is stated, they are
    numbered, and the last line tells that the file is whole. Values have 6 digits: ``glpsol -w``
    writes all of them.
    """
    if text.lines[-1:] != [END]:
        text.fail_cut()
    words = text.line(4).removeprefix(LABELS[4]).strip()
    found = STATUS.get(words) in ("optimal", "feasible")
    status, kept = outcome(STATUS.get(words, "no_solution"), found)
    if not kept:
        return SolutionFile(text.path, TABLE.name, status, complete=True, digits=DIGITS)
    _, equals, value = text.line(5).rpartition(b" = ")
    if not equals or not value.endswith((b" (MINimum)", b" (MAXimum)")):
        text.fail(5, "expected the objective's name, value and sense here")
    objective = float(text.numbers([value[:-10]], 5)[0])
    names, values = _columns(text, _count(text))
    return SolutionFile(text.path, TABLE.name, status, True, DIGITS, objective, names, values)


def _count(text: Text) -> int:
    return text.whole(b"".join(text.line(2).removeprefix(LABELS[2]).split()[:1]), 2)


def _columns(text: Text, count: int) -> tuple[np.ndarray, np.ndarray]:
    at = next((k for k, line in enumerate(text.lines) if line.strip().startswith(HEADING)), -1)
    if at < 0 or not text.line(at + 1).startswith(RULE):
        text.fail_cut()
    linear = text.lines[at].split()[3:4] == [b"St"]
    at += 2
    names, cells, places = [], [], []
    for number in range(1, count + 1):
        words = text.line(at).split()
        if len(words) < 2 or words[0] != b"%d" % number:
            text.fail(at, f"expected column {number} here")
        if len(words) == 2:
            at += 1
            words += text.line(at).split()
        marked = linear or words[2:3] == [b"*"]
        if len(words) < 3 + marked:
            text.fail(at, f"column {number} has no value here")
        names.append(words[1])
        cells.append(words[2 + marked])
        places.append(at)
        at += 1
    if text.line(at).strip():
        text.fail(at, f"there are more than the {count} columns stated above")
    return np.array(names, "S") if names else NO_NAMES, text.numbers(cells, places)


TABLE = Format("GLPK table", _recognises, _read)


RAW_DIGITS = 15
RAW_END = b"e o f"
KINDS = {b"mip": (1, 2), b"bas": (2, 3), b"ipt": (1, 2)}
"""How many letters of status, and where a column's value stands on its line."""

RAW_STATUS: dict[tuple[bytes, ...], Status] = {
    (b"mip", b"o"): "optimal",
    (b"mip", b"f"): "feasible",
    (b"mip", b"n"): "infeasible",
    (b"bas", b"f", b"f"): "optimal",
    (b"bas", b"f", b"n"): "unbounded",
    (b"bas", b"f", b"i"): "feasible",
    (b"bas", b"f", b"u"): "feasible",
    (b"bas", b"n", b"u"): "infeasible",
    (b"bas", b"n", b"f"): "infeasible",
    (b"bas", b"n", b"n"): "infeasible",
    (b"bas", b"n", b"i"): "infeasible",
    (b"ipt", b"o"): "optimal",
    (b"ipt", b"n"): "infeasible",
}
"""Kind and letters: o optimal, f feasible, i infeasible, n none exists, u undefined; of a basic
solution the second letter is the dual's."""


def _is_raw(head: bytes) -> bool:
    return head.startswith((b"c Problem:", b"s mip ", b"s bas ", b"s ipt "))


def _read_raw(text: Text) -> SolutionFile:
    """GLPK's solution for machines, from ``glpsol -w FILE``.

    ::

        c Status:     INTEGER OPTIMAL
        s mip 5 9 o -39.8125714285714
        i 1 2
        ...
        j 1 1
        ...
        e o f

    The line ``s`` has the kind (mip, bas or ipt), numbers of rows and columns, one or two letters
    of status, and the objective; ``j`` lines the columns by number: they have no names. A basic
    solution has a column's status before its value. Values have 15 digits.
    """
    if text.lines[-1:] != [RAW_END]:
        text.fail_cut()
    at = next((k for k, line in enumerate(text.lines) if not line.startswith(b"c")), 0)
    words = text.line(at).split()
    letters, value_at = KINDS.get(b"".join(words[1:2]), (0, 0))
    if words[:1] != [b"s"] or not letters or len(words) != letters + 5:
        text.fail(at, "expected 's', kind, numbers of rows and columns, status and objective here")
    said = RAW_STATUS.get((words[1], *words[4:-1]), "no_solution")
    status, kept = outcome(said, said in ("optimal", "feasible"))
    if not kept:
        return SolutionFile(text.path, RAW.name, status, complete=True, digits=RAW_DIGITS)
    first, columns = at + 1 + text.whole(words[2], at), text.whole(words[3], at)
    if len(text.lines) != first + columns + 1:
        text.fail(
            at,
            f"the file does not have the {words[2].decode()} rows and {columns} columns it states",
        )
    cells = []
    for number in range(1, columns + 1):
        tokens = text.line(first + number - 1).split(b" ")
        if tokens[:2] != [b"j", b"%d" % number] or len(tokens) <= value_at:
            text.fail(first + number - 1, f"expected column {number} here")
        cells.append(tokens[value_at])
    objective = float(text.numbers([words[-1]], at)[0])
    values = text.numbers(cells, first)
    return SolutionFile(
        text.path,
        RAW.name,
        status,
        True,
        RAW_DIGITS,
        objective,
        None,
        values,
        ordinal=True,
    )


RAW = Format("GLPK", _is_raw, _read_raw)


SOLVER = Solver(
    "glpk",
    "GLPK",
    Caps(mps=NOTHING_MORE, lp=NOTHING_MORE),
    order=50,
    install="apt install glpk-utils, or https://www.gnu.org/software/glpk",
    formats=(TABLE, RAW),
    program=Call(
        ("glpsol",),
        ("--freemps", "{model}", "{options}", "-w", "{solution}"),
        {"time": ("--tmlim", "{whole}"), "gap": ("--mipgap", "{value}")},
        log=LogPatterns(
            status={
                r"NO (PRIMAL|INTEGER) FEASIBLE SOLUTION": "infeasible",
                r"UNBOUNDED PRIMAL SOLUTION": "unbounded",
                r"NO DUAL FEASIBLE SOLUTION": "infeasible_or_unbounded",
                r"MIP GAP TOLERANCE REACHED": "gap_limit",
                r"TIME LIMIT EXCEEDED": "time_limit",
            },
            bound=r"mip = .* >= +(\S+) +[0-9.]+%",
            version=r"GLPK.* v?(\d+\.\d+)$",
        ),
    ),
    serial=True,
)
