"""The SVM tree of S-OCT as a start: which of the trees that SVMs grow, and how much of it.

Boutilier, Michini, Zhou: Optimal multivariate decision trees (2023), section 5. A tree is grown by
each of three criteria (svm_growth.py). The one with the fewest errors is the start, pruned where
the spec allows fewer splits than it has.

The paper's model takes any hyperplane that parts points; formulations with an eps want a gap. How
wide it must be shows in a tree whose gaps are too narrow: it breaks rows by what they fall short.
The trees are then grown again with the same SVMs, each hyperplane in the widest gap between the
points it parts, or moved to the nearest gap along its weights.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from treemip.answers.search.candidate import Candidate, Split, embedded
from treemip.answers.search.complete import complete
from treemip.answers.search.gaps import in_widest_gaps, own_gap
from treemip.answers.search.margin_trees.margin_worth import labels_by_side
from treemip.answers.search.propagate import broken_by_routing
from treemip.answers.starts.concepts import no_start, require_classes
from treemip.answers.starts.from_tree import LEAST, tree_start
from treemip.answers.starts.problem import Asked, NamedStart, Problem, WarmStart, remaining
from treemip.answers.starts.svm_growth import CRITERIA, Grower, Part, errors
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.solving.interrupt import asked_to_stop, begin_search
from treemip.core.strategy.incumbent import unsolved, with_start
from treemip.core.tree.tree_map import TreeMap

SECONDS = 30.0
"""Of growing the trees, at most, without a time limit."""

SHARE = 0.5
"""Of the start's time limit, for growing the trees; the rest is for completing one."""

ROUNDS = 3
"""Times that trees are grown, each with a wider gap."""


def svm_tree(instance: Instance, stated: Model | None, seconds: float | None) -> Candidate:
    """The tree in the spec's topology, with weights of 1-norm 1 and thresholds amid their gaps.

    stated: the model as the spec states it, whose rows say how wide a gap they want and how many
    splits they allow; None where it is not known. seconds: of wall clock for growing; a branch
    whose turn does not come in time has no split. Raises NoStart for splits of other kinds.
    """
    require_hyperplanes(instance)
    until = time.perf_counter() + (SECONDS if seconds is None else SHARE * seconds)
    table, topology = instance.table, instance.nodes
    heavy = np.zeros((len(table.y), len(table.classes)))
    heavy[np.arange(len(table.y)), table.y] = table.weight
    sides = labels_by_side(instance)

    def late() -> bool:
        return time.perf_counter() > until or asked_to_stop()

    grower = Grower(table.x, table.y, table.weight, heavy, topology, sides, late)
    tree, gap = _chosen(instance, stated, grower, 0.0), 0.0
    first = tree
    for _ in range(ROUNDS - 1):
        wider = 0.0 if stated is None or sides is not None else _wanted(instance, stated, tree)
        if wider <= gap or late():
            break
        tree, gap = _chosen(instance, stated, grower, wider), wider
    return tree if gap and stated is not None and _keeps(instance, stated, tree) else first


def _chosen(instance: Instance, stated: Model | None, grower: Grower, gap: float) -> Candidate:
    grown = [grower.grow(criterion, gap) for criterion in CRITERIA]
    if grower.sides is not None:
        return _with_sides(instance, min(grown, key=lambda part: part.errors), grower.sides)
    return _fitting(instance, stated, grown)


def require_hyperplanes(instance: Instance) -> None:
    """Raises NoStart for splits that are no hyperplanes."""
    if instance.topology is None or instance.data is None:
        raise no_start("it needs a tree and data")
    kind = instance.spec.split or "unnamed"
    if kind in ("oblique", "margin"):
        return
    if kind == "univariate":
        why, other = "an SVM's split uses several features, and univariate splits use one", "cart"
    else:
        why, other = f"an SVM's split is a hyperplane, and those of the spec are {kind}", "search"
    remedy = f"it is for oblique and margin splits; for {kind} ones use: start {other};"
    raise no_start(why, remedy)


# ------------------------------------------------------------------------------------ gaps


def _wanted(instance: Instance, stated: Model, tree: Candidate) -> float:
    """The gap that a tree with a narrower one shows to be needed, 0 where it breaks no rows."""
    violations = complete(instance, stated, tree).violations
    short = max((violation.amount for violation in violations), default=0.0)
    if not short > 0:
        return 0.0
    narrowest, rows, x = np.inf, {0: np.arange(len(instance.table.y))}, instance.table.inputs
    for node in tree.topology.branches.tolist():
        here = x[rows[node]]
        left = tree.goes_left(node, here)
        rows[int(tree.topology.left[node])] = rows[node][left]
        rows[int(tree.topology.right[node])] = rows[node][~left]
        if tree.weights[node].any():
            narrowest = min(narrowest, own_gap(here, left, tree.weights[node]))
    return float(narrowest + short) if np.isfinite(narrowest) else 0.0


