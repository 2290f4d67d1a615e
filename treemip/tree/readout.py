"""Values of the model -> Tree, by the formulation's own `route` and `predict` rules.

The route rule is evaluated with the roles swapped: coefficients known from the solution, x left
free. What comes out is an affine row over the features for each branch, so no formulation needs a
decoder of its own.
"""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.value_sources import FreePointEvaluator, Solution
from treemip.model.model import Model
from treemip.model.tolerances import DUST, VERIFIED
from treemip.resolve.sorts import NUMBER
from treemip.resolve.spec import Spec
from treemip.resolve.tree_rules import DEFAULT_RULE
from treemip.resolve.typed import At, Bound, Symbol
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span
from treemip.tree.randomized import RandomizedTree
from treemip.tree.randomized_readout import read_randomized
from treemip.tree.rows import guard_holds
from treemip.tree.tree import Tree


def by_name(model: Model, values: np.ndarray) -> dict[str, np.ndarray]:
    """Values float64 (columns,) cut into families; integers rounded, the solver's dust removed."""
    clean = np.where(model.integer, np.round(values), values)
    clean[np.abs(clean) < DUST] = 0.0
    _imply(model, clean)
    return {block.name: clean[block.start : block.stop] for block in model.variables}


def _imply(model: Model, values: np.ndarray) -> None:
    """Variables that an implication sets to a number have it exactly.

    A solver's binary may be off by 1e-9, and a coefficient that it switches off by M times that:
    to a tree, this is a feature used. Greater differences are left for the verification to find.
    """
    for block in model.implications:
        body = block.body
        single = (np.diff(body.matrix.indptr) == 1) & (body.lower == body.upper)
        rows = np.flatnonzero(single & guard_holds(block, values))
        entry = body.matrix.indptr[rows]
        column, wanted = body.matrix.indices[entry], body.lower[rows] / body.matrix.data[entry]
        near = np.abs(values[column] - wanted) <= VERIFIED
        values[column[near]] = wanted[near]


def require_readable(spec: Spec) -> None:
    """Raise E208 or E601 for rules that no tree can be read out by; asked before solving.

    A spec with neither rule has no tree, and needs none.
    """
    route, predict = spec.route, spec.predict
    if route is None:
        if predict is not None and predict.span.source.name != DEFAULT_RULE:
            raise _lacking(
                "route", predict.span, "route left when dot(coef[t,*], x[i,*]) <= bias[t];"
            )
        return
    if predict is None:
        raise _lacking("predict", route.span, "predict class argmax {k in classes} label[l,k];")
    if spec.topology is None:
        raise _lacking("topology", route.span, "topology complete(depth = 2);")
    if route.probability is None and predict.kind != "class":
        raise TreemipError(
            Diagnostic(
                "E601",
                "a tree whose splits are not randomized predicts a class in each leaf, "
                "not a distribution",
                predict.span,
                "such as predict class argmax {k in classes} label[l,k];",
            )
        )


def _lacking(statement: str, span: Span, example: str) -> TreemipError:
    message = f"no tree can be read out of a solution: this spec has no `{statement}`"
    return TreemipError(Diagnostic("E208", message, span, f"add: {example}"))


def readout(instance: Instance, values: dict[str, np.ndarray]) -> Tree:
    """The tree a solution stands for. Raises E208 when the spec has no rules to read one by."""
    spec, topology = instance.spec, instance.topology
    require_readable(spec)
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
        _classes(instance, values),
        instance.table.classes,
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
    route, topology = instance.spec.route, instance.topology
    assert route is not None and topology is not None
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


def _classes(instance: Instance, values: dict[str, np.ndarray]) -> np.ndarray:
    predict, topology = instance.spec.predict, instance.topology
    assert predict is not None and topology is not None
    evaluator = Evaluator(instance, Solution(values))
    found = evaluator.known(predict.value, Frame(len(topology.leaves), {"l": topology.leaves}))
    if predict.value.sort == NUMBER:
        found = np.clip(np.round(found) - 1, 0, len(instance.table.classes) - 1)
    classes = np.full(topology.size, -1)
    classes[topology.leaves] = found.astype(np.int64)
    return classes


def routed_by_solution(instance: Instance, values: dict[str, np.ndarray]) -> np.ndarray | None:
    """The node the solution itself ends each training point in, int64 (N,); None without reach.

    A leaf, or where a formulation says nothing of leaves, the lowest node it knows of. None as
    well where splits are randomized: a point passes all nodes then.
    """
    symbol, route = instance.spec.concepts.get("reach"), instance.spec.route
    if symbol is None or instance.topology is None or (route and route.probability):
        return None
    evaluator = Evaluator(instance, Solution(values))
    nodes, points = ends(evaluator, symbol), len(instance.table.y)
    columns = {"i": np.repeat(np.arange(points), len(nodes)), "t": np.tile(nodes, points)}
    frame = Frame(points * len(nodes), columns)
    assert symbol.span is not None
    i = Bound(name="i", of=symbol.sorts[0], span=symbol.span)
    t = Bound(name="t", of=symbol.sorts[1], span=symbol.span)
    reach = evaluator.known(At(symbol=symbol, arguments=(i, t), span=symbol.span), frame)
    return nodes[reach.reshape(points, len(nodes)).argmax(axis=1)]


def ends(evaluator: Evaluator, reach: Symbol) -> np.ndarray:
    """The lowest nodes that `reach` is known for, the deepest first.

    These are the leaves; where `reach` is declared for branches only, the branches above them.
    """
    topology = evaluator.instance.topology
    assert topology is not None
    found = topology.leaves
    while reach.extension is None and len(found):
        first = np.zeros(len(found), np.int64)
        outside = evaluator.places.locate(reach, [first, found], Frame(len(found), {})) < 0
        if not outside.any():
            break
        found = np.unique(np.where(outside, topology.parent[found], found))
        found = found[found >= 0]
    return found[np.argsort(-topology.depth[found], kind="stable")]


def relabel(instance: Instance, tree: Tree) -> Tree:
    """Leaves labelled by number that hold no point of their class get their majority class.

    Theorem 1 of SVM1-ODT: where no point is classified correctly, the continuous leaf class may
    be anything; another label never makes more errors. Where rows came in since the spec asks for
    errors (`drop … unless`), or labels because it speaks of them, classes are whole and meant as
    they are.
    """
    from dataclasses import replace

    predict = instance.spec.predict
    if predict is None or predict.value.sort != NUMBER or isinstance(tree, RandomizedTree):
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
    return replace(tree, leaf_class=classes)
