"""scikit-learn's estimators under their public name, see `study/sklearn`."""

from treemip.study.sklearn import (
    EstimatorError,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    TreemipWarning,
)

__all__ = [
    "EstimatorError",
    "OptimalSurvivalTree",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "TreemipWarning",
]