def _keeps(instance: Instance, stated: Model, tree: Candidate) -> bool:
    return not complete(instance, stated, tree).violations


# --------------------------------------------------------------------------------- pruning


Pruned = tuple[float, Split | int]
"""Training errors, and splits with the classes where they end."""


def prunings(part: Part) -> list[Pruned]:
    """The pruned trees of fewest errors with 0, 1, 2 … splits, up to all of them.

    A branch that is pruned becomes a leaf of its heaviest class (M. Bohanec and I. Bratko,
    Trading accuracy for simplicity in decision trees, 1994).
    """
    best: list[Pruned] = [(float(errors(part.counts)), int(part.counts.argmax()))]
    boundary = part.boundary
    if boundary is None or part.left is None or part.right is None:
        return best
    left, right = prunings(part.left), prunings(part.right)
    for splits in range(len(left) + len(right) - 1):
        first = max(0, splits - len(right) + 1)
        pairs = [(left[k], right[splits - k]) for k in range(first, min(splits + 1, len(left)))]
        (off, one), (more, other) = min(pairs, key=lambda pair: pair[0][0] + pair[1][0])
        best.append((off + more, Split(boundary.weights, boundary.threshold, one, other)))
    return best


def _fitting(instance: Instance, stated: Model | None, grown: list[Part]) -> Candidate:
    """The largest pruned tree whose routing and labels break no rows of the stated model, of the
    three the one with the fewest errors; the whole tree where each of them breaks some."""
    pruned = [prunings(part) for part in grown]
    best: Candidate | None = None
    for splits in range(max(map(len, pruned)) - 1, -1, -1):
        # A tree with fewer splits than that stands for itself.
        of_size = [trees[min(splits, len(trees) - 1)] for trees in pruned]
        tree = _candidate(instance, min(of_size, key=lambda tree: tree[0])[1])
        best = tree if best is None else best
        if stated is None or not broken_by_routing(instance, stated, tree):
            return tree
    assert best is not None
    return best


def _candidate(instance: Instance, part: Split | int) -> Candidate:
    topology, features = instance.nodes, instance.table.x.shape[1]
    tree = embedded(part, topology, features, TreeMap.of(instance).unsplit_left)
    assert tree is not None  # it was grown in this topology
    return _with_inputs(instance, tree)


def _with_sides(instance: Instance, part: Part, sides: np.ndarray) -> Candidate:
    """The tree where leaves have given classes: a branch without a split sends its points to a
    leaf of their heaviest class."""
    topology = instance.nodes
    tree = Candidate.empty(topology, instance.table.x.shape[1])
    tree.labels[:] = sides[topology.leaves]
    waiting = [part]
    while waiting:
        one = waiting.pop()
        if one.boundary is not None and one.left is not None and one.right is not None:
            tree.weights[one.node] = one.boundary.weights
            tree.threshold[one.node] = one.boundary.threshold
            waiting += [one.left, one.right]
        elif not topology.is_leaf[one.node]:
            _send(tree, one.node, sides, int(one.counts.argmax()))
    return _with_inputs(instance, tree)


def _send(tree: Candidate, node: int, sides: np.ndarray, own: int) -> None:
    """Sends all points of a branch, and of those below it, towards leaves of a class."""
    topology = tree.topology
    if topology.is_leaf[node]:
        return
    left = int(topology.left[node])
    wrong = topology.is_leaf[left] and sides[left] != own
    tree.threshold[node] = -1.0 if wrong else 1.0
    for child in (left, int(topology.right[node])):
        _send(tree, child, sides, own)


def _with_inputs(instance: Instance, tree: Candidate) -> Candidate:
    """The tree over features and the categories of kept columns, which no SVM asks for."""
    more = instance.table.inputs.shape[1] - tree.weights.shape[1]
    weights = np.pad(tree.weights, ((0, 0), (0, more)))
    return Candidate(tree.topology, weights, tree.threshold, tree.labels, tree.unsplit_left)


# ------------------------------------------------------------------------------------ as a start


def _begin(problem: Problem, _: Asked) -> WarmStart:
    """The SVM tree as a start; where a signal ends its growing, what was grown, as the answer."""
    instance, limits, began = problem.instance, problem.limits, time.perf_counter()
    begin_search()
    tree = svm_tree(instance, problem.stated, limits.time)
    stopped = asked_to_stop()
    seconds = time.perf_counter() - began
    left = replace(limits, time=0.0) if stopped else remaining(limits, seconds)

    def forms() -> Iterator[Candidate]:
        yield tree
        yield in_widest_gaps(tree, instance.table.inputs, LEAST)

    begun = tree_start("svm_tree", problem.within(left), forms())
    if not stopped:
        return begun
    answer = unsolved("svm_tree", "interrupted", seconds)
    return WarmStart(stopped=with_start(problem.model, answer, begun.values))


def _require(problem: Problem) -> None:
    require_classes(problem.instance)
    require_hyperplanes(problem.instance)


START = NamedStart("the SVM tree's routing", _begin, _require)
