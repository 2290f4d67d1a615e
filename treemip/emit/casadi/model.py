"""A model as CasADi expressions: a few large operations, whatever the number of points.

A step of the tape becomes one or two operations on whole columns of slots: a product with a
constant sparse matrix, a function elementwise, a product of gathered columns
(slots.py). Its derivatives are again such operations (derivatives.py), so a model of
any size is built in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.arrays import assemble
from treemip.emit.casadi.ops import column, constant, gathered, multiplied, plus, times
from treemip.emit.casadi.slots import Slots
from treemip.emit.optional import needed
from treemip.model.blocks import Quadratic, SparseRows
from treemip.model.model import Model
from treemip.model.sparse_rows import stack, without_entries

if TYPE_CHECKING:
    import casadi
    from casadi import MX


@dataclass(frozen=True)
class CasadiModel:
    """Minimize `f` where lower <= x <= upper and row_lower <= g <= row_upper.

    x: MX (columns, 1), the model's columns in order; g: MX (rows, 1), its rows. f is the negative
    of the model's objective where that is maximized (`negated`). `slots` are those of the model's
    tape, which f and g share; `weights` are their
    coefficients in g. The bounds are float64 arrays.
    """

    x: MX
    f: MX
    g: MX
    slots: Slots
    weights: SparseRows
    lower: np.ndarray
    upper: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    negated: bool

    @property
    def nlp(self) -> dict[str, MX]:
        """What `casadi.nlpsol` and `casadi.qpsol` take."""
        return {"x": self.x, "f": self.f, "g": self.g}

    @property
    def bounds(self) -> dict[str, np.ndarray]:
        """What the solver that `casadi.nlpsol` gives is called with, beside x0."""
        return {
            "lbx": self.lower,
            "ubx": self.upper,
            "lbg": self.row_lower,
            "ubg": self.row_upper,
        }


def to_casadi(model: Model) -> CasadiModel:
    """The model in CasADi. Integrality is not in it: `model.integer` says which columns have it.

    Raises E601 when implications or functions are left, E402 and E403 for numbers and bounds that
    no solver can take, E602 without casadi.
    """
    arrays = assemble(model, "CasADi", tape=True)
    ca = needed("casadi", "casadi")
    x = ca.MX.sym("x", arrays.columns)
    slots = Slots(ca, model.tape, x)
    g = multiplied(ca, constant(ca, arrays.matrix, arrays.columns), x)
    if arrays.quadratic.count:
        g = plus(ca, g, _products(ca, arrays.quadratic, x, arrays.rows))
    weights = _row_slots(model)
    if weights.nonzeros:
        g = slots.sums(weights, g)
    objective = model.objective
    f = ca.MX(objective.constant)
    if arrays.costs.any():
        f = plus(ca, f, ca.dot(column(ca, arrays.costs), x))
    if objective.quadratic.count:
        f = plus(ca, f, _products(ca, objective.quadratic, x, 1))
    if objective.slots is not None:
        f = slots.sums(objective.slots, f)
    negated = objective.sense == "maximize"
    f = -f if negated else f
    bounds = arrays.lower, arrays.upper, arrays.row_lower, arrays.row_upper
    return CasadiModel(x, f, g, slots, weights, *bounds, negated)


def _row_slots(model: Model) -> SparseRows:
    """The coefficients of slots in all rows, one below the other."""
    return stack([b.slots or without_entries(b.length) for b in model.rows])


def _products(ca: casadi, form: Quadratic, x: MX, rows: int) -> MX:
    """What the products add to each of `rows` rows."""
    starts = np.searchsorted(form.row, np.arange(rows + 1))
    matrix = constant(ca, SparseRows(starts, np.arange(form.count), form.coef), form.count)
    first, second = gathered(ca, x, form.first), gathered(ca, x, form.second)
    return multiplied(ca, matrix, times(ca, first, second))
