"""y = |a|.

Where y may fall:  y >= a,  y >= -a.
Otherwise, with l <= a <= u and a binary z that is 1 where a >= 0:
y <= a - 2 l (1 - z),  y <= -a + 2 u z  besides; where l >= 0 or u <= 0 the binary is not needed
in the optimum but does no harm.
"""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Functions, Kind, Rows, SparseRows
from treemip.model.rows import append_columns, scale_rows
from treemip.reform.editing import Editing, Note, unbounded, with_curves


def rewrite_abs(editing: Editing, block: Functions, may_fall: bool) -> None:
    results = block.result + np.arange(block.length)
    minus = np.full(block.length, -1.0)
    far = np.full(block.length, np.inf)
    # y - a >= constant and y + a >= -constant
    above = append_columns(scale_rows(block.arguments, minus), results, -minus)
    below = append_columns(block.arguments, results, -minus)
    _add(editing, block, "_above", above, block.constants, far, -1.0)
    _add(editing, block, "_below", below, -block.constants, far, 1.0)
    if may_fall:
        formula = "y >= a, y >= -a"
    else:
        _from_above(editing, block, results)
        formula = "y >= a, y >= -a, y <= a - 2 l (1 - z), y <= -a + 2 u z"
    editing.notes.append(
        Note(block.name, "rows for |a|", formula, block.span, f"{block.length} results")
    )


def _from_above(editing: Editing, block: Functions, results: np.ndarray) -> None:
    low, high = editing.closed_interval(block.arguments, block.constants)
    infinite = ~(np.isfinite(low) & np.isfinite(high))
    if infinite.any():
        raise unbounded(
            editing,
            block.arguments,
            int(np.argmax(infinite)),
            block.span,
            "a range for abs(…), which must not be exceeded here,",
            "give the variable bounds in its declaration",
        )
    low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    ones, far = np.ones(block.length), np.full(block.length, -np.inf)
    sign = editing.add_variables(
        block.name + "_sign",
        block.index,
        np.zeros(block.length),
        ones,
        Kind.BINARY,
        block.span,
        "abs",
    )
    signs = sign + np.arange(block.length)
    # y - a - 2 l z <= constant - 2 l
    first = append_columns(scale_rows(block.arguments, -ones), results, ones)
    first = append_columns(first, signs, -2 * low)
    _add(editing, block, "_positive", first, far, block.constants - 2 * low)
    # y + a - 2 u z <= -constant
    second = append_columns(append_columns(block.arguments, results, ones), signs, -2 * high)
    _add(editing, block, "_negative", second, far, -block.constants)


def _add(
    editing: Editing,
    block: Functions,
    suffix: str,
    matrix: SparseRows,
    lower: np.ndarray,
    upper: np.ndarray,
    sign: float = 0.0,
) -> None:
    """Rows with the arguments' affine part in `matrix`; `sign` times what they are beside it."""
    rows = Rows(block.name + suffix, block.index, matrix, lower, upper, block.span, made_by="abs")
    editing.add_rows(rows if block.is_affine else with_curves(rows, block, sign))
