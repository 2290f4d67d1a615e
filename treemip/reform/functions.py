"""Function blocks to rows, the outermost first, so that inner ones see how they are used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treemip.model.blocks import Function, Functions, Index, Kind, Quadratic, Rows, SparseRows
from treemip.model.model import Model
from treemip.model.sparse_rows import append_columns, interleave, scale_rows, sparse_rows
from treemip.model.tape import Affine
from treemip.reform.bounds_from_rows import narrowed_results
from treemip.reform.editing import Editing, Note, unbounded, with_curves
from treemip.reform.monotonicity import Polarity
from treemip.source.diagnostic import Diagnostic, TreemipError


def rewrite_functions(model: Model) -> tuple[Model, list[Note]]:
    """abs, max, min and norminf as rows; binaries only where an inequality is not exact.

    Arguments that are not affine need the inequality. Raises E502 where it is not exact, E501
    where binaries need a range that the bounds do not prove.
    """
    if not model.functions:
        return model, []
    first = min(block.result for block in model.functions)
    polarity = Polarity(model.column_count, first)
    for rows in model.rows:
        polarity.rows(rows)
    for implications in model.implications:
        polarity.implications(implications)
    polarity.objective(model.objective)
    polarity.functions(model)
    in_tape = _in_tape(model)
    editing = Editing(model)
    editing.variables = narrowed_results(editing.variables, model, *editing.bounds)
    for block in reversed(model.functions):
        one_sided = polarity.is_one_sided(block)
        if not one_sided and in_tape[block.result : block.result + block.length].any():
            raise _not_pressed(block, f"'{block.function.value}' inside a nonlinear expression")
        if not one_sided and not block.is_affine:
            raise _not_pressed(block, _curved(block))
        if block.function is Function.ABS:
            rewrite_abs(editing, block, one_sided)
        else:
            rewrite_extreme(editing, block, one_sided)
    return editing.finish(functions=()), editing.notes


def _in_tape(model: Model) -> np.ndarray:
    """Which columns the tape is made of, bool (columns,)."""
    found = np.zeros(model.column_count, bool)
    for step in model.tape.steps:
        if isinstance(step, Affine):
            found[step.columns.indices] = True
    return found


def _curved(block: Functions) -> str:
    inner = "a product of continuous variables"
    if block.slots is not None:
        inner = "a nonlinear expression"
    return f"'{block.function.value}' of {inner}"


def _not_pressed(block: Functions, what: str) -> TreemipError:
    """E502: inside or around a smooth function, only inequalities can state a result."""
    use, way = "minimized or bounded from above", "down"
    if block.function is Function.MIN:
        use, way = "maximized or bounded from below", "up"
    found = Diagnostic(
        "E502",
        f"{what} can only be {use}",
        block.span,
        "inequalities state it, and they are exact only where the objective or a row presses it "
        f"{way}",
    )
    place = block.used_from
    if place is not None and block.span is not None and place.source != block.span.source:
        found = found.used_from(place)
    return TreemipError(found)


# y = |a|.
#
# Where y may fall:  y >= a,  y >= -a.
# Otherwise, with l <= a <= u and a binary z that is 1 where a >= 0:
# y <= a - 2 l (1 - z),  y <= -a + 2 u z  besides; where l >= 0 or u <= 0 the binary is not needed
# in the optimum but does no harm.


def rewrite_abs(editing: Editing, block: Functions, may_fall: bool) -> None:
    results = block.result + np.arange(block.length)
    minus = np.full(block.length, -1.0)
    far = np.full(block.length, np.inf)
    # y - a >= constant and y + a >= -constant
    above = append_columns(scale_rows(block.arguments, minus), results, -minus)
    below = append_columns(block.arguments, results, -minus)
    _add(editing, block, "_above", above, block.constants, far, -1.0)
    _add(editing, block, "_below", below, -block.constants, far, 1.0)
    if may_fall:
        formula = "y >= a, y >= -a"
    else:
        _from_above(editing, block, results)
        formula = "y >= a, y >= -a, y <= a - 2 l (1 - z), y <= -a + 2 u z"
    editing.notes.append(
        Note(block.name, "rows for |a|", formula, block.span, f"{block.length} results")
    )


def _from_above(editing: Editing, block: Functions, results: np.ndarray) -> None:
    low, high = editing.closed_interval(block.arguments, block.constants)
    infinite = ~(np.isfinite(low) & np.isfinite(high))
    if infinite.any():
        raise unbounded(
            editing,
            block.arguments,
            int(np.argmax(infinite)),
            block.span,
            "a range for abs(…), which must not be exceeded here,",
            "give the variable bounds in its declaration",
        )
    low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    ones, far = np.ones(block.length), np.full(block.length, -np.inf)
    sign = editing.add_variables(
        block.name + "_sign",
        block.index,
        np.zeros(block.length),
        ones,
        Kind.BINARY,
        block.span,
        "abs",
    )
    signs = sign + np.arange(block.length)
    # y - a - 2 l z <= constant - 2 l
    first = append_columns(scale_rows(block.arguments, -ones), results, ones)
    first = append_columns(first, signs, -2 * low)
    _add(editing, block, "_positive", first, far, block.constants - 2 * low)
    # y + a - 2 u z <= -constant
    second = append_columns(append_columns(block.arguments, results, ones), signs, -2 * high)
    _add(editing, block, "_negative", second, far, -block.constants)


def _add(
    editing: Editing,
    block: Functions,
    suffix: str,
    matrix: SparseRows,
    lower: np.ndarray,
    upper: np.ndarray,
    sign: float = 0.0,
) -> None:
    """Rows with the arguments' affine part in `matrix`; `sign` times what they are beside it."""
    rows = Rows(block.name + suffix, block.index, matrix, lower, upper, block.span, made_by="abs")
    editing.add_rows(rows if block.is_affine else with_curves(rows, block, sign))


# y = max of a_k, and by mirror image y = min of a_k and y = max |a_k|.
#
# Where y may fall:  y >= a_k for all k.
# Otherwise, with l_k <= a_k <= u_k, u the greatest u_k, and binaries z_k that choose the greatest:
# y <= a_k + (u - l_k) (1 - z_k),  sum_k z_k = 1  besides.


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
