"""Classes, point weights, and the training part of the rows.

The training part is a share or a fold, stratified by class.
"""

from __future__ import annotations

import numpy as np

from treemip.instance.categories import Levels
from treemip.instance.columns import Column
from treemip.instance.row_location import RowLocation
from treemip.resolve.settings.data_spec import DataSpec, Fold, Share
from treemip.source.diagnostic import Report
from treemip.source.suggest import did_you_mean, listed

MOST_CODES = 20
"""A numeric label with at most this many distinct values is taken to name classes."""

QUANTITY = (
    "each number is a class of its own: a tree predicts classes, not quantities yet; cut the "
    "label into a few classes beforehand, such as low, middle and high"
)


def training_part(spec: DataSpec, classes: Levels, y: np.ndarray, report: Report) -> np.ndarray:
    """bool (N,): the training rows. Raises TreemipError: E305 for a single class, E306 for a
    training part with a single class, and for more folds than rows."""
    label = f"the label '{spec.label.text}'"
    at = RowLocation(spec.path, span=spec.label.span)
    if len(classes.names) < 2:
        at.fail("E305", f"{label} has only one class, '{classes.names[0]}'; two are needed")
    if _is_quantity(classes, len(y)):
        message = f"{label} has {len(classes.names)} different numbers in {len(y)} rows"
        report.warn("W302", message, spec.label.span, QUANTITY)
    elif 2 * len(classes.names) > len(y) > 20:
        message = f"{label} has {len(classes.names)} classes for {len(y)} rows"
        report.warn("W302", message, spec.label.span, "a label names classes, not quantities")
    if spec.train is None:
        return training_rows(None, y)
    at = RowLocation(spec.path, span=spec.train.span)
    if isinstance(spec.train, Fold) and spec.train.count > len(y):
        message = f"{spec.train.count} folds of {len(y)} rows: some have no row to test"
        at.fail("E306", message, f"use at most {len(y)} folds")
    training = training_rows(spec.train, y)
    counts = np.bincount(y[training], minlength=len(classes.names))
    absent = [name for name, count in zip(classes.names, counts, strict=True) if not count]
    if len(classes.names) - len(absent) < 2:
        at.fail(
            "E306",
            f"the training part has {training.sum()} of {len(y)} rows and lacks a second class",
        )
    if absent:
        message = f"the training part has no row of the class{'es' * (len(absent) > 1)} "
        report.warn("W302", message + listed(absent), spec.train.span)
    return training


def _is_quantity(classes: Levels, rows: int) -> bool:
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


def point_weights(column: Column | None, count: int, name: str, place: RowLocation) -> np.ndarray:
    """float64 (N,): the weight column `name`, or ones. Raises TreemipError E311."""
    if column is None:
        return np.ones(count)
    wrong = np.flatnonzero(~(column.numbers > 0))
    if len(wrong):
        k = int(wrong[0])
        what = f"{place.row(k)} has the weight '{column.text(k)}'"
        place.fail("E311", f"{what}, not a positive finite number", column=name)
    return column.numbers


# ------------------------------------------------------------------------------- shares and folds


def training_rows(train: Share | Fold | None, y: np.ndarray) -> np.ndarray:
    """bool (N,): which rows are for training. y int64 (N,) are class numbers.

    The choice depends on y, the seed and nothing else.
    """
    if train is None:
        return np.ones(len(y), bool)
    if isinstance(train, Share):
        return share_rows(y, train.share, train.seed)
    return fold_of(y, train.count, train.seed) != train.number


def share_rows(y: np.ndarray, share: float, seed: int) -> np.ndarray:
    """bool (N,) with exactly round(share N) true, spread over the classes by largest remainder."""
    total = round(share * len(y))
    counts = np.bincount(y)
    quota, remainder = np.divmod(counts * total, len(y))
    largest = np.argsort(-remainder, kind="stable")[: total - quota.sum()]
    quota[largest] += 1
    order = _shuffled_by_class(y, seed)
    place_in_class = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = np.zeros(len(y), bool)
    chosen[order] = place_in_class < quota[y[order]]
    return chosen


def fold_of(y: np.ndarray, count: int, seed: int) -> np.ndarray:
    """int64 (N,): each row's fold 1 … count.

    Fold sizes differ by at most one, over all rows and within each class.
    """
    fold = np.empty(len(y), np.int64)
    fold[_shuffled_by_class(y, seed)] = np.arange(len(y)) % count + 1
    return fold


def _shuffled_by_class(y: np.ndarray, seed: int) -> np.ndarray:
    """Rows class by class, in random order within each.

    Sorted by raw 64-bit draws: numpy keeps a bit generator's stream for ever, but not the
    algorithms of `Generator.permutation` and its like, and a seed is meant to outlive a release.
    """
    keys = np.random.PCG64(seed).random_raw(len(y))
    return np.lexsort((keys, y))
