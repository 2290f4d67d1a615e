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
from treemip.sklearn.columns import (
    Columns,
    group_columns,
    new_columns,
    point_weights,
    taken,
    training_columns,
)
from treemip.sklearn.errors import as_value_errors, invalid, require_tree, warn_of
from treemip.sklearn.leaves import Leaves, class_numbers, label_values
from treemip.sklearn.parameters import takes_two_classes
from treemip.sklearn.programs import demand_weights_used, own_program, stated_program

PARAMS = "params__"
TWO_CLASSES = "Only binary classification is supported."


class OptimalTreeClassifier(ClassifierMixin, BaseEstimator):
    """A decision tree that is optimal for an objective and keeps constraints, both in the language.

        tree = OptimalTreeClassifier(
            depth=2,
            objective="misclassified + price * splits",
            constraints=["least {l in leaves}: points_in[l] >= 5 * occupied[l]"],
            params={"price": 0.5},
        ).fit(X, y)

    Parameters
    ----------
    spec : the path or the text of a whole spec, in place of all parameters down to `bin` but
        depth and params; the data of its data block are those of `fit`.
    formulation : one of the library's, by name.
    depth : of a complete tree. None: 2, or the depth that the spec states.
    objective : an expression to be minimized, or "maximize ...". None: `misclassified`, which
        counts errors by their weight, for univariate splits; for others the formulation's own.
    constraints : rows of the language with their names, a text or a list of texts.
    definitions : statements that these build on, such as "let late {l in leaves} = ...".
    params : dictionary of values: of the formulation's parameters and of names that the texts use.
        In a grid, `params__name` is one of them.
    positive : the positive class, where a constraint or the formulation speaks of one.
    group : columns of X that are for constraints and no features.
    encode, scale, bin : as of `treemip.Builder.data`. By default texts are one-hot encoded, and a
        category that the fit has not seen is none of them.
    start, solver, gap, threads : as of `treemip.api.compiled.Compiled.solve`.
    time_limit : seconds for the solve. A ConvergenceWarning says when it ends without a proof.
    random_state : seed of the search and of the solver.

    After `fit`: `classes_`, `n_features_in_`, `feature_names_in_`; `tree_` (treemip.Tree), which
    predicts raw rows; `leaves_`, the training points by leaf; `program_`, and `result_` with
    status, objective, bound and verdict. Prediction needs neither of the last two.
    """

    def __init__(
        self,
        spec: Any = None,
        *,
        formulation: str = "oct",
        depth: int | None = None,
        objective: str | None = None,
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

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of an estimator before it fits one."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._takes_two_classes
        tags.input_tags.string = True
        return tags

    @property
    def _takes_two_classes(self) -> bool:
        """Whether the formulation is for two classes; a spec says so when it is fitted."""
        named = self.spec is None and isinstance(self.formulation, str)
        return named and takes_two_classes(self.formulation)

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
        self._columns = tuple(features)
        weight, columns = point_weights(sample_weight, len(y)), group_columns(groups, len(y))
        if weight is not None and not weight.all():
            here = weight > 0
            y, weight = y[here], weight[here]
            features, columns = taken(features, here), taken(columns, here)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            only = f"y has one class, {str(self.classes_[0])!r}"
            raise invalid("E305", f"{only}, and a tree needs two", "leave this training part out")
        if len(self.classes_) > 2 and self._takes_two_classes:
            # The first sentence is the one that scikit-learn expects.
            message = f"{TWO_CLASSES} {self.formulation} is for two; y has {len(self.classes_)}"
            raise invalid("E305", message, "choose another formulation, or OneVsRestClassifier")
        with as_value_errors():
            self._solve(self._program(features, label_values(y), weight, columns))
        return self

    def _program(
        self,
        features: Columns,
        y: np.ndarray,
        weight: np.ndarray | None,
        groups: Columns,
    ) -> Program:
        given = self.get_params(deep=False)
        if self.params is not None and not isinstance(self.params, dict):
            message = f"params is {self.params!r}, not a dictionary of values by name"
            raise invalid("E902", message, 'such as params={"price": 0.5}')
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
        rows = np.concatenate(
            [np.repeat(np.arange(len(leaf)), above.lengths), np.arange(len(leaf))]
        )
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
        # Arrays have no names, and are taken in the order of the fit.
        columns = dict(zip(self._columns, columns.values(), strict=True))
        with as_value_errors():
            return np.asarray(self.tree_.encode(columns))
