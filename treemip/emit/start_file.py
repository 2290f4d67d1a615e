"""Start files: values of columns that a solver begins with, in the form its reader takes.

``values``: a name and its value a line, as Gurobi and COPT take it (.mst); ``cplex``: CPLEX's
XML (.mst); ``scip`` (.sol); ``cbc``: its own solution file, for `mipstart`; ``highs``: its raw
solution file, without rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.emit.files import replacing
from treemip.emit.lines import Lines
from treemip.emit.names import CONSTANT, Style, name_model
from treemip.emit.numbers import shortest
from treemip.emit.profiles import Profile, StartForm
from treemip.model.model import Model
from treemip.source.diagnostic import Diagnostic, TreemipError

HEADS: dict[StartForm, str] = {
    "values": "# MIP start",
    "cplex": '<?xml version="1.0" encoding="UTF-8"?>\n<CPLEXSolutions version="1.2">\n'
    '<CPLEXSolution version="1.2">\n<header solutionName="start"/>\n<variables>',
    "scip": "solution status: unknown\nobjective value: unknown",
    "cbc": "Stopped on iterations - objective value 0",
    "highs": "Model status\nUnknown\n\n# Primal solution values\nFeasible\nObjective 0\n"
    "# Columns {}",
}
TAILS: dict[StartForm, str] = {
    "cplex": "\n</variables>\n</CPLEXSolution>\n</CPLEXSolutions>",
    "highs": "\n# Rows 0",
}
# What stands before the name, before the value, and behind it.
AROUND: dict[StartForm, tuple[bytes, bytes, bytes]] = {
    "values": (b"\n", b" ", b""),
    "cplex": (b'\n<variable name="', b'" value="', b'"/>'),
    "scip": (b"\n", b" ", b""),
    "cbc": (b" ", b" ", b" 0"),
    "highs": (b"\n", b" ", b""),
}


def write_start(
    model: Model, values: np.ndarray, path: str | Path, profile: Profile, names: Style = "spec"
) -> int:
    """Write the known of `values`, float64 (columns,), nan where unknown; how many there are.

    `names` as in the model's file. Integers are written whole. Raises TreemipError: E601 where
    the profile has no start files, E603 when the file cannot be written.
    """
    form = require_start(profile)
    values = np.where(model.integer, np.round(values), values)
    token = name_model(model, names).columns()
    if model.objective.constant:
        values, token = np.append(values, 1.0), np.append(token, CONSTANT.encode())
    known = np.flatnonzero(np.isfinite(values))
    distinct, places = np.unique(values[known] + 0.0, return_inverse=True)
    before, between, behind = AROUND[form]
    parts: list[bytes | np.ndarray] = [before, token, between, shortest(distinct), behind]
    codes = [known, places]
    if form == "cbc":
        lead = np.strings.add(b"\n", shortest(np.arange(len(values), dtype=float)))
        parts, codes = [lead, *parts], [known, *codes]
    with replacing(path) as file:
        file.write(HEADS[form].format(len(known)).encode())
        Lines(file, *(part for part in parts if len(part))).write(*codes)
        file.write(TAILS.get(form, "").encode() + b"\n")
    return len(known)


def require_start(profile: Profile) -> StartForm:
    """The form of the profile's start files. Raises E601 where there is none."""
    if profile.start is None:
        who = "every solver" if profile.name == "portable" else profile.title
        message = f"there is no start file for {who}"
        remedy = "name a solver that has one: --for gurobi, cplex, copt, scip, cbc or highs"
        raise TreemipError(Diagnostic.outside("E601", message, remedy))
    return profile.start
