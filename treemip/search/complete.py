"""A tree found by search as a solution of the spec's model: a value for every variable.

Coefficients and right-hand sides are those of the tree's hyperplanes, in the scale and place that
break the fewest rows; every other variable has its meaning on the tree. All rows are checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.lower.build import Building
from treemip.lower.evaluate import Evaluator
from treemip.lower.known import Meaning, Solution
from treemip.lower.relations import some_rows
from treemip.lower.symbolic import Symbolic
from treemip.model.model import Model
from treemip.reform.reform import evaluate
from treemip.resolve.symbols import Symbol
from treemip.resolve.typed import At, Bound
from treemip.search.candidate import Candidate
from treemip.search.canonical import canonical
from treemip.tree.readout import readout
from treemip.tree.rows import Violation, model_violations


@dataclass(frozen=True)
class Completion:
    """Values of the spec's variables by name, nan where nothing says; the rows they violate."""

    values: dict[str, np.ndarray]
    violations: tuple[Violation, ...]
    unknown: tuple[str, ...]


def complete(instance: Instance, model: Model, tree: Candidate) -> Completion:
    """The completion of a tree that breaks the fewest rows of the stated model.

    Formulations differ in what a branch is that parts no points: one without a split, or, where
    each has to apply one (BinOCT), any split above leaves of one class.
    """
    best: Completion | None = None
    x = instance.table.inputs
    bare = canonical(tree, x, unsplit_left(instance))
    for shaped in (bare, filled(bare, x)):
        tables = tables_of(instance, shaped)
        for placed in placements(shaped, x):
            found = completed(instance, model, placed, *tables)
            if best is None or len(found.violations) < len(best.violations):
                best = found
            if not found.violations:
                return found
    assert best is not None
    return best


def filled(tree: Candidate, x: np.ndarray) -> Candidate:
    """The tree with a split at every branch: those without one ask for the first feature's middle,
    which makes no difference where all leaves below have one class."""
    tree = tree.copy()
    varied = np.flatnonzero(x.min(axis=0) < x.max(axis=0))
    bare = tree.topology.branches[~tree.weights[tree.topology.branches].any(axis=1)]
    if len(varied) and len(bare):
        values = np.unique(x[:, varied[0]])
        middle = len(values) // 2
        tree.weights[bare, varied[0]] = 1.0
        tree.threshold[bare] = (values[middle - 1] + values[middle]) / 2
    return tree


def unsplit_left(instance: Instance) -> bool:
    """Where the formulation's route sends the points of a branch whose variables are all 0."""
    names = Evaluator(instance, Solution({}))
    zero = {s.name: np.zeros(names.places.domain_frame(s).size) for s in instance.spec.variables}
    tree = readout(instance, zero)
    return bool(tree.goes_left(0, np.zeros((1, tree.weights.shape[1])))[0])


def placements(tree: Candidate, x: np.ndarray) -> Iterator[Candidate]:
    """The tree with each hyperplane at the right end, the left end and in the middle of its gap.

    Formulations differ in which side may touch the hyperplane, and how far the other one stays.
    """
    edges = _edges(tree, x)
    for share in (0.0, 1.0, 0.5):
        placed = tree.copy()
        for node, (low, high) in edges.items():
            placed.threshold[node] = low + share * (high - low)
        yield placed


def _edges(tree: Candidate, x: np.ndarray) -> dict[int, tuple[float, float]]:
    """For each branch, the greatest value of a point that goes left and the least of the others."""
    edges, rows = {}, {0: np.arange(len(x))}
    for node in tree.topology.branches:
        here = rows[int(node)]
        left = tree.goes_left(int(node), x[here])
        rows[int(tree.topology.left[node])] = here[left]
        rows[int(tree.topology.right[node])] = here[~left]
        if tree.weights[node].any() and left.any() and not left.all():
            value = x[here] @ tree.weights[node]
            edges[int(node)] = float(value[left].max()), float(value[~left].min())
    return edges


def completed(
    instance: Instance,
    model: Model,
    tree: Candidate,
    path: np.ndarray,
    label_table: np.ndarray,
) -> Completion:
    values = split_values(instance, tree)
    meaning = Meaning({"routed": path.ravel(), "given_label": label_table.ravel()}, values)
    evaluator = Evaluator(instance, meaning)
    completed = dict(values)
    for symbol in instance.spec.variables:
        if symbol.name not in completed:
            frame = evaluator.places.domain_frame(symbol)
            completed[symbol.name] = np.asarray(evaluator.known(at_all(symbol), frame), float)
    unknown = tuple(n for n, v in completed.items() if np.isnan(v).any())
    _add_results(model, completed)
    rows, known = (model, completed) if not unknown else _of_known(model, completed)
    return Completion(completed, tuple(model_violations(rows, known)), unknown)


