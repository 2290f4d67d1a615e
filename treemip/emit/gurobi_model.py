"""A model as a gurobipy `Model`, by its matrix calls: arrays go in as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.emit.arrays import assemble
from treemip.emit.names import name_model
from treemip.emit.optional import needed
from treemip.model.blocks import Kind, Quadratic
from treemip.model.model import Model

if TYPE_CHECKING:
    import gurobipy as gp

TYPES = {Kind.CONTINUOUS: "C", Kind.INTEGER: "I", Kind.BINARY: "B"}


def to_gurobi(model: Model, env: gp.Env | None = None) -> gp.Model:
    """The model in gurobipy, its columns and rows named as in files: `go_left(12,3)`.

    A row with two different limits becomes two, the second named with `_upper`. `env`: an
    environment with a licence; gurobipy's own restricted one without it. Raises E601 when
    implications, functions or a tape are left, E402 and E403 as for other solvers, E602 without
    gurobipy.
    """
    arrays = assemble(model, "gurobipy")
    gp = needed("gurobipy", "gurobi")
    names = name_model(model)
    made = gp.Model(model.name, env=env)
    kinds = [np.full(b.length, TYPES[b.kind]) for b in model.variables]
    x = made.addMVar(
        arrays.columns,
        lb=np.where(np.isneginf(arrays.lower), -gp.GRB.INFINITY, arrays.lower),
        ub=np.where(np.isposinf(arrays.upper), gp.GRB.INFINITY, arrays.upper),
        vtype=np.concatenate(kinds),
        name=names.columns().astype(str).tolist(),
    )
    _objective(gp, made, model, arrays.costs, x)
    labels = names.rows().astype(str)
    matrix = _matrix(arrays)
    products = np.unique(arrays.quadratic.row)
    straight = np.ones(arrays.rows, bool)
    straight[products] = False
    for sense, limits, rows in _sides(arrays.row_lower, arrays.row_upper):
        at = np.flatnonzero(rows & straight)
        both = (sense == "<") & np.isfinite(arrays.row_lower[at])
        said = np.char.add(labels[at], np.where(both, "_upper", ""))
        if len(at):
            made.addMConstr(matrix[at], x, sense, limits[at], name=said.tolist())
        for r in products[rows[products]].tolist():
            form = _form(arrays.quadratic, r, arrays.columns)
            row = matrix[[r]].toarray().ravel()
            made.addMQConstr(form, row, sense, limits[r], x, x, x, name=labels[r])
    made.update()
    return made


def _objective(gp: Any, made: gp.Model, model: Model, costs: np.ndarray, x: Any) -> None:
    objective = model.objective
    # gurobipy takes None for no products, though its type hints do not say so.
    form: Any = _form(objective.quadratic, 0, len(costs)) if objective.quadratic.count else None
    sense = gp.GRB.MINIMIZE if objective.sense == "minimize" else gp.GRB.MAXIMIZE
    made.setMObjective(form, costs, objective.constant, x, x, x, sense)


def _sides(lower: np.ndarray, upper: np.ndarray) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Sense, limits and the rows it is said of; a row with two limits is under both senses."""
    equal = lower == upper
    return [
        ("=", lower, equal),
        (">", lower, np.isfinite(lower) & ~equal),
        ("<", upper, np.isfinite(upper) & ~equal),
    ]


def _matrix(arrays: Any) -> Any:
    from scipy.sparse import csr_array

    matrix = arrays.matrix
    size = (arrays.rows, arrays.columns)
    return csr_array((matrix.data, matrix.indices, matrix.indptr), shape=size)


def _form(form: Quadratic, row: int, columns: int) -> Any:
    """The products of one row as a matrix Q of x'Qx, upper triangle."""
    from scipy.sparse import coo_array

    at = slice(*np.searchsorted(form.row, [row, row + 1]))
    entries = (form.coef[at], (form.first[at], form.second[at]))
    return coo_array(entries, shape=(columns, columns)).tocsr()
