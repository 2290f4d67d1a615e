"""Values of the model -> Tree, by the formulation's own `route` and `predict` rules.

The route rule is evaluated with the roles swapped: coefficients known from the solution, x left
free. What comes out is an affine row over the features for each branch, so no formulation needs a
decoder of its own. Where the route is a probability, the evaluation is recorded on a tape: a
logistic function of an affine row for each branch, read out as a RandomizedTree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.tape_builder import TapeBuilder
from treemip.core.lower.value_sources import FreePointEvaluator, Solution
from treemip.core.model.model import Model
from treemip.core.model.tape import Affine, Elementwise, Tape
from treemip.core.model.tolerances import DUST, NO_COEFFICIENT, VERIFIED
from treemip.core.resolve.sorts import NUMBER
from treemip.core.resolve.tree_rules import BRANCH_NAME, POINT_NAME
from treemip.core.resolve.typed import At, Bound, Symbol
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.read_answers import answer_of
from treemip.core.tree.residuals import guard_holds
from treemip.core.tree.tree import Tree


def by_name(model: Model, values: np.ndarray) -> dict[str, np.ndarray]:
    """Values float64 (columns,) cut into families; integers rounded, the solver's dust removed."""
    clean = np.where(model.integer, np.round(values), values)
    clean[np.abs(clean) < DUST] = 0.0
    if model.is_kept:  # else no solver has touched it
        _imply(model, clean)
    return model.by_name(clean)


def _imply(model: Model, values: np.ndarray) -> None:
    """Variables that an implication sets to a number have it exactly.

    A solver's binary may be off by 1e-9, and a coefficient that it switches off by M times that:
    to a tree, this is a feature used. Greater differences are left for the verification to find.
    """
    for block in model.implications:
        body = block.body
        if not body.is_affine:
            continue
        single = (np.diff(body.matrix.indptr) == 1) & (body.lower == body.upper)
        rows = np.flatnonzero(single & guard_holds(block, values))
        entry = body.matrix.indptr[rows]
        column, wanted = body.matrix.indices[entry], body.lower[rows] / body.matrix.data[entry]
        near = np.abs(values[column] - wanted) <= VERIFIED
        values[column[near]] = wanted[near]


def readout(instance: Instance, values: dict[str, np.ndarray]) -> Tree:
    """The tree that a solution describes. Raises E208 when the spec has no rules to read one by."""
    spec, topology = instance.spec, instance.topology
    if spec.route is None or topology is None:
        raise TreemipError(
            Diagnostic.outside(
                "E208",
                "this spec has no `route` and `predict` rules, so there is no tree to read out",
                "add: route left when dot(coef[t,*], x[i,*]) <= bias[t];",
            )
        )
    if spec.route.probability is not None:
        return read_randomized(instance, values)
    weights, threshold, strict = splits(instance, values)
    if not np.isfinite(threshold).all():
        span = spec.route.span
        raise TreemipError(Diagnostic("E607", "a split's threshold is not a number", span))
    assert instance.data is not None
    return Tree(
        topology,
        weights,
        threshold,
        strict,
        answer_of(instance, values),
        instance.data.encoder.input_names,
        instance.data.encoder,
        spec.name,
    )


