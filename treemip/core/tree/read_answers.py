"""What the leaves of a solution answer, by the spec's `predict` rule.

A value is read like a split: coefficients known from the solution, its point left free.
"""

from __future__ import annotations

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import FreePointEvaluator, Solution
from treemip.core.resolve.sorts import NUMBER, Element
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.tree_rules import CLASS_NAME, LEAF_NAME, POINT_NAME
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.tree.answers import LABEL, Answer, ClassAnswer, DistributionAnswer, ValueAnswer

VALUE_DIGITS = 12
"""Significant digits of the values of leaves: beyond them a solver's numbers are noise."""

SMALLEST, LARGEST = 10.0**-9, 10.0**11
"""Between them, numbers of that many digits are scaled by powers of 10 that are exact doubles."""

POWERS = np.array([float(10**k) for k in range(22)])


def answer_of(instance: Instance, values: dict[str, np.ndarray]) -> Answer:
    """What the leaves of a solution answer, by the `predict` rule.

    A leaf that no point reaches answers what the solution says, as the others do. Raises E607 where
    an answer is not a number.
    """
    predict = instance.spec.predict
    assert predict is not None
    answer: Answer
    if predict.over is None:
        answer = leaf_values(instance, values)
    elif predict.kind == "distribution" or _is_randomized(instance.spec):
        answer = _distribution(instance, values, predict.over)
    else:
        answer = _classes(instance, values, predict.over)
    if not all(np.isfinite(table).all() for table in answer.tables().values()):
        raise TreemipError(Diagnostic("E607", "what a leaf answers is not a number", predict.span))
    return answer


def _is_randomized(spec: Spec) -> bool:
    return spec.route is not None and spec.route.probability is not None


def _classes(instance: Instance, values: dict[str, np.ndarray], over: Element) -> ClassAnswer:
    """The class of each leaf; one that is given by a number is rounded to it."""
    predict, topology = instance.spec.predict, instance.nodes
    assert predict is not None
    names = instance.names(over)
    evaluator = Evaluator(instance, Solution(values))
    labels = evaluator.known(
        predict.value, Frame(len(topology.leaves), {LEAF_NAME: topology.leaves})
    )
    if predict.value.sort == NUMBER:
        labels = np.clip(np.round(labels) - 1, 0, len(names) - 1)
    classes = np.full(topology.size, -1)
    classes[topology.leaves] = labels.astype(np.int64)
    return ClassAnswer(classes, names, over.name or LABEL)


def leaf_values(instance: Instance, values: dict[str, np.ndarray]) -> ValueAnswer:
    """The value of each leaf with its point left free: a constant, and a coefficient an input.

    To VALUE_DIGITS digits, so that 3 is not read out as 2.9999999999995737.
    """
    predict, topology = instance.spec.predict, instance.nodes
    assert predict is not None and instance.data is not None
    encoder, leaves = instance.data.encoder, topology.leaves
    evaluator = FreePointEvaluator(instance, values)
    columns = {LEAF_NAME: leaves, POINT_NAME: np.zeros(len(leaves), np.int64)}
    row = evaluator.linear(predict.value, Frame(len(leaves), columns))
    base = np.zeros(topology.size)
    slopes = np.zeros((topology.size, len(encoder.input_names)))
    base[leaves] = row.constant
    matrix = row.matrix()
    np.add.at(slopes, (leaves[matrix.row_of], matrix.indices), matrix.data)
    return ValueAnswer(_rounded(base), _rounded(slopes), len(encoder.names))


def _rounded(numbers: np.ndarray) -> np.ndarray:
    """Numbers to VALUE_DIGITS significant digits; what is not finite stays so."""
    size = np.abs(numbers)
    plain = (size > SMALLEST) & (size < LARGEST)
    exponent = np.floor(np.log10(np.where(plain, size, 1.0))).astype(np.int64)
    scale = POWERS[VALUE_DIGITS - 1 - exponent]
    return np.where(plain, np.round(np.where(plain, numbers, 0.0) * scale) / scale, numbers)


def _distribution(
    instance: Instance, values: dict[str, np.ndarray], over: Element
) -> DistributionAnswer:
    """The probabilities of the leaves; a class that they predict for certain has the 1."""
    predict, topology = instance.spec.predict, instance.nodes
    assert predict is not None
    names, leaves = instance.names(over), topology.leaves
    shares = np.zeros((topology.size, len(names)))
    columns = {LEAF_NAME: np.repeat(leaves, len(names))}
    columns[CLASS_NAME] = np.tile(np.arange(len(names)), len(leaves))
    evaluator = Evaluator(instance, Solution(values))
    chances = evaluator.known(predict.value, Frame(len(leaves) * len(names), columns))
    if predict.kind == "class":
        chances = (chances == columns[CLASS_NAME]).astype(float)
    chances = np.clip(np.asarray(chances, float), 0.0, 1.0)
    shares[leaves] = chances.reshape(len(leaves), len(names))
    return DistributionAnswer.over(shares, topology.is_leaf, names, over.name or LABEL)
