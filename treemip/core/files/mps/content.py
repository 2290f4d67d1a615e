"""What an MPS file says of a model, in numbers; text comes later, once per different number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treemip.core.files.flat_model import FREE, RowSenses, joined_quadratic, row_senses
from treemip.core.files.mps.columns import Columns, by_column
from treemip.core.model.model import Model, Objective

Codes = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Content:
    """The sections of a file. Every number in them is known to `columns.distinct`.

    `columns` has the objective as row 0. `products` are first column, second column and number
    of the value, the upper triangle of Q in 1/2 x'Qx; `row_products` have a row before them,
    model-wide and ascending, and are the whole of a symmetric Q in x'Qx. `negated`: the
    objective is maximized, so all of it changed sign. `constant`: a last column, fixed at 1,
    carries the objective's constant. `nonzeros` are those of the rows.
    """

    negated: bool
    constant: bool
    row_senses: RowSenses
    columns: Columns
    products: tuple[np.ndarray, np.ndarray, np.ndarray]
    row_products: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    nonzeros: int


def content(model: Model) -> Content:
    """Gather the sections of `model`, which must have passed requirements.py."""
    objective = model.objective
    negated, constant = objective.sense == "maximize", objective.constant != 0
    sign = -1.0 if negated else 1.0
    costs = sign * np.append(model.costs, [objective.constant] if constant else [])
    senses = row_senses(model.row_lower, model.row_upper)
    columns = by_column(model, costs, senses.sense == FREE)
    codes = columns.distinct.codes
    codes(np.concatenate([senses.rhs, senses.spread, [1.0]]))
    for block in model.variables:
        for ends in block.domain:
            codes(ends[np.isfinite(ends)])
    products = _products(objective, sign, codes)
    of_rows = _row_products(model, codes)
    nonzeros = columns.added - int(np.count_nonzero(costs))
    return Content(negated, constant, senses, columns, products, of_rows, nonzeros)


def _products(
    objective: Objective, sign: float, codes: Codes
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    quadratic = objective.quadratic
    order = np.lexsort((quadratic.second, quadratic.first))
    first, second = quadratic.first[order], quadratic.second[order]
    if (first > second).any():
        raise ValueError("a product of the objective has its columns in falling order")
    if ((first[1:] == first[:-1]) & (second[1:] == second[:-1])).any():
        raise ValueError("a product of the objective is stored twice")
    return first, second, codes(sign * quadratic.coef[order] * np.where(first == second, 2.0, 1.0))


def _row_products(
    model: Model, codes: Codes
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Each product x y as two halves, x y and y x; a square stays whole."""
    form = joined_quadratic(model)
    square = form.first == form.second
    entry = np.repeat(np.arange(form.count), np.where(square, 1, 2))
    mirrored = np.flatnonzero(entry[1:] == entry[:-1]) + 1
    first, second = form.first[entry], form.second[entry]
    first[mirrored], second[mirrored] = second[mirrored], first[mirrored]
    return form.row[entry], first, second, codes((form.coef * np.where(square, 1.0, 0.5))[entry])
