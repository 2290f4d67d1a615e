"""Scores of saved trees: on the rows of a file, and as their own files record them."""

from __future__ import annotations

from pathlib import Path

from treemip.api.store import load_tree, read_json
from treemip.instance.table import load_rows
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.tree.randomized import RandomizedTree
from treemip.tree.score import Score, Sparsity, score, sparsity


def score_file(path: str | Path, data: str | Path, separator: str | None = None) -> Score:
    """A saved tree on the rows of a file, whose label column holds their classes.

    Raises TreemipError: E701, E901, and E3xx for the rows.
    """
    tree = load_tree(path)
    if tree.encoder is None:
        raise _unusable(path, "it does not say how rows are encoded")
    raw, place = load_rows(Path(data), tree.encoder, separator)
    x = tree.encoder.inputs(raw, place)
    return score(tree, x, tree.encoder.class_numbers(raw, place))


def recorded_scores(path: str | Path) -> dict[str, Score]:
    """What the solve recorded: of "training", and of "test" where there was such a part.

    Raises TreemipError: E701 for a file without scores, E901.
    """
    said = read_json(path)
    found = {}
    for part in ("training", "test"):
        try:
            if said["scores"].get(part) is not None:
                found[part] = Score.from_json(said["scores"][part])
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            raise _unusable(path, "its scores are not there or damaged") from None
    if not found:
        raise _unusable(path, "it holds no scores")
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
