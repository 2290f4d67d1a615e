"""What a model's rows, functions and objective are worth at a point, its tape included.

numpy alone, one pass over the tape. Nothing overflows on the way to a finite result: the logistic
function is computed from exp of a number that is not positive, since at gamma = 512 (Amaldi,
Consolo and Manno, 2023, sect. 4) its argument goes beyond the 709 that exp can take.
"""

from __future__ import annotations

import numpy as np

from treemip.core.model.arrays import joined
from treemip.core.model.blocks import Function, Functions, Quadratic, SparseRows
from treemip.core.model.model import Model
from treemip.core.model.objective_on_demand import ObjectiveOnDemand
from treemip.core.model.tape import Affine, Product, Smooth, Step, Tape


def slot_values(tape: Tape, x: np.ndarray) -> np.ndarray:
    """All slots at x (columns,): float64 (slots,); inf or nan outside a function's domain."""
    slots = np.empty(tape.length)
    for step, start in zip(tape.steps, tape.starts[:-1], strict=True):
        slots[start : start + step.length] = _step(step, x, slots)
    return slots


def objective_value(model: Model, x: np.ndarray, slots: np.ndarray | None = None) -> float:
    """The objective with constant, products and slots at x (columns,), in the model's sense.

    `slots`: those of the model's tape at x where the caller has them already.
    """
    objective = model.objective
    if isinstance(objective, ObjectiveOnDemand):
        return objective.worth({b.name: x[b.start : b.stop] for b in model.variables})
    total = objective.constant + objective.linear @ x[: len(objective.linear)]
    total += products_at(objective.quadratic, x, 1)[0]
    if objective.slots is not None:
        slots = slot_values(model.tape, x) if slots is None else slots
        total += row_sums(objective.slots, slots)[0]
    return float(total)


def row_values(model: Model, x: np.ndarray, slots: np.ndarray | None = None) -> np.ndarray:
    """The value of each row's body at x (columns,): float64 (rows,)."""
    if slots is None and any(block.slots is not None for block in model.rows):
        slots = slot_values(model.tape, x)
    parts = []
    for block in model.rows:
        values = row_sums(block.matrix, x) + products_at(block.quadratic, x, block.length)
        if block.slots is not None:
            assert slots is not None
            values += row_sums(block.slots, slots)
        parts.append(values)
    return joined(parts)


def violation(model: Model, x: np.ndarray, slots: np.ndarray | None = None) -> float:
    """By how much x (columns,) misses its worst bound or row; nan where a row has no value.

    `slots`: those of the model's tape at x where the caller has them already.
    """
    low = np.concatenate([model.lower, model.row_lower])
    high = np.concatenate([model.upper, model.row_upper])
    values = np.concatenate([x, row_values(model, x, slots)])
    missed = np.maximum(low - values, values - high)
    return float(np.maximum(missed, 0.0).max(initial=0.0))


def row_sums(matrix: SparseRows, values: np.ndarray) -> np.ndarray:
    """matrix @ values, float64 (rows,)."""
    if not matrix.nonzeros:
        return np.zeros(matrix.count)
    return _sums(matrix.row_of, matrix.data * values[matrix.indices], matrix.count)


def logistic(u: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-u)) for any u."""
    small = np.exp(-np.abs(u))
    return np.where(u >= 0, 1.0, small) / (1.0 + small)


def padded_factors(step: Product, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of each product side by side, 1 where a product has fewer.

    Gives float64 (products, most factors) and, bool of that shape, which entries are factors.
    """
    lengths = np.diff(step.offsets)
    there = np.arange(lengths.max(initial=0)) < lengths[:, None]
    table = np.ones(there.shape)
    table[there] = slots[step.factors]
    return table, there


def _step(step: Step, x: np.ndarray, slots: np.ndarray) -> np.ndarray:
    if isinstance(step, Affine):
        return step.constants + row_sums(step.columns, x) + row_sums(step.slots, slots)
    if isinstance(step, Product):
        return _products(step, slots)
    return smooth_values(step.function, slots[step.arguments], step.exponent)


def _products(step: Product, slots: np.ndarray) -> np.ndarray:
    lengths = np.diff(step.offsets)
    if len(lengths) and (lengths == lengths[0]).all():
        return np.multiply.reduce(slots[step.factors.reshape(len(lengths), -1).T], axis=0)
    return padded_factors(step, slots)[0].prod(axis=1)


def smooth_values(function: Smooth, u: np.ndarray, exponent: float = 1.0) -> np.ndarray:
    """The function of each number, float64 of u's shape; inf or nan outside its domain."""
    with np.errstate(all="ignore"):
        match function:
            case Smooth.EXP:
                return np.exp(u)
            case Smooth.LOG:
                return np.log(u)
            case Smooth.LOGISTIC:
                return logistic(u)
            case Smooth.POWER:
                return np.power(u, exponent)


def products_at(form: Quadratic, x: np.ndarray, rows: int) -> np.ndarray:
    """Sums of coef * x[first] * x[second] by row, float64 (rows,)."""
    return _sums(form.row, form.coef * x[form.first] * x[form.second], rows)


def _sums(row: np.ndarray, worth: np.ndarray, rows: int) -> np.ndarray:
    """Sums by row, float64 (rows,); numpy counts in integers where nothing is to be added."""
    return np.bincount(row, worth, rows).astype(np.float64, copy=False)


START = {Function.ABS: 0.0, Function.NORMINF: 0.0, Function.MAX: -np.inf, Function.MIN: np.inf}
"""The value over no arguments at all; of these, lowering lets only that of norminf happen."""


def function_values(block: Functions, x: np.ndarray, slots: np.ndarray | None = None) -> np.ndarray:
    """The results at x (columns,), float64 (length,). `slots`: the tape's values, if used."""
    arguments = row_sums(block.arguments, x) + block.constants
    arguments += products_at(block.quadratic, x, block.arguments.count)
    if block.slots is not None:
        assert slots is not None
        arguments += row_sums(block.slots, slots)
    if block.function in (Function.ABS, Function.NORMINF):
        arguments = np.abs(arguments)
    least = block.function is Function.MIN
    results = np.full(block.length, START[block.function])
    (np.minimum if least else np.maximum).at(results, block.owner, arguments)
    return results
