"""OptimalPolicyTree: a tree that says whom to treat with what, behind scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_array, column_or_1d

from treemip.api.statement_text import quoted
from treemip.core.instance.categories import Levels
from treemip.core.instance.columns import column_of
from treemip.study.sklearn.base import OptimalTree, whole
from treemip.study.sklearn.columns import point_weights, training_columns
from treemip.study.sklearn.doubly_robust import doubly_robust_scores
from treemip.study.sklearn.errors import as_value_errors, invalid
from treemip.study.sklearn.programs import TREATMENTS, Learnt


class OptimalPolicyTree(OptimalTree):
    """A tree that gives each row a treatment, such that the treatments are worth the most.

        tree = OptimalPolicyTree(depth=2).fit(X, gamma)
        tree = OptimalPolicyTree(depth=2).fit(X, treatment=drug, outcome=improvement)

    gamma (N, K) says what each of K treatments of each row is worth, such as doubly robust scores;
    of a frame, the columns are the treatments. Greater is better.

    Parameters
    ----------
    formulation : one of the library's that takes what each treatment is predicted to lead to.
    bin : splits are by 0/1 features, and numbers become such by thresholds: "quantile(10)" by nine
        of them; "thresholds" by all, which takes long where values are many.
    objective : an expression to be maximized, as "maximize ...". None: the mean worth.
    The others are those of `OptimalTreeRegressor`, which has `scale` besides; there is no `spec`.

    After `fit`: `treatments_` (K,); `n_features_in_`, `feature_names_in_`; `tree_` (treemip.Tree),
    whose leaves have treatments by name, or by number where names are no texts; `program_`, and
    `result_` with status, objective, bound and verdict.
    """

    _target = TREATMENTS
    spec: Any = None

    def __init__(
        self,
        *,
        formulation: str = "prescriptive_dm",
        depth: int | None = None,
        objective: str | None = None,
        constraints: Any = None,
        definitions: Any = None,
        params: Any = None,
        group: Any = None,
        encode: Any = "onehot(unseen = zero)",
        bin: Any = "quantile(10)",
        missing: Any = None,
        start: Any = None,
        solver: str | None = None,
        time_limit: float | None = 30.0,
        gap: float | None = None,
        threads: int | None = None,
        random_state: Any = None,
    ) -> None:
        self._keep(locals())

    @whole
    def fit(
        self,
        X: Any,
        gamma: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        *,
        treatment: Any = None,
        outcome: Any = None,
        propensity: Any = None,
    ) -> Self:
        """Solve the spec for (N, p) features and what treatments are worth, and keep the best tree.

        Either gamma (N, K), or treatment (N,) with the outcome (N,) that came of it, of which
        `doubly_robust_scores` makes gamma; propensity as there. sample_weight (N,), groups: as of
        `OptimalTreeRegressor`. Raises EstimatorError, a ValueError, for faulty texts and where
        there is no tree (E605); and KeyboardInterrupt. The estimator is then what it was before.
        """
        if (gamma is None) == (treatment is None):
            message = "fit takes either gamma or treatment with outcome"
            raise invalid("E902", message, "fit(X, gamma), or fit(X, treatment=…, outcome=…)")
        if gamma is None:
            gamma = np.asarray(doubly_robust_scores(X, treatment, outcome, propensity))
            names = np.unique(column_or_1d(treatment))
        else:
            if outcome is not None or propensity is not None:
                message = "outcome and propensity are given beside gamma, which says what they say"
                raise invalid("E902", message, "leave them out")
            names, gamma = _treatments(gamma)
        features, _ = training_columns(self, X, gamma[:, 0])
        features, gamma, weight, columns = self._training(features, gamma, sample_weight, groups)
        if len(gamma) < len(names):
            message = f"there are {len(names)} treatments and fewer rows, {len(gamma)}"
            raise invalid("E305", message, "give more rows")
        with as_value_errors():
            self._solve(self._program(features, _learnt(names, gamma, weight), columns))
        self.treatments_ = names
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of an estimator before it fits one."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def predict(self, X: Any) -> np.ndarray:
        """The treatment (M,) of each row, one of `treatments_`."""
        x = self._inputs(X)
        known = {name: k for k, name in enumerate(_texts(self.treatments_))}
        numbers = np.array([known[name] for name in self.tree_.classes])
        return np.asarray(self.treatments_[numbers[self.tree_.predict_numbers(x)]])

    def policy_values(
        self, X: Any, gamma: Any, treatment: Any = None, sample_weight: Any = None
    ) -> dict[str, float]:
        """What treatments of rows are worth on the mean, by gamma (M, K): "policy", the tree's;
        "all NAME", one treatment for all; and "observed", those of `treatment` (M,), if given."""
        given, (names, worth) = self.predict(X), _treatments(gamma)
        if hasattr(gamma, "columns"):
            worth = worth[:, self._order(names)]
        if worth.shape != (len(given), len(self.treatments_)):
            message = f"gamma has the shape {worth.shape}"
            wanted = f"give ({len(given)}, {len(self.treatments_)}): rows of X, treatments"
            raise invalid("E305", message, wanted)
        weight = point_weights(sample_weight, len(given))
        values = {"policy": self._worth(worth, given, weight)}
        for k, name in enumerate(self.treatments_):
            values[f"all {name}"] = float(np.average(worth[:, k], weights=weight))
        if treatment is not None:
            values["observed"] = self._worth(worth, column_or_1d(treatment), weight)
        return values

    def _order(self, names: np.ndarray) -> list[int]:
        """Where the columns of these names are for each treatment. Raises EstimatorError."""
        at = {name: k for k, name in enumerate(names.tolist())}
        wanted = self.treatments_.tolist()
        if at.keys() != set(wanted):
            message = f"the columns of gamma are {', '.join(map(str, at))}"
            remedy = f"name them as the treatments of the fit: {', '.join(map(str, wanted))}"
            raise invalid("E305", message, remedy)
        return [at[name] for name in wanted]

    def _worth(self, worth: np.ndarray, given: np.ndarray, weight: np.ndarray | None) -> float:
        known = {name: k for k, name in enumerate(self.treatments_.tolist())}
        strange = [name for name in dict.fromkeys(given.tolist()) if name not in known]
        if strange or len(given) != len(worth):
            message = f"treatment has {len(given)} rows, and gamma {len(worth)}"
            remedy = f"treatments are {', '.join(map(str, known))}"
            if strange:
                message = f"{strange[0]!r} is not among the treatments of the fit"
            if strange and list(known) == list(range(len(known))):
                remedy += ", as gamma of the fit had no names: fit with a DataFrame, whose columns"
                remedy += " are the treatments"
            raise invalid("E305", message, remedy)
        numbers = np.array([known[name] for name in given.tolist()])
        return float(np.average(worth[np.arange(len(given)), numbers], weights=weight))

    def score(self, X: Any, gamma: Any, sample_weight: Any = None) -> float:
        """What the tree's treatments are worth on the mean, by gamma (M, K)."""
        return self.policy_values(X, gamma, sample_weight=sample_weight)["policy"]


