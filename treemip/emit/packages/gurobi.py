"""A model as a gurobipy `Model`, by its matrix calls: arrays go in as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.emit.flat import CutsAs
from treemip.emit.optional import needed
from treemip.emit.packages.live import Live, form_matrix, live
from treemip.emit.profiles import EVERYTHING
from treemip.model.model import Model

if TYPE_CHECKING:
    import gurobipy as gp

LAZY = {"rows": 0, "lazy": 1, "user": -1}
"""Gurobi's attribute Lazy: 1 of a lazy constraint, -1 of a user cut."""


def to_gurobi(
    model: Model,
    env: gp.Env | None = None,
    cuts: CutsAs = "rows",
    start: Sequence[float] | np.ndarray | None = None,
) -> gp.Model:
    """The model in gurobipy, its columns and rows named as in files: `go_left(12,3)`.

    A row with two different limits becomes two, the second named with `_upper`. Branching
    priorities of the strategy are in it. `env`: an environment with a licence; gurobipy's own
    restricted one without it. `cuts`, `start` and what is raised: see live.py; E602 without
    gurobipy.
    """
    said = live(model, "gurobipy", EVERYTHING, cuts, start)
    gp = needed("gurobipy", "gurobi")
    made = gp.Model(model.name, env=env)
    arrays = said.arrays
    x = made.addMVar(
        arrays.columns,
        lb=np.where(np.isneginf(arrays.lower), -gp.GRB.INFINITY, arrays.lower),
        ub=np.where(np.isposinf(arrays.upper), gp.GRB.INFINITY, arrays.upper),
        vtype=said.kinds,
        name=said.columns.tolist(),
    )
    _objective(gp, made, said, x)
    _rows(made, said, said.plain, x, 0)
    _rows(made, said, said.aside, x, LAZY[cuts])
    for r, sense, limit in said.sided(said.curved):
        form = form_matrix(arrays.quadratic, r, arrays.columns)
        row = said.matrix[[r]].toarray().ravel()
        made.addMQConstr(form, row, SENSES[sense], limit, x, x, x, name=said.rows[r])
    _indicators(gp, made, said, x)
    _special_sets(gp, made, said, x)
    if said.start is not None:
        x.Start = said.start
    for block in model.variables:
        if block.priority is not None:
            x[block.start : block.stop].BranchPriority = block.priority
    made.update()
    return made


SENSES = {"E": "=", "G": ">", "L": "<"}


def _objective(gp: Any, made: gp.Model, said: Live, x: Any) -> None:
    objective, costs = said.model.objective, said.arrays.costs
    # gurobipy takes None for no products, though its type hints do not say so.
    products = objective.quadratic
    form: Any = form_matrix(products, 0, len(costs)) if products.count else None
    sense = gp.GRB.MINIMIZE if objective.sense == "minimize" else gp.GRB.MAXIMIZE
    made.setMObjective(form, costs, objective.constant, x, x, x, sense)


def _rows(made: Any, said: Live, rows: np.ndarray, x: Any, lazy: int) -> None:
    """Linear rows, those of one sense together; a row with two limits is under both senses."""
    lower, upper = said.arrays.row_lower[rows], said.arrays.row_upper[rows]
    equal = lower == upper
    below, above = np.isfinite(lower) & ~equal, np.isfinite(upper) & ~equal
    for sense, limits, some in (("=", lower, equal), (">", lower, below), ("<", upper, above)):
        at = rows[some]
        suffix = np.where(below[some] & (sense == "<"), "_upper", "")
        if len(at):
            named = np.char.add(said.rows[at], suffix).tolist()
            added = made.addMConstr(said.matrix[at], x, sense, limits[some], name=named)
            if lazy:
                added.Lazy = np.full(len(at), lazy)


def _indicators(gp: Any, made: gp.Model, said: Live, x: Any) -> None:
    """One by one: gurobipy has no call for many of them."""
    columns = x.tolist()
    guards = zip(said.flat.guards.tolist(), said.flat.values.tolist(), strict=True)
    for (guard, value), (r, sense, limit) in zip(guards, said.sided(said.guarded), strict=True):
        at, coefs = said.entries(r)
        row = gp.LinExpr(coefs, [columns[k] for k in at])
        made.addGenConstrIndicator(
            columns[guard], value == 1, row, SENSES[sense], limit, name=said.rows[r]
        )


def _special_sets(gp: Any, made: gp.Model, said: Live, x: Any) -> None:
    """One by one as well; gurobipy takes no names of them here."""
    columns = x.tolist() if said.sets.count else []
    for members, weights in said.sets.each():
        made.addSOS(gp.GRB.SOS_TYPE1, [columns[k] for k in members], weights)
