"""Weights that a solver's tolerance left and the solution can do without, set to 0.

A quadratic objective is flat at 0: a solution that is optimal to within g may keep weights as large
as sqrt(2 g). No fixed threshold tells them from weights that matter, and whoever counts features
counts them. So a weight is judged by its effect, and dropped where all of this holds: what the
dropped weights of a split add differs among the points by at most FAINT_SHARE of the farthest
point's distance from the split; no training point changes its path; no side's nearest point comes
nearer by more than FAINT_LOSS of that distance; the objective gets worse by at most FAINT_LOSS of
itself; and the solution without the weights passes the whole verification.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.model.tolerances import FAINT_LOSS, FAINT_SHARE
from treemip.core.tree.from_values import values_of
from treemip.core.tree.known_ways import known
from treemip.core.tree.meaning import meaning_of
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.readout import readout
from treemip.core.tree.routing import weighted_sum
from treemip.core.tree.tree import Tree
from treemip.core.tree.tree_map import NONE, TreeMap
from treemip.core.tree.verify import VerifyReport, better_by

Values = dict[str, np.ndarray]
Judge = Callable[[Values], tuple[Tree, VerifyReport]]


def prune_weights(
    instance: Instance,
    model: Model,
    values: Values,
    judge: Judge,
    late: Callable[[], bool] = lambda: False,
) -> tuple[Values, Tree, VerifyReport]:
    """The solution without its negligible weights, its tree and the tree's report.

    values: the solution's, by family. judge: from such values to their tree and its verification.
    A branch keeps all its weights where not all negligible ones can go, and where `late` says that
    there is no time left to verify a tree without them. A solution that is not
    verified, or whose splits are randomized or no columns of their own, is unchanged.
    """
    tree, report = judge(values)
    if report.problems or isinstance(tree, RandomizedTree):
        return values, tree, report
    x = instance.table.inputs
    negligible = {int(t): negligible_weights(tree, int(t), x) for t in tree.topology.branches}
    negligible = {node: features for node, features in negligible.items() if len(features)}
    if not negligible or not are_columns(instance, model):
        return values, tree, report
    for node, features in negligible.items():
        if not _parts(tree, node, features, x):
            continue
        for moved in _moves(tree, node, features, x):
            if late():
                return values, tree, report
            tried = _dropped(instance, model, values, (node, features, moved))
            if tried is None:
                continue
            other, own = judge(tried)
            if not own.problems and as_good(instance, (tree, report), (other, own), node):
                values, tree, report = tried, other, own
                break
    return values, tree, report


@np.errstate(over="ignore")
def negligible_weights(tree: Tree, node: int, x: np.ndarray) -> np.ndarray:
    """Features, int64, whose weights at a branch together hardly separate points x (N, p).

    Least first, as many as make no more than FAINT_SHARE of the farthest point's distance.
    """
    weights = tree.weights[node]
    used = np.flatnonzero(weights)
    if not len(used) or not len(x):
        return used[:0]
    spread = known(x, ("spread",), lambda: np.ptp(x, axis=0))
    differ = np.abs(weights[used]) * spread[used]
    order = np.argsort(differ, kind="stable")
    farthest = np.abs(weighted_sum(x, weights) - tree.threshold[node]).max()
    return used[order[np.cumsum(differ[order]) <= FAINT_SHARE * farthest]]


def _parts(tree: Tree, node: int, features: np.ndarray, x: np.ndarray) -> bool:
    """Whether some threshold keeps all points on their sides without the weights of `features`."""
    weights, passed = tree.weights[node].copy(), tree.path(x)
    weights[features] = 0.0
    sums = weighted_sum(x, weights)
    left, right = (sums[passed[:, child]] for child in tree.topology.children(node))
    return bool(left.max(initial=-np.inf) < right.min(initial=np.inf))


def _moves(tree: Tree, node: int, features: np.ndarray, x: np.ndarray) -> list[float]:
    """By how much the threshold may move for what the weights added; float64 of few.

    Not at all, or so that the nearest point of a side is no nearer.
    """
    added = weighted_sum(x[:, features], tree.weights[node, features])
    passed = tree.path(x)
    left = added[passed[:, tree.topology.left[node]]]
    right = added[passed[:, tree.topology.right[node]]]
    moves = [0.0, *([-left.min()] if len(left) else []), *([-right.max()] if len(right) else [])]
    return list(dict.fromkeys(float(v) for v in moves))


def are_columns(instance: Instance, model: Model) -> bool:
    """Whether coefficients and thresholds are continuous columns, one each."""
    columns, topology = TreeMap.of(instance), instance.nodes
    bias = columns.bias.column
    both = np.concatenate([columns.coef.column, bias])
    single = columns.coef.is_plain and len(np.unique(bias)) == len(topology.branches)
    return single and not model.integer[both].any()


def _dropped(
    instance: Instance, model: Model, values: Values, drop: tuple[int, np.ndarray, float]
) -> Values | None:
    """The solution without the weights of a node, its threshold moved; None where it has none.

    Real variables that mean something on the tree follow.
    """
    (node, features, moved), columns = drop, TreeMap.of(instance)
    shape = instance.nodes.size, instance.table.inputs.shape[1]
    weights, bias = columns.coef.table(shape)[node, features], columns.bias
    if (weights == NONE).any():
        return None
    at = np.flatnonzero(bias.at[0] == node)
    x = np.concatenate([values[name] for name in columns.starts])
    x[weights] = 0.0
    x[bias.column[at]] += moved / bias.rate[at]
    pruned, own = values | columns.by_name(x), columns.variables(columns.coef, columns.bias)
    evaluator = Evaluator(instance, meaning_of(instance, readout(instance, pruned), pruned))
    real = {b.name for b in model.variables if b.kind == Kind.CONTINUOUS}
    for symbol in instance.spec.variables:
        if symbol.means is not None and symbol.name in real - own:
            pruned[symbol.name] = values_of(symbol, evaluator)
    return pruned


def as_good(
    instance: Instance,
    before: tuple[Tree, VerifyReport],
    after: tuple[Tree, VerifyReport],
    node: int,
) -> bool:
    """Whether no point's path changes, and no margin at a branch or objective is worse."""
    x = instance.table.inputs
    path = before[0].path(x)
    if not np.array_equal(path, after[0].path(x)):
        return False
    away = [
        np.abs(weighted_sum(x, tree.weights[node]) - tree.threshold[node])
        for tree, _ in (before, after)
    ]
    for child in (before[0].topology.left[node], before[0].topology.right[node]):
        near = [distance[path[:, child]].min(initial=np.inf) for distance in away]
        if near[1] < near[0] - FAINT_LOSS * away[0].max(initial=0.0):
            return False
    objective = instance.spec.objective
    sense = "minimize" if objective is None else objective.sense
    pairs = [
        (before[1].objective, after[1].objective),
        (before[1].tree_objective, after[1].tree_objective),
    ]
    return all(
        new is None or old is None or better_by(sense, old, new) <= FAINT_LOSS * max(1.0, abs(old))
        for old, new in pairs
    )
