"""scikit-learn's estimators under their public name, see `study/sklearn`."""

from treemip.study.sklearn import (
    EstimatorError,
    OptimalPolicyTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    TreemipWarning,
    doubly_robust_scores,
)

__all__ = [
    "EstimatorError",
    "OptimalPolicyTree",
    "OptimalSurvivalTree",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "TreemipWarning",
    "doubly_robust_scores",
]
