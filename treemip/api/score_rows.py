"""The score of a saved tree on the rows of a file, with the spec's objective and measures there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.api.store import read_tree, score_file
from treemip.instance.table import load_table
from treemip.source.diagnostic import Report, TreemipError
from treemip.tree.score import AnyScore, Score, with_spec

if TYPE_CHECKING:
    from treemip.tree.objective_on import OfSpec


def score_rows(
    path: str | Path, data: str | Path, separator: str | None = None, report: Report | None = None
) -> AnyScore:
    """A saved tree on the rows of a file; where leaves do not predict the label's classes, with the
    spec's objective and measures on them.

    report: takes W302 for missing values that are filled in by default. Raises TreemipError: E701,
    E901, and E3xx for the rows.
    """
    found = score_file(path, data, separator, report)
    if isinstance(found, Score):
        return found
    known = _of_spec(path, Path(data), separator)
    return found if known is None else with_spec(found, *known)


def _of_spec(path: str | Path, data: Path, separator: str | None) -> OfSpec | None:
    """Objective and measures on the rows; None where file or rows lack what these rest on."""
    # Imported here: a tree of classes is scored without a grammar.
    from treemip.api.reverify import encoded_by, recorded_program, words_on
    from treemip.tree.objective_on import on_points

    document, tree = read_tree(path)
    try:
        program = recorded_program(document, path)
        if program.spec.data is None:
            return None
        where = replace(program.spec.data, path=str(data.resolve()), train=None)
        where = where if separator is None else replace(where, separator=separator)
        rows = load_table(where, program.base)
        if tree.encoder is not None:
            rows = encoded_by(tree, rows, data, where.separator)
        instance, values = words_on(document, program, rows)
        return on_points(instance, tree, values, rows.train)
    except TreemipError:
        return None