def splits(
    instance: Instance, values: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Weights (nodes, inputs) and thresholds (nodes,) of a solution, and whether left is <.

    A threshold is NaN where a split is by a feature that has none.
    """
    route, topology = instance.spec.route, instance.nodes
    assert route is not None
    assert route.left is not None and route.right is not None
    assert instance.data is not None
    features = len(instance.data.encoder.input_names)
    branches = topology.branches
    evaluator = FreePointEvaluator(instance, values)
    frame = Frame(len(branches), {"t": branches, "i": np.zeros(len(branches), np.int64)})
    left, right = evaluator.linear(route.left, frame), evaluator.linear(route.right, frame)
    sign = 1.0 if route.op in ("<", "<=") else -1.0
    row = left.plus(right.times(-1.0))
    weights = np.zeros((topology.size, features))
    matrix = row.matrix()
    np.add.at(weights, (branches[matrix.row_of], matrix.indices), sign * matrix.data)
    threshold = np.zeros(topology.size)
    threshold[branches] = -sign * row.constant
    return weights, threshold, route.op in ("<", ">")


def routed_by_solution(instance: Instance, values: dict[str, np.ndarray]) -> np.ndarray | None:
    """The node the solution itself ends each training point in, int64 (N,); None without reach.

    A leaf, or where a formulation says nothing of leaves, the lowest node it knows of. None as
    well where splits are randomized: a point passes all nodes then.
    """
    symbol, route = instance.spec.concepts.get("reach"), instance.spec.route
    if symbol is None or instance.topology is None or (route and route.probability):
        return None
    nodes = ends(Evaluator(instance, Solution(values)), symbol)
    points = np.arange(len(instance.table.y))
    return nodes[_table(instance, values, symbol, points, nodes).argmax(axis=1)]


def ends(evaluator: Evaluator, reach: Symbol) -> np.ndarray:
    """The lowest nodes that `reach` is known for, the deepest first.

    These are the leaves; where `reach` is declared for branches only, the branches above them.
    """
    topology = evaluator.instance.nodes
    nodes = topology.leaves
    while reach.extension is None and len(nodes):
        first = np.zeros(len(nodes), np.int64)
        outside = evaluator.places.locate(reach, [first, nodes], Frame(len(nodes), {})) < 0
        if not outside.any():
            break
        nodes = np.unique(np.where(outside, topology.parent[nodes], nodes))
        nodes = nodes[nodes >= 0]
    return nodes[np.argsort(-topology.depth[nodes], kind="stable")]


def relabel(instance: Instance, tree: Tree) -> Tree:
    """Leaves labelled by number that hold no point of their class get their majority class.

    Theorem 1 of SVM1-ODT: where no point is classified correctly, the continuous leaf class may
    be anything; another label never makes more errors. Where rows came in since the spec asks for
    errors (`drop … unless`), or labels because it speaks of them, classes are whole and meant as
    they are.
    """
    predict = instance.spec.predict
    if predict is None or predict.value.sort != NUMBER or isinstance(tree, RandomizedTree):
        return tree
    if not isinstance(tree.answer, ClassAnswer):
        return tree
    spec = instance.spec
    if spec.called_back or any(s.name == "label" for s in spec.variables):
        return tree
    table = instance.table
    leaf = tree.route(table.inputs)
    classes = tree.leaf_class.copy()
    for node in tree.topology.leaves:
        counts = np.bincount(table.y[leaf == node], minlength=len(table.classes))
        if counts.any() and counts[classes[node]] == 0:
            classes[node] = counts.argmax()
    return replace(tree, answer=replace(tree.answer, leaf=classes))


# ----------------------------------------------------------- randomized trees


def read_randomized(instance: Instance, values: dict[str, np.ndarray]) -> RandomizedTree:
    """The tree of a spec with a probability in its route.

    Raises E607 where a weight, threshold or probability is not a number.
    """
    topology, route = instance.nodes, instance.spec.route
    assert route is not None and instance.data is not None
    weights, threshold = chance_splits(instance, values)
    weights[_unused(instance, values, weights)] = 0.0
    answer = answer_of(instance, values)
    if not all(np.isfinite(a).all() for a in (weights, threshold)):
        raise TreemipError(Diagnostic("E607", "a weight or threshold is not a number", route.span))
    return RandomizedTree(
        topology=topology,
        weights=weights,
        threshold=threshold,
        strict=False,
        answer=answer,
        features=instance.data.encoder.input_names,
        encoder=instance.data.encoder,
        name=instance.spec.name,
    )


def chance_splits(
    instance: Instance, values: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Weights (nodes, p) and thresholds (nodes,): probability logistic(weights x - threshold)."""
    topology, route = instance.nodes, instance.spec.route
    assert route is not None and route.probability is not None
    assert instance.data is not None
    features = len(instance.data.encoder.input_names)
    far = np.full(features, np.inf)
    tape = TapeBuilder(lambda: (-far, far))
    evaluator = FreePointEvaluator(instance, values, tape)
    branches = topology.branches
    point = np.zeros(len(branches), np.int64)
    frame = Frame(len(branches), {BRANCH_NAME: branches, POINT_NAME: point})
    chances = evaluator.linear(route.probability, frame)
    rows, constants = _arguments(tape.tape(), tape.slots(chances), features)
    weights, threshold = np.zeros((topology.size, features)), np.zeros(topology.size)
    weights[branches], threshold[branches] = rows, -constants
    return weights, threshold


def _arguments(tape: Tape, slots: np.ndarray, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Of slots that are logistic functions of affine rows: the rows, and their constants.

    That they are is what `tree_rules.py` requires of a route.
    """
    rows, constants = np.zeros((tape.length, features)), np.zeros(tape.length)
    argument = np.full(tape.length, -1)
    for step, start in zip(tape.steps, tape.starts[:-1], strict=True):
        at = slice(start, start + step.length)
        if isinstance(step, Affine):
            rows[start + step.columns.row_of, step.columns.indices] = step.columns.data
            constants[at] = step.constants
        else:
            assert isinstance(step, Elementwise)
            argument[at] = step.arguments
    inner = argument[slots]
    return rows[inner], constants[inner]


def _unused(instance: Instance, values: dict[str, np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Where the formulation's own coefficient counts as 0, bool like `weights`."""
    symbol, topology = instance.spec.concepts.get("coef"), instance.topology
    unused = np.zeros(weights.shape, bool)
    if symbol is None or topology is None:
        return unused
    features, branches = np.arange(len(instance.table.features)), topology.branches
    coef = _table(instance, values, symbol, branches, features)
    unused[branches, : len(features)] = np.abs(coef) <= NO_COEFFICIENT
    return unused


def _table(
    instance: Instance,
    values: dict[str, np.ndarray],
    symbol: Symbol,
    first: np.ndarray,
    second: np.ndarray,
) -> np.ndarray:
    """A symbol of two indices in a solution, at all pairs of these, float64 (first, second)."""
    assert symbol.span is not None
    names = ("a", "b")
    bound = tuple(
        Bound(name=name, of=sort, span=symbol.span)
        for name, sort in zip(names, symbol.sorts, strict=True)
    )
    pairs = np.repeat(first, len(second)), np.tile(second, len(first))
    frame = Frame(len(pairs[0]), dict(zip(names, pairs, strict=True)))
    at = At(symbol=symbol, arguments=bound, span=symbol.span)
    table = Evaluator(instance, Solution(values)).known(at, frame)
    return np.asarray(table, float).reshape(len(first), len(second))


def chances_of_solution(instance: Instance, values: dict[str, np.ndarray]) -> np.ndarray | None:
    """With what probability the solution puts each point in each leaf, float64 (N, leaves).

    None without the concept `reach`.
    """
    symbol, topology = instance.spec.concepts.get("reach"), instance.topology
    if symbol is None or topology is None:
        return None
    return _table(instance, values, symbol, np.arange(len(instance.table.y)), topology.leaves)
