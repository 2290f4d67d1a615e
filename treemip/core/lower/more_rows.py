"""Rows of families lowered after the model: over what separators found, and of cuts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.error_context import used_from
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.lower.relations import Relations
from treemip.core.model.blocks import Rows
from treemip.core.model.model import Model
from treemip.core.resolve.spec import Constraint
from treemip.core.source.diagnostic import Diagnostic, TreemipError


def more_rows(instance: Instance, model: Model, families: Iterable[Constraint]) -> list[Rows]:
    """The families' rows over the columns of `model`, which is the instance's as stated.

    Raises TreemipError as `lower` does, and E502 for rows that need columns of their own or are
    not linear, which cannot be added to a model that is being solved.
    """
    building = ModelBuilder(instance)
    building.variables = list(model.variables)
    building.columns = model.column_count
    building.starts = {block.name: block.start for block in model.variables}
    relations = Relations(building, Evaluator(instance, ModelColumns(building)))
    with np.errstate(all="ignore"):
        for family in families:
            building.place = family.used_from or family.name_span
            with used_from(building.place):
                relations.lower(family)
            linear = not building.implications and building.columns == model.column_count
            if not linear or any(not is_linear(block) for block in building.rows):
                raise _not_linear(family)
    return building.rows


def is_linear(block: Rows) -> bool:
    return not block.quadratic.count and block.slots is None


def _not_linear(family: Constraint) -> TreemipError:
    message = f"'{family.name}' is not linear, so its rows cannot be separated"
    remedy = f"add them up front:  cuts {family.name};"
    return TreemipError(Diagnostic("E502", message, family.span, remedy))
