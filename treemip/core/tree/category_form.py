"""Splits by sets of categories: which variables say them.

The form is read off the route at random sets: which variables say the column that a branch tests,
and which of its categories go left. No formulation is known by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.value_sources import Meaning, Solution, mentioned
from treemip.core.resolve.sorts import CATEGORICAL, CATEGORY, Element
from treemip.core.resolve.typed import Role, Symbol, at_all
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.meaning import split_variables
from treemip.core.tree.readout import splits
from treemip.core.tree.splits import IN_SET

BIASES = (0.0, -0.5, 0.5)  # with the weights 0 and -1, or 0 and 1, of categories
PROBES = 2  # random trees at which the route is read


@dataclass(frozen=True)
class CategoryForm:
    """sets: variables by branch and category, 1 for the categories chosen. tests: variables by
    branch and kept column, 1 for the column that a branch tests. chosen_left: whether the
    categories chosen go left, or the column's others. bias: of such a branch, whose coef is 0."""

    sets: tuple[str, ...]
    tests: tuple[str, ...]
    chosen_left: bool = True
    bias: float = 0.0

    def chosen(self, inputs: Inputs, in_set: np.ndarray) -> np.ndarray:
        """The categories that the variables select, bool (..., V), if those of `in_set`, bool
        (..., V), go left."""
        if self.chosen_left:
            return in_set
        tested = inputs.tested(in_set)
        return np.repeat(tested, np.diff(inputs.offsets), axis=-1) & ~in_set

    def values(self, instance: Instance, weights: np.ndarray) -> dict[str, np.ndarray]:
        """Values, float64, for a tree's weights (nodes, inputs), by name of those variables of the
        form that have no `means`."""
        inputs = Inputs.of(instance)
        in_set = inputs.in_set(weights)
        chosen, tested = self.chosen(inputs, in_set), inputs.tested(in_set)
        names = Evaluator(instance, Solution({}))
        values = {}
        for symbol in instance.spec.variables:
            if symbol.means is None and symbol.name in (*self.sets, *self.tests):
                frame = names.places.domain_frame(symbol)
                index = [frame.column(name) for name in symbol.domain.names]
                table = chosen if symbol.name in self.sets else tested
                values[symbol.name] = table[index[0], index[-1]].astype(float)
        return values


SplitValues = Callable[[np.ndarray, np.ndarray, CategoryForm | None], dict[str, np.ndarray]]
"""Variables by name, from weights (nodes, inputs), thresholds (nodes,) and a form."""


def category_variables(instance: Instance) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the variables by branch and category that the route reads, and of those by
    branch and kept column that say which column a branch tests."""
    own = [s for s in instance.spec.variables if _is_by_branch(s)]
    route = split_variables(instance.spec)
    sets = [s for s in own if s.name in route and s.sorts[-1] == CATEGORY]
    tests = [s for s in own if s.sorts[1:] == (CATEGORICAL,)]
    tests = [s for s in tests if s.name in route or s.means is None or _tells(instance, s, sets)]
    return tuple(s.name for s in sets), tuple(s.name for s in tests)


def _tells(instance: Instance, test: Symbol, sets: list[Symbol]) -> bool:
    """Whether a variable means that some category of its column is chosen; seen at random sets."""
    assert test.means is not None
    read = {s for s in mentioned(at_all(test.means), means=True) if s.role is Role.VARIABLE}
    if not read <= set(sets):
        return False
    inputs, rng = Inputs.of(instance), np.random.default_rng(0)
    names = Evaluator(instance, Meaning({}, values := {}))
    chosen = rng.random((instance.nodes.size, int(inputs.offsets[-1]))) < 1 / 2
    for symbol in sets:
        frame = names.places.domain_frame(symbol)
        first, *_, last = (frame.column(name) for name in symbol.domain.names)
        values[symbol.name] = chosen[first, last].astype(float)
    frame = names.places.domain_frame(test)
    branch, column = (frame.column(name) for name in test.domain.names)
    means = names.known(at_all(test), frame)
    return means.size > 0 and np.array_equal(means, inputs.tested(chosen)[branch, column])


def _is_by_branch(symbol: Symbol) -> bool:
    sorts = symbol.sorts
    if len(sorts) < 2 or sorts[0] != Element("node"):
        return False
    return all(sort == CATEGORICAL for sort in sorts[1:-1])


def read_form(instance: Instance, values_of: SplitValues) -> CategoryForm | None:
    """The form whose values reproduce random splits when the route is evaluated; None where there
    is none, or no kept column. values_of: a tree's splits as variables, by the form."""
    sets, tests = category_variables(instance)
    if not sets or not Inputs.of(instance).columns:
        return None
    for chosen_left, bias in product((True, False), BIASES):
        form = CategoryForm(sets, tests, chosen_left, bias)
        draws = (np.random.default_rng(k) for k in range(PROBES))
        if all(_gives(form, instance, values_of, draw) for draw in draws):
            return form
    return None


def _gives(
    form: CategoryForm, instance: Instance, values_of: SplitValues, rng: np.random.Generator
) -> bool:
    """Whether a random tree of such splits is what the route makes of its variables' values."""
    topology, inputs = instance.nodes, Inputs.of(instance)
    wanted = np.zeros((topology.size, inputs.width))
    for node in topology.branches:
        of_column = inputs.categories(int(rng.integers(inputs.columns)))
        inside = of_column[rng.random(len(of_column)) < 0.5]
        wanted[node, inside if len(inside) else of_column[:1]] = IN_SET
    names = Evaluator(instance, Solution({}))
    values = {s.name: np.zeros(names.places.size(s)) for s in instance.spec.variables}
    values |= values_of(wanted, np.zeros(topology.size), form)
    weights, threshold, strict = splits(instance, values)
    if weights[:, : inputs.features].any() or not np.isfinite(threshold).all():
        return False
    for node in topology.branches:
        of_column = inputs.categories(inputs.column_of(wanted[node]))
        others = np.setdiff1d(np.arange(inputs.width), of_column)
        at = weights[node, of_column]
        left = at < threshold[node] if strict else at <= threshold[node]
        if weights[node, others].any() or (left != (wanted[node, of_column] != 0)).any():
            return False
    return True
