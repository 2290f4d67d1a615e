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
    """abs, max, min and norminf as linear rows; binaries only where an inequality is not exact."""
    if not model.functions:
        return model, []
    first = min(block.result for block in model.functions)
    polarity = Polarity(model.column_count, first)
    for rows in model.rows:
        polarity.rows(rows)
    for implications in model.implications:
        polarity.implications(implications)
    polarity.objective(model.objective)
    if model.tape.steps:
        polarity.tape(model)
    in_tape = _in_tape(model)
    editing = Editing(model)
    editing.variables = narrowed_results(editing.variables, model.functions, *editing.bounds)
    for block in reversed(model.functions):
        results = block.result + np.arange(block.length)
        can = polarity.can_rise if block.function is Function.MIN else polarity.can_fall
        one_sided = bool(can[results].all())
        if not one_sided:
            if in_tape[results].any():
                raise _pressed(block)
            polarity.fixed(block.arguments.indices)
        polarity.arguments(block.function, block.arguments, results[_owner(block.offsets)])
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


def _pressed(block: Functions) -> TreemipError:
    """E502: inside a smooth function, a result is stated by inequalities or not at all."""
    way, least, bound = ("minimize", "least", "above")
    if block.function is Function.MIN:
        way, least, bound = ("maximize", "most", "below")
    found = Diagnostic(
        "E502",
        f"'{block.function.value}' inside a nonlinear expression must be pressed to its {least} "
        "value",
        block.span,
        f"{way} what rises with it or bound that from {bound}, so that inequalities are exact",
    )
    place = block.used_from
    if place is not None and block.span is not None and place.source != block.span.source:
        found = found.used_from(place)
    return TreemipError(found)


def _owner(offsets: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
