"""Rows of a family that are the same stand once."""

from __future__ import annotations

import numpy as np

from treemip.core.model.model import Model
from treemip.core.reform.presolve.point_columns import point_columns
from treemip.core.reform.presolve.renaming import Renaming, renamed
from treemip.core.reform.presolve.row_entries import row_entries


def equal_rows(model: Model) -> Renaming | None:
    """The model without repeated rows; None where it may have none."""
    if model.functions or model.tape.steps or not (model.rows or model.implications):
        return None
    entries, same = row_entries(model), np.arange(model.column_count)
    return renamed(model, entries, same, point_columns(model))
