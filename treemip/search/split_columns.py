"""From the splits of a tree to the variables of the spec that stand for them.

`SplitColumns` solves the concepts coef and bias for their variables. For splits by sets of
categories, `form_of` reads off the route, at random sets, which variables say which column a branch
tests and which of its categories go left. No formulation is known by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.model_columns import ModelBuilder, ModelColumns
from treemip.lower.value_sources import Solution
from treemip.resolve.sorts import CATEGORICAL, CATEGORY, Element
from treemip.resolve.typed import At, Bound, Symbol
from treemip.search.candidate import Candidate
from treemip.search.inputs import Inputs
from treemip.tree.meaning import split_variables
from treemip.tree.readout import splits
from treemip.tree.tree import IN_SET

KEY = "splits by categories"
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
        """The categories that the variables select, bool (nodes, V), if those of `in_set`, bool
        (nodes, V), go left."""
        if self.chosen_left:
            return in_set
        tested = inputs.tested(in_set)
        return np.repeat(tested, np.diff(inputs.offsets), axis=1) & ~in_set

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


def category_variables(instance: Instance) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the variables by branch and category that the route reads, and of those by
    branch and kept column."""
    own = [s for s in instance.spec.variables if _is_by_branch(s)]
    route = split_variables(instance.spec)
    sets = tuple(s.name for s in own if s.name in route and s.sorts[-1] == CATEGORY)
    tests = tuple(s.name for s in own if s.sorts[1:] == (CATEGORICAL,))
    return sets, tests


def _is_by_branch(symbol: Symbol) -> bool:
    sorts = symbol.sorts
    if len(sorts) < 2 or sorts[0] != Element("node"):
        return False
    return all(sort == CATEGORICAL for sort in sorts[1:-1])


def form_of(instance: Instance) -> CategoryForm | None:
    """The form of an instance's splits by categories, cached; None where it has none, or where a
    set of categories does not determine its variables."""
    if not Inputs.of(instance).columns:
        return None
    spec, form = instance.learned.get(KEY, (None, None))
    if spec is not instance.spec:
        form = _read(instance)
        instance.learned[KEY] = instance.spec, form
    assert form is None or isinstance(form, CategoryForm)
    return form


def _read(instance: Instance) -> CategoryForm | None:
    """The form whose values reproduce random splits when the route is evaluated; None if none."""
    sets, tests = category_variables(instance)
    if not sets:
        return None
    for chosen_left, bias in product((True, False), BIASES):
        form = CategoryForm(sets, tests, chosen_left, bias)
        if all(_gives(form, instance, np.random.default_rng(k)) for k in range(PROBES)):
            return form
    return None


def _gives(form: CategoryForm, instance: Instance, rng: np.random.Generator) -> bool:
    """Whether a random tree of such splits is what the route makes of its variables' values."""

    topology, inputs = instance.topology, Inputs.of(instance)
    assert topology is not None
    wanted = np.zeros((topology.size, inputs.width))
    for node in topology.branches:
        of_column = inputs.categories(int(rng.integers(inputs.columns)))
        inside = of_column[rng.random(len(of_column)) < 0.5]
        wanted[node, inside if len(inside) else of_column[:1]] = IN_SET
    names = Evaluator(instance, Solution({}))
    values = {s.name: np.zeros(names.places.domain_frame(s).size) for s in instance.spec.variables}
    values |= split_columns(instance, wanted, np.zeros(topology.size), form)
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


# ---------------------------------------------------------- coefficients and thresholds


def at_all(symbol: Symbol) -> At:
    """The symbol at the indices of its own domain."""
    assert symbol.span is not None
    names = zip(symbol.domain.names, symbol.sorts, strict=True)
    indices = tuple(Bound(name=n, of=s, span=symbol.span) for n, s in names)
    return At(symbol=symbol, arguments=indices, span=symbol.span)


def split_values(
    instance: Instance, tree: Candidate, columns: SplitColumns | None = None
) -> dict[str, np.ndarray]:
    """The variables behind the concepts coef and bias, found from the tree's weights, and those
    of splits by categories. columns: those of the instance, for many trees."""
    return split_columns(instance, tree.weights, tree.threshold, form_of(instance), columns)


def split_columns(
    instance: Instance,
    weights: np.ndarray,
    threshold: np.ndarray,
    form: CategoryForm | None,
    columns: SplitColumns | None = None,
) -> dict[str, np.ndarray]:
    """The same for weights (nodes, inputs) and thresholds (nodes,), by the form of splits by
    categories; these have no coefficients."""
    columns = SplitColumns.of(instance) if columns is None else columns
    inputs, bias = Inputs.of(instance), threshold
    if form is not None:
        bias = np.where(inputs.is_by_set(weights), form.bias, threshold)
    wanted = {"coef": weights[:, : inputs.features], "bias": bias}
    values = columns.by_name(columns.solved(wanted))
    return values if form is None else values | form.values(instance, weights)


@dataclass(frozen=True)
class SplitColumns:
    """Concepts, such as coef and bias, as single columns: concept[at] = rate * column + constant.

    A concept may be a variable, or a `let` that is affine in one variable for each index, as
    MARGOT's bias[t] = -offset[t]; then the variable is solved for. cells: by concept, `at` (an
    index array for each index), column, rate and constant. starts, sizes: of the variables.
    """

    cells: dict[str, tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray, np.ndarray]]
    starts: dict[str, int]
    sizes: dict[str, int]

    @classmethod
    def of(cls, instance: Instance, concepts: tuple[str, ...] = ("coef", "bias")) -> SplitColumns:
        building = ModelBuilder(instance)
        names = Evaluator(instance, ModelColumns(building))
        sizes = {s.name: names.places.domain_frame(s).size for s in instance.spec.variables}
        ends = np.cumsum([0, *sizes.values()]).tolist()
        building.starts.update(zip(sizes, ends, strict=False))
        cells = {}
        for name in concepts:
            concept = instance.spec.concepts.get(name)
            if concept is None:
                continue
            frame = names.places.domain_frame(concept)
            row = names.linear(at_all(concept), frame)
            matrix = row.matrix()
            single = np.flatnonzero(np.diff(matrix.indptr) == 1)
            entry = matrix.indptr[single]
            at = tuple(frame.column(n)[single] for n in concept.domain.names)
            cells[name] = at, matrix.indices[entry], matrix.data[entry], row.constant[single]
        return cls(cells, dict(building.starts), sizes)

    def solved(self, wanted: dict[str, np.ndarray]) -> np.ndarray:
        """All columns, float64, where the concepts have the values wanted; nan for the others."""
        columns = np.full(sum(self.sizes.values()), np.nan)
        for name, (at, column, rate, constant) in self.cells.items():
            columns[column] = (wanted[name][at] - constant) / rate
        return columns

    def by_name(self, columns: np.ndarray) -> dict[str, np.ndarray]:
        """The variables all of whose columns are known."""
        parts = {name: columns[s : s + self.sizes[name]] for name, s in self.starts.items()}
        return {n: part for n, part in parts.items() if len(part) and not np.isnan(part).any()}
