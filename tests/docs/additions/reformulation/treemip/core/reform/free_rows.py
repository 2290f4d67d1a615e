"""Rows without bounds, which say nothing, left out."""

from __future__ import annotations

import numpy as np

from treemip.core.model.blocks import Rows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import some_rows
from treemip.core.reform.editing import Note
from treemip.core.reform.target import Target


def _bounded(block: Rows) -> np.ndarray:
    return np.isfinite(block.lower) | np.isfinite(block.upper)


def has_free_rows(model: Model) -> bool:
    return any(not _bounded(block).all() for block in model.rows)


def without_free_rows(model: Model, target: Target) -> tuple[Model, list[Note]]:
    rows = tuple(some_rows(block, np.flatnonzero(_bounded(block))) for block in model.rows)
    return model.with_(rows=rows), []