def _treatments(gamma: Any) -> tuple[np.ndarray, np.ndarray]:
    """Names (K,), the columns of a frame or 0 to K - 1, and float64 (N, K). Raises ValueError."""
    worth = np.asarray(check_array(gamma, dtype=np.float64, input_name="gamma"))
    if worth.shape[1] < 2:
        raise invalid("E305", "gamma has one column, and a policy needs two treatments", "add one")
    columns = getattr(gamma, "columns", None)
    return np.arange(worth.shape[1]) if columns is None else np.array(list(columns)), worth


def _texts(names: np.ndarray) -> list[str]:
    """What the spec calls treatments: texts as they are, where cells keep them so, and else by
    their numbers."""
    plain = names.tolist()
    if all(isinstance(name, str) and name for name in plain):
        cells = column_of("treatment", names.astype(object))
        if not cells.missing.any() and set(Levels.of(cells).names) == set(plain):
            return plain
    return [str(k) for k in range(len(plain))]


def _learnt(names: np.ndarray, gamma: np.ndarray, weight: np.ndarray | None) -> Learnt:
    """The formulation knows treatments by a column that has them all, and does not ask who received
    which."""
    texts, worth = _texts(names), {f"worth_{k}": own for k, own in enumerate(gamma.T)}
    *others, last = worth
    cases = "".join(
        f"if k = {quoted(text)} then {name}[i] else "
        for text, name in zip(texts, others, strict=False)
    )
    text = f"param predicted_outcome {{i in points, k in treatments}} = {cases}{last}[i]"
    every = np.array([texts[i % len(texts)] for i in range(len(gamma))], object)
    return Learnt(None, weight, worth, {"treatment": every}, (text,))
