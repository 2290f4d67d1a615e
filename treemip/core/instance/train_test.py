"""Point weights, and the training part of the rows: a share or a fold, stratified by class."""

from __future__ import annotations

import numpy as np

from treemip.core.instance.columns import Column
from treemip.core.instance.labels import Label
from treemip.core.instance.row_location import RowLocation
from treemip.core.resolve.settings.data_spec import (
    LEFT_OUT,
    TRAINING,
    DataSpec,
    Fold,
    Rows,
    Share,
)
from treemip.core.source.diagnostic import Report
from treemip.core.source.suggest import listed


def rows_in_parts(spec: DataSpec, left: np.ndarray) -> np.ndarray:
    """Those of the rows `left` of the table, int64 (n,), that are in one of the spec's parts."""
    if not isinstance(spec.train, Rows):
        return left
    return np.asarray(left[np.frombuffer(spec.train.parts, np.uint8)[left] != LEFT_OUT])


def training_part(
    spec: DataSpec, label: Label, report: Report, rows_of_table: np.ndarray | None = None
) -> np.ndarray:
    """bool (N,): the training rows, stratified where the label names classes.

    rows_of_table int64 (N,): where in the table the rows are, if not all of it.

    Raises TreemipError E306 for a training part without rows or with a single class, and for more
    folds than rows.
    """
    rows = len(label.y)
    strata = label.y if label.kind == "class" else np.zeros(rows, np.int64)
    if spec.train is None:
        return training_rows(None, strata)
    at = RowLocation(spec.path, span=spec.train.span)
    if isinstance(spec.train, Fold) and spec.train.count > rows:
        message = f"{spec.train.count} folds of {rows} rows: some have no row to test"
        at.fail("E306", message, f"use at most {rows} folds")
    if isinstance(spec.train, Rows):
        parts = np.frombuffer(spec.train.parts, np.uint8)
        training = (parts if rows_of_table is None else parts[rows_of_table]) == TRAINING
    else:
        training = training_rows(spec.train, strata)
    if label.kind == "class":
        _two_classes(spec.train, label, training, report)
    elif not training.any():
        at.fail("E306", f"the training part has none of {rows} rows", "write a larger share")
    return training


def _two_classes(
    train: Share | Fold | Rows, label: Label, training: np.ndarray, report: Report
) -> None:
    """E306 for a training part with a single class; a warning if it lacks others (W302)."""
    names = label.classes.names
    counts = np.bincount(label.y[training], minlength=len(names))
    absent = [name for name, count in zip(names, counts, strict=True) if not count]
    part, remedy = "the training part", ""
    if fold := _fold_of(train):
        part = f"the training part of fold {fold}"
        remedy = "use fewer folds, or give two classes at least two rows each"
    if len(names) - len(absent) < 2:
        message = f"{part} has {training.sum()} of {len(label.y)} rows and lacks a second class"
        RowLocation(span=train.span).fail("E306", message, remedy)
    if absent:
        message = f"{part} has no row of the class{'es' * (len(absent) > 1)} "
        report.warn("W302", message + listed(absent), train.span)


def _fold_of(train: Share | Fold | Rows) -> str:
    """What messages call the fold; empty where the part is of none."""
    if isinstance(train, Fold):
        return str(train.number)
    return train.fold if isinstance(train, Rows) else ""


def point_weights(column: Column | None, count: int, name: str, place: RowLocation) -> np.ndarray:
    """float64 (N,): the weight column `name`, or ones. Raises TreemipError E311."""
    if column is None:
        return np.ones(count)
    wrong = np.flatnonzero(~(column.numbers > 0))
    if len(wrong):
        k = int(wrong[0])
        what = f"{place.row(k)} has the weight '{column.text(k)}'"
        remedy = "give it a weight above 0, or leave the row out of the table"
        place.fail("E311", f"{what}, not a positive finite number", remedy, column=name)
    return column.numbers


# ------------------------------------------------------------------------------- shares and folds


def training_rows(train: Share | Fold | None, y: np.ndarray) -> np.ndarray:
    """bool (N,): which rows are for training. y int64 (N,) are class numbers, or all 0.

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
