"""Classes, the training part and point weights: the columns beside the features."""

from __future__ import annotations

import numpy as np

from treemip.instance.column import Column
from treemip.instance.levels import Levels
from treemip.instance.part import training_rows
from treemip.instance.place import Place
from treemip.resolve.settings.data_spec import DataSpec
from treemip.source.diagnostic import Report
from treemip.source.suggest import did_you_mean, listed

MOST_CODES = 20
"""A label with no more numbers than these is taken to name classes, whatever the numbers are."""

QUANTITY = (
    "each number is a class of its own: a tree predicts classes, not quantities yet; cut the "
    "label into a few classes beforehand, such as low, middle and high"
)


def training_part(spec: DataSpec, classes: Levels, y: np.ndarray, report: Report) -> np.ndarray:
    """bool (N,): the training rows. Raises TreemipError: E305 one class, E306 an idle part."""
    label = f"the label '{spec.label.text}'"
    at = Place(spec.path, span=spec.label.span)
    if len(classes.names) < 2:
        at.fail("E305", f"{label} has one class only, '{classes.names[0]}', where two are needed")
    if _is_quantity(classes, len(y)):
        message = f"{label} has {len(classes.names)} different numbers in {len(y)} rows"
        report.warn("W302", message, spec.label.span, QUANTITY)
    elif 2 * len(classes.names) > len(y) > 20:
        message = f"{label} has {len(classes.names)} classes for {len(y)} rows"
        report.warn("W302", message, spec.label.span, "a label names classes, not quantities")
    if spec.train is None:
        return training_rows(None, y)
    at = Place(spec.path, span=spec.train.span)
    training = training_rows(spec.train, y)
    counts = np.bincount(y[training], minlength=len(classes.names))
    absent = [name for name, count in zip(classes.names, counts, strict=True) if not count]
    if len(classes.names) - len(absent) < 2:
        at.fail(
            "E306", f"the training part has {training.sum()} of {len(y)} rows, not of two classes"
        )
    if absent:
        message = f"the training part has no row of the class{'es' * (len(absent) > 1)} "
        report.warn("W302", message + listed(absent), spec.train.span)
    return training


def _is_quantity(classes: Levels, rows: int) -> bool:
    """Whether a label of numbers seems to measure something rather than to name classes.

    Codes of classes are whole numbers, of which each stands in several rows: digits, letters.
    """
    if not classes.numeric or len(classes.names) <= MOST_CODES:
        return False
    whole = all(float(name).is_integer() for name in classes.names)
    return not whole or 5 * len(classes.names) > rows


def positive_class(spec: DataSpec, classes: Levels) -> int | None:
    """The number of the class the spec calls positive. Raises TreemipError E309."""
    if spec.positive is None:
        return None
    name = classes.name_of(spec.positive.text)
    if name not in classes.names:
        message = f"the label '{spec.label.text}' has no class '{name}'"
        at = Place(span=spec.positive.span)
        near = did_you_mean(name, classes.names)
        at.fail("E309", message, f"its classes are {listed(classes.names)}", near)
    return classes.names.index(name)


def point_weights(column: Column | None, count: int, name: str, place: Place) -> np.ndarray:
    """float64 (N,): the weight column `name`, or ones. Raises TreemipError E311."""
    if column is None:
        return np.ones(count)
    wrong = np.flatnonzero(~(column.numbers > 0))
    if len(wrong):
        k = int(wrong[0])
        what = f"{place.row(k)} has the weight '{column.text(k)}'"
        place.fail("E311", f"{what}, not a positive finite number", column=name)
    return column.numbers
