"""Which way uses push a function's result, and where an inequality can therefore state it.

y = f(a) may be replaced by y >= f(a) when every use of y only gets easier as y falls: in rows
with a positive coefficient and no lower bound, a negative one and no upper bound, a minimized
cost, an argument of a function that itself may fall, a slot of the tape that is monotone in y and
may move as y makes it. Then any solution of the relaxation gives one of the original with y
lowered to f(a).
"""

from __future__ import annotations

import numpy as np

from treemip.core.model.blocks import Function, Functions, Implications, Quadratic, Rows, SparseRows
from treemip.core.model.bounds import slopes, tape_ranges
from treemip.core.model.model import Model, Objective
from treemip.core.model.tape import Affine, Product, Step


class Monotonicity:
    """`can_fall` and `can_rise`, bool (columns,), of the columns from `first` on.

    Function results are appended behind the spec's own variables, so a block whose columns are
    all below `first` is passed over.
    """

    def __init__(self, columns: int, first: int = 0) -> None:
        self.first = first
        self.can_fall = np.ones(columns, bool)
        self.can_rise = np.ones(columns, bool)

    def rows(self, rows: Rows) -> None:
        self._linear(rows.matrix, np.isfinite(rows.lower), np.isfinite(rows.upper))
        self._products(rows.quadratic)

    def implications(self, block: Implications) -> None:
        self.rows(block.body)
        self.fixed(block.guard.indices)

    def guards(self, block: Implications) -> None:
        """Columns of guards: a row is the easier to keep the less its guard has the value."""
        at = block.guard.row_of
        held = block.value[at] == 1
        self._moved(block.guard.indices, block.guard.data, held, ~held)

    def objective(self, objective: Objective) -> None:
        cost = objective.sign * objective.linear
        self.can_fall[: len(cost)] &= cost >= 0
        self.can_rise[: len(cost)] &= cost <= 0
        self._products(objective.quadratic)

    def fixed(self, ids: np.ndarray) -> None:
        """Columns without a known direction."""
        self.can_fall[ids] = False
        self.can_rise[ids] = False

    def _products(self, form: Quadratic) -> None:
        self.fixed(form.first)
        self.fixed(form.second)

    def arguments(self, block: Functions) -> None:
        """Arguments of a function whose result may fall (rise): max and min rise with them.

        Slots are followed by `tape`.
        """
        self._products(block.quadratic)
        self._arguments(block, block.arguments, self)

    def _arguments(self, block: Functions, matrix: SparseRows, uses: Monotonicity) -> None:
        """Columns or slots in a function's arguments, `uses`, from what its results may do."""
        if block.function not in (Function.MAX, Function.MIN):
            uses.fixed(matrix.indices)
            return
        result = (block.result + block.owner)[matrix.row_of]
        uses._moved(matrix.indices, matrix.data, self.can_fall[result], self.can_rise[result])

    def is_one_sided(self, block: Functions) -> bool:
        """Whether inequalities state it: all results may fall, or rise where it is min."""
        can = self.can_rise if block.function is Function.MIN else self.can_fall
        return bool(can[block.result : block.result + block.length].all())

    def functions(self, model: Model) -> None:
        """Columns in the tape and in functions, once all rows and the objective have been seen.

        Functions stand before those that use them, and tape and functions may use each other: each
        pass only removes directions, so repeating it ends.
        """
        tangled = any(block.slots is not None for block in model.functions)
        left = -1
        while left != (left := int(self.can_fall.sum() + self.can_rise.sum())):
            if model.tape.steps:
                self.tape(model)
            for block in reversed(model.functions):
                if not self.is_one_sided(block):
                    self.fixed(block.arguments.indices)
                self.arguments(block)
            if not tangled:
                break

    def tape(self, model: Model) -> None:
        """Columns in the tape, from how rows and objective use its slots."""
        slots = Monotonicity(model.tape.length)
        for rows in model.bodies:
            if rows.slots is not None:
                slots._linear(rows.slots, np.isfinite(rows.lower), np.isfinite(rows.upper))
        for block in model.functions:
            if block.slots is not None:
                self._arguments(block, block.slots, slots)
        costs = model.objective.slots
        if costs is not None:
            falls = np.ones(costs.nonzeros, bool)  # a minimized cost may fall and may not rise
            slots._moved(costs.indices, model.objective.sign * costs.data, falls, ~falls)
        ranges = tape_ranges(model.tape, model.lower, model.upper)
        starts = model.tape.starts
        for k in reversed(range(len(model.tape.steps))):
            self._step(model.tape.steps[k], slots, np.arange(starts[k], starts[k + 1]), *ranges)

    def _step(
        self, step: Step, slots: Monotonicity, own: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> None:
        """What a step's arguments may do, from what its slots `own` may."""
        falls, rises = slots.can_fall[own], slots.can_rise[own]
        if isinstance(step, Affine):
            for uses, matrix in ((self, step.columns), (slots, step.slots)):
                row = matrix.row_of
                uses._moved(matrix.indices, matrix.data, falls[row], rises[row])
        elif isinstance(step, Product):
            row = np.repeat(np.arange(step.length), np.diff(step.offsets))
            signs = _cofactor_signs(step, row, low, high)
            slots._moved(step.factors, signs, falls[row], rises[row])
        else:
            up, down = slopes(step, low, high)
            signs = np.where(up, 1.0, np.where(down, -1.0, 0.0))
            slots._moved(step.arguments, signs, falls, rises)

    def _moved(
        self, ids: np.ndarray, signs: np.ndarray, falls: np.ndarray, rises: np.ndarray
    ) -> None:
        """Record uses of columns `ids`. Each moves something that may fall or rise (`falls`,
        `rises`) in the direction of its sign; a sign of 0 stands for an unknown direction."""
        fall = np.where(signs > 0, falls, np.where(signs < 0, rises, False))
        rise = np.where(signs > 0, rises, np.where(signs < 0, falls, False))
        self.can_fall[ids[~fall]] = False
        self.can_rise[ids[~rise]] = False

    def _linear(self, matrix: SparseRows, has_lower: np.ndarray, has_upper: np.ndarray) -> None:
        if not matrix.nonzeros or matrix.indices.max() < self.first:
            return
        row = matrix.row_of
        positive = matrix.data > 0
        no_fall = np.where(positive, has_lower[row], has_upper[row])
        no_rise = np.where(positive, has_upper[row], has_lower[row])
        self.can_fall[matrix.indices[no_fall]] = False
        self.can_rise[matrix.indices[no_rise]] = False


def _cofactor_signs(
    step: Product, row: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """For each factor, the sign of the product of the others: 1, -1, or 0 where not proven."""
    negative = (high[step.factors] <= 0) & (low[step.factors] < 0)
    unknown = ~negative & (low[step.factors] < 0)
    minus = np.bincount(row, negative, step.length)[row] - negative
    open_ones = np.bincount(row, unknown, step.length)[row] - unknown
    return np.where(open_ones > 0, 0.0, np.where(minus % 2 == 1, -1.0, 1.0))
