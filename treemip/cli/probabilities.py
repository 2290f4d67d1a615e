"""How good a tree's probabilities are, as tables of text."""

from __future__ import annotations

from treemip.cli.console import table
from treemip.core.tree.probability_curves import ClassCurves
from treemip.core.tree.probability_score import ProbabilityScore

Row = tuple[str, ...]


def shown_probabilities(found: ProbabilityScore) -> str:
    """Numbers; and of a positive class calibration, gains and thresholds."""
    parts = ["probabilities\n" + _indented(_numbers(found))]
    if found.positive is None:
        return f"{parts[0]}\n  calibration, gains and thresholds of a class: --positive CLASS"
    curves = found.curves[0]
    parts.append(f"calibration of '{curves.positive}'\n" + _indented(_calibration(curves)))
    parts.append(f"gains of '{curves.positive}'\n" + _indented(_gains(curves)))
    if found.thresholds:
        head = f"thresholds of '{found.positive}': a row is called so from the probability on"
        parts.append(f"{head}\n" + _indented(_thresholds(found)))
    return "\n\n".join(parts)


def _indented(rows: list[Row]) -> str:
    return "\n".join(f"  {line}" for line in table(rows).splitlines())


def _numbers(found: ProbabilityScore) -> list[Row]:
    rows: list[Row] = []
    if found.positive is not None:
        rows.append(("positive", found.positive))
    if found.weighted:
        rows.append(("rows", "counted by their weights"))
    rows.append(("AUC", _auc(found)))
    if found.positive is None:
        rows += [(f"  {one.positive} against the others", _number(one.auc)) for one in found.curves]
    rows += [("log-loss", f"{found.log_loss:.5g}"), ("Brier score", f"{found.brier:.5g}")]
    for one in found.curves:
        name = "calibration error (ECE)" + ("" if found.positive else f" of {one.positive}")
        rows.append((name, f"{one.calibration.calibration_error:.5g}"))
    return rows


def _auc(found: ProbabilityScore) -> str:
    if found.auc is None:
        return "none: all rows are of one kind"
    if found.positive is not None:
        return f"{found.auc:.5g}"
    return f"{found.auc:.5g}  (mean of the classes; by their rows {_number(found.weighted_auc)})"


def _calibration(curves: ClassCurves) -> list[Row]:
    bins = curves.calibration
    rows: list[Row] = [("rows", "probability", "observed")]
    columns = zip(bins.points, bins.predicted, bins.observed, strict=True)
    return rows + [(str(n), f"{p:.4f}", f"{o:.4f}") for n, p, o in columns]


def _gains(curves: ClassCurves) -> list[Row]:
    gains = curves.gains
    rows: list[Row] = [("rows", "probability", "taken", "found", "lift", "lift so far")]
    for k, count in enumerate(gains.bins.points.tolist()):
        numbers = gains.bins.least[k], gains.taken[k], gains.found[k]
        lifts = gains.lift[k], gains.lift_so_far[k]
        cells = [*(f"{n:.4f}" for n in numbers), *(f"{n:.3f}" for n in lifts)]
        rows.append((str(count), *("none" if cell == "nan" else cell for cell in cells)))
    return rows


def _thresholds(found: ProbabilityScore) -> list[Row]:
    rows: list[Row] = [
        ("probability", "called so", "recall", "precision", "specificity", "F1"),
    ]
    return rows + [
        tuple(f"{value:.4f}" for value in one.to_json().values()) for one in found.thresholds
    ]


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.5g}"
