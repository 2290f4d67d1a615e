"""A model as a `pyscipopt.Model`.

PySCIPOpt takes no arrays, so its own calls are mapped over whole columns of arguments. Measured
on 20 nonzeros a row, microseconds a nonzero: 0.4 this way, 0.5 from a loop in Python, 0.85
through an expression a row, 1.1 for reading a temporary MPS file. With its 200 000 rows a model of
4 million nonzeros takes 3.7 s.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.arrays import Arrays, assemble
from treemip.emit.optional import needed
from treemip.emit.packages.scip_indicators import add_indicators
from treemip.emit.packages.scip_tape import add_slots, affine_rows
from treemip.emit.special_sets import special_sets
from treemip.model.blocks import Kind, Quadratic
from treemip.model.model import Model

if TYPE_CHECKING:
    import pyscipopt

INFINITE = 1e20
"""What SCIP writes for infinity."""

CHUNK = 100_000
"""Nonzeros whose Python objects exist at one time."""


def to_scip(model: Model) -> pyscipopt.Model:
    """The model in a quiet `pyscipopt.Model`.

    Its first columns are the model's, in order, then a column for each slot of the tape; a
    quadratic objective adds one more, its epigraph, since SCIP takes linear objectives only. The
    tape's equations are the first rows; the others keep their order, the epigraph is last. Its
    `data` lists the variables of the model's columns, since SCIP's own list is sorted by kind.
    Raises E601 when implications or functions are left and where a nonlinear function is beyond
    SCIP's numbers, E602 without pyscipopt.
    """
    scip, columns = load(model, assemble(model, "SCIP", tape=True, indicators=True, sets=True))
    scip.data = columns.tolist()
    return scip


def load(model: Model, arrays: Arrays) -> tuple[pyscipopt.Model, np.ndarray]:
    """`to_scip`, and the SCIP variables of the model's columns, object (columns,)."""
    scip = needed("pyscipopt", "scip").Model()
    scip.hideOutput()
    columns = _add_columns(scip, model, arrays)
    _add_priorities(scip, model, columns)
    objective = model.objective
    scip.setMinimize() if objective.sense == "minimize" else scip.setMaximize()
    scip.addObjoffset(objective.constant)
    slots = add_slots(scip, model, arrays, columns)
    _add_rows(scip, arrays, columns, _slot_sums(model, slots))
    add_indicators(scip, model, columns)
    for members, weights in special_sets(model).each():
        scip.addConsSOS1(columns[members].tolist(), weights)
    if objective.quadratic.count:
        _add_epigraph(scip, objective.quadratic, columns, objective.sense == "minimize")
    if objective.quadratic.count or arrays.quadratic.count:
        # With probing, SCIP 10.0.2 drops rows with products that it should keep: of 5500 random
        # models of 1 to 4 integers it gave 5 a wrong answer, without probing none of 25 000.
        scip.setParam("propagating/probing/maxprerounds", 0)
    if model.tape.steps:
        # This heuristic of SCIP 10.0.2 was seen to call Ipopt for minutes after the time limit.
        scip.setParam("heuristics/mpec/freq", -1)
    return scip, columns


def _add_columns(scip: pyscipopt.Model, model: Model, arrays: Arrays) -> np.ndarray:
    letter = {Kind.CONTINUOUS: "C", Kind.INTEGER: "I", Kind.BINARY: "B"}
    kinds = np.concatenate([np.full(b.length, letter[b.kind]) for b in model.variables])
    columns = np.empty(arrays.columns, object)
    columns[:] = list(
        map(
            scip.addVar,
            map("x{}".format, range(arrays.columns)),
            kinds.tolist(),
            capped(arrays.lower),
            capped(arrays.upper),
            arrays.costs.tolist(),
        )
    )
    return columns


def _add_priorities(scip: pyscipopt.Model, model: Model, columns: np.ndarray) -> None:
    """Branching priorities, where the model has any; HiGHS has nothing of the kind."""
    for block in model.variables:
        if block.priority is not None:
            for column, priority in zip(
                columns[block.start : block.stop], block.priority.tolist(), strict=True
            ):
                scip.chgVarBranchPriority(column, priority)


def _slot_sums(model: Model, slots: np.ndarray) -> dict[int, pyscipopt.Expr]:
    """By model-wide row number, what each row takes from the tape."""
    found: dict[int, pyscipopt.Expr] = {}
    first = 0
    for block in model.rows:
        if block.slots is not None:
            found.update(enumerate(affine_rows(block.slots, slots), first))
        first += block.length
    return found


def _add_rows(
    scip: pyscipopt.Model,
    arrays: Arrays,
    columns: np.ndarray,
    slot_sums: dict[int, pyscipopt.Expr],
) -> None:
    """Linear rows are added empty and get their coefficients in one stream afterwards."""
    from pyscipopt import Expr, ExprCons

    matrix, quadratic = arrays.matrix, arrays.quadratic
    curved = np.zeros(arrays.rows, bool)
    curved[quadratic.row] = True
    curved[[*slot_sums]] = True
    sides = zip(capped(arrays.row_lower), capped(arrays.row_upper), strict=True)
    rows = np.empty(arrays.rows, object)
    for row, (lower, upper) in enumerate(sides):
        body = _row_expression(arrays, row, columns) if curved[row] else Expr({})
        body += slot_sums.get(row, 0.0)
        rows[row] = scip.addCons(ExprCons(body, lower, upper))
    row_of = matrix.row_of
    entries = np.flatnonzero(~curved[row_of]) if curved.any() else np.arange(matrix.nonzeros)
    for first in range(0, len(entries), CHUNK):
        chunk = entries[first : first + CHUNK]
        coefficients = map(
            scip.addCoefLinear,
            rows[row_of[chunk]].tolist(),
            columns[matrix.indices[chunk]].tolist(),
            matrix.data[chunk].tolist(),
        )
        deque(coefficients, maxlen=0)


def _row_expression(arrays: Arrays, row: int, columns: np.ndarray) -> pyscipopt.Expr:
    from pyscipopt import quicksum

    matrix, quadratic = arrays.matrix, arrays.quadratic
    entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
    linear = zip(matrix.data[entries].tolist(), columns[matrix.indices[entries]], strict=True)
    own = slice(*np.searchsorted(quadratic.row, [row, row + 1]))
    return quicksum(c * x for c, x in linear) + _products(quadratic, own, columns)


def _products(quadratic: Quadratic, part: slice, columns: np.ndarray) -> pyscipopt.Expr:
    from pyscipopt import quicksum

    firsts, seconds = columns[quadratic.first[part]], columns[quadratic.second[part]]
    coefs = quadratic.coef[part].tolist()
    return quicksum(c * x * y for c, x, y in zip(coefs, firsts, seconds, strict=True))


def _add_epigraph(
    scip: pyscipopt.Model, form: Quadratic, columns: np.ndarray, minimize: bool
) -> None:
    """Products in the objective become t with t >= them (maximising: t <= them), cost 1."""
    from pyscipopt import ExprCons

    epigraph = scip.addVar("objective_products", "C", -INFINITE, INFINITE, 1.0)
    slack = _products(form, slice(None), columns) - epigraph
    scip.addCons(ExprCons(slack, None, 0.0) if minimize else ExprCons(slack, 0.0, None))


def capped(bounds: np.ndarray) -> list[float]:
    """Bounds as Python numbers, infinite ones as SCIP writes them."""
    return [*np.clip(bounds, -INFINITE, INFINITE).tolist()]
