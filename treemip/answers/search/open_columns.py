"""The best values of columns that a tree leaves open, found from the rows alone, without a solver.

A row with one open column leaves it an interval. A column that all its other rows want small, and
the objective too, is at the lower end of its interval in some best solution, and the other way
round; with such columns known, other rows have fewer that are open.
"""

from __future__ import annotations

import numpy as np

from treemip.core.model.blocks import Implications, Rows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import some_rows
from treemip.core.model.tolerances import VERIFIED
from treemip.core.model.values import slot_values
from treemip.core.tree.residuals import guard_holds, model_violations


def best_by_rows(model: Model, known: np.ndarray) -> np.ndarray | None:
    """The best solution, float64 (columns,), with the columns that are known, nan for the others;
    None where the rows do not determine it, or where there is no solution."""
    held, whole = held_rows(model, known)
    rows = [*model.rows, *held]
    if not whole or model.special_sets or not _is_linear(model, rows, known):
        return None
    rate = model.objective.sign * model.costs
    values = known.copy()
    while np.isnan(values).any():
        more = _settled(model, rows, values, rate)
        if more is None:
            return None
        values = more
    broken = next(iter(model_violations(model, model.by_name(values))), None)
    return None if broken is not None else values


def _settled(
    model: Model, rows: list[Rows], known: np.ndarray, rate: np.ndarray
) -> np.ndarray | None:
    """The values, together with the open columns that the rows allow to be at their best; None if
    there are no such columns. rate float64 (columns,): what the objective to be minimized pays."""
    low, high, unknown = model.lower.copy(), model.upper.copy(), np.isnan(known)
    less, more = rate >= 0, rate <= 0  # whether it may be as little, as much as can be
    for block in rows:
        tighten(block, known, low, high)
        matrix = block.matrix
        entry = np.flatnonzero(unknown[matrix.indices] & (matrix.data != 0))
        row = matrix.row_of[entry]
        shared = np.bincount(row, minlength=block.length)[row] > 1
        row, column = row[shared], matrix.indices[entry[shared]]
        up = matrix.data[entry[shared]] > 0
        below, above = np.isfinite(block.upper[row]), np.isfinite(block.lower[row])
        less[column[np.where(up, above, below)]] = False
        more[column[np.where(up, below, above)]] = False
    low, high = _whole(model, low, high)
    best = np.where(less, low, high)
    best = np.where(less & more, _within(low, high, model.integer), best)
    sure = unknown & np.isfinite(best) & (less | more | (low == high))
    return np.where(sure, best, known) if sure.any() else None


def _within(low: np.ndarray, high: np.ndarray, integer: np.ndarray) -> np.ndarray:
    """A number of each interval: its middle, or where it has none or that is no integer, an end."""
    end = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0.0))
    with np.errstate(invalid="ignore"):
        middle = low + (high - low) / 2
    return np.where(np.isfinite(middle) & ~integer, middle, end)


def _whole(model: Model, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The intervals with integers at the ends of those of integers."""
    return (
        np.where(model.integer, np.ceil(low - VERIFIED), low),
        np.where(model.integer, np.floor(high + VERIFIED), high),
    )


def _is_linear(model: Model, rows: list[Rows], known: np.ndarray) -> bool:
    """Whether open columns are in no product, function, or nonlinear expression, and in no row
    beside one."""
    unknown = np.isnan(known)
    products = [model.objective.quadratic, *(block.quadratic for block in rows)]
    if any(bool((unknown[q.first] | unknown[q.second]).any()) for q in products):
        return False
    odd = [block.matrix for block in rows if block.slots is not None]
    if any(bool(unknown[matrix.indices].any()) for matrix in odd):
        return False
    results = [slice(f.result, f.result + f.length) for f in model.functions]
    if any(bool(unknown[at].any()) for at in results):
        return False
    if any(bool(unknown[f.arguments.indices].any()) for f in model.functions):
        return False
    if not model.tape.steps:
        return True
    with np.errstate(all="ignore"):
        slots = slot_values(model.tape, known)
    return not bool(np.isnan(slots).any())


def tighten(rows: Rows, known: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """The interval that rows over one open column each leave it."""
    _, column, least, greatest = _intervals(rows, known)
    np.maximum.at(low, column, least)
    np.minimum.at(high, column, greatest)


def without_room(model: Model, known: np.ndarray, some: np.ndarray) -> dict[str, int]:
    """How many rows of which family leave one of some open columns, bool (columns,), no value that
    verification would forgive them all, the others being known where they are not nan."""
    low, high = model.lower - VERIFIED, model.upper + VERIFIED
    rows = [*model.rows, *held_rows(model, known)[0]]
    intervals = [_intervals(block, known, VERIFIED) for block in rows]
    for _, column, least, greatest in intervals:
        np.maximum.at(low, column, least)
        np.minimum.at(high, column, greatest)
    shut, counts = some & np.isnan(known) & (low > high), dict[str, int]()
    for block, (row, column, least, greatest) in zip(rows, intervals, strict=True):
        against = shut[column] & ((least > high[column]) | (greatest < low[column]))
        if against.any():
            counts[block.name] = counts.get(block.name, 0) + len(np.unique(row[against]))
    return counts


def _intervals(
    rows: Rows, known: np.ndarray, forgiven: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of rows over one open column each: the row, the column, and the least and the greatest that
    it may be. forgiven: how far a row may be off, relative to its size."""
    matrix, products = rows.matrix, rows.quadratic
    missing = np.isnan(known[matrix.indices])
    alone = np.bincount(matrix.row_of[missing], minlength=rows.length) == 1
    of_products = np.zeros(rows.length)
    if products.count:
        worth = products.coef * known[products.first] * known[products.second]
        np.add.at(of_products, products.row, worth)
        alone &= ~np.isnan(of_products)
    entry = np.flatnonzero(missing & alone[matrix.row_of] & (matrix.data != 0))
    terms = np.where(missing, 0.0, matrix.data * np.nan_to_num(known[matrix.indices]))
    body = of_products + np.bincount(matrix.row_of, terms, rows.length)
    row, column, rate = matrix.row_of[entry], matrix.indices[entry], matrix.data[entry]
    ends = np.stack([rows.lower[row] - body[row], rows.upper[row] - body[row]])
    if forgiven:
        size = (
            np.abs(of_products[row]) + np.bincount(matrix.row_of, np.abs(terms), rows.length)[row]
        )
        ends += np.array([[-forgiven], [forgiven]]) * np.maximum(1.0, size + np.abs(ends))
    ends /= rate
    return row, column, ends.min(axis=0), ends.max(axis=0)


def held_rows(model: Model, known: np.ndarray) -> tuple[list[Rows], bool]:
    """The rows of implications whose guard is known to hold, and whether all guards are known."""
    held, whole = [], True
    for block in model.implications:
        sure = _known_guards(block, known)
        whole &= bool(sure.all())
        holds = guard_holds(block, np.nan_to_num(known)) & sure
        held.append(some_rows(block.body, np.flatnonzero(holds)))
    return held, whole


def _known_guards(block: Implications, known: np.ndarray) -> np.ndarray:
    missing = np.isnan(known[block.guard.indices])
    unknown = np.bincount(block.guard.row_of[missing], minlength=block.length) > 0
    sure: np.ndarray = ~unknown
    return sure
