"""Rows of a model as text, from its arrays alone."""

from __future__ import annotations

import numpy as np

from treemip.core.model.blocks import Rows
from treemip.core.model.model import Model


def texts(model: Model, name: str) -> list[str]:
    """Every row of a family: "2 x[1] - 3 y[a,b] <= 4", columns in the model's order."""
    (rows,) = [r for r in model.rows if r.name == name]
    return [row_text(model, rows, k) for k in range(rows.length)]


def row_text(model: Model, rows: Rows, number: int) -> str:
    names = column_names(model)
    here = rows.matrix.row_of == number
    order = np.argsort(rows.matrix.indices[here])
    pairs = zip(rows.matrix.indices[here][order], rows.matrix.data[here][order], strict=True)
    body = " ".join(f"{'-' if a < 0 else '+'} {_times(abs(a))}{names[j]}" for j, a in pairs)
    body = body.removeprefix("+ ").replace("- ", "-", 1) if body[0] == "-" else body[2:]
    low, high = rows.lower[number], rows.upper[number]
    if low == high:
        return f"{body} = {_plain(low)}"
    if np.isinf(low):
        return f"{body} <= {_plain(high)}"
    if np.isinf(high):
        return f"{body} >= {_plain(low)}"
    return f"{_plain(low)} <= {body} <= {_plain(high)}"


def column_names(model: Model) -> list[str]:
    names = []
    for block in model.variables:
        for k in range(block.length):
            names.append(f"{block.name}[{','.join(str(c[k]) for c in block.index.columns)}]")
    return names


def _times(size: float) -> str:
    return "" if size == 1 else f"{_plain(size)} "


def _plain(number: float) -> str:
    return f"{round(float(number), 12) + 0.0:g}"
