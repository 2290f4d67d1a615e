"""Scores of saved trees: on the rows of a file, and those that the solve recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.api.store import load_tree, read_json
from treemip.core.instance.raw_table import RawTable
from treemip.core.instance.row_location import RowLocation
from treemip.core.instance.table import load_rows
from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.tree.probability_curves import BINS
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.score import AnyScore, Sparsity, score_of_json, sparsity


def score_file(
    path: str | Path,
    data: str | Path,
    separator: str | None = None,
    report: Report | None = None,
    *,
    positive: str | None = None,
    weights: str | None = None,
    bins: int = BINS,
    smoothing: str | None = None,
) -> AnyScore:
    """A saved tree on the rows of a file, whose label column holds their labels, as `Tree.score`.

    report: takes W302 for missing values that are filled in by default. weights: the column of the
    rows' weights; smoothing: as of `Tree.smoothed`.

    Raises TreemipError: E701, E901, and E3xx for the rows.
    """
    tree = load_tree(path).smoothed(smoothing)
    if tree.encoder is None:
        raise _unusable(path, "it does not say how rows are encoded")
    raw, place = load_rows(Path(data), tree.encoder, separator)
    weight = None if weights is None else _weights_of(raw, weights, place)
    found = tree.score_of_raw(raw, place, positive, weight, bins)
    if report is not None:
        report.diagnostics += tree.encoder.fill_warnings(raw, place.file)
    return found


def _weights_of(raw: RawTable, name: str, place: RowLocation) -> np.ndarray:
    """The weights of rows, float64 (M,), 0 or more. Raises E302 without the column, E311."""
    if name not in raw.names:
        near = did_you_mean(name, raw.names)
        remedy = f"{near} there are {listed(raw.names)}".lstrip()
        place.fail("E302", f"{place.file} has no column '{name}' of weights", remedy)
    column = raw[name]
    wrong = np.flatnonzero(~((column.numbers >= 0) & np.isfinite(column.numbers)))
    if len(wrong):
        k = int(wrong[0])
        what = f"{place.row(k)} has the weight '{column.text(k)}'"
        remedy = "give each row a weight from 0 on, or name another column with --weights"
        place.fail("E311", f"{what}, not a finite number from 0 on", remedy, column=name)
    return column.numbers


def recorded_scores(path: str | Path) -> dict[str, AnyScore]:
    """What the solve recorded: of "training", and of "test" where there was such a part.

    Raises TreemipError: E701 for a file without scores, E901.
    """
    document = read_json(path)
    found = {}
    for part in ("training", "test"):
        try:
            if document["scores"].get(part) is not None:
                found[part] = score_of_json(document["scores"][part])
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            raise _unusable(path, "its scores are missing or damaged") from None
    if not found:
        raise _unusable(path, "it has no scores")
    return found


def saved_sparsity(path: str | Path) -> Sparsity | None:
    """Which share of the features a saved randomized tree leaves unused; None for other trees.

    Raises TreemipError: E701, E901.
    """
    tree = load_tree(path)
    return sparsity(tree) if isinstance(tree, RandomizedTree) else None


def _unusable(path: str | Path, why: str) -> TreemipError:
    return TreemipError(
        Diagnostic.outside("E701", f"'{path}' cannot be scored: {why}", "solve again with -o")
    )
