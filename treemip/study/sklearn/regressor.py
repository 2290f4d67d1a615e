"""OptimalTreeRegressor: a tree whose leaves predict numbers, behind scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from treemip.study.sklearn.base import OptimalTree, whole
from treemip.study.sklearn.columns import training_columns
from treemip.study.sklearn.errors import as_value_errors
from treemip.study.sklearn.programs import NUMBERS, Learnt


class OptimalTreeRegressor(RegressorMixin, OptimalTree):
    """A regression tree that is optimal for an objective and keeps constraints, both in the
    language.

        tree = OptimalTreeRegressor(
            depth=2,
            constraints=["least {l in leaves}: points_in[l] >= 5 * occupied[l]"],
            params={"alpha": 0.01},
        ).fit(X, y)

    Parameters
    ----------
    formulation : one of the library's whose leaves predict values: "ort" (a constant in each leaf),
        "ort_linear" (a linear function in each), "sorrt".
    objective : an expression to be minimized, or "maximize ...". None: the formulation's own; of
        "ort" the error of the tree as a share of the best constant's, plus alpha for each split.
    params : dictionary of values: of the formulation's parameters and of names that the texts use.
        `squared` is 1 here unless it is given: squared errors, as R2 has them; 0: absolute ones.
        In a grid, `params__name` is one of them.
    The others are those of `OptimalTreeClassifier`, which has `positive` besides.

    After `fit`: `n_features_in_`, `feature_names_in_`; `tree_` (treemip.Tree), which predicts raw
    rows; `feature_importances_`, for each feature its share of the squared error that its splits
    save; `program_`, and `result_` with status, objective, bound and verdict. Prediction needs
    neither of the last two. With depth="auto" also what the classifier has.
    """

    _target = NUMBERS

    def __init__(
        self,
        spec: Any = None,
        *,
        formulation: str = "ort",
        depth: int | str | None = None,
        objective: str | None = None,
        constraints: Any = None,
        definitions: Any = None,
        params: Any = None,
        group: Any = None,
        encode: Any = "onehot(unseen = zero)",
        scale: Any = "minmax",
        bin: Any = None,
        missing: Any = None,
        start: Any = None,
        solver: str | None = None,
        time_limit: float | None = 30.0,
        gap: float | None = None,
        threads: int | None = None,
        random_state: Any = None,
        cv: Any = None,
        rule: str = "1se",
    ) -> None:
        self._keep(locals())

    @whole
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Solve the spec for (N, p) features and (N,) numbers, and keep the best tree.

        sample_weight (N,): errors count by it, and points of weight 0 are left out. groups: (N,),
        called `group` in constraints, or a table of named columns. Raises EstimatorError, a
        ValueError, for faulty texts and where there is no tree (E605); and KeyboardInterrupt. The
        estimator is then what it was before.
        """
        features, y = training_columns(self, X, y, numbers=True)
        features, y, weight, columns = self._training(features, y, sample_weight, groups)
        with as_value_errors():
            train = self._solve(self._program(features, Learnt(y, weight), columns)).train
        answer = self.tree_.value_answer
        self._keep_importances(train, lambda leaf: (answer.at(leaf, train.inputs) - train.y) ** 2)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The value (M,) of each row's leaf, float64; of a randomized tree the expected one."""
        x = self._inputs(X)
        return self.tree_.values(x)
