"""The score of a saved tree on the rows of a file, with the spec's objective and measures there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemip.api.store import read_tree, score_file
from treemip.instance.table import load_other
from treemip.source.diagnostic import Report, TreemipError
from treemip.tree.score import AnyScore, Score, with_spec

if TYPE_CHECKING:
    from treemip.api.program import Program
    from treemip.tree.measures import OfSpec
    from treemip.tree.tree import Tree


def score_rows(
    path: str | Path, data: str | Path, separator: str | None = None, report: Report | None = None
) -> AnyScore:
    """A saved tree on the rows of a file; where leaves do not predict the label's classes, with the
    spec's objective and measures on them, or why these are left out.

    report: takes W302 for missing values that are filled in by default. Raises TreemipError: E701,
    E901, and E3xx for the rows.
    """
    found = score_file(path, data, separator, report)
    if isinstance(found, Score):
        return found
    # Imported here: a tree of classes is scored without a grammar.
    from treemip.api.reverify import recorded_program

    document, tree = read_tree(path)
    try:
        program = recorded_program(document, path)
    except TreemipError as error:
        return with_spec(found, None, {}, {"objective": error.diagnostics[0].message})
    return with_spec(found, *_of_spec(document, tree, program, path, Path(data), separator))


def _of_spec(
    document: dict[str, Any],
    tree: Tree,
    program: Program,
    path: str | Path,
    data: Path,
    separator: str | None,
) -> OfSpec:
    """Objective and measures on the rows of a file."""
    from treemip.api.learned_from import words_for
    from treemip.tree.measures import OfSpec

    spec = program.spec
    assert spec.data is not None and tree.encoder is not None
    where = replace(spec.data, path=str(data.resolve()))
    where = where if separator is None else replace(where, separator=separator)
    try:
        rows = load_other(where, program.base, tree.encoder)
        return words_for(document, tree, program, path, rows).on(tree, rows)
    except TreemipError as error:
        return OfSpec.unknown(spec, error)
