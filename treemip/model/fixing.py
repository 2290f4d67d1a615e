"""Columns of a model that are given a value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.model.blocks import Kind, Variables


def fixed_columns(
    variables: tuple[Variables, ...], fixed: np.ndarray, values: np.ndarray
) -> tuple[Variables, ...]:
    """Blocks whose `fixed` columns can have one value only; whole ones are no integers any more."""
    made = []
    for block in variables:
        at = slice(block.start, block.stop)
        lower = np.where(fixed[at], values[at], block.lower)
        upper = np.where(fixed[at], values[at], block.upper)
        kind = Kind.CONTINUOUS if fixed[at].all() else block.kind
        made.append(replace(block, lower=lower, upper=upper, kind=kind))
    return tuple(made)
