"""What a table's label is: classes, numbers, or nothing; and the numbers known beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from treemip.core.instance.categories import Levels
from treemip.core.instance.columns import Column
from treemip.core.instance.feature import Feature
from treemip.core.instance.fit import given_value
from treemip.core.instance.missing import rule_for
from treemip.core.instance.row_location import RowLocation
from treemip.core.resolve.settings.data_spec import DataSpec, as_column
from treemip.core.source.diagnostic import Report
from treemip.core.source.suggest import did_you_mean, listed

MOST_CODES = 20
"""A numeric label with at most this many distinct values is taken to name classes."""

QUANTITY = (
    "each number is a class of its own: write  label {} number;  for a formulation that uses the "
    "label as a number, or cut it into a few classes, such as low, middle and high"
)


NO_CLASSES = Levels((), False)


@dataclass(frozen=True)
class Label:
    """The labels of N rows.

    kind "class": y int64 (N,), numbers of `classes`; "number": y float64 (N,), finite; "none": y
    int64 (N,) zeros. fill: what stands for a missing label in y; None where none may be missing.
    """

    kind: str
    y: np.ndarray
    classes: Levels = NO_CLASSES
    fill: float | None = None


def read_label(
    spec: DataSpec, columns: Mapping[str, Column], rows: int, place: RowLocation, report: Report
) -> Label:
    """The label of the spec's `rows` rows. Raises TreemipError: E304 no number, E305 one class."""
    if spec.label_kind == "none":
        return Label("none", np.zeros(rows, np.int64))
    name = spec.label.text
    column, rule = columns[name], rule_for(spec, name, feature=False)
    value = rule.value if rule is not None else None
    if spec.label_kind == "number":
        number = known_number(spec, name, place)
        return Label("number", number.read(column, place), fill=number.fill)
    classes = Levels.of(column) if value is None else Levels.of(column).with_level(value, column)
    fill = None if value is None else given_value(value, name, classes, place)
    y = Feature(name, classes, fill, None).read(column, place).astype(np.int64)
    _check_classes(spec, classes, len(y), report)
    return Label("class", y, classes, fill)


def known_number(spec: DataSpec, name: str, place: RowLocation) -> Feature:
    """How a column of numbers is read: as it is, missing ones as the spec says."""
    rule = rule_for(spec, name, feature=False)
    value = rule.value if rule is not None else None
    fill = None if value is None else given_value(value, name, None, place)
    return Feature(name, None, fill, None)


def _check_classes(spec: DataSpec, classes: Levels, rows: int, report: Report) -> None:
    """E305 for a single class; a warning if the label looks like a measurement (W302)."""
    label = f"the label '{spec.label.text}'"
    at = RowLocation(spec.path, span=spec.label.span)
    if len(classes.names) < 2:
        at.fail("E305", f"{label} has only one class, '{classes.names[0]}'; two are needed")
    if is_quantity(classes, rows):
        message = f"{label} has {len(classes.names)} different numbers in {rows} rows"
        remedy = QUANTITY.format(as_column(spec.label.text))
        report.warn("W302", message, spec.label.span, remedy)
    elif 2 * len(classes.names) > rows > 20:
        message = f"{label} has {len(classes.names)} classes for {rows} rows"
        report.warn("W302", message, spec.label.span, "a label names classes, not quantities")


def is_quantity(classes: Levels, rows: int) -> bool:
    """Whether a numeric label looks like a measurement rather than like names of classes.

    Class codes, such as those of digits or letters, are whole numbers that occur in several rows.
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
        at = RowLocation(span=spec.positive.span)
        near = did_you_mean(name, classes.names)
        at.fail("E309", message, f"its classes are {listed(classes.names)}", near)
    return classes.names.index(name)
