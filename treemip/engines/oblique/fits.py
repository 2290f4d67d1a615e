"""Which specs the engine for oblique trees proves a bound for: a closed list.
The rows that a proof rests on are read from the stated model; a formulation's name alone proves
nothing. A bound holds for every spec whose objective is a sum over points and whose branches keep
the gap: side constraints can only make trees worse. So they are no obstacle here; a tree counts
only if the whole stated model accepts it.

Rows of the model say that every point is in one leaf and every leaf has one label. The objective
then counts `reach`, `label` and their products, or a variable that rows bound by them: S-OCT's hits
from above, OCT-H's losses from below.
"""

from __future__ import annotations

import numpy as np

from treemip.engines.oblique.hyperplanes import NONE, Stated, gap_of
from treemip.engines.oblique.problem import ObliqueProblem, problem_of
from treemip.engines.refusal import Refusal
from treemip.instance.instance import Instance
from treemip.model.blocks import SparseRows
from treemip.model.model import Model
from treemip.model.sparse_rows import sparse_rows
from treemip.model.tolerances import EQUAL, LEAST_PROVABLE_GAP
from treemip.search.sums import Sums

FORMULATIONS = ("soct", "octh")


def oblique_problem(
    instance: Instance, model: Model, sums: Sums, x: np.ndarray, of_point: np.ndarray
) -> ObliqueProblem:
    """model: as stated. x float64 (M, p) are the points of `sums`, of_point int64 (N,) which of
    them each point of the table is.

    Raises Refusal, whose text completes "there is no engine for this spec: ...".
    """
    spec, topology = instance.spec, instance.topology
    if spec.split != "oblique" or spec.formulation not in FORMULATIONS:
        raise Refusal(f"it takes oblique splits by {' or '.join(FORMULATIONS)}")
    if topology is None or topology.families != 1 or topology.is_leaf[0]:
        raise Refusal("it takes one tree with at least one branch")
    if instance.table.categorical or x.shape[1] != instance.table.x.shape[1]:
        raise Refusal("splits may separate categories")
    if "bias" in sums.families or "coef" in sums.families:
        raise Refusal("it depends on where hyperplanes are")
    if x.min() < 0 or x.max() > 1:
        raise Refusal("features are not in [0, 1]")
    stated = Stated(instance, model)
    problem = problem_of(sums, topology, x, _gap(stated))
    demand_losses(stated, problem, of_point)
    return problem


def _gap(stated: Stated) -> float:
    gap = gap_of(stated)
    if not LEAST_PROVABLE_GAP <= gap <= 1:
        raise Refusal(f"the gap at a branch, {gap:.3g}, is not between {LEAST_PROVABLE_GAP} and 1")
    return gap


def demand_losses(stated: Stated, problem: ObliqueProblem, of_point: np.ndarray) -> None:
    """Raises Refusal unless no solution of the model is better than the problem's sum of losses.

    of_point int64 (N,): which of the problem's points each point of the table is.
    """
    _demand_paths(stated)
    prices = _Prices(stated)
    shape = problem.loss.shape
    for leaf in stated.topology.leaves.tolist():
        cost = np.zeros(shape)
        np.add.at(cost, of_point, prices.of_leaf(leaf))
        least = cost.min(axis=1)
        base = prices.constant + least.sum()
        far = np.abs(cost - least[:, None] - problem.unit * problem.loss)
        if far.max(initial=0.0) > EQUAL * max(1.0, float(np.abs(cost).max(initial=0.0))):
            raise Refusal("its objective is not a sum over points")
        if abs(base - problem.base) > EQUAL * max(1.0, abs(problem.base)):
            raise Refusal("its objective is not a sum over points")


def _demand_paths(stated: Stated) -> None:
    """Raises Refusal unless a point is in one leaf, and in all nodes above it that have a column,
    and a leaf has one label, or none and no points."""
    topology, reach = stated.topology, stated.reach
    leaves, inner = topology.leaves, topology.branches
    _demand(stated, "one_leaf", reach[:, leaves], np.ones(len(leaves)), 1.0, 1.0)
    if (reach[:, inner] != NONE).any():
        flow = [reach[:, nodes] for nodes in (inner, topology.left[inner], topology.right[inner])]
        _demand(stated, "flow", _beside(*flow), np.array([1.0, -1.0, -1.0]), 0.0, 0.0)
    labels = stated.label[leaves]
    if "occupied" not in {block.name for block in stated.model.variables}:
        _demand(stated, "one_label", labels, np.ones(labels.shape[1]), 1.0, 1.0)
        return
    used = stated.table("occupied", ("node",), (topology.size,))[leaves]
    ones = np.ones(labels.shape[1])
    _demand(stated, "one_label", _beside(labels, used), np.append(ones, -1.0), 0.0, 0.0)
    open_leaf = _beside(reach[:, leaves], np.broadcast_to(used, (len(reach), len(used))))
    _demand(stated, "open_leaf", open_leaf, np.array([1.0, -1.0]), -np.inf, 0.0)


def _beside(*columns: np.ndarray) -> np.ndarray:
    """Columns of many rows side by side: (rows, ...) each, of one shape but for the last axis of
    the first."""
    first, *others = columns
    if first.ndim > others[0].ndim:
        return np.column_stack(columns)
    return np.stack(columns, axis=-1).reshape(-1, len(columns))


