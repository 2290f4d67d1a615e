"""Optimal trees as scikit-learn estimators: OptimalTreeClassifier, OptimalTreeRegressor,
OptimalSurvivalTree, OptimalPolicyTree.

Needs `pip install '.[sklearn]'`.
"""

from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import TreemipError

try:
    needed("sklearn", "sklearn")
except TreemipError as missing:
    raise ImportError(str(missing)) from None

from treemip.study.sklearn.classifier import OptimalTreeClassifier
from treemip.study.sklearn.doubly_robust import doubly_robust_scores
from treemip.study.sklearn.errors import EstimatorError, TreemipWarning
from treemip.study.sklearn.policy import OptimalPolicyTree
from treemip.study.sklearn.regressor import OptimalTreeRegressor
from treemip.study.sklearn.survival import OptimalSurvivalTree

__all__ = [
    "EstimatorError",
    "OptimalPolicyTree",
    "OptimalSurvivalTree",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "TreemipWarning",
    "doubly_robust_scores",
]
