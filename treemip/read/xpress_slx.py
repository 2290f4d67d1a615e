"""Xpress's solution file for exchange, from ``WRITESLXSOL``.

::

    NAME          sample FREE
      C go_left(12,1)                          1
      ...
    ENDATA

Every column is listed, in 16 digits; ENDATA tells that the file is whole. There is no status and no
objective: Xpress writes the relaxation's values too when it has no incumbent, so whether the
values are a solution shows when they are compared with the model. A file without solution is
ENDATA alone.
"""

from __future__ import annotations

from treemip.read.solution import Format, SolutionFile, Text, named_values

DIGITS = 16
NAME, END = b"NAME", b"ENDATA"


def _recognises(head: bytes) -> bool:
    lines = head.splitlines()
    if lines[:1] == [END]:
        return True
    return head.startswith(NAME + b" ") and lines[1:2] != [] and lines[1].startswith(b"  C ")


def _read(text: Text) -> SolutionFile:
    stop = len(text.lines) - 1
    if text.lines[-1:] != [END]:
        text.fail_cut()
    if stop == 0:
        return SolutionFile(text.path, FORMAT.name, "no_solution", complete=True, digits=DIGITS)
    for number in range(1, stop):
        if text.lines[number].split()[:1] != [b"C"]:
            text.fail(number, "expected a column here", "write one solution of one model to a file")
    names, values = named_values(text, 1, stop, 3, 1, 2, "'C', a column's name and its value")
    return SolutionFile(text.path, FORMAT.name, "feasible", True, DIGITS, None, names, values)


FORMAT = Format("Xpress", _recognises, _read)