def _add_results(model: Model, values: dict[str, np.ndarray]) -> None:
    """Adds the results of abs, max, min and norms, which are columns of the model."""
    x = np.zeros(model.column_count)
    for block in model.variables:
        if block.name in values:
            x[block.start : block.stop] = values[block.name]
    with np.errstate(invalid="ignore"):
        for function in model.functions:
            at = slice(function.result, function.result + function.length)
            x[at] = values[function.name] = evaluate(function, x)


def _of_known(model: Model, values: dict[str, np.ndarray]) -> tuple[Model, dict[str, np.ndarray]]:
    """The model without rows and bounds of columns that have no value, and 0 in their place."""
    missing = np.isnan(np.concatenate([values[block.name] for block in model.variables]))
    rows = []
    for block in model.rows:
        open_rows = np.zeros(block.length, bool)
        open_rows[block.matrix.row_of[missing[block.matrix.indices]]] = True
        q = block.quadratic
        if q.count:
            open_rows[q.row[missing[q.first] | missing[q.second]]] = True
        rows.append(some_rows(block, np.flatnonzero(~open_rows)))
    variables = []
    for family in model.variables:
        here = missing[family.start : family.stop]
        lower = np.where(here, -np.inf, family.lower)
        variables.append(replace(family, lower=lower, upper=np.where(here, np.inf, family.upper)))
    known = {name: np.where(np.isnan(v), 0.0, v) for name, v in values.items()}
    return replace(model, variables=tuple(variables), rows=tuple(rows), implications=()), known


def at_all(symbol: Symbol) -> At:
    """The symbol at the indices of its own domain."""
    assert symbol.span is not None
    names = zip(symbol.domain.names, symbol.sorts, strict=True)
    indices = tuple(Bound(name=n, of=s, span=symbol.span) for n, s in names)
    return At(symbol=symbol, arguments=indices, span=symbol.span)


def tables_of(instance: Instance, tree: Candidate) -> tuple[np.ndarray, np.ndarray]:
    """Which nodes each point passes (N, nodes), and each leaf's class as 0 and 1 (nodes, K)."""
    topology, table = tree.topology, instance.table
    path = np.zeros((len(table.y), topology.size))
    at, rows = tree.ends(table.inputs), np.arange(len(table.y))
    while len(rows):
        path[rows, at] = 1.0
        at = topology.parent[at]
        rows, at = rows[at >= 0], at[at >= 0]
    labels = np.zeros((topology.size, len(table.classes)))
    labels[topology.leaves, tree.labels] = 1.0
    return path, labels


def split_values(instance: Instance, tree: Candidate) -> dict[str, np.ndarray]:
    """The variables behind the concepts coef and bias, found from the tree's weights.

    A concept may be a variable, or a `let` that is affine in one variable for each index, as
    MARGOT's bias[t] = -offset[t]; then the variable is solved for.
    """
    building = Building(instance)
    names = Evaluator(instance, Symbolic(building))
    size = 0
    for symbol in instance.spec.variables:
        building.starts[symbol.name] = size
        size += names.places.domain_frame(symbol).size
    columns = np.full(size, np.nan)
    for name, wanted in (("coef", tree.weights), ("bias", tree.threshold)):
        concept = instance.spec.concepts.get(name)
        if concept is None:
            continue
        frame = names.places.domain_frame(concept)
        indices = [frame.column(n) for n in concept.domain.names]
        row = names.linear(at_all(concept), frame)
        matrix = row.matrix()
        single = np.flatnonzero(np.diff(matrix.indptr) == 1)
        entry = matrix.indptr[single]
        target = wanted[tuple(indices)][single] - row.constant[single]
        columns[matrix.indices[entry]] = target / matrix.data[entry]
    found = {}
    for symbol in instance.spec.variables:
        start = building.starts[symbol.name]
        part = columns[start : start + names.places.domain_frame(symbol).size]
        if len(part) and not np.isnan(part).any():
            found[symbol.name] = part
    return found
