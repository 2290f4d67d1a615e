"""Derivatives of a model with a tape: the objective's gradient and the rows' sparse Jacobian.

Both go through the tape backwards (reverse mode: Griewank and Walther, Evaluating Derivatives,
2008, ch. 3). The simple version of what treemip.core.solvers.ipopt computes: its executable
specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.core.model.blocks import Quadratic, SparseRows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import stack, without_entries
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Tape
from treemip.core.model.values import logistic, padded_factors, slot_values

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def objective_gradient(model: Model, x: np.ndarray) -> np.ndarray:
    """Derivatives of the objective by the columns at x (columns,): float64 (columns,)."""
    objective = model.objective
    gradient = model.costs
    form = objective.quadratic
    gradient += np.bincount(form.first, form.coef * x[form.second], len(x))
    gradient += np.bincount(form.second, form.coef * x[form.first], len(x))
    if objective.slots is not None:
        weights = np.zeros(model.tape.length)
        np.add.at(weights, objective.slots.indices, objective.slots.data)
        gradient += _pulled_back(model.tape, weights, slot_values(model.tape, x), len(x))
    return gradient


def row_jacobian(model: Model, x: np.ndarray) -> csr_array:
    """Derivatives of all rows by the columns at x: a scipy CSR array (rows, columns).

    Every entry of `jacobian_pattern` is stored, those that are 0 at this x too.
    """
    return _jacobian(model, x, slot_values(model.tape, x))


def jacobian_pattern(model: Model) -> csr_array:
    """True where a row depends on a column, by the structure alone: bool CSR (rows, columns)."""
    found = _jacobian(model, np.ones(model.column_count), None)
    found.data = np.ones(len(found.data), bool)
    return found


def _pulled_back(tape: Tape, weights: np.ndarray, slots: np.ndarray, columns: int) -> np.ndarray:
    """Gradient of weights @ slots by the columns; `weights` (slots,) is used up."""
    gradient = np.zeros(columns)
    for step, start in zip(reversed(tape.steps), tape.starts[-2::-1], strict=True):
        own = weights[start : start + step.length]
        if isinstance(step, Affine):
            gradient += _transposed_sums(step.columns, own, columns)
            weights += _transposed_sums(step.slots, own, len(weights))
        else:
            row, slot, worth = _partials(step, slots)
            weights += np.bincount(slot, own[row] * worth, len(weights))
    return gradient


def _partials(
    step: Elementwise | Product, slots: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(row in the step, earlier slot, derivative) triplets; derivative 1 without `slots`."""
    if isinstance(step, Elementwise):
        row, slot = np.arange(step.length), step.arguments
        return row, slot, np.ones(len(row)) if slots is None else _slope(step, slots[slot])
    row = np.repeat(np.arange(step.length), np.diff(step.offsets))
    if slots is None:
        return row, step.factors, np.ones(len(row))
    factors, there = padded_factors(step, slots)
    # Division by the factor itself would fail where it is 0, which saturated probabilities are.
    before, after = np.ones_like(factors), np.ones_like(factors)
    np.cumprod(factors[:, :-1], axis=1, out=before[:, 1:])
    np.cumprod(factors[:, :0:-1], axis=1, out=after[:, -2::-1])
    return row, step.factors, (before * after)[there]


def _slope(step: Elementwise, u: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        match step.function:
            case Smooth.EXP:
                return np.exp(u)
            case Smooth.LOG:
                return 1.0 / u
            case Smooth.LOGISTIC:
                return logistic(u) * logistic(-u)
            case Smooth.POWER:
                return step.exponent * np.power(u, step.exponent - 1.0)


def _transposed_sums(matrix: SparseRows, values: np.ndarray, columns: int) -> np.ndarray:
    """matrix^T @ values, float64 (columns,)."""
    return np.bincount(matrix.indices, matrix.data * values[matrix.row_of], columns)


# ------------------------------------------------------------------------------- rows


def _jacobian(model: Model, x: np.ndarray, slots: np.ndarray | None) -> csr_array:
    """Of the rows at x; without `slots` every derivative is 1, so that nothing cancels."""
    shape = (model.row_count, model.column_count)
    pattern = slots is None
    total = _matrix(stack([b.matrix for b in model.rows]), shape, pattern)
    total = total + _quadratic(model, x, shape, pattern)
    if not any(block.slots is not None for block in model.rows):
        return total
    tape = model.tape
    weights = _matrix(
        stack([b.slots or without_entries(b.length) for b in model.rows]),
        (shape[0], tape.length),
        pattern,
    )
    for step, start in zip(reversed(tape.steps), tape.starts[-2::-1], strict=True):
        own, weights = weights[:, start:], weights[:, :start]
        if isinstance(step, Affine):
            total = total + own @ _matrix(step.columns, (step.length, shape[1]), pattern)
            weights = weights + own @ _matrix(step.slots, (step.length, int(start)), pattern)
        else:
            local = _local(step, slots, int(start))
            weights = weights + own @ local
    return total


def _local(step: Elementwise | Product, slots: np.ndarray | None, before: int) -> csr_array:
    from scipy.sparse import coo_array, csr_array

    row, slot, worth = _partials(step, slots)
    return csr_array(coo_array((worth, (row, slot)), shape=(step.length, before)))


def _quadratic(model: Model, x: np.ndarray, shape: tuple[int, int], pattern: bool) -> csr_array:
    from scipy.sparse import coo_array, csr_array

    first_row = np.cumsum([0, *(block.length for block in model.rows)])
    forms: list[Quadratic] = [block.quadratic for block in model.rows]
    row = [f.row + at for f, at in zip(forms, first_row[:-1], strict=True)]
    data = [np.concatenate([f.coef * x[f.second], f.coef * x[f.first]]) for f in forms]
    column = [np.concatenate([f.first, f.second]) for f in forms]
    if not forms:
        return csr_array(shape)
    rows = np.concatenate([np.concatenate([r, r]) for r in row])
    values = np.ones(len(rows)) if pattern else np.concatenate(data)
    return csr_array(coo_array((values, (rows, np.concatenate(column))), shape=shape))


def _matrix(rows: SparseRows, shape: tuple[int, int], pattern: bool) -> csr_array:
    from scipy.sparse import csr_array

    data = np.ones(rows.nonzeros) if pattern else rows.data
    return csr_array((data, rows.indices, rows.indptr), shape=shape)
