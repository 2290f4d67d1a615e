"""How good the probabilities of a tree are on labelled points: AUC, log-loss, Brier score,
calibration, gains and thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.core.model.tolerances import ROUNDING
from treemip.core.source.diagnostic import refused
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.tree.probability_curves import (
    BINS,
    ClassCurves,
    class_curves,
    point_weight,
)
from treemip.core.tree.tree import Tree

LEAST_CHANCE = float(np.finfo(float).eps)
"""Probabilities count as this much at least in a log-loss, which would else be infinite."""

THRESHOLDS = 20
"""Rows of the table of thresholds, at most."""


@dataclass(frozen=True)
class Threshold:
    """Points are called positive whose probability is `threshold` or more. called: their share in
    the weight of all points; recall, specificity, precision and F1 of the positive class."""

    threshold: float
    called: float
    recall: float
    precision: float
    specificity: float
    f1: float

    def to_json(self) -> dict[str, float]:
        return dict(vars(self))


@dataclass(frozen=True)
class ProbabilityScore:
    """A tree's probabilities on M points, each counted by its weight.

    log_loss: the mean of -log of the probability of a point's class. brier: the mean squared
    distance of the probabilities from 1 for the point's class and 0 for the others (Brier 1950),
    for two classes twice that of one class alone. curves: of the positive class, or of each class
    against the others where there are more than two and none is called positive. weighted: whether
    points have weights of their own. thresholds: of the positive class.
    """

    points: int
    weighted: bool
    log_loss: float
    brier: float
    curves: tuple[ClassCurves, ...]
    thresholds: tuple[Threshold, ...]

    @property
    def positive(self) -> str | None:
        """The class that is called positive; None where each of several has its curves."""
        return self.curves[0].positive if len(self.curves) == 1 else None

    @property
    def auc(self) -> float | None:
        """Of the positive class; of several the mean of those that are known, one against rest."""
        known = [one.auc for one in self.curves if one.auc is not None]
        return float(np.mean(known)) if known else None

    @property
    def weighted_auc(self) -> float | None:
        """The same mean by the weight of the classes' points."""
        known = [(one.auc, one.share) for one in self.curves if one.auc is not None]
        if not known:
            return None
        areas, shares = zip(*known, strict=True)
        return float(np.average(areas, weights=shares))

    def to_json(self) -> dict[str, Any]:
        several = {"weighted_auc": self.weighted_auc} if self.positive is None else {}
        return {
            "points": self.points,
            "weighted": self.weighted,
            "positive": self.positive,
            "auc": self.auc,
            **several,
            "log_loss": self.log_loss,
            "brier": self.brier,
            "classes": {one.positive: _without_name(one.to_json()) for one in self.curves},
            "thresholds": [one.to_json() for one in self.thresholds],
        }


def _without_name(saved: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in saved.items() if key not in ("positive", "points")}


def probability_score(
    chances: np.ndarray,
    y: np.ndarray,
    classes: tuple[str, ...],
    weight: np.ndarray | None = None,
    positive: int | None = None,
    bins: int = BINS,
) -> ProbabilityScore:
    """Of probabilities float64 (M, K) on points with class numbers y int64 (M,).

    weight float64 (M,), 1 without. positive: a class number; without it the second of two classes,
    and of more each has its curves. Raises E902 without points and for faulty weights or bins.
    """
    own = point_weight(weight, len(y))
    chosen = [positive] if positive is not None else [*range(len(classes))]
    chosen = chosen[-1:] if len(classes) == 2 else chosen
    curves = tuple(class_curves(classes[k], chances[:, k], y == k, weight, bins) for k in chosen)
    losses, distances = point_losses(chances, y)
    return ProbabilityScore(
        len(y),
        weight is not None,
        float(np.average(losses, weights=own)),
        float(np.average(distances, weights=own)),
        curves,
        thresholds_of(curves[0]) if len(curves) == 1 else (),
    )


def point_losses(chances: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The addends of log-loss and Brier score of each point, float64 (M,)."""
    rows = np.arange(len(y))
    wanted = np.zeros_like(chances)
    wanted[rows, y] = 1.0
    losses = -np.log(np.maximum(chances[rows, y], LEAST_CHANCE))
    return losses, ((chances - wanted) ** 2).sum(axis=1)


def thresholds_of(curves: ClassCurves, most: int = THRESHOLDS) -> tuple[Threshold, ...]:
    """A row for each probability from the highest down, of more than `most` those that cut the
    points into so many parts; none where all points are of one kind."""
    roc, share = curves.roc, curves.share
    if not len(roc.threshold):
        return ()
    right, wrong = share * roc.true_positive_rate, (1 - share) * roc.false_positive_rate
    called = right + wrong
    rows = np.arange(1, len(called))
    if len(rows) > most:
        cuts = np.arange(1, most + 1) / most * called[-1]
        rows = np.unique(np.searchsorted(called, cuts * (1 - ROUNDING))).clip(1, len(called) - 1)
    return tuple(
        Threshold(
            float(roc.threshold[k]),
            float(called[k]),
            float(roc.true_positive_rate[k]),
            float(right[k] / called[k]),
            float(1 - roc.false_positive_rate[k]),
            float(2 * right[k] / (called[k] + share)),
        )
        for k in dict.fromkeys(rows.tolist())
    )


def class_number(tree: Tree, name: object) -> int:
    """The number of a class of the label. Raises E902 for another name."""
    levels = tree.fitted_encoder().classes
    known = levels.name_of(str(name)) if tree.predicts_label else str(name)
    if known not in tree.classes:
        near = did_you_mean(known, tree.classes)
        message = f"the tree has no class '{name}' to be called positive"
        raise refused(message, f"{near} its classes are {listed(tree.classes)}".lstrip())
    return tree.classes.index(known)
