"""score: what papers report of a saved tree, on any labelled data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treemip.cli.console import DONE, refuse, say_json, table
from treemip.cli.options import AsJson, Separator, TreeFile, separator_mark

if TYPE_CHECKING:
    from treemip.tree.score import Score, Sparsity


def score(
    tree: TreeFile,
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="Labelled rows: a CSV or Parquet file with a header."),
    ] = None,
    separator: Separator = None,
    json: AsJson = False,
) -> int:
    """Score a saved tree on labelled rows.

    Accuracy, balanced accuracy, recall and precision of each class, the confusion matrix,
    splits and leaves that points use, and the features of each branch; of a randomized tree also
    the features left unused. Without DATA, what was found on the training and test parts when
    the tree was solved.
    """
    from treemip.api.scoring import recorded_scores, saved_sparsity, score_file

    if data is not None:
        found = {"": score_file(tree, data, separator_mark(separator, data))}
    elif separator is not None:
        raise refuse("a separator without data", "name the file of rows as well")
    else:
        found = recorded_scores(tree)
    unused = saved_sparsity(tree)
    if json:
        more = {"sparsity": unused.to_json()} if unused else {}
        say = {part: each.to_json() | more for part, each in found.items()}
        say_json(say.get("", say))
        return DONE
    parts = [(f"{part} part\n" if part else "") + shown(each) for part, each in found.items()]
    print("\n\n".join([*parts, features(next(iter(found.values())), unused)]))
    return DONE


def shown(found: Score) -> str:
    """Measures, classes and confusion matrix, as text."""
    rows = [
        ("accuracy", f"{percent(found.accuracy)}  ({found.errors} of {found.points} points wrong)"),
        ("balanced accuracy", percent(found.balanced_accuracy)),
        ("effective splits", str(found.effective_splits)),
        ("splits with weights", str(found.weighted_splits)),
        ("leaves used", str(found.leaves_used)),
    ]
    return f"{table(rows)}\n\n{table(_classes(found))}"


def _classes(found: Score) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("class", "recall", "precision", "points", *(f"given {name}" for name in found.classes))
    ]
    for k, name in enumerate(found.classes):
        shares = percent(found.recall[k]), percent(found.precision[k])
        counts = map(str, found.confusion[k].tolist())
        rows.append((name, *shares, str(int(found.confusion[k].sum())), *counts))
    return rows


def features(found: Score, unused: Sparsity | None = None) -> str:
    """The features of each branch and of the tree; `unused` of a randomized one."""
    from treemip.cli.results import unused_features

    rows: list[tuple[str, ...]] = [
        (f"branch {node}", f"{len(names)}: {', '.join(names)}" if names else "none")
        for node, names in found.features.items()
    ]
    distinct = found.distinct_features
    rows.append(("in all", f"{found.features_used}, {len(distinct)} distinct"))
    rows += [("unused", unused_features(unused))] if unused else []
    return "features used\n" + table([(f"  {a}", b) for a, b in rows])


def percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.2f} %"
