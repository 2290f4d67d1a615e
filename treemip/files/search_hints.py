"""Start files: values of columns that a solver begins with, in the form its reader takes.

``values``: a name and its value a line, as Gurobi and COPT take it (.mst); ``cplex``: CPLEX's
XML (.mst); ``scip`` (.sol); ``cbc``: its own solution file, for `mipstart`; ``highs``: its raw
solution file, without rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.files.atomic import replacing
from treemip.files.lines import Lines, shortest
from treemip.files.names import CONSTANT, Style, name_model
from treemip.files.profiles import Profile, StartForm
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


# Branching priorities in a file beside the model: Gurobi's and CPLEX's .ord.
#
# In both a greater number comes first; columns that are not named have priority 0.


def write_order(model: Model, path: str | Path, profile: Profile, names: Style = "spec") -> int:
    """Write the priorities of the model's integer columns; how many columns have one.

    `names` as in the model's file. Raises TreemipError: E601 as `require_order`, E603 when the
    file cannot be written.
    """
    priority = require_order(model, profile)
    named = np.flatnonzero(priority)
    distinct, places = np.unique(priority[named], return_inverse=True)
    token = name_model(model, names).columns()
    number = shortest(distinct.astype(float), lead=True)
    cplex = profile.order == "cplex"
    with replacing(path) as file:
        file.write(b"NAME order" if cplex else b"# branching priorities")
        # The place of a direction, UP or DN, stays empty: that is left to CPLEX.
        Lines(file, b"\n    " if cplex else b"\n", token, number).write(named, places)
        file.write(b"\nENDATA\n" if cplex else b"\n")
    return len(named)


def require_order(model: Model, profile: Profile) -> np.ndarray:
    """The priorities, int64 (columns,), 0 where there is none.

    Raises E601 where the profile has no such files or the model no priorities.
    """
    if profile.order is None:
        message = f"treemip writes no file of branching priorities for {profile.title}"
        remedy = "Gurobi and CPLEX read one: --for gurobi or --for cplex; SCIP takes them in memory"
        raise TreemipError(Diagnostic.outside("E601", message, remedy))
    parts = [np.zeros(0, np.int64)]
    for block in model.variables:
        own = block.priority
        parts.append(np.zeros(block.length, np.int64) if own is None else own)
    priority = np.where(model.integer, np.concatenate(parts), 0)
    if not priority.any():
        message = "the spec gives no integer variable a branching priority"
        remedy = "say in the strategy which come first: priority coef, bit root_first;"
        raise TreemipError(Diagnostic.outside("E601", message, remedy))
    return priority
