"""scikit-learn's estimators under their public name, see `study/sklearn`."""

from treemip.study.sklearn import (
    EstimatorError,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    TreemipWarning,
)

__all__ = ["EstimatorError", "OptimalTreeClassifier", "OptimalTreeRegressor", "TreemipWarning"]
