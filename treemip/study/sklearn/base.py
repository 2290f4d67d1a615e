"""What all estimators share: a spec, its solve and its tree behind scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treemip.api.program import Program
from treemip.core.instance.encoded_table import Data, Table
from treemip.core.resolve.settings.solve_options import OPTIONS
from treemip.study.sklearn.auto_depth import demand_no_positions, is_auto, solve_auto, untuned
from treemip.study.sklearn.columns import (
    Columns,
    given_columns,
    group_columns,
    new_columns,
    point_weights,
    taken,
)
from treemip.study.sklearn.errors import as_value_errors, invalid, require_tree, warn_of
from treemip.study.sklearn.importances import Loss, importances
from treemip.study.sklearn.programs import (
    Learnt,
    Target,
    demand_weights_used,
    own_program,
    stated_program,
)

PARAMS = "params__"

Fitted = TypeVar("Fitted")


def whole(fit: Callable[..., Fitted]) -> Callable[..., Fitted]:
    """A fit that fails, or is interrupted, leaves the estimator as it was before."""

    @wraps(fit)
    def fitted(self: OptimalTree, *arguments: Any, **named: Any) -> Fitted:
        before = dict(vars(self))
        try:
            return fit(self, *arguments, **named)
        except BaseException:
            self.__dict__ = before
            raise

    return fitted


class OptimalTree(BaseEstimator):
    """An estimator without its targets: parameters, the solve, and where rows end.

    A subclass says by `_target` what it learns, and has `fit` and `predict`. Its
    parameters are those of its own `__init__`, which all have default values.
    """

    _target: ClassVar[Target]

    spec: Any
    formulation: str
    depth: int | str | None
    objective: str | None
    constraints: Any
    definitions: Any
    params: Any
    group: Any
    encode: Any
    scale: Any
    bin: Any
    missing: Any
    start: Any
    solver: str | None
    time_limit: float | None
    gap: float | None
    threads: int | None
    random_state: Any
    cv: Any
    rule: str

    best_depth_: int | None
    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    cv_results_: dict[str, Any]

    def _keep(self, given: dict[str, Any]) -> None:
        """The parameters of `__init__` as attributes of their names, as scikit-learn asks."""
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of an estimator before it fits one."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.spec is None and self.missing is not None
        return tags

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

    def _training(
        self, features: Columns, y: np.ndarray, sample_weight: Any, groups: Any
    ) -> tuple[Columns, np.ndarray, np.ndarray | None, Columns]:
        """Features, y, weight and groups of the points whose weight is not 0. y: an array of N
        rows. Raises ValueError."""
        self._columns = tuple(features)
        weight, columns = point_weights(sample_weight, len(y)), group_columns(groups, len(y))
        if weight is None or weight.all():
            return features, y, weight, columns
        demand_no_positions(self)
        here = weight > 0
        return taken(features, here), y[here], weight[here], taken(columns, here)

    def _program(self, features: Columns, learnt: Learnt, groups: Columns) -> Program:
        given = self.get_params(deep=False)
        auto = is_auto(self.depth)
        if self.params is not None and not isinstance(self.params, dict):
            message = f"params is {self.params!r}, not a dictionary of values by name"
            raise invalid("E902", message, 'such as params={"price": 0.5}')
        if auto and "rule" not in given:
            message = f'depth is "auto", which {type(self).__name__} does not choose'
            raise invalid("E902", message, "give a whole number")
        if auto:
            given = untuned(given, self._target)
        if self.spec is None:
            program = stated_program(given, self._target, features, learnt, groups)
        else:
            usual: Callable[[], BaseEstimator] = type(self)
            defaults = usual().get_params(deep=False)
            program = own_program(given, defaults, self._target, features, learnt, groups)
        what = "sample_weight" if given.get("class_weight") is None else "class_weight"
        demand_weights_used(program, learnt.weight, what)
        return program

    def _solve(self, program: Program) -> Data:
        """Keeps program, result and tree. Returns the data that the tree was solved for."""
        seed = self.random_state
        if seed is not None and not isinstance(seed, int | np.integer):
            seed = check_random_state(seed).randint(2**31 - 1)
        data = program.data
        assert data is not None
        asked = {name: getattr(self, name) for name, option in OPTIONS.items() if option.run}
        seed = None if seed is None else int(seed)
        if is_auto(self.depth):
            result = solve_auto(self, program, {**asked, "seed": seed})
            program = result.compiled.program
            data = program.data
            assert data is not None
        else:
            result = program.compile().solve(**asked, seed=seed)
        require_tree(result)
        assert result.tree is not None
        warn_of(result)
        self.program_, self.result_, self.tree_ = program, result, result.tree
        return data

    def _keep_importances(self, table: Table, loss: Loss) -> None:
        """loss: what each training point loses in a leaf."""
        columns = given_columns(self._columns)
        self.feature_importances_ = importances(self.tree_, table, columns, loss)

    # ------------------------------------------------------------------------------ prediction

    def get_depth(self) -> int:
        """Splits on the longest path from the root to a leaf; branches without a split do not
        count."""
        return max(depth for depth, _ in self._applied_leaves())

    def get_n_leaves(self) -> int:
        """Leaves below the branches that split."""
        return len(self._applied_leaves())

    def _applied_leaves(self) -> list[tuple[int, int]]:
        """How many splits are above each leaf that splits lead to, and the leaf."""
        check_is_fitted(self)
        tree, found = self.tree_, list[tuple[int, int]]()
        waiting = [(0, tree.applied(0))]
        while waiting:
            depth, node = waiting.pop()
            if tree.topology.is_leaf[node]:
                found.append((depth, node))
                continue
            for side in (tree.topology.left, tree.topology.right):
                waiting.append((depth + 1, tree.applied(int(side[node]))))
        return found

    def plot(self, ax: Any = None, **looks: Any) -> Any:
        """Draw the tree with Matplotlib: into `ax`, or a figure of its own. Returns the axes.

        looks: as of `Tree.plot`. Raises E602 without Matplotlib.
        """
        check_is_fitted(self)
        with as_value_errors():
            return self.tree_.plot(ax, **looks)

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
        return str(self.tree_)

    def _inputs(self, X: Any) -> np.ndarray:
        """What the tree routes, float64 (M, inputs)."""
        check_is_fitted(self)
        columns = new_columns(self, X)
        # Arrays have no names, and are taken in the order of the fit.
        columns = dict(zip(self._columns, columns.values(), strict=True))
        with as_value_errors():
            return np.asarray(self.tree_.encode(columns))
