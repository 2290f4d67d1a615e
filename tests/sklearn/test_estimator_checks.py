"""All of scikit-learn's own checks pass but one, and none is skipped.

Those of classes and numbers run in a process of their own, since the checks of the array API are
skipped unless SCIPY_ARRAY_API is set before SciPy is imported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product

import pytest
from sklearn.utils import estimator_checks

import treemip.sklearn

CHECK_ALL = """
import json, sys, warnings
from sklearn.utils.estimator_checks import check_estimator
import treemip.sklearn

warnings.simplefilter("ignore")
estimator = getattr(treemip.sklearn, sys.argv[1])(**json.loads(sys.argv[2]))
checks = check_estimator(estimator, on_fail=None, on_skip=None)
print(json.dumps([[c["check_name"], c["status"], str(c["exception"])] for c in checks]))
"""


REGULARIZED = "check_class_weight_classifiers"
"""Weights of 1000 and 0.0001 must make nearly all test points one class. scikit-learn sets
min_weight_fraction_leaf before; without it, its own tree of depth 2 fails as optimal ones do."""

CLASSIFIER, REGRESSOR = "OptimalTreeClassifier", "OptimalTreeRegressor"


@pytest.mark.parametrize(
    ("name", "params"),
    [
        pytest.param(
            CLASSIFIER,
            {"solver": "highs", "start": "cart", "time_limit": 1.0},
            marks=pytest.mark.truth,
        ),
        pytest.param(CLASSIFIER, {}, marks=pytest.mark.truth),
        pytest.param(CLASSIFIER, {"missing": "side"}, marks=pytest.mark.truth),
        pytest.param(CLASSIFIER, {"formulation": "binoct"}, marks=pytest.mark.truth),
        pytest.param(
            CLASSIFIER, {"objective": "misclassified + 0.1 * splits"}, marks=pytest.mark.truth
        ),
        pytest.param(
            CLASSIFIER,
            {"formulation": "soct", "objective": "misclassified", "time_limit": 4},
            marks=pytest.mark.truth,
        ),
        pytest.param(REGRESSOR, {"time_limit": 6}, marks=pytest.mark.truth),
    ],
    ids=["highs", "default", "missing", "binoct", "price", "soct", "regressor"],
)
def test_every_check_passes(name: str, params: dict[str, object]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHECK_ALL, name, json.dumps(params)],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    checks = json.loads(done.stdout)
    assert len(checks) > 50
    assert [c for c in checks if c[1] != "passed" and c[0] != REGULARIZED] == []


WITHOUT_LABELS = [
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_get_params_invariance",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
]
"""Those that fit no labels, for the estimators that do not learn from labels."""


@pytest.mark.parametrize(
    ("name", "check"),
    [
        *product(["OptimalPolicyTree", "OptimalSurvivalTree"], WITHOUT_LABELS),
        ("OptimalSurvivalTree", "check_requires_y_none"),
    ],
)
def test_checks_without_labels_pass(name: str, check: str) -> None:
    getattr(estimator_checks, check)(name, getattr(treemip.sklearn, name)())
