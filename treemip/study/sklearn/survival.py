"""OptimalSurvivalTree: a tree of survival times, behind scikit-survival's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treemip.core.solving.optional import needed
from treemip.core.tree.survival_curves import Curve, Observed, curve_of, curves_by_leaf
from treemip.core.tree.survival_score import harrell_c
from treemip.study.sklearn.base import OptimalTree, whole
from treemip.study.sklearn.columns import survival_times, training_columns
from treemip.study.sklearn.errors import as_value_errors, invalid
from treemip.study.sklearn.programs import TIMES, Learnt


class OptimalSurvivalTree(OptimalTree):
    """A survival tree that is optimal for an objective and keeps constraints, both in the language.

        tree = OptimalSurvivalTree(depth=2, params={"min_leaf": 20}).fit(X, y)
        tree.predict_survival_function(X, return_array=True)

    y is scikit-survival's: a structured array (N,) whose first field says whether the event
    happened (bool) and whose second is the time of the event or of censoring.

    Parameters
    ----------
    formulation : one of the library's for survival times: "ost", or "ost_grid", whose hazards are
        from a list, so that solvers of linear models take it.
    objective : an expression to be minimized, or "maximize ...". None: the formulation's own, minus
        the likelihood of the leaves' hazards, plus alpha for each split.
    params : dictionary of values: of the formulation's parameters and of names that the texts use.
        In a grid, `params__name` is one of them.
    The others are those of `OptimalTreeRegressor`.

    After `fit`: `n_features_in_`, `feature_names_in_`; `tree_` (treemip.Tree), which predicts raw
    rows; `unique_times_`, the distinct times of the training points, float64 (T,); `curves_`, a
    `Curve` (Kaplan-Meier, Nelson-Aalen) for each leaf, by its position among the nodes; `program_`,
    and `result_` with status, objective, bound and verdict. Prediction needs neither of the last
    two.
    """

    _target = TIMES

    def __init__(
        self,
        spec: Any = None,
        *,
        formulation: str = "ost",
        depth: int | None = None,
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
    ) -> None:
        self._keep(locals())

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of an estimator before it fits one."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @whole
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Solve the spec for (N, p) features and (N,) censored times, and keep the best tree.

        sample_weight (N,): likelihoods and curves count by it, and points of weight 0 are left out.
        groups: (N,), called `group` in constraints, or a table of named columns. Raises
        EstimatorError, a ValueError, for faulty texts and where there is no tree (E605);
        ValueError for another y; and KeyboardInterrupt. The estimator is then what it was before.
        """
        event, time = survival_times(y)
        features, _ = training_columns(self, X, time)
        both = np.column_stack([time, event])
        features, both, weight, columns = self._training(features, both, sample_weight, groups)
        numbers = {"time": both[:, 0], "event": both[:, 1]}
        with as_value_errors():
            data = self._solve(self._program(features, Learnt(None, weight, numbers), columns))
        observed = Observed(both[:, 0], both[:, 1] == 1, data.train.weight)
        self.curves_ = curves_by_leaf(self.tree_.route(data.train.inputs), observed)
        self._all_points = curve_of(observed)
        self.unique_times_ = self._all_points.time
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The risk (M,) of each row, float64: how many times the hazard of all training points its
        leaf has."""
        x = self._inputs(X)
        return self.tree_.values(x)

    def predict_survival_function(self, X: Any, return_array: bool = False) -> np.ndarray:
        """The Kaplan-Meier estimate of each row's leaf.

        Of the form that scikit-survival gives it: (M,) of its StepFunction, or with return_array
        float64 (M, T) at `unique_times_`. Raises E602 for step functions without scikit-survival.
        """
        return self._functions(X, Curve.survival_at, return_array)

    def predict_cumulative_hazard_function(self, X: Any, return_array: bool = False) -> np.ndarray:
        """The Nelson-Aalen estimate of each row's leaf, as `predict_survival_function`."""
        return self._functions(X, Curve.hazard_at, return_array)

    def _functions(self, X: Any, at: Any, return_array: bool) -> np.ndarray:
        check_is_fitted(self)
        leaves, place = np.unique(self.apply(X), return_inverse=True)
        times = self.unique_times_
        # A leaf without training points has the curve of all of them.
        curves = [self.curves_.get(int(leaf), self._all_points) for leaf in leaves]
        values = np.array([at(curve, times) for curve in curves])
        if return_array:
            return values[place]
        step = needed("sksurv.functions", "survival").StepFunction
        functions = np.empty(len(leaves), object)
        functions[:] = [step(times, row) for row in values]
        return functions[place]

    def score(self, X: Any, y: Any) -> float:
        """Harrell's C, as scikit-survival's `concordance_index_censored`. Raises EstimatorError
        where no two points can be compared."""
        event, time = survival_times(y, all_censored=True)
        risk = self.predict(X)
        if len(risk) != len(time):
            raise ValueError(f"X has {len(risk)} rows, and y has {len(time)}")
        found = harrell_c(time, event, risk)
        if found is None:
            message = "no two points can be compared: no event comes before another point's time"
            raise invalid("E305", message, "score more points")
        return found
