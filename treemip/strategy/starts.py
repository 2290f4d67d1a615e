"""Start files: values of the columns that a solver begins with."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.emit.names import CONSTANT, name_model
from treemip.model.model import Model


def write_start(model: Model, start: np.ndarray, path: Path, form: str) -> None:
    """Write the known values of `start`, float64 (columns,), nan where unknown.

    form "values": a name and its value a line, as Gurobi and COPT take it. form "cbc": CBC's
    own solution file. Integers are written whole.
    """
    known = np.flatnonzero(~np.isnan(start))
    whole = model.integer[known]
    values = np.where(whole, np.round(start[known]), start[known])
    names = name_model(model).columns()[known].tolist()
    cells = zip(known.tolist(), names, values.tolist(), strict=True)
    entries = [(f"{k}", name.decode(), repr(value)) for k, name, value in cells]
    if model.objective.constant:
        entries.append((f"{model.column_count}", CONSTANT, "1.0"))
    if form == "cbc":
        lines = ["Stopped on iterations - objective value 0"]
        lines += [f"{k} {name} {value} 0" for k, name, value in entries]
    else:
        lines = ["# MIP start"] + [f"{name} {value}" for _, name, value in entries]
    path.write_text("\n".join(lines) + "\n")
