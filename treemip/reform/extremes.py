"""y = max of a_k, and by mirror image y = min of a_k and y = max |a_k|.

Where y may fall:  y >= a_k for all k.
Otherwise, with l_k <= a_k <= u_k, u the greatest u_k, and binaries z_k that choose the greatest:
y <= a_k + (u - l_k) (1 - z_k),  sum_k z_k = 1  besides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treemip.model.blocks import Function, Functions, Index, Kind, Quadratic, Rows, SparseRows
from treemip.model.rows import append_columns, interleave, scale_rows, sparse_rows
from treemip.reform.editing import Editing, Note, unbounded, with_curves


def rewrite_extreme(editing: Editing, block: Functions, one_sided: bool) -> None:
    """max, min or norminf; `one_sided` when the result may fall (for min: rise)."""
    sign = -1.0 if block.function is Function.MIN else 1.0
    if block.function is Function.NORMINF:
        block = with_both_signs(block)
    arguments = block.arguments.count
    owner = block.owner
    index = argument_index(block)
    results = block.result + owner
    ones, far = np.ones(arguments), np.full(arguments, np.inf)
    # max: y - a_k >= constant_k; min: a_k - y >= -constant_k
    matrix = scale_rows(block.arguments, -sign * ones)
    matrix = append_columns(matrix, results, sign * ones)
    rows = Rows(block.name + "_bound", index, matrix, sign * block.constants, far, block.span)
    rows = rows if block.is_affine else with_curves(rows, block, -sign)
    editing.add_rows(replace(rows, made_by=block.function.value))
    word, side = ("max", ">=") if sign > 0 else ("min", "<=")
    formula = f"y {side} a_k for all k"
    if not one_sided:
        _attained(editing, block, owner, index, sign)
        formula += f", y {'<=' if sign > 0 else '>='} a_k up to (u - l_k) (1 - z_k), sum z_k = 1"
    editing.notes.append(
        Note(block.name, f"rows for {word}", formula, block.span, f"{block.length} results")
    )


def _attained(
    editing: Editing, block: Functions, owner: np.ndarray, index: Index, sign: float
) -> None:
    low, high = editing.closed_interval(block.arguments, block.constants)
    infinite = ~(np.isfinite(low) & np.isfinite(high))
    if infinite.any():
        raise unbounded(
            editing,
            block.arguments,
            int(np.argmax(infinite)),
            block.span,
            f"a range for {block.function.value}(…), which must be attained here,",
            "give the variable bounds in its declaration",
        )
    if sign < 0:
        low, high = -high, -low
    top = np.full(block.length, -np.inf)
    np.maximum.at(top, owner, high)
    slack = np.maximum(top[owner] - low, 0.0)
    count = block.arguments.count
    ones, far = np.ones(count), np.full(count, -np.inf)
    pick = editing.add_variables(
        block.name + "_pick", index, np.zeros(count), ones, Kind.BINARY, block.span, "max"
    )
    picks = pick + np.arange(count)
    # sign (y - a_k) + slack z_k <= slack + sign constant_k
    matrix = append_columns(
        scale_rows(block.arguments, -sign * ones), block.result + owner, sign * ones
    )
    matrix = append_columns(matrix, picks, slack)
    rows = Rows(
        block.name + "_attained",
        index,
        matrix,
        far,
        slack + sign * block.constants,
        block.span,
        made_by=block.function.value,
    )
    editing.add_rows(rows)
    one = np.ones(block.length)
    chosen = sparse_rows(owner, picks.astype(np.int32), ones, block.length)
    editing.add_rows(
        Rows(block.name + "_one", block.index, chosen, one, one, block.span, made_by="max")
    )


def with_both_signs(block: Functions) -> Functions:
    """max |a_k| = max over a_k and -a_k."""
    count = block.arguments.count
    minus = scale_rows(block.arguments, np.full(count, -1.0))
    both: SparseRows = interleave(block.arguments, minus)
    constants = np.empty(2 * count)
    constants[0::2], constants[1::2] = block.constants, -block.constants
    signed = replace(block, offsets=2 * block.offsets, arguments=both, constants=constants)
    return signed if block.is_affine else replace(signed, **_curves_with_both_signs(block))


def _curves_with_both_signs(block: Functions) -> dict[str, Any]:
    q, slots = block.quadratic, block.slots
    order = np.argsort(np.concatenate([2 * q.row, 2 * q.row + 1]), kind="stable")
    row, first, second, coef = (
        np.concatenate(pair)[order]
        for pair in (
            (2 * q.row, 2 * q.row + 1),
            (q.first, q.first),
            (q.second, q.second),
            (q.coef, -q.coef),
        )
    )
    found: dict[str, Any] = {"quadratic": Quadratic(row, first, second, coef)}
    if slots is not None:
        found["slots"] = interleave(slots, scale_rows(slots, np.full(slots.count, -1.0)))
    return found


def argument_index(block: Functions) -> Index:
    """The result's indices with the argument's number behind them, from 1."""
    owner = block.owner
    number = np.arange(len(owner)) - block.offsets[:-1][owner] + 1
    columns = tuple(c[owner] for c in block.index.columns)
    return Index(
        (*block.index.names, "argument"),
        (*block.index.sorts, "number"),
        (*columns, number),
        len(owner),
    )