def _demand(
    stated: Stated, name: str, columns: np.ndarray, coef: np.ndarray, low: float, high: float
) -> None:
    """Raises Refusal unless the rows of that name are low <= coef . x[columns] <= high, in order.

    columns int64 (rows, k), coef float64 (k,) or (rows, k).
    """
    rows, width = columns.shape
    row, every = np.repeat(np.arange(rows), width), np.broadcast_to(coef, columns.shape)
    wanted = sparse_rows(row, columns.ravel(), every.ravel().astype(float), rows)
    for block in stated.model.rows:
        if block.name == name and block.slots is None and not block.quadratic.count:
            as_wanted = _same(block.matrix, wanted)
            if as_wanted and (block.lower >= low).all() and (block.upper <= high).all():
                return
    raise Refusal(f"its rows '{name}' are not those that a proof rests on")


def _same(one: SparseRows, other: SparseRows) -> bool:
    return all(
        np.array_equal(getattr(one, part), getattr(other, part))
        for part in ("indptr", "indices", "data")
    )


class _Prices:
    """What the objective, to be minimized, pays for reach, for labels in a leaf and for both."""

    def __init__(self, stated: Stated) -> None:
        model, form = stated.model, stated.model.objective
        self.stated, self.y = stated, stated.instance.table.y
        sign = -1.0 if form.sense == "maximize" else 1.0
        self.constant = sign * form.constant
        self.cost, self.form = sign * model.costs, form.quadratic
        self.product = sign * self.form.coef
        leaves = stated.topology.leaves
        known = np.zeros(model.column_count, bool)
        known[stated.reach[:, leaves]] = True
        names = {block.name for block in model.variables}
        self.hit = self._hits(known) if "hit" in names else None
        self.loss = self._losses(known) if "loss" in names else None
        if form.slots is not None or self.cost[~known].any():
            raise Refusal("its objective depends on more than points, leaves and labels")
        self._pairs()

    def _hits(self, known: np.ndarray) -> np.ndarray:
        """The columns of hits (N, nodes), no more than reach and the label where they count."""
        stated, leaves = self.stated, self.stated.topology.leaves
        hit = stated.table("hit", ("point", "node"), stated.reach.shape, binary=False)
        mine = hit[:, leaves]
        if self.cost[mine].any():
            if (self.cost[mine] > 0).any():
                raise Refusal("its objective asks for fewer hits")
            below = np.array([1.0, -1.0])
            _demand(stated, "hit_reach", _beside(mine, stated.reach[:, leaves]), below, -np.inf, 0)
            own = stated.label[leaves][:, self.y].T
            _demand(stated, "hit_label", _beside(mine, own), below, -np.inf, 0)
        known[mine] = True
        return hit

    def _losses(self, known: np.ndarray) -> np.ndarray:
        """The columns of losses (nodes,), no less than a leaf's points of other classes where they
        count."""
        stated, leaves = self.stated, self.stated.topology.leaves
        loss = stated.table("loss", ("node",), (stated.topology.size,), binary=False)
        mine = loss[leaves]
        if self.cost[mine].any():
            if (self.cost[mine] < 0).any():
                raise Refusal("its objective asks for greater losses")
            points, classes = len(self.y), stated.label.shape[1]
            own = np.repeat(mine, classes), stated.label[leaves].ravel()
            columns = np.column_stack([*own, np.repeat(stated.reach[:, leaves].T, classes, axis=0)])
            other = self.y[None, :] != np.arange(classes)[:, None]
            coef = np.column_stack([np.ones(classes), np.full(classes, -points), -1.0 * other])
            every = np.tile(coef, (len(leaves), 1))
            _demand(stated, "loss_low", columns, every, -float(points), np.inf)
        known[mine] = True
        return loss

    def _pairs(self) -> None:
        """The products in the objective as (leaf, point, class), each of a leaf's reach and label.

        Raises Refusal where there are others."""
        stated, count = self.stated, self.stated.model.column_count
        nodes = stated.reach.shape[1]
        of_reach, of_label = np.full(count, NONE), np.full(count, NONE)
        for table, where in ((stated.reach, of_reach), (stated.label, of_label)):
            flat = np.flatnonzero(table.ravel() != NONE)
            where[table.ravel()[flat]] = flat
        first, second = self.form.first, self.form.second
        swap = of_reach[first] == NONE
        passed = of_reach[np.where(swap, second, first)]
        label = of_label[np.where(swap, first, second)]
        self.point, node = np.divmod(passed, nodes)
        self.leaf, self.label = np.divmod(label, stated.label.shape[1])
        if (passed == NONE).any() or (label == NONE).any() or (node != self.leaf).any():
            raise Refusal("its objective has products of other variables")

    def of_leaf(self, leaf: int) -> np.ndarray:
        """What each point adds in a leaf with each label, float64 (N, K)."""
        stated, points = self.stated, np.arange(len(self.y))
        worth = np.tile(self.cost[stated.reach[:, leaf]][:, None], (1, stated.label.shape[1]))
        if self.hit is not None:
            worth[points, self.y] += self.cost[self.hit[:, leaf]]
        if self.loss is not None:
            wrong = self.y[:, None] != np.arange(stated.label.shape[1])
            worth += wrong * self.cost[self.loss[leaf]]
        here = self.leaf == leaf
        np.add.at(worth, (self.point[here], self.label[here]), self.product[here])
        return worth
