"""Optimal trees as scikit-learn estimators: `from treemip.sklearn import OptimalTreeClassifier`.

Needs `pip install "treemip[sklearn]"`; without it, importing raises TreemipError E602.
"""

from treemip.solving.optional import needed

needed("sklearn", "sklearn")

from treemip.sklearn.classifier import OptimalTreeClassifier  # noqa: E402
from treemip.sklearn.errors import EstimatorError, TreemipWarning  # noqa: E402

__all__ = ["EstimatorError", "OptimalTreeClassifier", "TreemipWarning"]
