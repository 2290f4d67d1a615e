"""Values of the model -> RandomizedTree, by `route left with probability` and `predict`.

As for other trees, the rule is evaluated with the point left free. What comes out is recorded on
a tape: a logistic function of an affine row over the features for each branch.
"""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.tape_builder import TapeBuilder
from treemip.lower.value_sources import FreePointEvaluator, Solution
from treemip.model.tape import Affine, Elementwise, Tape
from treemip.model.tolerances import NO_COEFFICIENT
from treemip.resolve.tree_rules import BRANCH_NAME, CLASS_NAME, LEAF_NAME, POINT_NAME
from treemip.resolve.typed import At, Bound
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.tree.randomized import RandomizedTree, most_probable


def read_randomized(instance: Instance, values: dict[str, np.ndarray]) -> RandomizedTree:
    """The tree of a spec with a probability in its route. Raises E607 for what is no number."""
    topology, route = instance.topology, instance.spec.route
    assert topology is not None and route is not None and instance.data is not None
    weights, threshold = chance_splits(instance, values)
    weights[_unused(instance, values, weights)] = 0.0
    distribution = _distribution(instance, values)
    if not all(np.isfinite(a).all() for a in (weights, threshold, distribution)):
        raise TreemipError(
            Diagnostic("E607", "a weight, threshold or probability is not a number", route.span)
        )
    return RandomizedTree(
        topology=topology,
        weights=weights,
        threshold=threshold,
        strict=False,
        leaf_class=most_probable(distribution, topology.is_leaf),
        classes=instance.table.classes,
        features=instance.data.encoder.input_names,
        encoder=instance.data.encoder,
        name=instance.spec.name,
        distribution=distribution,
    )


def chance_splits(
    instance: Instance, values: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Weights (nodes, p) and thresholds (nodes,): probability logistic(weights x - threshold)."""
    topology, route = instance.topology, instance.spec.route
    assert topology is not None and route is not None and route.probability is not None
    assert instance.data is not None
    features = len(instance.data.encoder.input_names)
    far = np.full(features, np.inf)
    tape = TapeBuilder(lambda: (-far, far))
    evaluator = FreePointEvaluator(instance, values, tape)
    branches = topology.branches
    point = np.zeros(len(branches), np.int64)
    frame = Frame(len(branches), {BRANCH_NAME: branches, POINT_NAME: point})
    found = evaluator.linear(route.probability, frame)
    rows, constants = _arguments(tape.tape(), tape.slots(found), features)
    weights, threshold = np.zeros((topology.size, features)), np.zeros(topology.size)
    weights[branches], threshold[branches] = rows, -constants
    return weights, threshold


def _arguments(tape: Tape, slots: np.ndarray, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Of slots that are logistic functions of affine rows: the rows, and their constants.

    That they are is what `resolve.rules` requires of a route.
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
    features, branches = len(instance.table.features), topology.branches
    coef = _table(instance, values, "coef", branches, features)
    unused[branches, :features] = np.abs(coef) <= NO_COEFFICIENT
    return unused


def _table(
    instance: Instance, values: dict[str, np.ndarray], name: str, rows: np.ndarray, columns: int
) -> np.ndarray:
    """A concept of two indices in a solution, float64 (rows, columns)."""
    symbol = instance.spec.concepts[name]
    assert symbol.span is not None
    first, second = (
        Bound(name=n, of=s, span=symbol.span) for n, s in zip("ab", symbol.sorts, strict=True)
    )
    frame = Frame(
        len(rows) * columns,
        {"a": np.repeat(rows, columns), "b": np.tile(np.arange(columns), len(rows))},
    )
    at = At(symbol=symbol, arguments=(first, second), span=symbol.span)
    found = Evaluator(instance, Solution(values)).known(at, frame)
    return np.asarray(found, float).reshape(len(rows), columns)


def _distribution(instance: Instance, values: dict[str, np.ndarray]) -> np.ndarray:
    """Class probabilities of the leaves, float64 (nodes, K)."""
    predict, topology = instance.spec.predict, instance.topology
    assert predict is not None and topology is not None
    leaves, classes = topology.leaves, len(instance.table.classes)
    found = np.zeros((topology.size, classes))
    columns = {LEAF_NAME: np.repeat(leaves, classes)}
    columns[CLASS_NAME] = np.tile(np.arange(classes), len(leaves))
    evaluator = Evaluator(instance, Solution(values))
    chances = evaluator.known(predict.value, Frame(len(leaves) * classes, columns))
    if predict.kind == "class":
        chances = (chances == columns[CLASS_NAME]).astype(float)
    found[leaves] = np.clip(np.asarray(chances, float), 0.0, 1.0).reshape(len(leaves), classes)
    return found


def chances_of_solution(instance: Instance, values: dict[str, np.ndarray]) -> np.ndarray | None:
    """With what probability the solution puts each point in each leaf, float64 (N, leaves).

    None without the concept `reach`.
    """
    if "reach" not in instance.spec.concepts or instance.topology is None:
        return None
    leaves, points = instance.topology.leaves, len(instance.table.y)
    symbol = instance.spec.concepts["reach"]
    assert symbol.span is not None
    i, t = (Bound(name=n, of=s, span=symbol.span) for n, s in zip("it", symbol.sorts, strict=True))
    columns = {"i": np.repeat(np.arange(points), len(leaves)), "t": np.tile(leaves, points)}
    at = At(symbol=symbol, arguments=(i, t), span=symbol.span)
    found = Evaluator(instance, Solution(values)).known(at, Frame(len(columns["i"]), columns))
    return np.asarray(found, float).reshape(points, len(leaves))
