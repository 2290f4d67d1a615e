"""abs, max, min and norminf of variables to rows.

Inequalities alone are exact where every use of the result pushes it the right way (monotonicity);
elsewhere binaries choose the argument that is attained. Outer functions are rewritten first, so
that the uses of inner ones are known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treemip.core.lower.linear import Linear
from treemip.core.model.blocks import Function, Functions, Index, Kind, Quadratic, Rows, SparseRows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import interleave, scale_rows
from treemip.core.model.tape import Affine
from treemip.core.reform.bounds_from_rows import narrowed_results
from treemip.core.reform.editing import Editing, Note, arguments_of, demand_bounded
from treemip.core.reform.formulas import (
    ABS,
    ABS_ATTAINED,
    MAX,
    MAX_ATTAINED,
    MIN,
    MIN_ATTAINED,
    listed,
)
from treemip.core.reform.monotonicity import Monotonicity
from treemip.core.reform.target import Target
from treemip.core.source.diagnostic import Diagnostic, TreemipError


def rewrite_functions(model: Model, target: Target) -> tuple[Model, list[Note]]:
    """abs, max, min and norminf as rows; binaries only where an inequality is not exact.

    Arguments that are not affine need the inequality. Raises E502 where it is not exact, E501
    where binaries need a range that the bounds do not prove.
    """
    if not model.functions:
        return model, []
    first = min(block.result for block in model.functions)
    polarity = Monotonicity(model.column_count, first)
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
    used = np.zeros(model.column_count, bool)
    for step in model.tape.steps:
        if isinstance(step, Affine):
            used[step.columns.indices] = True
    return used


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
    diagnostic = Diagnostic(
        "E502",
        f"{what} can only be {use}",
        block.span,
        "inequalities state it, and they are exact only where the objective or a row presses it "
        f"{way}",
    )
    place = block.used_from
    if place is not None and block.span is not None and place.source != block.span.source:
        diagnostic = diagnostic.used_from(place)
    return TreemipError(diagnostic)


# -------------------------------------------------------------------------------------------- abs


def rewrite_abs(editing: Editing, block: Functions, may_fall: bool) -> None:
    """abs; `may_fall` when its inequalities are exact."""
    results = Linear.variables(block.result + np.arange(block.length))
    values = {"y": results, "a": arguments_of(block)}
    inequalities = ABS if may_fall else ABS | ABS_ATTAINED
    if not may_fall:
        low, high = _proven_range(editing, block)
        signs = editing.add_variables(
            block.name + "_sign", block.index, Kind.BINARY, block.span, "abs"
        )
        values |= {
            "z": Linear.variables(signs),
            "l": Linear.known(np.minimum(low, 0.0)),
            "u": Linear.known(np.maximum(high, 0.0)),
        }
    for suffix, inequality in inequalities.items():
        name = f"{block.name}_{suffix}"
        editing.state(name, block.index, inequality, values, block.span, "abs")
    formula, size = listed(inequalities), f"{block.length} results"
    editing.notes.append(Note(block.name, "rows for |a|", formula, block.span, size))


def _proven_range(editing: Editing, block: Functions) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest value of each argument. Raises E501 where the bounds prove none."""
    low, high = editing.closed_interval(block.arguments, block.constants)
    infinite = ~(np.isfinite(low) & np.isfinite(high))
    what = f"a range for {block.function.value}(…), which must be exact here,"
    demand_bounded(editing, block.arguments, infinite, block.span, what)
    return low, high


# ------------------------------------------------------------------------------ max, min, norminf


def rewrite_extreme(editing: Editing, block: Functions, one_sided: bool) -> None:
    """max, min or norminf; `one_sided` when the result may fall (for min: rise)."""
    made_by, least = block.function.value, block.function is Function.MIN
    if block.function is Function.NORMINF:
        block = with_both_signs(block)
    index = argument_index(block)
    values = {"y": Linear.variables(block.result + block.owner), "a": arguments_of(block)}
    bound, attained = (MIN, MIN_ATTAINED) if least else (MAX, MAX_ATTAINED)
    editing.state(f"{block.name}_bound", index, bound, values, block.span, made_by, least)
    formula = f"{bound.text} for all a"
    if not one_sided:
        values |= _pick_and_gap(editing, block, index)
        name = f"{block.name}_attained"
        editing.state(name, index, attained, values, block.span, made_by, least)
        _choose_one(editing, block, values["z"])
        formula += f", {attained.text}, one z is 1"
    word, size = "min" if least else "max", f"{block.length} results"
    editing.notes.append(Note(block.name, f"rows for {word}", formula, block.span, size))


def _pick_and_gap(editing: Editing, block: Functions, index: Index) -> dict[str, Linear]:
    """A binary z for each argument, and by how much s it may fall short of the greatest (least)
    one."""
    low, high = _proven_range(editing, block)
    if block.function is Function.MIN:
        low, high = -high, -low
    top = np.full(block.length, -np.inf)
    np.maximum.at(top, block.owner, high)
    gap = np.maximum(top[block.owner] - low, 0.0)
    pick = editing.add_variables(block.name + "_pick", index, Kind.BINARY, block.span, "max")
    return {"z": Linear.variables(pick), "s": Linear.known(gap)}


def _choose_one(editing: Editing, block: Functions, picks: Linear) -> None:
    """The binaries of each result add up to 1."""
    one = np.ones(block.length)
    total = picks.summed(block.owner, block.length).matrix()
    editing.add_rows(
        Rows(block.name + "_one", block.index, total, one, one, block.span, made_by="max")
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
    changes: dict[str, Any] = {"quadratic": Quadratic(row, first, second, coef)}
    if slots is not None:
        changes["slots"] = interleave(slots, scale_rows(slots, np.full(slots.count, -1.0)))
    return changes


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
