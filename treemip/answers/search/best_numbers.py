"""The best numbers of a solution whose integers are known: a linear or convex quadratic program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.answers.search.open_columns import held_rows
from treemip.answers.search.sums import Sums
from treemip.core.model.answer import Limits
from treemip.core.model.model import Model
from treemip.core.model.tolerances import TIGHT
from treemip.core.solving.handover import has_room_for, is_hopeless, why_not
from treemip.core.solving.solve import choose_continuous, solve
from treemip.core.tree.tree_map import SPLITS


def numbers_matter(sums: Sums) -> bool:
    """Whether the objective depends on more than where points go and what splits use."""
    if sums.opaque:
        return True
    families = [sums.families[name] for name in SPLITS if name in sums.families]
    return any(sums.structure[f.columns].any() for f in families)


class NotHanded(Exception):
    """A solver was not called; the text says why."""


def best_numbers(model: Model, values: np.ndarray, seconds: float) -> np.ndarray | None:
    """A solution, float64 (columns,), with the integers of `values`, nan where unknown; or None.

    model: reformed, without functions. Special sets and nonlinear expressions are left alone.
    Raises NotHanded where the model is too large for the seconds, or for memory.
    """
    if model.functions or model.special_sets or model.tape.steps or seconds <= 0:
        return None
    solver = choose_continuous(model)
    if is_hopeless(model, solver, seconds) or not has_room_for(model):
        raise NotHanded(why_not(model, solver))
    fixed = ~np.isnan(values) & model.integer
    held, whole = held_rows(model, values)
    if not whole:
        return None
    program = replace(model, rows=(*model.rows, *held), implications=()).with_fixed(fixed, values)
    answer = solve(program, solver, Limits(time=seconds, feasibility=TIGHT))
    return None if answer.values is None else answer.values[: model.column_count]
