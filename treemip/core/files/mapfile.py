"""The side-car of a model file: which block, indices and source line each name stands for.

JSON, one line a block::

    {"format": "treemip map 1", "model": "soct", "names": "spec",
     "objective": {"name": "errors", "emitted": "errors", "sense": "minimize", ...},
     "columns": [{"block": "go_left", "kind": "binary", "first": 1, "last": 110,
                  "index": ["i", "t"], "sorts": ["point", "node"],
                  "span": "soct.tree:7:5", "made_by": "", "emitted": "go_left"}, ...],
     "rows": [...], "sets": [...]}

`sets`, of special ordered sets, are there where the model has some.

`first` and `last` number columns or rows through the whole model from 1, rows that were left out
included: they are the numbers of short names, and a block's names stand in its order.

A spec name is `emitted`, then the labels of its indices in brackets, ``go_left(12,3)``, a minus
written ``m`` and a plus left out; when `counted` is true a running number from 1 follows them,
alone where `indexed` is false. Where the names do not tell the indices, `labels` does:
``{"product": [...]}`` with the labels of each index, the last varying fastest, as
inclusive stretches [first, last], or ``{"table": [...]}`` with each index's label in every row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from treemip.core.files.names import CONSTANT, Family, Names
from treemip.core.model.arrays import unique
from treemip.core.model.blocks import Index, Rows, SpecialSets, Variables
from treemip.core.model.model import Model


def mapping(model: Model, names: Names) -> bytes:
    """The side-car's text for a file written with `names`."""
    objective = model.objective
    head = {
        "format": "treemip map 1",
        "model": model.name,
        "names": names.style,
        "objective": {
            "name": objective.name,
            "emitted": names.objective,
            "sense": objective.sense,
            "negated": objective.sense == "maximize",
            "constant": objective.constant,
            "constant_column": CONSTANT if objective.constant else None,
            "span": _span(objective),
        },
    }
    columns = _blocks(model.variables, names.column_families)
    rows = _blocks(model.rows, names.row_families)
    lines = [json.dumps(head, ensure_ascii=False)[:-1] + ', "columns": [']
    lines += [",\n".join(columns) + '], "rows": [', ",\n".join(rows)]
    if model.special_sets:
        lines[-1] += '], "sets": ['
        lines.append(",\n".join(_blocks(model.special_sets, names.set_families)))
    return ("\n".join(lines) + "]}\n").encode()


def _blocks(
    blocks: Sequence[Variables | Rows | SpecialSets], families: tuple[Family, ...]
) -> list[str]:
    lines, first = [], 1
    for k, block in enumerate(blocks):
        entry: dict[str, Any] = {"block": block.name}
        if isinstance(block, Variables):
            entry["kind"] = block.kind.value
        entry |= {"first": first, "last": first + block.length - 1}
        entry |= {"index": block.index.names, "sorts": block.index.sorts}
        entry |= {"span": _span(block), "made_by": block.made_by}
        entry |= _scheme(families[k] if len(families) == len(blocks) else families[0], block.index)
        lines.append(json.dumps(entry, ensure_ascii=False))
        first += block.length
    return lines


def _scheme(family: Family, index: Index) -> dict[str, Any]:
    if family.labels is None:
        return {"emitted": family.base, "labels": _labels(index)}
    counted = family.labels.counted
    indexed = len(family.labels.columns) - counted == len(index.columns)
    scheme: dict[str, Any] = {"emitted": family.base, "counted": counted, "indexed": indexed}
    return scheme if indexed else scheme | {"labels": _labels(index)}


def _labels(index: Index) -> dict[str, Any]:
    columns = index.columns
    axes = [unique(c) for c in columns]
    if np.prod([len(a) for a in axes]) == index.length:
        grid = np.meshgrid(*axes, indexing="ij")
        if all((g.ravel() == c).all() for g, c in zip(grid, columns, strict=True)):
            return {"product": [_stretches(axis) for axis in axes]}
    return {"table": [c.tolist() for c in columns]}


def _stretches(axis: np.ndarray) -> list[list[int]]:
    breaks = np.flatnonzero(np.diff(axis) != 1)
    firsts = axis[np.concatenate([[0], breaks + 1])] if len(axis) else axis
    lasts = axis[np.concatenate([breaks, [len(axis) - 1]])] if len(axis) else axis
    return [list(pair) for pair in zip(firsts.tolist(), lasts.tolist(), strict=True)]


def _span(thing: Any) -> str | None:
    return None if thing.span is None else str(thing.span)
