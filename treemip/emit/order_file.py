"""Branching priorities in a file beside the model: Gurobi's and CPLEX's .ord.

In both a greater number comes first; columns that are not named have priority 0.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.emit.files import replacing
from treemip.emit.lines import Lines
from treemip.emit.names import Style, name_model
from treemip.emit.numbers import shortest
from treemip.emit.profiles import Profile
from treemip.model.model import Model
from treemip.source.diagnostic import Diagnostic, TreemipError


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
