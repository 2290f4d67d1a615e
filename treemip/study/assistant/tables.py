"""The columns of a table, which an assistant looks at before it writes a spec."""

from __future__ import annotations

import numpy as np

from treemip.core.instance.columns import Column as RawColumn
from treemip.core.instance.columns import Unreadable
from treemip.core.source.confined import REASON, lies_within
from treemip.core.source.diagnostic import TreemipError
from treemip.study.assistant.results import Column, Table
from treemip.study.assistant.workspace import Files, Workspace
from treemip.study.lsp.table import TableCache
from treemip.study.sandbox.folder import Folder

FEW = 20
"""Distinct values that are listed."""

MOST_COLUMNS = 300


def table(workspace: Workspace, data: str, files: Files) -> Table:
    """The columns of a file in the folder, or of a table given as text."""
    with Folder() as place:
        try:
            for name, text in files.items():
                place.put(name, text)
            place.lend(workspace.folder)
            # `confined_to` would confine the whole process, which answers several requests at once.
            if not lies_within(place.path / data, (place.path, *place.lent)):
                return Table(ok=False, problem=f"'{data}' cannot be read: {REASON}")
            raw = TableCache().table(place.path / data)
            columns = [_facts(name, raw[name]) for name in raw.names[:MOST_COLUMNS]]
        except (Unreadable, ValueError) as fault:
            remedy = getattr(fault, "remedy", "")
            said = f"'{data}': {fault}" + (f"; {remedy}" if remedy else "")
            return Table(ok=False, problem=place.without_place(said))
        except TreemipError as error:
            return Table(ok=False, problem=place.without_place(str(error)))
    return Table(ok=True, rows=raw.count, width=len(raw), columns=columns)


def _facts(name: str, column: RawColumn) -> Column:
    missing = int(column.missing.sum())
    numbers = column.numbers[~np.isnan(column.numbers)]
    texts = column.texts
    counts = np.bincount(texts.codes[texts.codes >= 0], minlength=len(texts.levels))
    few = len(texts.levels) <= FEW
    found = Column(
        name=name,
        kind="categories" if len(texts.levels) else "neither",
        missing=missing,
        distinct=len(texts.levels),
        values=dict(zip(texts.levels, counts.tolist(), strict=True)) if few else {},
    )
    if len(numbers) and len(numbers) + missing == len(column):
        found.kind = "numbers"
        found.least, found.greatest = float(numbers.min()), float(numbers.max())
    return found


def told(one: Table) -> str:
    """A line for each column."""
    if not one.ok:
        return one.problem
    shown = len(one.columns)
    first = f", of which the first {shown} are shown" if shown < one.width else ""
    rows = [f"{one.rows} rows, {one.width} columns{first}"]
    for column in one.columns:
        parts = [column.kind]
        if column.kind == "numbers":
            parts.append(f"from {column.least:g} to {column.greatest:g}")
        if column.values:
            parts.append(", ".join(f"{value} ({n})" for value, n in column.values.items()))
        else:
            parts.append(f"{column.distinct} distinct values")
        parts += [f"{column.missing} missing"] if column.missing else []
        rows.append(f"  {column.name}: {'; '.join(parts)}")
    return "\n".join(rows)
