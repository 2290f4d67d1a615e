"""Curves of probabilities on labelled points, as arrays: ROC, calibration, and gains with lift."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treemip.core.source.diagnostic import refused
from treemip.core.tree.tree import Tree

BINS = 10
"""Of calibration and lift, unless asked for others."""


@dataclass(frozen=True)
class Roc:
    """Rates at each threshold, float64 (n,), from the highest down: points whose probability is
    `threshold` or more are called positive, at first none (inf). Empty where all points are of one
    kind."""

    false_positive_rate: np.ndarray
    true_positive_rate: np.ndarray
    threshold: np.ndarray

    @property
    def area(self) -> float | None:
        """AUC, by trapezoids; None where all points are of one kind."""
        if not len(self.threshold):
            return None
        return float(np.trapezoid(self.true_positive_rate, self.false_positive_rate))


@dataclass(frozen=True)
class Bins:
    """Points in order of their probability, cut into bins of equal weight; (n,) each.

    Points of one probability stay together, so that there may be fewer bins than asked for, and of
    different weight: a tree has no more probabilities than leaves. points int64: their number.
    weight, positive float64: their weight, and that of the positive ones among them. predicted
    float64: the mean probability. least, most float64: the range of probabilities.
    """

    points: np.ndarray
    weight: np.ndarray
    positive: np.ndarray
    predicted: np.ndarray
    least: np.ndarray
    most: np.ndarray

    @property
    def observed(self) -> np.ndarray:
        """The share of positive points in each bin, float64 (n,)."""
        return self.positive / self.weight

    @property
    def calibration_error(self) -> float:
        """ECE: the mean distance of the mean probability of a bin from its share of positive
        points, by the weight of the bins (Naeini, Cooper and Hauskrecht 2015)."""
        off = np.abs(self.observed - self.predicted)
        return float((self.weight * off).sum() / self.weight.sum())


@dataclass(frozen=True)
class Gains:
    """What is found where the most probable points are taken first, bin by bin; float64 (n,) each.

    taken: the share of all points so far, by weight. found: the share of all positive points so
    far. lift: how many times as many positive points a bin has as its weight has on average;
    lift_so_far: the same of all bins so far. `found` and lifts are nan where no point is positive.
    """

    bins: Bins
    taken: np.ndarray
    found: np.ndarray
    lift: np.ndarray
    lift_so_far: np.ndarray


@dataclass(frozen=True)
class ClassCurves:
    """Of the probabilities of one class, called positive, against all others, on M points."""

    positive: str
    points: int
    share: float
    roc: Roc
    calibration: Bins
    gains: Gains

    @property
    def auc(self) -> float | None:
        return self.roc.area

    def to_json(self) -> dict[str, Any]:
        """Lists by name; a threshold of inf and what is not known are None."""
        calibration, gains = self.calibration, self.gains
        return {
            "positive": self.positive,
            "points": self.points,
            "share": self.share,
            "auc": self.auc,
            "roc": {
                "false_positive_rate": self.roc.false_positive_rate.tolist(),
                "true_positive_rate": self.roc.true_positive_rate.tolist(),
                "threshold": _plain(self.roc.threshold),
            },
            "calibration": {
                "points": calibration.points.tolist(),
                "predicted": calibration.predicted.tolist(),
                "observed": calibration.observed.tolist(),
                "expected_calibration_error": calibration.calibration_error,
            },
            "gains": {
                "taken": gains.taken.tolist(),
                "found": _plain(gains.found),
                "lift": _plain(gains.lift),
                "lift_so_far": _plain(gains.lift_so_far),
            },
        }


def curves_of(
    tree: Tree,
    x: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None = None,
    positive: int | None = None,
    bins: int = BINS,
) -> tuple[ClassCurves, ...]:
    """The curves of a tree's probabilities on encoded points: of the positive class; where that is
    not given, of two classes the second, and of more each against the others.

    x float64 (M, inputs of the tree), y int64 (M,) class numbers, weight float64 (M,); positive: a
    class number. Raises E902 without points and for faulty weights, E701 where the tree's
    probabilities are not known, TypeError where its leaves predict values.
    """
    chances = tree.class_chances(x)
    chosen = [*range(len(tree.classes))] if len(tree.classes) > 2 else [len(tree.classes) - 1]
    return tuple(
        class_curves(tree.classes[k], chances[:, k], y == k, weight, bins)
        for k in (chosen if positive is None else [positive])
    )


def class_curves(
    name: str,
    chances: np.ndarray,
    is_positive: np.ndarray,
    weight: np.ndarray | None = None,
    bins: int = BINS,
) -> ClassCurves:
    """The curves of probabilities float64 (M,) of a class of this name on points that are of it or
    not, bool (M,), each counted by its weight, float64 (M,). Raises E902."""
    weight = point_weight(weight, len(chances))
    if bins < 1:
        raise refused(f"{bins} bins are none", "give a number from 1 on")
    share = float(weight[is_positive].sum() / weight.sum())
    high = _bins(-chances, is_positive, weight, bins)
    return ClassCurves(
        name,
        len(chances),
        share,
        roc_of(chances, is_positive, weight),
        _bins(chances, is_positive, weight, bins),
        _gains(replace(high, predicted=-high.predicted, least=-high.most, most=-high.least)),
    )


def point_weight(weight: np.ndarray | None, points: int) -> np.ndarray:
    """The weights of points, float64 (M,), 1 where none are given. Raises E902 without points, and
    unless weights are finite, not below 0, and some are above it."""
    if not points:
        raise refused("there are no points to measure probabilities on", "give rows with labels")
    if weight is None:
        return np.ones(points)
    weight = np.asarray(weight, float)
    if weight.shape != (points,):
        raise refused(f"{weight.size} weights are given for {points} points", "give one a point")
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise refused("a weight is below 0 or no number", "give weights from 0 on")
    if not weight.any():
        raise refused("all points have the weight 0, so no measure of them is defined")
    return weight


def roc_of(chances: np.ndarray, is_positive: np.ndarray, weight: np.ndarray) -> Roc:
    """The ROC curve, with a point for each distinct probability of points that have a weight."""
    order = np.argsort(-chances, kind="stable")
    order = order[weight[order] > 0]
    chances, own = chances[order], np.where(is_positive, weight, 0.0)[order]
    ends = np.append(np.flatnonzero(np.diff(chances)), len(chances) - 1)
    right = np.cumsum(own)[ends]
    wrong = np.cumsum(np.where(is_positive, 0.0, weight)[order])[ends]
    if right[-1] == 0 or wrong[-1] == 0:
        return Roc(*(np.zeros(0) for _ in range(3)))
    false, true = np.append(0.0, wrong / wrong[-1]), np.append(0.0, right / right[-1])
    return Roc(false, true, np.append(np.inf, chances[ends]))


def _bins(chances: np.ndarray, is_positive: np.ndarray, weight: np.ndarray, bins: int) -> Bins:
    """From the lowest probability up. A probability is in the bin in which its points begin."""
    here = weight > 0
    chances, is_positive, weight = chances[here], is_positive[here], weight[here]
    values, of_point, count = np.unique(chances, return_inverse=True, return_counts=True)
    of_value = np.bincount(of_point, weights=weight)
    before = np.append(0.0, np.cumsum(of_value)[:-1])
    _, of_bin = np.unique(np.floor(bins * before / of_value.sum()), return_inverse=True)
    starts = np.flatnonzero(np.diff(of_bin, prepend=-1))
    total = np.add.reduceat(of_value, starts)
    own = np.bincount(of_point, weights=np.where(is_positive, weight, 0.0))
    return Bins(
        np.add.reduceat(count, starts),
        total,
        np.add.reduceat(own, starts),
        np.add.reduceat(of_value * values, starts) / total,
        values[starts],
        values[np.append(starts[1:], len(values)) - 1],
    )


def _gains(bins: Bins) -> Gains:
    total, positive = bins.weight.sum(), bins.positive.sum()
    taken = np.cumsum(bins.weight) / total
    with np.errstate(invalid="ignore"):
        found = np.cumsum(bins.positive) / positive
        share = positive / total
        return Gains(bins, taken, found, bins.observed / share, found / taken)


def _plain(numbers: np.ndarray) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in numbers]
