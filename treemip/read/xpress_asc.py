"""Xpress's solution as a table, the .asc file of ``WRITESOL``.

::

         1,"at_most(0)              ","L","SB",2,0.25,-1e+09,2.25,0,2.25
    ...
         6,"go_left(12,1)           ","C","SB",1,-3,0,1,0

Number, name, type, status and value; rows come first, columns have the type C, and the number
goes on through both. How many there are is not stated: a cut shows when the names are compared
with the model's. What is nearly 0 is written as 0. Status and objective are in the .hdr file.
"""

from __future__ import annotations

import re

import numpy as np

from treemip.read.solution import NO_NAMES, Format, SolutionFile, Text

DIGITS = 6
LINE = re.compile(rb' *([0-9]+),"([^" ]+) *","([A-Z])","[A-Z ]*",([^,]+),.*')


def _recognises(head: bytes) -> bool:
    first = LINE.fullmatch(head.splitlines()[0]) if head.strip() else None
    return first is not None and first[1] == b"1"


def _read(text: Text) -> SolutionFile:
    text.demand_line_end()
    names, cells, places = [], [], []
    for number, line in enumerate(text.lines):
        found = LINE.fullmatch(line)
        if found is None or found[1] != b"%d" % (number + 1):
            text.fail(number, f"expected row or column {number + 1} of the table here")
        if found[3] == b"C":
            names.append(found[2])
            cells.append(found[4])
            places.append(number)
        elif names:
            text.fail(number, "a row after the first column")
    values = text.numbers(cells, places)
    found_names = np.array(names, "S") if names else NO_NAMES
    return SolutionFile(text.path, FORMAT.name, "feasible", True, DIGITS, None, found_names, values)


FORMAT = Format("Xpress table", _recognises, _read)
