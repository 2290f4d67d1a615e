"""What papers report of a tree: how right its answers are, how many splits and features it uses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treemip.core.instance.encoded_table import Table
from treemip.core.source.diagnostic import TreemipError, refused
from treemip.core.tree.probability_curves import BINS
from treemip.core.tree.probability_score import (
    ProbabilityScore,
    class_number,
    point_losses,
    probability_score,
)
from treemip.core.tree.saved import number, texts, whole
from treemip.core.tree.survival_score import SurvivalScore
from treemip.core.tree.tree import Tree


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What is said of a tree on some points, whatever its leaves answer.

    effective_splits: branches that send points both ways. leaves_used: leaves that points reach. A
    point of a tree whose splits are probabilities takes the way to its most probable leaf.
    features: names of the features with a weight that is not 0, by heap number of the branch; F_t
    in D'Onofrio et al. (2023).

    objective: the spec's; None where it has none or its value is not known. terms: the text and the
    value of each addend of an objective that has several. measures: the spec's own `let`s without
    indices. left_out: by name, or "objective", why one of these is not known. survival: of a
    survival tree, on other rows than it was learned from.
    """

    effective_splits: int
    leaves_used: int
    features: dict[int, tuple[str, ...]]
    objective: float | None = None
    terms: tuple[tuple[str, float], ...] = ()
    measures: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    survival: SurvivalScore | None = None

    @property
    def features_used(self) -> int:
        """The sum of |F_t| over the branches t (D'Onofrio et al. 2023, Tables 9 to 12)."""
        return sum(len(names) for names in self.features.values())

    @property
    def weighted_splits(self) -> int:
        """Branches with a weight that is not 0: the effective splits of D'Onofrio et al. 2023, 3.

        They may send all points one way.
        """
        return sum(1 for names in self.features.values() if names)

    @property
    def distinct_features(self) -> tuple[str, ...]:
        """Features that some branch uses, in order of first use from the root down."""
        return tuple(dict.fromkeys(name for names in self.features.values() for name in names))

    def to_json(self) -> dict[str, Any]:
        terms = [{"term": text, "value": value} for text, value in self.terms]
        found = {"terms": terms, "measures": self.measures, "left_out": self.left_out}
        return {
            "objective": self.objective,
            **{name: each for name, each in found.items() if each},
            **({"survival": self.survival.to_json()} if self.survival else {}),
            "effective_splits": self.effective_splits,
            "weighted_splits": self.weighted_splits,
            "leaves_used": self.leaves_used,
            "features": {str(node): list(names) for node, names in self.features.items()},
            "features_used": self.features_used,
            "distinct_features": list(self.distinct_features),
        }


def _saved(saved: dict[str, Any]) -> dict[str, Any]:
    """The fields of `Reported`. Raises KeyError, TypeError or ValueError when malformed."""
    terms = saved.get("terms", [])
    names = texts([each["term"] for each in terms], several=True)
    reasons, measures = saved.get("left_out", {}), saved.get("measures", {})
    if not isinstance(measures, dict) or not isinstance(reasons, dict):
        raise TypeError("measures are numbers by name, and left_out has texts by name")
    return {
        "effective_splits": whole(saved["effective_splits"]),
        "leaves_used": whole(saved["leaves_used"]),
        "features": {int(node): texts(names) for node, names in saved["features"].items()},
        "objective": _optional(saved, "objective"),
        "terms": tuple(zip(names, (number(each["value"]) for each in terms), strict=True)),
        "measures": {name: number(value) for name, value in measures.items()},
        "left_out": dict(zip(reasons, texts(list(reasons.values()), several=True), strict=True)),
    }


