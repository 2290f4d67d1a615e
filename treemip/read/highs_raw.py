"""HiGHS's default solution file (`solution_file`, style 0) and its sparse one (style 4).

::

    Model status
    Optimal

    # Primal solution values
    Feasible
    Objective 21
    # Columns 3
    go_left(1,2) 1
    ...
    # Rows 1
    ...

Numbers of columns and rows are stated, so a file that was cut is found out. The sparse style
says ``# Columns -2`` for two columns that are not 0, then ``name value index``, and no rows.
Values have 13 digits after the point at most.
"""

from __future__ import annotations

import numpy as np

from treemip.read.highs_status import STATUS
from treemip.read.solution import LONG, Format, SolutionFile, Text, outcome

HEAD = b"Model status\n"
DIGITS = 13


def _recognises(head: bytes) -> bool:
    return head.replace(b"\r\n", b"\n").startswith(HEAD)


def _read(text: Text) -> SolutionFile:
    words = text.line(1)
    at = _expect(text, 3, b"# Primal solution values")
    kind = text.line(at)
    if kind not in (b"None", b"Feasible", b"Infeasible"):
        text.fail(at, "the primal solution is 'None', 'Feasible' or 'Infeasible' in this format")
    status, kept = outcome(STATUS.get(words), kind == b"Feasible")
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    objective = _objective(text, at + 1)
    names, values, complete = _columns(text, at + 2)
    return SolutionFile(text.path, FORMAT.name, status, complete, DIGITS, objective, names, values)


def _expect(text: Text, number: int, words: bytes) -> int:
    if text.line(number) != words:
        text.fail(number, f"expected '{words.decode()}' here")
    return number + 1


def _objective(text: Text, number: int) -> float:
    word, _, value = text.line(number).partition(b" ")
    if word != b"Objective":
        text.fail(number, "expected 'Objective' and its value here")
    return float(text.numbers([value], number)[0])


def _columns(text: Text, number: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Names and values under ``# Columns N``, and whether these are all columns."""
    count = _count(text, number, b"# Columns ")
    first, stop, width = number + 1, number + 1 + abs(count), 2 if count >= 0 else 3
    if stop > len(text.lines):
        text.fail_cut()
    tokens = [line.split(b" ") for line in text.lines[first:stop]]
    for k, token in enumerate(tokens):
        if len(token) != width:
            text.fail(first + k, "expected a column's name and value here")
    values = text.numbers([token[1] for token in tokens], first)
    names = np.array([token[0] for token in tokens], "S") if tokens else np.zeros(0, "S1")
    if count >= 0:
        rows = _count(text, stop, b"# Rows ")
        text.line(stop + rows)
    return names, values, count >= 0


def _count(text: Text, number: int, words: bytes) -> int:
    line = text.line(number)
    digits = line.removeprefix(words)
    plain = digits.removeprefix(b"-")
    if digits == line or not plain.isdigit() or len(plain) > LONG:
        text.fail(number, f"expected '{words.decode()}' and a number here")
    return int(digits)


FORMAT = Format("HiGHS", _recognises, _read)
