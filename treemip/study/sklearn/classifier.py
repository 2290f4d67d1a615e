"""OptimalTreeClassifier: a spec, its solve and its tree behind scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from treemip.study.sklearn.base import OptimalTree, whole
from treemip.study.sklearn.columns import class_weights, training_columns
from treemip.study.sklearn.errors import as_value_errors, invalid
from treemip.study.sklearn.leaves import Leaves, class_numbers, label_values
from treemip.study.sklearn.parameters import takes_two_classes
from treemip.study.sklearn.programs import CLASSES, Learnt

TWO_CLASSES = "Only binary classification is supported."


class OptimalTreeClassifier(ClassifierMixin, OptimalTree):
    """A decision tree that is optimal for an objective and keeps constraints, both in the language.

        tree = OptimalTreeClassifier(
            depth=2,
            objective="misclassified + price * splits",
            constraints=["least {l in leaves}: points_in[l] >= 5 * occupied[l]"],
            params={"price": 0.5},
        ).fit(X, y)

    Parameters
    ----------
    spec : the path or the text of a whole spec, in place of all parameters down to `missing` but
        depth and params; the data of its data block are those of `fit`.
    formulation : one of the library's, by name.
    depth : of a complete tree. None: 2, or the depth that the spec states. "auto": depth and price
        of a split by cross-validation inside of `fit`; `time_limit` is then that of all together.
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
    missing : "side", and each split chooses the side of missing values; "impute(median)",
        "indicator(mean)" and others as of `treemip.Builder.data`. None: they are refused.
    start, solver, gap, threads : as of `treemip.api.compiled.Compiled.solve`.
    time_limit : seconds for the solve. A ConvergenceWarning says when it ends without a proof.
    random_state : seed of the search and of the solver, and of the folds.
    class_weight : weights of the classes by which their points' weights are multiplied: a
        dictionary, 1 for classes that it leaves out, or "balanced": N / (K * points of the class).
    cv : of depth="auto", as of `GridSearchCV`: a number of folds, a splitter, which gets the first
        group of the fit, or pairs of positions. None: 5 folds.
    rule : of depth="auto": "1se", the fewest splits within one standard error of the best mean
        score, or "best".

    After `fit`: `classes_`, `n_features_in_`, `feature_names_in_`; `tree_` (treemip.Tree), which
    predicts raw rows; `leaves_`, the training points by leaf; `feature_importances_`, for each
    feature its share of the loss that its splits save; `program_`, and `result_` with status,
    objective, bound and verdict. Prediction needs neither of the last two. With depth="auto" also
    `best_depth_`, `best_params_`, `best_score_`, `best_index_`, `cv_results_`.
    """

    _target = CLASSES

    def __init__(
        self,
        spec: Any = None,
        *,
        formulation: str = "oct",
        depth: int | str | None = None,
        objective: str | None = None,
        constraints: Any = None,
        definitions: Any = None,
        params: Any = None,
        positive: Any = None,
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
        class_weight: Any = None,
        cv: Any = None,
        rule: str = "1se",
    ) -> None:
        self._keep(locals())

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of an estimator before it fits one."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._takes_two_classes
        return tags

    @property
    def _takes_two_classes(self) -> bool:
        """Whether the formulation is for two classes; a spec says so when it is fitted."""
        named = self.spec is None and isinstance(self.formulation, str)
        return named and takes_two_classes(self.formulation)

    # -------------------------------------------------------------------------------- fitting

    @whole
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Solve the spec for (N, p) features and (N,) classes, and keep the best tree.

        sample_weight (N,): points of weight 0 are left out; `misclassified` counts the others
        by it. groups: (N,), called `group` in constraints, or a table of named columns. Raises
        EstimatorError, a ValueError, for faulty texts and where there is no tree (E605); and
        KeyboardInterrupt. The estimator is then what it was before.
        """
        features, y = training_columns(self, X, y)
        check_classification_targets(y)
        weights = class_weights(self.class_weight, y, sample_weight)
        features, y, weight, columns = self._training(features, y, weights, groups)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            only = f"y has one class, {str(self.classes_[0])!r}"
            raise invalid(
                "E305", f"{only}, and a tree needs two", "give rows of at least two classes"
            )
        if len(self.classes_) > 2 and self._takes_two_classes:
            # The first sentence is the one that scikit-learn expects.
            message = f"{TWO_CLASSES} {self.formulation} is for two; y has {len(self.classes_)}"
            raise invalid("E305", message, "choose another formulation, or OneVsRestClassifier")
        with as_value_errors():
            program = self._program(features, Learnt(label_values(y), weight), columns)
            assert program.data is not None
            numbers = class_numbers(program.data.encoder.classes, self.classes_)
            data = self._solve(program)
        self.leaves_ = Leaves.of(self.tree_, data, numbers, len(self.classes_))
        own = data.train.y
        self._keep_importances(data.train, lambda leaf: 1 - self.tree_.distribution[leaf][own])
        return self

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