@dataclass(frozen=True)
class Score(Reported):
    """A tree that predicts the label's classes on M points; each counts one, whatever its weight.

    confusion int64 (K, K): points of the row's class that are given the column's, classes in the
    order of `classes`. log_loss, brier: of a tree whose leaves answer probabilities, else None; the
    mean of -log of the probability of the point's class, and of the squared distance of the
    probabilities from 1 for that class and 0 for the others (Brier 1950). probabilities: more of
    these, on rows that were given to `Tree.score`; None of what a solve records.
    """

    classes: tuple[str, ...]
    confusion: np.ndarray
    log_loss: float | None = None
    brier: float | None = None
    probabilities: ProbabilityScore | None = None

    @property
    def points(self) -> int:
        return int(self.confusion.sum())

    @property
    def errors(self) -> int:
        return self.points - int(self.confusion.trace())

    @property
    def accuracy(self) -> float | None:
        """The share of points given their own class; None without points."""
        return 1 - self.errors / self.points if self.points else None

    @property
    def recall(self) -> tuple[float | None, ...]:
        """Of each class the share that is given it; None for a class without points."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=1))

    @property
    def precision(self) -> tuple[float | None, ...]:
        """Of the points given each class the share that are of it; None where none is given it."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=0))

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean recall of the classes that occur (D'Onofrio et al. 2023, BACC, for two)."""
        known = [r for r in self.recall if r is not None]
        return sum(known) / len(known) if known else None

    def to_json(self) -> dict[str, Any]:
        chances = {} if self.brier is None else {"log_loss": self.log_loss, "brier": self.brier}
        return {
            "points": self.points,
            "errors": self.errors,
            "accuracy": self.accuracy,
            "balanced_accuracy": self.balanced_accuracy,
            "recall": dict(zip(self.classes, self.recall, strict=True)),
            "precision": dict(zip(self.classes, self.precision, strict=True)),
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
            **chances,
            **({"probabilities": self.probabilities.to_json()} if self.probabilities else {}),
            **super().to_json(),
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Score:
        """The inverse of `to_json`. Raises KeyError, TypeError or ValueError when malformed."""
        classes = texts(saved["classes"])
        counts = [[whole(count) for count in row] for row in saved["confusion"]]
        confusion = np.array(counts, np.int64).reshape(len(classes), len(classes))
        chances = _optional(saved, "log_loss"), _optional(saved, "brier")
        return cls(classes, confusion, *chances, **_saved(saved))


@dataclass(frozen=True)
class ValueScore(Reported):
    """A tree that predicts values on M points; each counts one, whatever its weight.

    mse, mae: mean squared and absolute difference from the points' labels. mse_of_mean: of the
    best constant, the mean of these labels, to compare with. All None where the label is no number,
    or there are no points.
    """

    points: int
    mse: float | None
    mae: float | None
    mse_of_mean: float | None

    @property
    def r2(self) -> float | None:
        """1 - mse / mse_of_mean; None where all labels are equal."""
        if self.mse is None or not self.mse_of_mean:
            return None
        return 1 - self.mse / self.mse_of_mean

    def to_json(self) -> dict[str, Any]:
        return {
            "points": self.points,
            "mse": self.mse,
            "mae": self.mae,
            "r2": self.r2,
            "mse_of_mean": self.mse_of_mean,
            **super().to_json(),
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> ValueScore:
        """The inverse of `to_json`. Raises KeyError, TypeError or ValueError when malformed."""
        measures = (_optional(saved, name) for name in ("mse", "mae", "mse_of_mean"))
        return cls(whole(saved["points"]), *measures, **_saved(saved))


@dataclass(frozen=True)
class ChoiceScore(Reported):
    """A tree that chooses among the values of a group, such as treatments, on M points.

    No label says which choice is right, so there is no accuracy. chosen int64 (K,): points given
    each of `classes`, of a distribution the most probable one.
    """

    classes: tuple[str, ...]
    chosen: np.ndarray

    @property
    def points(self) -> int:
        return int(self.chosen.sum())

    def to_json(self) -> dict[str, Any]:
        return {
            "points": self.points,
            "chosen": dict(zip(self.classes, self.chosen.tolist(), strict=True)),
            **super().to_json(),
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> ChoiceScore:
        """The inverse of `to_json`. Raises KeyError, TypeError or ValueError when malformed."""
        classes = texts(list(saved["chosen"]))
        chosen = np.array([whole(saved["chosen"][name]) for name in classes], np.int64)
        return cls(classes, chosen, **_saved(saved))


AnyScore = Score | ValueScore | ChoiceScore


def score_of_json(saved: dict[str, Any]) -> AnyScore:
    """The score of any tree. Raises KeyError, TypeError or ValueError when malformed."""
    if "confusion" in saved:
        return Score.from_json(saved)
    return ValueScore.from_json(saved) if "mse" in saved else ChoiceScore.from_json(saved)


def _optional(saved: dict[str, Any], name: str) -> float | None:
    return None if saved.get(name) is None else number(saved[name])


def score(tree: Tree, x: np.ndarray, y: np.ndarray) -> AnyScore:
    """The tree on encoded points: x float64 (M, inputs of the tree), y (M,) their labels.

    y: int64 class numbers, or float64 numbers of a label that is one. Whatever has no classes and
    is no float64 is no label that values can be compared with.
    """
    structure = _structure(tree, x)
    if tree.answer.kind == "value":
        return ValueScore(len(x), *_differences(tree.values(x), y), **structure)
    size = len(tree.classes)
    predicted = tree.predict_numbers(x)
    if not tree.predicts_label:
        return ChoiceScore(tree.classes, np.bincount(predicted, minlength=size), **structure)
    confusion = np.bincount(y * size + predicted, minlength=size * size).reshape(size, size)
    chances: tuple[float | None, float | None] = (None, None)
    if tree.answer.kind == "distribution" and len(y):
        losses, distances = point_losses(tree.class_chances(x), y)
        chances = float(losses.mean()), float(distances.mean())
    return Score(tree.classes, confusion, *chances, **structure)


def score_of(tree: Tree, table: Table) -> AnyScore:
    """The tree on the points of a table."""
    return score(tree, table.inputs, table.y)


def with_probabilities(
    found: AnyScore,
    tree: Tree,
    x: np.ndarray,
    y: np.ndarray,
    positive: object = None,
    weight: np.ndarray | None = None,
    bins: int = BINS,
) -> AnyScore:
    """The score of `score` with that of the tree's probabilities, or in `left_out` why there are
    none. positive: the class that is called so; weight, bins: as of `probability_score`.

    Raises E902 for these, and for any of them where the tree predicts no classes of the label.
    """
    if not isinstance(found, Score):
        if positive is not None or weight is not None or bins != BINS:
            message = "a positive class, weights and bins are for probabilities of classes"
            raise refused(message, "leave them out: the tree does not predict the label's classes")
        return found
    chosen = None if positive is None else class_number(tree, positive)
    try:
        chances = tree.class_chances(x)
    except TreemipError as error:
        left_out = {**found.left_out, "probabilities": error.diagnostics[0].message}
        return replace(found, left_out=left_out)
    if not len(y):
        return found
    if chosen is None and len(tree.classes) == 2 and tree.spec is not None:
        chosen = tree.spec.positive(tree)
    scored = probability_score(chances, y, tree.classes, weight, chosen, bins)
    return replace(found, probabilities=scored)


def with_spec(
    found: AnyScore,
    objective: float | None,
    measures: dict[str, float],
    left_out: dict[str, str],
    terms: tuple[tuple[str, float], ...] = (),
    survival: SurvivalScore | None = None,
) -> AnyScore:
    """The score with what the spec says of its points: the fields of an `OfSpec`."""
    if objective is None or not np.isfinite(objective):
        objective, terms = None, ()
    found = replace(found, objective=objective, terms=terms, survival=survival)
    return replace(found, measures=measures, left_out=left_out)


def _structure(tree: Tree, x: np.ndarray) -> dict[str, Any]:
    """What `Reported` has of splits and leaves."""
    topology = tree.topology
    leaves, branches = np.unique(tree.route(x)), topology.branches
    passed = np.zeros(topology.size, bool)
    passed[leaves] = True
    passed[topology.ancestors.take(leaves).items] = True
    both = passed[topology.left[branches]] & passed[topology.right[branches]]
    return {
        "effective_splits": int(both.sum()),
        "leaves_used": len(leaves),
        "features": features_by_branch(tree),
    }


def _differences(
    values: np.ndarray, y: np.ndarray
) -> tuple[float | None, float | None, float | None]:
    """mse, mae and mse_of_mean; None for what is beyond the doubles."""
    if not len(y) or not np.issubdtype(y.dtype, np.floating):
        return None, None, None
    with np.errstate(over="ignore", invalid="ignore"):
        off = values - y
        found = np.mean(off**2), np.mean(np.abs(off)), np.mean((y - y.mean()) ** 2)
    mse, mae, of_mean = (float(each) if np.isfinite(each) else None for each in found)
    return mse, mae, of_mean


def features_by_branch(tree: Tree) -> dict[int, tuple[str, ...]]:
    """Names of the features that each branch weighs, by heap number, from the root down."""
    used = tree.weights != 0
    return {
        int(tree.topology.heap[t]): _weighed(tree, int(t), np.flatnonzero(used[t]))
        for t in tree.topology.branches
    }


def _weighed(tree: Tree, node: int, used: np.ndarray) -> tuple[str, ...]:
    by_category = tree.by_category(node)
    return (by_category.column,) if by_category else tuple(tree.features[j] for j in used)


def _shares(part: np.ndarray, whole: np.ndarray) -> tuple[float | None, ...]:
    return tuple(a / b if b else None for a, b in zip(part.tolist(), whole.tolist(), strict=True))


@dataclass(frozen=True)
class Sparsity:
    """How few features a tree uses: the indices of Amaldi, Consolo and Manno (2023, section 4.1).

    In percent of the features: those that a branch does not use, averaged over the branches
    (`local`, the paper's delta^L), and those that no branch uses (`everywhere`, delta^G).
    """

    local: float
    everywhere: float

    def to_json(self) -> dict[str, float]:
        return {"local": self.local, "global": self.everywhere}


def sparsity(tree: Tree) -> Sparsity:
    """Of a tree's weights; a feature is used where its weight is not 0."""
    unused = tree.weights[tree.topology.branches] == 0
    return Sparsity(100.0 * float(unused.mean()), 100.0 * float(np.all(unused, axis=0).mean()))
