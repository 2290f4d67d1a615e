"""Scores as cells of text, for the terminal, notebooks and the report."""

from __future__ import annotations

from collections.abc import Sequence

from treemip.core.tree.answers import are_numbers
from treemip.core.tree.score import AnyScore, ChoiceScore, Score


def percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.2f} %"


def wrong_of(found: Score) -> str:
    return f"{found.errors} of {found.points} points wrong"


def class_rows(
    found: Score, names: Sequence[str], with_points: bool = False
) -> list[tuple[str, ...]]:
    """Recall, precision and the confusion matrix, with a heading; a row for each class.

    names: what the classes are called here. with_points: whether a column says how many points a
    class has.
    """
    counts = ["points"] if with_points else []
    rows = [("class", "recall", "precision", *counts, *(f"given {name}" for name in names))]
    shares = zip(names, found.recall, found.precision, found.confusion.tolist(), strict=True)
    for name, recall, precision, given in shares:
        counts = [str(sum(given))] if with_points else []
        rows.append((name, percent(recall), percent(precision), *counts, *map(str, given)))
    return rows


def survival_rows(found: AnyScore) -> list[tuple[str, str]]:
    """What is reported of a survival tree, and why some is not known; nothing of other trees."""
    if found.survival is None:
        return []
    names = {
        "harrell_c": "Harrell's C, as in scikit-survival",
        "ipcw_c": "IPCW C",
        "integrated_brier": "integrated Brier score",
    }
    known = {name: getattr(found.survival, name) for name in names}
    rows = [(names[name], f"{value:.5g}") for name, value in known.items() if value is not None]
    return rows + [(names[n], f"left out: {why}") for n, why in found.survival.left_out.items()]


def lines_of(part: str, found: AnyScore | None) -> list[tuple[str, str]]:
    """What a summary says of a part's points, in lines of two cells; nothing of errors, which it
    has where leaves predict the label's classes, nor of an objective that is no more than these."""
    if found is None:
        return []
    rows, known = [], None
    if isinstance(found, Score):
        known = found.errors
    elif isinstance(found, ChoiceScore):
        pairs = zip(found.classes, found.chosen.tolist(), strict=True)
        form = "{1} of {0}" if are_numbers(found.classes) else "{0} {1}"
        rows.append((f"{part} points", ", ".join(form.format(*pair) for pair in pairs)))
    elif found.mse is not None and found.mse_of_mean is not None:
        text = f"{found.mse:.5g}; constant mean {found.mse_of_mean:.5g}"
        rows.append((f"{part} MSE", text))
    if part == "test" and found.objective not in (None, known):
        rows.append(("test objective", f"{found.objective:.10g}"))
    rows += [(f"{part} {name}", f"{value:.10g}") for name, value in found.measures.items()]
    return rows + [(f"{part} {name}", f"left out: {why}") for name, why in found.left_out.items()]
