"""A model as CasADi expressions: a few large operations, whatever the number of points.

A step of the tape becomes one or two operations on whole columns of slots: a product with a
constant sparse matrix, a function elementwise, a product of gathered columns. Its derivatives are
again such operations (hessian.py), so a model of any size is built in milliseconds.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treemip.core.files.profiles import Caps, Profile, Reads
from treemip.core.model.arrays import Ragged
from treemip.core.model.blocks import Quadratic, SparseRows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import Part, join_parts, stack, without_entries
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Step, Tape
from treemip.core.solvers.ipopt.operations import (
    Products,
    by_length,
    column,
    constant,
    gathered,
    multiplied,
    plus,
    scaled,
    shifted,
    times,
    together,
    zeros,
)
from treemip.core.solving.arrays import assemble
from treemip.core.solving.optional import needed

if TYPE_CHECKING:
    import casadi
    from casadi import DM, MX

CASADI = Profile("casadi", "CasADi", Caps(model=Reads(objective=True, rows=True, nonlinear=True)))


@dataclass(frozen=True)
class CasadiModel:
    """Minimize `f` where lower <= x <= upper and row_lower <= g <= row_upper.

    x: MX (columns, 1), the model's columns in order, but for the last ones where these are
    parameters, p: MX (parameters, 1); g: MX (rows, 1), its rows. f is the negative of the model's
    objective where that is maximized (`negated`). `slots` are those of the model's tape, which f
    and g share; `weights` are their coefficients in g. The bounds are float64 arrays.
    """

    x: MX
    p: MX
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
        return {"x": self.x, "p": self.p, "f": self.f, "g": self.g}

    @property
    def bounds(self) -> dict[str, np.ndarray]:
        """The bounds that the solver of `casadi.nlpsol` is called with, besides x0."""
        return {
            "lbx": self.lower,
            "ubx": self.upper,
            "lbg": self.row_lower,
            "ubg": self.row_upper,
        }


def to_casadi(model: Model, parameters: int = 0) -> CasadiModel:
    """The model in CasADi. Integrality is not in it: `model.integer` says which columns have it.

    parameters: how many of the columns, the last ones, are known numbers to each call. Raises E601
    when implications or functions are left, E402 and E403 for numbers and bounds that no solver can
    take, E602 without casadi.
    """
    arrays = assemble(model, CASADI)
    ca = needed("casadi", "casadi")
    free = arrays.columns - parameters
    own, known = ca.MX.sym("x", free), ca.MX.sym("p", parameters)
    x = ca.vertcat(own, known) if parameters else own
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
    bounds = arrays.lower[:free], arrays.upper[:free], arrays.row_lower, arrays.row_upper
    return CasadiModel(own, known, f, g, slots, weights, *bounds, negated)


def _row_slots(model: Model) -> SparseRows:
    """The coefficients of slots in all rows, one below the other."""
    return stack([b.slots or without_entries(b.length) for b in model.rows])


def _products(ca: casadi, form: Quadratic, x: MX, rows: int) -> MX:
    """What the products add to each of `rows` rows."""
    starts = np.searchsorted(form.row, np.arange(rows + 1))
    matrix = constant(ca, SparseRows(starts, np.arange(form.count), form.coef), form.count)
    first, second = gathered(ca, x, form.first), gathered(ca, x, form.second)
    return multiplied(ca, matrix, times(ca, first, second))


# -------------------------------------------------------------------------------- slots of the tape


class Slots:
    """A tape's slots for x, MX (columns, 1); what nothing asks for is not made.

    CasADi gets the raw values, a column for each step. `rows`: the rows of
    columns in affine steps, of raw values, one step below the other, DM (rows, columns).
    """

    def __init__(self, ca: casadi, tape: Tape, x: MX) -> None:
        self.ca, self.steps = ca, tape.steps
        self.starts = tape.starts
        self._starts: list[int] = self.starts.tolist()
        self.sources = sources(tape)
        self._bases: dict[int, int] = {}
        self.rows: DM = constant(ca, self._affine_rows(), x.numel())
        self._images = multiplied(ca, self.rows, x)
        self._raw: dict[int, MX] = {}
        self._products: dict[int, list[Products]] = {}
        self._joined: dict[tuple[int, ...], MX] = {}

    # ------------------------------------------------------------------- values of slots

    def take(self, slots: np.ndarray, factor: float = 1.0) -> MX:
        """Slots in the order given, an MX column, times a factor."""
        by, rates, shifts = (of[slots] for of in self.sources)
        values = scaled(self.ca, self._picked(by), rates * factor)
        return shifted(self.ca, values, shifts * factor)

    def sums(self, rows: SparseRows, others: MX | None = None) -> MX:
        """Rows of coefficients of slots, an MX column; added to `others`."""
        rows, constants = self._through(rows)
        if not rows.nonzeros:
            none = zeros(self.ca, rows.count) if others is None else others
            return shifted(self.ca, none, constants)
        slots, rates, shifts = self.sources
        data = rows.data * rates[rows.indices]
        if shifts[rows.indices].any():
            shift = rows.data * shifts[rows.indices]
            constants = constants + np.bincount(rows.row_of, shift, rows.count)
        if rows.nonzeros == rows.count and (rows.indptr[1:] - rows.indptr[:-1] == 1).all():
            found = scaled(self.ca, self._picked(slots[rows.indices]), data)
        else:
            used, places = _used(rows)
            values = self._picked(slots[used])
            if rows.count > 1 or rows.nonzeros < len(used):
                matrix = constant(self.ca, SparseRows(rows.indptr, places, data), len(used))
                return shifted(self.ca, multiplied(self.ca, matrix, values, others), constants)
            found = self.ca.dot(column(self.ca, data), values)
        found = found if others is None else plus(self.ca, others, found)
        return shifted(self.ca, found, constants)

    def _through(self, rows: SparseRows) -> tuple[SparseRows, np.ndarray]:
        """The rows with sums of slots expanded, where that is not longer, and their constants."""
        k, none = self._only_step(rows.indices), np.zeros(rows.count)
        step = None if k is None else self.steps[k]
        if k is None or not isinstance(step, Affine) or step.columns.nonzeros:
            return rows, none
        row = rows.indices - self._starts[k]
        taken = Ragged(step.slots.indptr, np.arange(step.slots.nonzeros)).take(row)
        if len(taken.items) > step.slots.nonzeros:
            return rows, none
        data = step.slots.data[taken.items] * np.repeat(rows.data, taken.lengths)
        lengths = np.diff(taken.offsets[rows.indptr])
        part = Part(lengths, step.slots.indices[taken.items], data)
        constants = np.bincount(rows.row_of, rows.data * step.constants[row], rows.count)
        return join_parts(rows.count, [part]), constants

    def products(self, k: int) -> list[Products]:
        """Those of step k, by length."""
        step = self.steps[k]
        assert isinstance(step, Product)
        if k not in self._products:
            self._products[k] = [
                Products(self.ca, at, factors, [self._summand(each) for each in factors.T])
                for at, factors in by_length(step)
            ]
        return self._products[k]

    def _summand(self, slots: np.ndarray) -> MX:
        """The raw value that represents a factor in products."""
        by, rates, shifts = (of[slots] for of in self.sources)
        return shifted(self.ca, self._picked(by), shifts / rates)

    # ------------------------------------------------------------------------- raw values

    def raw(self, k: int) -> MX:
        """Those of step k."""
        if k not in self._raw:
            step = self.steps[k]
            if isinstance(step, Affine):
                self._raw[k] = self._affine(k, step)
            elif isinstance(step, Product):
                self._raw[k] = together(self.ca, self.products(k))
            else:
                self._raw[k] = self._function(step)
        return self._raw[k]

    def _picked(self, slots: np.ndarray) -> MX:
        """Raw values of slots in the order given; a whole step is passed on as it is."""
        if not len(slots):
            return zeros(self.ca, 0)
        if (k := self._only_step(slots)) is not None:
            return gathered(self.ca, self.raw(k), slots - self._starts[k])
        owner = np.searchsorted(self.starts, slots, side="right") - 1
        used = np.flatnonzero(np.bincount(owner))
        lengths = self.starts[used + 1] - self.starts[used]
        offset = np.zeros(len(self.starts), np.int64)
        offset[used] = np.cumsum(lengths) - lengths
        key = tuple(used.tolist())
        if key not in self._joined:  # each time anew, derivatives would have it each time as well
            self._joined[key] = self.ca.vertcat(*(self.raw(k) for k in key))
        return gathered(self.ca, self._joined[key], (offset - self.starts)[owner] + slots)

    def _only_step(self, slots: np.ndarray) -> int | None:
        """The step that all these slots are of, if there are any."""
        if not len(slots):
            return None
        first = bisect_right(self._starts, int(slots.min()))
        return first - 1 if first == bisect_right(self._starts, int(slots.max())) else None

    def _affine(self, k: int, step: Affine) -> MX:
        ca, found = self.ca, None
        rate = self.rate(k)
        if step.columns.nonzeros:
            first = self._bases[k]
            found = gathered(ca, self._images, np.arange(first, first + step.length))
        if step.slots.nonzeros:
            own = step.slots
            found = self.sums(SparseRows(own.indptr, own.indices, own.data / rate), found)
        if found is None:
            return ca.MX(column(ca, step.constants / rate))
        return shifted(ca, found, step.constants / rate)

    def _function(self, step: Elementwise) -> MX:
        ca = self.ca
        if step.function is Smooth.LOGISTIC:
            # Unlike those of exp(-u), the derivatives of tanh stay finite for every u.
            return ca.MX.unary(ca.OP_TANH, self.take(step.arguments, 0.5))
        u = self.take(step.arguments)
        if step.function is Smooth.POWER:
            return power(u, step.exponent)
        return ca.MX.unary(ca.OP_EXP if step.function is Smooth.EXP else ca.OP_LOG, u)

    def _affine_rows(self) -> SparseRows:
        """Fills `_bases`."""
        parts, base = [], 0
        for k, step in enumerate(self.steps):
            if isinstance(step, Affine) and step.columns.nonzeros:
                own, rate = step.columns, self.rate(k)
                data = own.data if rate == 1 else own.data / rate
                parts.append(SparseRows(own.indptr, own.indices, data))
                self._bases[k], base = base, base + step.length
        return stack(parts)

    def rate(self, k: int) -> float:
        """slot / raw value in affine step k, which is the same for all its slots."""
        return float(self.sources.rates[self._starts[k]]) if self.steps[k].length else 1.0


def _used(rows: SparseRows) -> tuple[np.ndarray, np.ndarray]:
    """The slots that occur in rows, ascending, and which of them each entry has."""
    low, high = int(rows.indices.min()), int(rows.indices.max())
    used, places = np.arange(low, high + 1), rows.indices - low
    if rows.nonzeros >= len(used):
        return used, places
    used = np.flatnonzero(np.bincount(places))
    place = np.zeros(int(used[-1]) + 1, np.int64)
    place[used] = np.arange(len(used))
    return used + low, place[places]


def power(u: MX, exponent: float) -> MX:
    """u^exponent; whole exponents stay whole, so that CasADi takes negative u."""
    return u ** (int(exponent) if float(exponent).is_integer() else exponent)


# ------------------ sources: what a slot is computed from, the raw value of another slot or its own

LARGEST = 1e8
"""Greatest constant beside a number times a slot: shift / rate must stay far below overflow."""


class Sources(NamedTuple):
    """slot[k] = shifts[k] + rates[k] * raw value of slot slots[k], each array (slots,)."""

    slots: np.ndarray
    rates: np.ndarray
    shifts: np.ndarray


def sources(tape: Tape) -> Sources:
    """What each slot of the tape is computed from.

    Raw values leave out numbers that need not be computed for every slot, and of which no
    derivative need be followed:

        slot[k] = shifts[k] + rates[k] * raw[slots[k]].

    Of 1 / (1 + exp(-u)) the raw value is tanh(u / 2), and of u, where it is an affine row, u / 2. A
    slot of an affine step that is a constant and a number times one other slot, 1 - p for one, has
    no raw value of its own but that slot's. The raw value of a product is that of the factors shift
    / rate + raw; so the paths of a tree are products of 1 + tanh and -1 + tanh.
    """
    starts = tape.starts.tolist()
    found = Sources(np.arange(starts[-1]), np.ones(starts[-1]), np.zeros(starts[-1]))
    halved = _halved(tape)
    for k, (step, start) in enumerate(zip(tape.steps, starts, strict=False)):
        own = slice(start, start + step.length)
        if isinstance(step, Product):
            found.rates[own] = _product(step, found.rates)
        elif isinstance(step, Elementwise):
            if step.function is Smooth.LOGISTIC:
                found.rates[own] = found.shifts[own] = 0.5
        elif k in halved:
            found.rates[own] = 2.0
        elif follows(step):
            by = step.slots.indices
            found.slots[own] = found.slots[by]
            found.rates[own] = step.slots.data * found.rates[by]
            found.shifts[own] = step.slots.data * found.shifts[by] + step.constants
    return found


def follows(step: Step) -> bool:
    """Whether each slot of the step is a constant and a number times another slot."""
    if not isinstance(step, Affine) or step.columns.nonzeros:
        return False
    if (np.diff(step.slots.indptr) != 1).any():
        return False
    sizes = abs(step.slots.data)
    return bool(((abs(step.constants) <= LARGEST * sizes) & (sizes > 0)).all())


def _halved(tape: Tape) -> set[int]:
    """The affine steps that logistic functions are taken of."""
    steps = {k: tape.steps[k] for k in tape.arguments_of(Smooth.LOGISTIC)}
    return {k for k, step in steps.items() if isinstance(step, Affine) and not follows(step)}


def _product(step: Product, rates: np.ndarray) -> np.ndarray:
    of_factors = rates[step.factors]
    found = np.ones(step.length)
    if (of_factors != 1).any():
        owner = np.repeat(np.arange(step.length), np.diff(step.offsets))
        np.multiply.at(found, owner, of_factors)
    return found
