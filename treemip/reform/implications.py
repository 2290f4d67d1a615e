"""g = v ==> a x <= b  with big-M:  a x <= b + M (1 - g) for v = 1,  a x <= b + M g for v = 0.

M is the one given, or the greatest value the variables' bounds leave for a x - b. Rows bounded
from below are mirrored; an equation becomes both.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.model.blocks import Implications, Method, Rows, SpecialSets
from treemip.model.model import Model
from treemip.model.rows import add_scaled
from treemip.reform.editing import Editing, Note, unbounded
from treemip.reform.guards import check_guards
from treemip.reform.indicators import MADE_BY, as_indicators
from treemip.reform.special_sets import as_special_sets
from treemip.source.diagnostic import Diagnostic, TreemipError

REMEDY = "give the variable bounds in its declaration, or write by big_m(M) with a valid M"
OR_INDICATORS = (
    "; or take indicators (compile --for scip, or solve --solver scip) or special ordered sets "
    "(--implications sos1)"
)


def open_implications(model: Model) -> bool:
    """Whether there are implications that have not become indicators."""
    return any(block.body.made_by != MADE_BY for block in model.implications)


def rewrite_implications(
    model: Model, indicators: bool = False, sets: bool = False, way: Method = Method.AUTO
) -> tuple[Model, list[Note]]:
    """All implications as big-M rows, but those that a target with `indicators` takes itself.

    Where the target has special ordered `sets`, those become such that ask for it. Another `way`
    than AUTO is taken for all, whatever the source asks for and the target has. Raises E501 where
    bounds prove no big-M, E502 for guards other than 0 and 1 and for bodies that are not linear.
    """
    if not model.implications:
        return model, []
    check_guards(model)
    editing = Editing(model)
    kept: list[Implications] = []
    special: list[SpecialSets] = []
    for block in model.implications:
        _require_linear(block.body)
        chosen = _way(editing, block, indicators, sets) if way is Method.AUTO else way
        if chosen is Method.SOS1:
            special.append(as_special_sets(editing, block))
        elif chosen is Method.INDICATOR:
            kept += as_indicators(editing, block)
        else:
            _rewrite(editing, block if way is Method.AUTO else replace(block, method=way))
    made = editing.finish(implications=tuple(kept), special_sets=tuple(special))
    return made, editing.notes


def _way(editing: Editing, block: Implications, indicators: bool, sets: bool) -> Method:
    """What the source asks for, as far as the target has it."""
    if block.method is Method.SOS1:
        return Method.SOS1 if sets else Method.BIG_M
    return Method.INDICATOR if indicators and _stays(editing, block) else Method.BIG_M


def _stays(editing: Editing, block: Implications) -> bool:
    """Whether the source asks for an indicator, or for nothing and the bounds prove no big-M."""
    if block.method is not Method.AUTO or block.big_m is not None:
        return block.method is Method.INDICATOR
    low, high = editing.interval(block.body.matrix, np.zeros(block.length))
    open_above = np.isfinite(block.body.upper) & ~np.isfinite(high)
    open_below = np.isfinite(block.body.lower) & ~np.isfinite(low)
    return bool((open_above | open_below).any())


def _require_linear(body: Rows) -> None:
    if body.quadratic.count or body.slots is not None:
        degree = "nonlinear" if body.slots is not None else "quadratic"
        message = f"the right side of '==>' must be linear, and this one is {degree}"
        raise TreemipError(Diagnostic("E502", message, body.span))


INSTEAD = {Method.INDICATOR: "indicators", Method.SOS1: "special ordered sets"}


def _rewrite(editing: Editing, block: Implications) -> None:
    body = block.body
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
    instead = INSTEAD.get(block.method, "")
    editing.notes.append(Note(rows.name, "big-M rows", formula, body.span, detail, span, instead))


def proven(editing: Editing, block: Implications, side: float) -> np.ndarray:
    """The greatest violation the bounds allow, at least 0. Raises E501 naming the variable."""
    body = block.body
    low, high = editing.interval(body.matrix, np.zeros(block.length))
    most = high - body.upper if side > 0 else body.lower - low
    infinite = ~np.isfinite(most) & np.isfinite(body.upper if side > 0 else body.lower)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise unbounded(editing, body.matrix, row, body.span, "a big-M", REMEDY + OR_INDICATORS)
    return np.maximum(np.where(np.isfinite(most), most, 0.0), 0.0)


def _range(big_m: np.ndarray) -> str:
    low, high = float(big_m.min()), float(big_m.max())
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
