"""Sizes of a compiled model, for `treemip stats`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.model.blocks import Kind
from treemip.model.model import Model

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled


def stats(compiled: Compiled, relaxation: bool) -> dict[str, Any]:
    """Counts in all and by family, coefficient and big-M ranges, and the LP bound on request."""
    model = compiled.model
    binaries = sum(b.length for b in model.variables if b.kind is Kind.BINARY)
    integers = sum(b.length for b in model.variables if b.kind is Kind.INTEGER)
    found: dict[str, Any] = {
        "rows": model.row_count,
        "columns": model.column_count,
        "nonzeros": model.nonzeros,
        "binaries": binaries,
        "integers": integers,
        "continuous": model.column_count - binaries - integers,
        "quadratic_terms": model.objective.quadratic.count
        + sum(r.quadratic.count for r in model.rows),
        "coefficients": _range([r.matrix.data for r in model.rows]),
        "big_m": _big_m(compiled),
        "variables": {b.name: b.length for b in model.variables},
        "constraints": {r.name: r.length for r in model.rows},
    }
    if compiled.instance.data is not None:
        table = compiled.instance.table
        found["points"], found["features"] = table.x.shape
        found["classes"] = len(table.classes)
    if relaxation:
        found["lp_bound"] = lp_bound(model)
    return found


def lp_bound(model: Model) -> float | None:
    """The optimum of the continuous relaxation; None when it has none."""
    from treemip.emit.solve import solve

    relaxed = tuple(replace(b, kind=Kind.CONTINUOUS) for b in model.variables)
    return solve(replace(model, variables=relaxed), "auto").objective


def _range(parts: list[np.ndarray]) -> list[float] | None:
    sizes = [np.abs(p) for p in parts if len(p)]
    if not sizes:
        return None
    return [float(min(s.min() for s in sizes)), float(max(s.max() for s in sizes))]


def _big_m(compiled: Compiled) -> dict[str, list[float]]:
    """Least and greatest big-M of each family that was an implication."""
    return {n.source: list(n.big_m) for n in compiled.reformed.notes if n.big_m is not None}
