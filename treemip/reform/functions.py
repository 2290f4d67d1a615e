"""Function blocks to rows, the outermost first, so that inner ones see how they are used."""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Function, Functions
from treemip.model.model import Model
from treemip.model.tape import Affine
from treemip.reform.absolute import rewrite_abs
from treemip.reform.editing import Editing, Note
from treemip.reform.extremes import rewrite_extreme
from treemip.reform.polarity import Polarity
from treemip.reform.singletons import narrowed_results
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
