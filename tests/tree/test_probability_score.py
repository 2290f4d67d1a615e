"""Measures of probabilities are those of scikit-learn, weights included."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from converted_trees import answering, random_tree, rows_for

from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.probability_score import ProbabilityScore, probability_score
from treemip.core.tree.score import Score, score
from treemip.core.tree.tree import Tree

metrics = pytest.importorskip("sklearn.metrics")
POINTS = 10_000


def points(classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities (M, K), class numbers and weights."""
    rng = np.random.default_rng(classes)
    chances = rng.dirichlet(np.ones(classes), POINTS)
    y = np.array([rng.choice(classes, p=0.6 * row + 0.4 / classes) for row in chances])
    return chances, y, rng.random(POINTS) * 3


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 4])
def test_measures_are_those_of_scikit_learn(classes: int, weighted: bool) -> None:
    chances, y, weight = points(classes)
    own = weight if weighted else None
    found = probability_score(chances, y, tuple("abcd"[:classes]), own)
    wanted = np.eye(classes)[y]
    loss = metrics.log_loss(y, chances, sample_weight=own)
    brier = np.average(((chances - wanted) ** 2).sum(axis=1), weights=own)
    assert found.log_loss == pytest.approx(loss) and found.brier == pytest.approx(brier)
    if classes == 2:
        area = metrics.roc_auc_score(y, chances[:, 1], sample_weight=own)
        half = metrics.brier_score_loss(y, chances[:, 1], sample_weight=own)
        assert found.brier == pytest.approx(2 * half) and found.positive == "b"
        assert found.auc == pytest.approx(area) == found.weighted_auc
        return
    assert found.positive is None and found.thresholds == ()
    areas = [metrics.roc_auc_score(y == k, chances[:, k], sample_weight=own) for k in range(4)]
    assert found.auc == pytest.approx(np.mean(areas))
    if not weighted:
        for kind, area in (("macro", found.auc), ("weighted", found.weighted_auc)):
            theirs = metrics.roc_auc_score(y, chances, multi_class="ovr", average=kind)
            assert area == pytest.approx(theirs)


@pytest.mark.parametrize("levels", [0, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_thresholds_are_those_of_scikit_learn(levels: int, weighted: bool) -> None:
    chances, y, weight = points(2)
    chances = np.round(chances * levels) / levels if levels else chances
    own = weight if weighted else None
    found = probability_score(chances, y, ("a", "b"), own, positive=0).thresholds
    assert len(found) == (8 if levels else 20) and found[-1].called == pytest.approx(1)
    for one in found:
        called = chances[:, 0] >= one.threshold
        is_positive = y == 0
        assert one.called == pytest.approx(np.average(called, weights=own))
        for name, measure in {
            "recall": metrics.recall_score,
            "precision": metrics.precision_score,
            "f1": metrics.f1_score,
        }.items():
            value = measure(is_positive, called, sample_weight=own)
            assert getattr(one, name) == pytest.approx(value)
        specificity = metrics.recall_score(~is_positive, ~called, sample_weight=own)
        assert one.specificity == pytest.approx(specificity)


def two_classes() -> tuple[Tree, dict[str, np.ndarray]]:
    tree = answering(random_tree("mixed", "scale minmax", 3), "weights", 3)
    rows = rows_for(tree, 300, 3)
    return tree, rows | {"class": np.random.default_rng(1).choice(tree.classes, len(rows["age"]))}


def scored(tree: Tree, rows: dict[str, np.ndarray], **asked: object) -> ProbabilityScore:
    found = tree.score(rows, **asked)  # type: ignore[arg-type]
    assert isinstance(found, Score) and found.probabilities is not None
    json.dumps(found.to_json(), allow_nan=False)
    return found.probabilities


def test_a_tree_is_scored_by_its_own_probabilities() -> None:
    tree, rows = two_classes()
    weights = np.random.default_rng(2).random(len(rows["age"]))
    found = scored(tree, rows, weights=weights)
    chances, y = tree.predict_proba(rows), np.array([*map(tree.classes.index, rows["class"])])
    assert found.log_loss == probability_score(chances, y, tree.classes, weights).log_loss
    assert [one.positive for one in found.curves] == [*tree.classes] and found.weighted
    one = scored(tree, rows, positive=tree.classes[1], bins=3)
    assert one.positive == tree.classes[1] and one.thresholds
    assert len(one.curves[0].calibration.points) <= 3
    assert scored(tree.smoothed(5), rows).log_loss != scored(tree, rows).log_loss


def test_what_cannot_be_scored_is_said() -> None:
    tree, rows = two_classes()
    with pytest.raises(TreemipError, match="has no class 'none'"):
        tree.score(rows, positive="none")
    unknown = replace(tree, counts=None, leaf_weights=None)
    found = unknown.score(rows)
    assert isinstance(found, Score) and found.probabilities is None
    why = "the tree does not say how many training points its leaves have"
    assert found.left_out["probabilities"] == why
    values = answering(random_tree("mixed", "scale minmax", 3), "constants", 3)
    with pytest.raises(TreemipError, match="are for probabilities of classes"):
        values.score(rows, positive="a")


def test_a_solve_records_no_more_than_before() -> None:
    tree, rows = two_classes()
    y = np.zeros(len(rows["age"]), np.int64)
    assert "probabilities" not in score(tree, tree.encode(rows), y).to_json()


def test_classes_without_points_have_no_auc() -> None:
    found = probability_score(np.full((3, 3), 1 / 3), np.array([0, 1, 1]), ("a", "b", "c"))
    assert [one.auc for one in found.curves] == [0.5, 0.5, None] and found.auc == 0.5
    alone = probability_score(np.full((2, 2), 0.5), np.array([1, 1]), ("a", "b"))
    assert alone.auc is None and alone.thresholds == ()
