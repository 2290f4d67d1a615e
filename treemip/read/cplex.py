"""CPLEX's solution file, XML.

::

    <?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
    <CPLEXSolution version="1.2">
     <header objectiveValue="-39.812571428571431" solutionStatusValue="101" primalFeasible="1" .../>
     ...
     <variables>
      <variable name="go_left(12,1)" index="0" value="1"/>

Every column is listed with its number, in 17 digits; XML that was cut does not parse. CPLEX
writes also points that are not feasible, and says so with primalFeasible.
"""

from __future__ import annotations

from typing import NoReturn
from xml.parsers import expat

import numpy as np

from treemip.model.answer import Status
from treemip.read.solution import NO_NAMES, Format, SolutionFile, Text, outcome

DIGITS = 17
ROOT = b"<CPLEXSolution"

STATUS: dict[bytes, Status] = {
    b"1": "optimal",
    b"2": "unbounded",
    b"3": "infeasible",
    b"4": "infeasible_or_unbounded",
    b"5": "optimal",  # with violations once scaling is undone
    b"6": "feasible",
    b"10": "solver_limit",
    b"11": "time_limit",
    b"12": "solver_limit",
    b"13": "interrupted",
    b"25": "time_limit",  # deterministic
    b"101": "optimal",
    b"102": "gap_limit",
    b"103": "infeasible",
    b"104": "solver_limit",
    b"105": "solver_limit",
    b"106": "solver_limit",
    b"107": "time_limit",
    b"108": "time_limit",
    b"109": "solver_limit",
    b"110": "solver_limit",
    b"111": "solver_limit",
    b"112": "solver_limit",
    b"113": "interrupted",
    b"114": "interrupted",
    b"115": "optimal",  # with violations once scaling is undone
    b"118": "unbounded",
    b"119": "infeasible_or_unbounded",
    b"127": "feasible",
    b"131": "time_limit",
    b"132": "time_limit",
}
"""CPLEX's status codes; the even ones of 106 to 114, 108 and 132 have no solution."""


def _recognises(head: bytes) -> bool:
    return head.startswith(b"<?xml") and ROOT in head


def _read(text: Text) -> SolutionFile:
    found = _Parsed(text)
    header = found.header
    status, kept = outcome(
        STATUS.get(header.get("solutionStatusValue", "").encode()),
        header.get("primalFeasible") == "1" and bool(found.values),
    )
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=True, digits=DIGITS)
    value = header.get("objectiveValue", "").encode()
    objective = float(text.numbers([value], found.header_line)[0])
    values = text.numbers([v.encode() for v in found.values], found.lines)
    names = [name.encode() for name in found.names]
    return SolutionFile(
        text.path,
        FORMAT.name,
        status,
        True,
        DIGITS,
        objective,
        np.array(names, "S") if names else NO_NAMES,
        values,
    )


class _Parsed:
    """Attributes of the header, and of the variables in their order."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.header: dict[str, str] = {}
        self.header_line = 0
        self.names: list[str] = []
        self.values: list[str] = []
        self.lines: list[int] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        # No solution has entities, and nested ones can grow without end.
        self.parser.EntityDeclHandler = lambda *_: self._fail("a solution declares no entities")
        try:
            self.parser.Parse(text.data, True)
        except expat.ExpatError as error:
            self._fail(f"this is no whole XML: {expat.ErrorString(error.code)}")
        if not self.header:
            self._fail("the solution has no header")

    def _start(self, tag: str, said: dict[str, str]) -> None:
        if tag == "header":
            if self.header:
                self._fail("a second solution begins here", "write one solution to a file")
            self.header, self.header_line = said, self._line()
        elif tag == "variable":
            if said.get("index") != str(len(self.names)) or not {"name", "value"} <= said.keys():
                self._fail(f"expected name and value of variable {len(self.names)} here")
            self.names.append(said["name"])
            self.values.append(said["value"])
            self.lines.append(self._line())

    def _line(self) -> int:
        return min(self.parser.CurrentLineNumber, self.text.data.count(b"\n")) - 1

    def _fail(self, message: str, remedy: str = "") -> NoReturn:
        self.text.fail(max(0, self._line()), message, remedy)


FORMAT = Format("CPLEX", _recognises, _read)
