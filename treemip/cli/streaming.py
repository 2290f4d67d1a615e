"""Predictions for the rows of a file as CSV, some rows at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from treemip.cli.console import complain
from treemip.core.instance.row_batches import row_batches
from treemip.core.tree.answers import ValueAnswer
from treemip.core.tree.tree import Tree

Answers = Callable[[np.ndarray], dict[str, list[object]]]
"""From encoded rows to the columns of the result, by their heads."""


def predicted(tree: Tree, data: Path, separator: str | None, answers: Answers) -> Iterator[str]:
    """The lines of the result, the heads first. Warnings are said at the end.

    Raises TreemipError: E3xx for the rows, also after some of them; what `answers` raises.
    """
    encoder = tree.fitted_encoder()
    filled, file = np.zeros(0, np.int64), data.name
    started = False
    for raw, place in row_batches(data, separator, encoder.marks):
        x = encoder.inputs(raw, place)
        counts = encoder.filled(raw, place.file)
        filled = counts if not started else filled + counts
        if not started:
            yield _lines([tuple(answers(x[:1]))])
        started = True
        yield _of_leaves(tree, x, answers) if _answers_by_leaf(tree) else _of_rows(answers(x))
    complain(encoder.fill_warning(filled, file))


def _answers_by_leaf(tree: Tree) -> bool:
    """Whether rows of one leaf have the same answers."""
    constant = not isinstance(tree.answer, ValueAnswer) or tree.answer.is_constant
    return type(tree) is Tree and constant


def _of_leaves(tree: Tree, x: np.ndarray, answers: Answers) -> str:
    """A line for each row, of which there is one text for each leaf."""
    _, first, leaf = np.unique(tree.route(x), return_index=True, return_inverse=True)
    columns = answers(x[first])
    lines = [_lines([row]) for row in zip(*columns.values(), strict=True)]
    return "".join(np.array(lines, object)[leaf].tolist())


def _of_rows(columns: dict[str, list[object]]) -> str:
    return _lines([*zip(*columns.values(), strict=True)])


def _lines(rows: list[tuple[object, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
