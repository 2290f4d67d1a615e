"""What the estimator says of itself to scikit-learn, and that it is so."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_classifier_not_supporting_multiclass

from treemip.sklearn import EstimatorError, OptimalTreeClassifier
from treemip.study.sklearn.parameters import takes_two_classes


@pytest.mark.parametrize("formulation", ["oct", "binoct", "flow_oct", "octh", "soct", "mrct"])
def test_most_formulations_take_many_classes(formulation: str) -> None:
    tags = get_tags(OptimalTreeClassifier(formulation=formulation))
    assert tags.classifier_tags.multi_class
    assert tags.input_tags.string and not tags.input_tags.allow_nan
    assert not takes_two_classes(formulation)


@pytest.mark.parametrize("missing", ["side", "impute(mean)", "indicator(mean)"])
def test_missing_values_are_allowed_where_they_have_a_rule(missing: str) -> None:
    assert get_tags(OptimalTreeClassifier(missing=missing)).input_tags.allow_nan


@pytest.mark.parametrize("formulation", ["margot", "mm_svm_oct"])
def test_margin_formulations_are_for_two_classes(formulation: str) -> None:
    tree = OptimalTreeClassifier(formulation=formulation, depth=1, start="none")
    assert not get_tags(tree).classifier_tags.multi_class
    x = np.arange(12.0)[:, None]
    with pytest.raises(EstimatorError) as caught:
        tree.fit(x, np.arange(12) % 3)
    assert str(caught.value) == (
        f"error[E305]: Only binary classification is supported. {formulation} is for two; "
        "y has 3\n  = help: choose another formulation, or OneVsRestClassifier"
    )
    check_classifier_not_supporting_multiclass(formulation, tree)
    assert tree.fit(x, x[:, 0] > 4).score(x, x[:, 0] > 4) == 1


def test_an_unknown_formulation_has_tags() -> None:
    assert get_tags(OptimalTreeClassifier(formulation="nothing")).classifier_tags.multi_class
    assert get_tags(OptimalTreeClassifier(formulation=None)).classifier_tags.multi_class
