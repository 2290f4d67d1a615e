"""Optimal trees as scikit-learn estimators: OptimalTreeClassifier, OptimalTreeRegressor.

Needs `pip install '.[sklearn]'`.
"""

from treemip.solving.optional import needed
from treemip.source.diagnostic import TreemipError

try:
    needed("sklearn", "sklearn")
except TreemipError as missing:
    raise ImportError(str(missing)) from None

from treemip.sklearn.classifier import OptimalTreeClassifier
from treemip.sklearn.errors import EstimatorError, TreemipWarning
from treemip.sklearn.regressor import OptimalTreeRegressor

__all__ = ["EstimatorError", "OptimalTreeClassifier", "OptimalTreeRegressor", "TreemipWarning"]
