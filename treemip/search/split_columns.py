"""The variables of splits, found from a tree's weights and thresholds by the spec's concepts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.model_columns import ModelBuilder, ModelColumns
from treemip.resolve.typed import At, Bound, Symbol
from treemip.search.candidate import Candidate
from treemip.search.category_form import CategoryForm, form_of
from treemip.search.inputs import Inputs


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
