"""g = v ==> a x <= b  for targets with indicators: g one binary column, each row one relation.

A guard that is more than one binary becomes one, equal to it; a row bounded on both sides by
different numbers becomes two; rows without bounds say nothing and go.
"""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Implications, Kind, Method, Rows, SparseRows
from treemip.model.rows import append_columns, take_rows
from treemip.reform.editing import Editing, Note

MADE_BY = "indicator"


def as_indicators(editing: Editing, block: Implications) -> list[Implications]:
    """The implications in that form, with `guard_constant` 0 and coefficients 1."""
    columns, value = _guards(editing, block)
    body = block.body
    equal = body.lower == body.upper
    sides = (
        (np.isfinite(body.upper) & ~equal, "_upper"),
        (np.isfinite(body.lower) & ~equal, "_lower"),
        (equal, "_equal"),
    )
    used = [(np.flatnonzero(rows), suffix) for rows, suffix in sides if rows.any()]
    made = []
    for rows, suffix in used:
        name = body.name + (suffix if len(used) > 1 else "")
        made.append(_part(block, rows, columns[rows], value[rows], name, suffix))
        formula = "g = 1 -> row" if (value[rows] == 1).all() else "g = 0 -> row"
        detail = f"{len(rows)} rows"
        editing.notes.append(Note(name, "indicators", formula, body.span, detail))
    return made


def _part(
    block: Implications,
    rows: np.ndarray,
    columns: np.ndarray,
    value: np.ndarray,
    name: str,
    suffix: str,
) -> Implications:
    body, index = block.body, block.body.index
    far = np.full(len(rows), np.inf)
    part = Rows(
        name,
        index.take(rows),
        take_rows(body.matrix, rows),
        -far if suffix == "_upper" else body.lower[rows],
        far if suffix == "_lower" else body.upper[rows],
        body.span,
        made_by=MADE_BY,
    )
    count = np.arange(len(rows) + 1, dtype=np.int64)
    guard = SparseRows(count, columns.astype(np.int32), np.ones(len(rows)))
    return Implications(part, guard, np.zeros(len(rows)), value, Method.INDICATOR)


def _guards(editing: Editing, block: Implications) -> tuple[np.ndarray, np.ndarray]:
    """A binary column for each row, int32 (rows,), and the value that makes the row hold."""
    guard, constant = block.guard, block.guard_constant
    if (np.diff(guard.indptr) == 1).all() and _binary(editing)[guard.indices].all():
        plain = (guard.data == 1) & (constant == 0)
        turned = (guard.data == -1) & (constant == 1)
        if (plain | turned).all():
            return guard.indices, np.where(turned, 1.0 - block.value, block.value)
    index, size = block.body.index, block.length
    zeros, ones = np.zeros(size), np.ones(size)
    name = f"{block.name}_guard"
    span = block.body.span
    start = editing.add_variables(name, index, zeros, ones, Kind.BINARY, span, MADE_BY)
    columns = np.arange(start, start + size, dtype=np.int32)
    matrix = append_columns(guard, columns, -ones)
    editing.add_rows(Rows(name, index, matrix, -constant, -constant, span, made_by=MADE_BY))
    editing.notes.append(Note(name, "binaries", "z = g", span, f"{size} rows"))
    return columns, block.value


def _binary(editing: Editing) -> np.ndarray:
    kinds = [np.full(b.length, b.kind is Kind.BINARY) for b in editing.variables]
    return np.concatenate(kinds) if kinds else np.zeros(0, bool)
