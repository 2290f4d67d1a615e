"""Gurobi's JSON solution, ``ResultFile=x.json``.

::

    { "SolutionInfo": { "Status": 2, "ObjVal": -39.8, "ObjBound": -39.8, "SolCount": 3, ...},
      "Vars": [ { "VarName": "go_left(12,1)", "X": 1}, ...]}

Columns that are 0 are left out, unless JSONSolDetail=1 lists all; JSON that was cut does not
parse. It has status and bound, which Gurobi's .sol files have not.
"""

from __future__ import annotations

import json
from math import inf
from typing import Any

import numpy as np

from treemip.model.answer import Status, finite
from treemip.read.solution import NO_NAMES, Format, SolutionFile, Text, outcome

DIGITS = 17
NUMBERS = (int, float)  # bool is an int too, but no number here

STATUS: dict[int, Status] = {
    2: "optimal",
    3: "infeasible",
    4: "infeasible_or_unbounded",
    5: "unbounded",
    6: "solver_limit",  # cutoff
    7: "solver_limit",  # iterations
    8: "solver_limit",  # nodes
    9: "time_limit",
    10: "solver_limit",  # solutions
    11: "interrupted",
    13: "feasible",  # suboptimal
    15: "solver_limit",  # user's objective limit
    16: "solver_limit",  # work
    17: "solver_limit",  # memory
}
"""Gurobi's status codes; 1, 12 and 14 are of solves that failed or run still."""


def _recognises(head: bytes) -> bool:
    return head.lstrip().startswith(b"{") and b'"SolutionInfo"' in head


def _read(text: Text) -> SolutionFile:
    info, listed = _parsed(text)
    code = info.get("Status")
    if not isinstance(code, int):
        text.fail(0, "expected the status of SolutionInfo as a number")
    found = info.get("SolCount", len(listed)) != 0 and "Vars" in info
    status, kept = outcome(STATUS.get(code, "no_solution"), found)
    if not kept:
        return SolutionFile(text.path, FORMAT.name, status, complete=False, digits=DIGITS)
    names, values = _columns(text, listed)
    objective, bound = (_number(text, info, key) for key in ("ObjVal", "ObjBound"))
    return SolutionFile(
        text.path, FORMAT.name, status, False, DIGITS, objective, names, values, bound=bound
    )


def _parsed(text: Text) -> tuple[dict[str, Any], list[Any]]:
    """SolutionInfo, with "Vars" set when the file has columns, and the columns."""
    try:
        said = json.loads(text.data)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1) - 1
        text.fail(min(line, len(text.data.splitlines()) - 1), "this is no whole JSON")
    info = said.get("SolutionInfo") if isinstance(said, dict) else None
    columns = said.get("Vars", []) if isinstance(said, dict) else None
    if not isinstance(info, dict) or not isinstance(columns, list):
        text.fail(0, "expected SolutionInfo, and Vars as a list")
    return info | ({"Vars": True} if "Vars" in said else {}), columns


def _number(text: Text, info: dict[str, Any], key: str) -> float | None:
    value: Any = info.get(key)
    if value is not None and type(value) not in NUMBERS:
        text.fail(0, f"expected {key} as a number")
    return None if value is None else finite(_float(value))


def _columns(text: Text, listed: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    names, values = [], []
    for entry in listed:
        said: dict[str, Any] = entry if isinstance(entry, dict) else {}
        name, value = said.get("VarName"), said.get("X")
        if not isinstance(name, str) or type(value) not in NUMBERS:
            text.fail(0, "expected VarName and X of every column in Vars")
        names.append(name.encode("utf-8", "surrogatepass"))
        values.append(_float(value))
    array = np.array(values, np.float64)
    if not np.isfinite(array).all():
        text.fail(0, "a value in Vars is not finite")
    return np.array(names, "S") if names else NO_NAMES, array


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of more than 308 digits
        return inf


FORMAT = Format("Gurobi JSON", _recognises, _read)
