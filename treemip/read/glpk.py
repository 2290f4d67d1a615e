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
writes all of them (see glpk_raw.py).
"""

from __future__ import annotations

import numpy as np

from treemip.model.answer import Status
from treemip.read.solution import NO_NAMES, Format, SolutionFile, Text, outcome

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
    if text.lines[-1:] != [END]:
        text.fail_cut()
    words = text.line(4).removeprefix(LABELS[4]).strip()
    found = STATUS.get(words) in ("optimal", "feasible")
    status, kept = outcome(STATUS.get(words, "no_solution"), found)
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    _, equals, value = text.line(5).rpartition(b" = ")
    if not equals or not value.endswith((b" (MINimum)", b" (MAXimum)")):
        text.fail(5, "expected the objective's name, value and sense here")
    objective = float(text.numbers([value[:-10]], 5)[0])
    names, values = _columns(text, _count(text))
    return SolutionFile(text.path, FORMAT.name, status, True, DIGITS, objective, names, values)


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


FORMAT = Format("GLPK table", _recognises, _read)
