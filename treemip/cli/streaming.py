"""Predictions for the rows of a file, some rows at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treemip.cli.console import complain
from treemip.core.instance.row_batches import row_batches
from treemip.core.tree.answers import ValueAnswer
from treemip.core.tree.tree import Tree

Answers = Callable[[np.ndarray], dict[str, list[object]]]
"""From encoded rows to the columns of the result, by their heads."""


@dataclass(frozen=True)
class Batch:
    """Answers of rows that come after each other: `columns` (L) by their heads, of which row i has
    `which[i]`, which is None where row i has the i-th."""

    columns: dict[str, list[object]]
    which: np.ndarray | None


def predicted(tree: Tree, data: Path, separator: str | None, answers: Answers) -> Iterator[Batch]:
    """The answers to all rows, at least one batch. Warnings are said at the end.

    Raises TreemipError: E3xx for the rows, also after some of them; what `answers` raises.
    """
    encoder = tree.fitted_encoder()
    filled, file = np.zeros(0, np.int64), data.name
    for k, (raw, place) in enumerate(row_batches(data, separator, encoder.marks)):
        x = encoder.inputs(raw, place)
        counts = encoder.filled(raw, place.file)
        filled = filled + counts if k else counts
        yield _of_leaves(tree, x, answers) if _answers_by_leaf(tree) else Batch(answers(x), None)
    complain(encoder.fill_warning(filled, file))


def _answers_by_leaf(tree: Tree) -> bool:
    """Whether rows of one leaf have the same answers."""
    constant = not isinstance(tree.answer, ValueAnswer) or tree.answer.is_constant
    return type(tree) is Tree and constant


def _of_leaves(tree: Tree, x: np.ndarray, answers: Answers) -> Batch:
    """One answer for each leaf that rows reach."""
    _, first, leaf = np.unique(tree.route(x), return_index=True, return_inverse=True)
    return Batch(answers(x[first]), leaf)


def as_text(batches: Iterator[Batch], separator: str = ",") -> Iterator[str]:
    """The lines of a table, the heads first."""
    for k, batch in enumerate(batches):
        if k == 0:
            yield _lines([tuple(batch.columns)], separator)
        rows = [*zip(*batch.columns.values(), strict=True)]
        if batch.which is None:
            yield _lines(rows, separator)
        else:
            lines = [_lines([row], separator) for row in rows]
            yield "".join(np.array(lines, object)[batch.which].tolist())


def _lines(rows: list[tuple[object, ...]], separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue()
