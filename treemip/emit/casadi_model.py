"""A model as CasADi expressions: a few large operations, whatever the number of points.

A step of the tape becomes one or two operations on whole columns of slots: a product with a
constant sparse matrix, a function elementwise, a product of gathered columns. CasADi's
derivatives are again such operations, so a model of any size is built in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.arrays import Arrays, assemble
from treemip.emit.optional import needed
from treemip.model.blocks import Quadratic, SparseRows
from treemip.model.model import Model
from treemip.model.tape import Affine, Elementwise, Product, Smooth, Tape

if TYPE_CHECKING:
    import casadi
    from casadi import MX
    from scipy.sparse import csc_array


@dataclass(frozen=True)
class CasadiModel:
    """Minimize `f` where lower <= x <= upper and row_lower <= g <= row_upper.

    x: MX (columns, 1), the model's columns in order; g: MX (rows, 1), its rows. f is the negative
    of the model's objective where that is maximized (`negated`). The bounds are float64 arrays.
    """

    x: MX
    f: MX
    g: MX
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
    g = ca.mtimes(_constant(ca, arrays.matrix, arrays.columns), x)
    g += _products(ca, arrays.quadratic, x, arrays.rows)
    parts = [block.slots or block.length for block in model.rows]
    g += ca.vertcat(*(ca.MX.zeros(p) if isinstance(p, int) else slots.sums(p) for p in parts))
    objective = model.objective
    f = objective.constant + ca.dot(ca.DM(arrays.costs), x)
    f += _products(ca, objective.quadratic, x, 1)
    if objective.slots is not None:
        f += slots.sums(objective.slots)
    negated = objective.sense == "maximize"
    return CasadiModel(x, -f if negated else f, g, *_bounds(arrays), negated)


def row_jacobian(made: CasadiModel, model: Model) -> casadi.Function:
    """(x, p) -> (g, dg/dx), as `casadi.nlpsol` takes it for its option `jac_g`; p is empty.

    Differentiated family by family. Of all rows at once CasADi finds the derivatives column by
    column or row by row, and a single dense family makes either one as long as the model is wide:
    on MRCT with (1) as constraints, iris at depth 2, 6980 operations instead of 424.
    """
    ca = needed("casadi", "casadi")
    ends = np.unique(np.cumsum([0, *(block.length for block in model.rows)]))
    families = ca.vertsplit(made.g, ends.tolist()) if len(ends) > 1 else []
    parts = [ca.jacobian(family, made.x) for family in families]
    jacobian = ca.vertcat(*parts) if parts else ca.MX(0, made.x.numel())
    p = ca.MX.sym("p", 0)
    return ca.Function("nlp_jac_g", [made.x, p], [made.g, jacobian], ["x", "p"], ["g", "jac_g_x"])


class Slots:
    """The tape's slots as columns of MX, one for each step."""

    def __init__(self, ca: casadi, tape: Tape, x: MX) -> None:
        self.ca = ca
        self.starts = tape.starts
        self.blocks: list[MX] = []
        for step in tape.steps:
            if isinstance(step, Affine):
                linear = ca.mtimes(_constant(ca, step.columns, x.numel()), x)
                block = linear + self.sums(step.slots) + ca.DM(step.constants)
            elif isinstance(step, Product):
                block = self._product(step)
            else:
                block = self._function(step)
            self.blocks.append(ca.densify(block))

    def sums(self, rows: SparseRows) -> MX:
        """Rows of coefficients of slots, an MX column."""
        from scipy.sparse import csr_array

        shape = (rows.count, int(self.starts[-1]))
        matrix = csr_array((rows.data, rows.indices, rows.indptr), shape=shape).tocsc()
        total = self.ca.MX.zeros(rows.count)
        for k, block in enumerate(self.blocks):
            part = matrix[:, self.starts[k] : self.starts[k + 1]]
            if part.nnz:
                total += self.ca.mtimes(_dm(self.ca, part), block)
        return total

    def take(self, slots: np.ndarray) -> MX:
        """Slots in the order given, an MX column; a whole step is passed on as it is."""
        owner = np.searchsorted(self.starts, slots, side="right") - 1
        used, first = np.unique(owner), self.starts
        if len(used) == 1 and np.array_equal(slots, np.arange(first[used[0]], first[used[0] + 1])):
            return self.blocks[used[0]]
        lengths = first[used + 1] - first[used]
        offset = np.zeros(len(self.starts), np.int64)
        offset[used] = np.cumsum(lengths) - lengths
        joined = self.ca.vertcat(*(self.blocks[k] for k in used))
        return _picked(self.ca, joined, offset[owner] + slots - first[owner])

    def _function(self, step: Elementwise) -> MX:
        ca, u = self.ca, self.take(step.arguments)
        match step.function:
            case Smooth.EXP:
                return ca.exp(u)
            case Smooth.LOG:
                return ca.log(u)
            case Smooth.LOGISTIC:
                # 1 / (1 + exp(-u)) by a function whose derivatives stay finite for every u.
                return 0.5 * (1 + ca.tanh(u / 2))
            case Smooth.POWER:
                whole = float(step.exponent).is_integer()
                return u ** (int(step.exponent) if whole else step.exponent)

    def _product(self, step: Product) -> MX:
        """Products of one length at a time, put back into their order."""
        ca, lengths = self.ca, np.diff(step.offsets)
        parts, places = [], []
        for length in np.unique(lengths):
            at = np.flatnonzero(lengths == length)
            factors = step.factors[step.offsets[at][:, None] + np.arange(length)]
            columns = [self.take(factors[:, k]) for k in range(length)]
            parts.append(reduce(mul, columns) if columns else ca.MX.ones(len(at)))
            places.append(at)
        if len(parts) <= 1:
            return parts[0] if parts else ca.MX.zeros(0, 1)
        return ca.vertcat(*parts)[np.argsort(np.concatenate(places)).tolist()]


def _products(ca: casadi, form: Quadratic, x: MX, rows: int) -> MX:
    from scipy.sparse import csc_array

    if not form.count:
        return ca.MX.zeros(rows)
    place = (form.row, np.arange(form.count))
    matrix = csc_array((form.coef, place), shape=(rows, form.count))
    return ca.mtimes(_dm(ca, matrix), _picked(ca, x, form.first) * _picked(ca, x, form.second))


def _picked(ca: casadi, column: MX, places: np.ndarray) -> MX:
    """column[places] as a column; of a single number CasADi would make a row."""
    return ca.vec(column[places.tolist()])


def _constant(ca: casadi, rows: SparseRows, columns: int) -> casadi.DM:
    from scipy.sparse import csr_array

    shape = (rows.count, columns)
    return _dm(ca, csr_array((rows.data, rows.indices, rows.indptr), shape=shape).tocsc())


def _dm(ca: casadi, matrix: csc_array) -> casadi.DM:
    """Through lists: CasADi takes scipy matrices and arrays of integers eight times as slowly."""
    pattern = ca.Sparsity(*matrix.shape, matrix.indptr.tolist(), matrix.indices.tolist())
    return ca.DM(pattern, matrix.data.tolist())


def _bounds(arrays: Arrays) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return arrays.lower, arrays.upper, arrays.row_lower, arrays.row_upper
