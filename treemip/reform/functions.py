"""Function blocks to rows, the outermost first, so that inner ones see how they are used."""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Function
from treemip.model.model import Model
from treemip.reform.absolute import rewrite_abs
from treemip.reform.editing import Editing, Note
from treemip.reform.extremes import rewrite_extreme
from treemip.reform.polarity import Polarity


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
    editing = Editing(model)
    for block in reversed(model.functions):
        results = block.result + np.arange(block.length)
        can = polarity.can_rise if block.function is Function.MIN else polarity.can_fall
        one_sided = bool(can[results].all())
        if not one_sided:
            polarity.fixed(block.arguments.indices)
        polarity.arguments(block.function, block.arguments, results[_owner(block.offsets)])
        if block.function is Function.ABS:
            rewrite_abs(editing, block, one_sided)
        else:
            rewrite_extreme(editing, block, one_sided)
    return editing.finish(functions=()), editing.notes


def _owner(offsets: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
