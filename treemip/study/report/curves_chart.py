"""ROC and calibration of a tree's probabilities as two charts side by side, in SVG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treemip.core.instance.encoded_table import Table
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.render import visible
from treemip.core.tree.probability_curves import ClassCurves, curves_of
from treemip.core.tree.tree import Tree
from treemip.writers.picture.shapes import (
    FAINT,
    INK,
    LINE,
    PAPER,
    PLUS,
    Line,
    Path,
    Rect,
    Scene,
    Shape,
    Text,
    moved,
)
from treemip.writers.picture.svg import svg

SIDE, LEFT, TOP, BOTTOM = 210.0, 56.0, 26.0, 44.0
"""Pixels of the square of a chart, and of the space around it."""

MOST_CLASSES = 6
"""Classes with charts of their own."""


def class_curves_of(tree: Tree, table: Table, positive: int | None) -> tuple[ClassCurves, ...]:
    """Those of a tree that predicts the label's classes; none where its probabilities are not
    known, or all points are of one class. positive: as of `curves_of`."""
    if not tree.predicts_label or not len(table.y):
        return ()
    try:
        found = curves_of(tree, table.inputs, table.y, table.weight, positive)
    except TreemipError:
        return ()
    return tuple(one for one in found if one.auc is not None)[:MOST_CLASSES]


def curve_charts(curves: Sequence[ClassCurves], part: str) -> list[tuple[str, str]]:
    """Of each class what the charts show, in words, and the charts."""
    return [(_said(one), _charts(one, part)) for one in curves]


def _said(one: ClassCurves) -> str:
    error = one.calibration.calibration_error
    return (
        f"{visible(one.positive)} against the others: AUC {one.auc:.3f}, "
        f"calibration error {error:.3f}, {one.points} points"
    )


def _charts(one: ClassCurves, part: str) -> str:
    name = f"{visible(one.positive)}, {part} part"
    roc = list(zip(one.roc.false_positive_rate, one.roc.true_positive_rate, strict=True))
    bins = one.calibration
    places = list(zip(bins.predicted, bins.observed, strict=True))
    largest = float(bins.weight.max())
    sizes = [3 + 5 * float(np.sqrt(weight / largest)) for weight in bins.weight]
    charts = [
        _chart("ROC", "others called so", "found of the class", roc, []),
        _chart("calibration", "probability by the tree", "share of the class", places, sizes),
    ]
    wide = LEFT + SIDE + 30
    shapes = [moved(shape, k * wide, 0) for k, chart in enumerate(charts) for shape in chart]
    return svg(
        Scene(2 * wide, TOP + SIDE + BOTTOM, f"ROC and calibration of {name}", tuple(shapes), ())
    )


def _chart(
    title: str,
    across: str,
    up: str,
    places: Sequence[tuple[float, float]],
    sizes: Sequence[float],
) -> list[Shape]:
    """A line through places in the unit square, with squares of these sizes where there are any."""

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + SIDE * float(x), TOP + SIDE * (1 - float(y))

    shapes: list[Shape] = [
        Text(LEFT, 16, f"{title}: {up}", 12, True),
        Rect(LEFT, TOP, SIDE, SIDE, PAPER, FAINT),
        Line(*at(0, 0), *at(1, 1), 1, LINE),
        Path(tuple(at(*place) for place in places), PLUS, 2.0),
    ]
    for place, size in zip(places, sizes, strict=False):
        x, y = at(*place)
        shapes.append(Rect(x - size / 2, y - size / 2, size, size, PLUS, INK))
    for share in (0.0, 0.5, 1.0):
        x, y = at(share, share)
        shapes.append(Text(x, TOP + SIDE + 15, f"{share:g}", 11, middle=True, colour=FAINT))
        shapes.append(Text(LEFT - 24, y + 4, f"{share:g}", 11, colour=FAINT))
    shapes.append(Text(LEFT + SIDE / 2, TOP + SIDE + 32, across, 11, middle=True, colour=FAINT))
    return shapes
