"""OptimalTreeClassifier: a spec, its solve and its tree behind scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from treemip.api.program import Program
from treemip.sklearn.columns import new_columns, point_weights, training_columns
from treemip.sklearn.errors import as_value_errors, invalid, require_tree, warn_of
from treemip.sklearn.leaves import Leaves, class_numbers, label_values
from treemip.sklearn.programs import demand_weights_used, own_program, stated_program

PARAMS = "params__"


class OptimalTreeClassifier(ClassifierMixin, BaseEstimator):
    """A decision tree that is optimal for an objective and keeps constraints, both in the language.

        tree = OptimalTreeClassifier(
            depth=2,
            objective="misclassified + price * splits",
            constraints=["least {l in leaves}: points_in[l] >= 5 * occupied[l]"],
            params={"price": 0.5},
        ).fit(X, y)

    spec: the path or the text of a whole spec, in place of formulation, depth, objective,
    constraints, definitions, positive, group, encode, scale and bin; its data are those of `fit`.
    formulation: one of the library's. depth: of a complete tree. objective: an expression to be
    minimized, or "maximize …"; None is the formulation's own, which counts each point once.
    constraints: rows, as a text or a list; definitions: statements that these build on, such as
    "let rate {g in values(group)} = …". params: values of the formulation's parameters, and of names that the
    texts use; `params__price` is one of them in a grid. positive: the positive class. group:
    columns of X for constraints only. encode, scale, bin: as of `treemip.Builder.data`; texts are
    one-hot encoded, and a category that the fit has not seen is none of them.
    start, solver, time_limit (seconds), gap, threads: as of `Compiled.solve`. random_state: of the search and
    the solver.

    After `fit`: `classes_`, `n_features_in_`, `feature_names_in_`; `tree_` (treemip.Tree), which
    predicts raw rows; `leaves_`, the training points by leaf; `program_`, and `result_` with
    status, objective, bound and verdict. Prediction needs neither of the last two.
    """

    def __init__(
        self,
        spec: Any = None,
        *,
        formulation: str = "oct",
        depth: int = 2,
        objective: str | None = "misclassified",
        constraints: Any = None,
        definitions: Any = None,
        params: Any = None,
        positive: Any = None,
        group: Any = None,
        encode: Any = "onehot(unseen = zero)",
        scale: Any = "minmax",
        bin: Any = None,
        start: Any = None,
        solver: str | None = None,
        time_limit: float | None = 30.0,
        gap: float | None = None,
        threads: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.spec = spec
        self.formulation = formulation
        self.depth = depth
        self.objective = objective
        self.constraints = constraints
        self.definitions = definitions
        self.params = params
        self.positive = positive
        self.group = group
        self.encode = encode
        self.scale = scale
        self.bin = bin
        self.start = start
        self.solver = solver
        self.time_limit = time_limit
        self.gap = gap
        self.threads = threads
        self.random_state = random_state

    # ------------------------------------------------------------------ parameters in a grid

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name; if `deep`, each entry of `params` too, as `params__name`."""
        given: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.params, dict):
            given |= {f"{PARAMS}{name}": value for name, value in self.params.items()}
        return given

    def set_params(self, **params: Any) -> Self:
        """Sets parameters; `params__name` sets an entry of `params` and leaves the others."""
        entries = {k.removeprefix(PARAMS): v for k, v in params.items() if k.startswith(PARAMS)}
        super().set_params(**{k: v for k, v in params.items() if not k.startswith(PARAMS)})
        if entries:
            self.params = {**(self.params or {}), **entries}
        return self

    # -------------------------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Solve the spec for (N, p) features and (N,) classes, and keep the best tree.

        sample_weight (N,): points of weight 0 are left out; `misclassified` counts the others
        by it. groups: (N,), called `group` in constraints, or a table of named columns. Raises
        EstimatorError, a ValueError, for faulty texts and where there is no tree (E605).
        """
        features, y = training_columns(self, X, y)
        check_classification_targets(y)
        weight = point_weights(sample_weight, X)
        if weight is not None and not weight.all():
            here = weight > 0
            features = {name: values[here] for name, values in features.items()}
            y, weight, groups = y[here], weight[here], _rows(groups, here)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            only = f"y has one class, {self.classes_[0]!r}"
            raise invalid("E305", f"{only}, and a tree needs two", "leave this training part out")
        with as_value_errors():
            self._solve(self._program(features, label_values(y), weight, groups))
        return self

    def _program(
        self,
        features: dict[str, np.ndarray],
        y: np.ndarray,
        weight: np.ndarray | None,
        groups: Any,
    ) -> Program:
        given = self.get_params(deep=False)
        if self.params is not None and not isinstance(self.params, dict):
            raise invalid("E902", f"params is {self.params!r}", "give a dictionary of numbers")
        if self.spec is None:
            program = stated_program(given, features, y, weight, groups)
        else:
            defaults = type(self)().get_params(deep=False)
            program = own_program(given, defaults, features, y, weight, groups)
        demand_weights_used(program, weight)
        return program

    def _solve(self, program: Program) -> None:
        seed = self.random_state
        if seed is not None and not isinstance(seed, int | np.integer):
            seed = check_random_state(seed).randint(2**31 - 1)
        data = program.data
        assert data is not None
        numbers = class_numbers(data.encoder.classes, self.classes_)
        result = program.compile().solve(
            self.solver,
            time_limit=self.time_limit,
            gap=self.gap,
            threads=self.threads,
            seed=None if seed is None else int(seed),
            start=self.start,
        )
        require_tree(result)
        assert result.tree is not None
        warn_of(result)
        self.program_, self.result_, self.tree_ = program, result, result.tree
        self.leaves_ = Leaves.of(self.tree_, data, numbers, len(self.classes_))

    # ------------------------------------------------------------------------------ prediction

    def predict(self, X: Any) -> np.ndarray:
        """The class (M,) that the tree gives each row: the label of its leaf.

        That is the leaf's most frequent class, unless the objective or a constraint has it
        otherwise; then it is not the class of the greatest `predict_proba`.
        """
        x = self._inputs(X)
        return np.asarray(self.classes_[self.leaves_.classes[self.tree_.predict_numbers(x)]])

    def predict_proba(self, X: Any) -> np.ndarray:
        """float64 (M, K), columns as `classes_`: the weighted shares of the classes among the
        training points of a row's leaf; of a randomized tree its own probabilities."""
        x = self._inputs(X)
        return self.leaves_.chances(self.tree_, x)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of `predict_proba`, -inf for 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row, int64 (M,): its position among the nodes of `tree_`.

        In a randomized tree the leaf that the row reaches most probably.
        """
        x = self._inputs(X)
        return self.tree_.route(x)

    def decision_path(self, X: Any) -> csr_array:
        """Which nodes of `tree_` each row passes, from the root to its leaf; 0/1 (M, nodes)."""
        leaf = self.apply(X)
        above = self.tree_.topology.ancestors.take(leaf)
        rows = np.concatenate([np.repeat(np.arange(len(leaf)), above.lengths), np.arange(len(leaf))])
        nodes = np.concatenate([above.items, leaf])
        shape = (len(leaf), self.tree_.topology.size)
        return csr_array((np.ones(len(nodes), np.int64), (rows, nodes)), shape=shape)

    def to_text(self) -> str:
        """The tree with the training points of each leaf, splits in the features' own units."""
        check_is_fitted(self)
        return str(self.tree_.drawn(self.leaves_.counts))

    def _inputs(self, X: Any) -> np.ndarray:
        """What the tree routes, float64 (M, inputs)."""
        check_is_fitted(self)
        columns = new_columns(self, X)
        with as_value_errors():
            return np.asarray(self.tree_.encode(columns))


def _rows(groups: Any, here: np.ndarray) -> Any:
    """The groups of the points that are left, in the form that they have."""
    if groups is None:
        return None
    if isinstance(groups, dict):
        return {name: np.asarray(values)[here] for name, values in groups.items()}
    if hasattr(groups, "filter") and type(groups).__module__.startswith("polars"):
        return groups.filter(here)
    return groups[here] if hasattr(groups, "iloc") else np.asarray(groups)[here]
