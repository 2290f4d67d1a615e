"""g = v ==> a x <= b  with big-M:  a x <= b + M (1 - g) for v = 1,  a x <= b + M g for v = 0.

M is the one given, or the greatest value the variables' bounds leave for a x - b. Rows bounded
from below are mirrored; an equation becomes both.
"""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Implications, Method, Rows
from treemip.model.model import Model
from treemip.model.rows import add_scaled
from treemip.reform.editing import Editing, Note, unbounded
from treemip.reform.guards import check_guards
from treemip.source.diagnostic import Diagnostic, TreemipError

REMEDY = "give the variable bounds in its declaration, or write by big_m(M) with a valid M"


def rewrite_implications(model: Model) -> tuple[Model, list[Note]]:
    """All implications as big-M rows."""
    if not model.implications:
        return model, []
    check_guards(model)
    editing = Editing(model)
    for block in model.implications:
        if block.method is Method.INDICATOR:
            raise TreemipError(
                Diagnostic(
                    "E601",
                    "indicator constraints have no target yet",
                    block.body.span,
                    "write by big_m(M), or leave `by` out for the tightest proven big-M",
                )
            )
        _rewrite(editing, block)
    return editing.finish(implications=()), editing.notes


def _rewrite(editing: Editing, block: Implications) -> None:
    body = block.body
    if body.quadratic.count or body.slots is not None:
        degree = "nonlinear" if body.slots is not None else "quadratic"
        raise TreemipError(
            Diagnostic("E502", f"a big-M row must be linear, and this one is {degree}", body.span)
        )
    above, below = np.isfinite(body.upper), np.isfinite(body.lower)
    both = bool(above.any() and below.any())
    if above.any():
        _one_side(editing, block, 1.0, "_upper" if both else "")
    if below.any():
        _one_side(editing, block, -1.0, "_lower" if both else "")


def _one_side(editing: Editing, block: Implications, side: float, suffix: str) -> None:
    body = block.body
    big_m = block.big_m if block.big_m is not None else proven(editing, block, side)
    # off = 1 - g for value 1, g for value 0; the side is relaxed by M * off
    slope = np.where(block.value == 1, -1.0, 1.0)
    constant = np.where(block.value == 1, 1.0, 0.0) + slope * block.guard_constant
    matrix = add_scaled(body.matrix, block.guard, -side * big_m * slope)
    far = np.full(block.length, np.inf)
    if side > 0:
        lower, upper = -far, body.upper + big_m * constant
    else:
        lower, upper = body.lower - big_m * constant, far
    rows = Rows(body.name + suffix, body.index, matrix, lower, upper, body.span, made_by="big_m")
    editing.add_rows(rows)
    given = "given" if block.big_m is not None else "proven by the bounds"
    sign = "<= b + M" if side > 0 else ">= b - M"
    formula = f"a x {sign} {'(1 - g)' if (block.value == 1).all() else 'g'}"
    detail = f"{block.length} rows, M {_range(big_m)}, {given}"
    span = (float(big_m.min()), float(big_m.max()))
    editing.notes.append(Note(rows.name, "big-M rows", formula, body.span, detail, span))


def proven(editing: Editing, block: Implications, side: float) -> np.ndarray:
    """The greatest violation the bounds allow, at least 0. Raises E501 naming the variable."""
    body = block.body
    low, high = editing.interval(body.matrix, np.zeros(block.length))
    most = high - body.upper if side > 0 else body.lower - low
    infinite = ~np.isfinite(most) & np.isfinite(body.upper if side > 0 else body.lower)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise unbounded(editing, body.matrix, row, body.span, "a big-M", REMEDY)
    return np.maximum(np.where(np.isfinite(most), most, 0.0), 0.0)


def _range(big_m: np.ndarray) -> str:
    low, high = float(big_m.min()), float(big_m.max())
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
