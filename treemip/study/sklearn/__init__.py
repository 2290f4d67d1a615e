"""Optimal trees as scikit-learn estimators: OptimalTreeClassifier, OptimalTreeRegressor.

Needs `pip install '.[sklearn]'`.
"""

from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import TreemipError

try:
    needed("sklearn", "sklearn")
except TreemipError as missing:
    raise ImportError(str(missing)) from None

from treemip.study.sklearn.classifier import OptimalTreeClassifier
from treemip.study.sklearn.errors import EstimatorError, TreemipWarning
from treemip.study.sklearn.regressor import OptimalTreeRegressor

__all__ = ["EstimatorError", "OptimalTreeClassifier", "OptimalTreeRegressor", "TreemipWarning"]
