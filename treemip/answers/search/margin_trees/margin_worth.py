"""A margin tree and what it is worth: its branches' own prices and the spec's other terms.

Margins, slack and norms are those of `branch_rows`; errors, features and whatever else a spec
counts come from sums over points (`sums`), with a price for side constraints that do not hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.search.margin_trees.branch_programs import BranchPrograms
from treemip.answers.search.margin_trees.branch_rows import branch_model
from treemip.answers.search.structure import UNKNOWN, Structure
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.sums import NoSums, Sums
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.value_sources import Solution
from treemip.core.model.model import Model
from treemip.core.model.tolerances import SAME_WORTH
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.typed import Role, at_all
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.tree_map import SPLITS


@dataclass(frozen=True)
class MarginTree:
    """planes float64 (nodes, p + 1): (w, b) by branch; supports bool (nodes, p): features that a
    branch may use; leaf int64 (N,): the node where each point ends."""

    planes: np.ndarray
    supports: np.ndarray
    leaf: np.ndarray

    def copy(self) -> MarginTree:
        return MarginTree(self.planes.copy(), self.supports.copy(), self.leaf.copy())

    @property
    def uses(self) -> np.ndarray:
        used: np.ndarray = self.planes[:, :-1] != 0
        return used


class MarginWorth:
    """Values to be minimized. price: of a unit by which side constraints do not hold."""

    def __init__(self, instance: Instance, model: Model) -> None:
        """Raises NoSums where the spec is no model of margin trees that this understands."""
        self.topology: Forest = instance.nodes
        self.points = len(instance.table.y)
        x = instance.table.x
        self.programs = BranchPrograms(branch_model(instance, model), x)
        sums = sums_of(instance, np.arange(self.points))
        self.sums = _without_planes(sums)
        self.structure = Structure(self.sums, self.topology, Inputs.plain(x.shape[1]))
        self.structure.coef[:] = UNKNOWN
        self.by_feature = bool(
            (self.structure.uses >= 0).any() or (self.structure.anywhere >= 0).any()
        )
        sides = labels_by_side(instance)
        if sides is None:
            raise NoSums("the classes of its leaves do not match their sides")
        self.labels = sides[self.topology.leaves]
        self.leaf_number = self.structure.leaf_number
        self.numbers = np.arange(self.points)
        self.sided = {int(t): self.programs.has_sides(int(t)) for t in self.topology.branches}
        largest = max(s.price[np.isfinite(s.price)].max(initial=0.0) for s in self._sides)
        self.unit = max(
            float(largest), float(np.abs(self.sums.shared).max(initial=0.0)), SAME_WORTH
        )
        self.price = self.unit

    @property
    def _sides(self):  # type: ignore[no-untyped-def]
        return self.programs.model.sides.values()

    def passed(self, leaf: np.ndarray) -> np.ndarray:
        """Which nodes each point passes, bool (nodes, N)."""
        path = np.zeros((self.topology.size, self.points), bool)
        at, rows = leaf, self.numbers
        while len(rows):
            path[at, rows] = True
            at = self.topology.parent[at]
            rows, at = rows[at >= 0], at[at >= 0]
        return path

    def value(self, tree: MarginTree) -> float:
        """The spec's objective, and the price of side constraints, of a tree."""
        path = self.passed(tree.leaf)
        total = self.programs.widest(tree.planes)
        for node in self.topology.branches:
            total += self.programs.norm(node, tree.planes[node])
            for left, child in ((True, self.topology.left), (False, self.topology.right)):
                here = path[child[node]]
                if here.any():
                    losses = self.programs.losses(int(node), left, tree.planes[node])
                    total += float(losses[here].sum())
        return total + self.rest(tree.leaf, tree.uses)

    def rest(self, leaf: np.ndarray, uses: np.ndarray) -> float:
        """The same without what is a branch's own."""
        totals = self.totals(leaf)
        if self.structure.size:
            in_leaf = np.bincount(self.leaf_number[leaf], minlength=len(self.labels))
            columns = self.structure.columns(uses, in_leaf)
            broken = self.price * float(self.sums.broken_limits(columns))
            totals = totals + self.sums.of_structure.times(columns)
            return float(self._priced(totals)) + broken
        return float(self._priced(totals))

    def totals(self, leaf: np.ndarray) -> np.ndarray:
        """The sums of a routing, float64 (R,)."""
        added = self.sums.added(self.numbers, self.leaf_number[leaf], self.labels)
        return self.sums.constant + self.sums.label_part(self.labels) + added.sum(axis=0)

    def of_supports(
        self, tree: MarginTree, node: int, supports: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the spec asks for each set of features at a branch, bool (K, p), and how far each
        breaks limits; float64 (K,) each. Limits are priced in the first."""
        broken = np.zeros(len(supports))
        if not self.structure.size:
            return broken, broken
        totals, uses = self.totals(tree.leaf), tree.uses
        in_leaf = np.bincount(self.leaf_number[tree.leaf], minlength=len(self.labels))
        prices = np.empty(len(supports))
        for k, support in enumerate(supports):
            uses[node] = support
            columns = self.structure.columns(uses, in_leaf)
            prices[k] = self._priced(totals + self.sums.of_structure.times(columns))
            broken[k] = self.sums.broken_limits(columns)
        return prices + self.price * broken, broken

    def gain(self, tree: MarginTree, node: int, points: np.ndarray) -> np.ndarray:
        """How much cheaper each point, bool (N,), is on the right of a branch, float64 (N,);
        0 elsewhere. Everything else stays as it is."""
        sides = [self._below(tree, child) for child in self.topology.children(node)]
        (cost_left, end_left), (cost_right, end_right) = sides
        gain = cost_left - cost_right
        if self.sums.shared.any() or len(self.sums.local_rows):
            totals = self.totals(tree.leaf)
            now = self.sums.added(self.numbers, self.leaf_number[tree.leaf], self.labels)
            if_left = self.sums.added(self.numbers, self.leaf_number[end_left], self.labels)
            if_right = self.sums.added(self.numbers, self.leaf_number[end_right], self.labels)
            gain = (
                gain + self._priced(totals - now + if_left) - self._priced(totals - now + if_right)
            )
        return np.where(points, gain, 0.0)

    def _below(self, tree: MarginTree, node: int) -> tuple[np.ndarray, np.ndarray]:
        """What every point would cost at a node and below, and where it would end, (N,) each."""
        if self.topology.is_leaf[node]:
            return np.zeros(self.points), np.full(self.points, node)
        plane = tree.planes[node]
        goes_left = self.programs.one @ plane < 0
        below = [self._below(tree, child) for child in self.topology.children(node)]
        costs, ends = ([one[part] for one in below] for part in (0, 1))
        own = [self.programs.losses(node, left, plane) for left in (True, False)]
        cost = np.where(goes_left, costs[0] + own[0], costs[1] + own[1])
        return cost, np.where(goes_left, *ends)

    def _priced(self, totals: np.ndarray) -> np.ndarray:
        objective, violation = self.sums.worth(totals)
        return objective + self.price * violation


def _without_planes(sums: Sums) -> Sums:
    """The sums without rows that only a whole solution can decide, such as those of slack."""
    columns = np.zeros(len(sums.structure), bool)
    for name in (*SPLITS, *sums.opaque):
        if name in sums.families:
            columns[sums.families[name].columns] = True
    unknown = sums.structure[columns].any(axis=0)
    sums.structure[columns] = 0.0
    low, high = np.where(unknown, -np.inf, sums.low), np.where(unknown, np.inf, sums.high)
    matrix, least, most = sums.limits
    if matrix.count:
        open_ = np.bincount(matrix.row_of, columns[matrix.indices], matrix.count) > 0
        least, most = np.where(open_, -np.inf, least), np.where(open_, np.inf, most)
    return replace(sums, low=low, high=high, limits=(matrix, least, most))


def labels_by_side(instance: Instance) -> np.ndarray | None:
    """The class of each leaf, int64 (nodes,), -1 at branches, which a formulation of margin trees
    fixes by its side; None where labels are variables."""
    label, topology = instance.spec.concepts.get("label"), instance.nodes
    if label is None or label.role is not Role.LET or label.degree is not Degree.KNOWN:
        return None
    evaluator = Evaluator(instance, Solution({}))
    frame = evaluator.places.domain_frame(label)
    leaf, one = (frame.column(name) for name in label.domain.names)
    table = np.zeros((topology.size, len(instance.table.classes)))
    table[leaf, one] = np.asarray(evaluator.known(at_all(label), frame), float)
    return np.where(topology.is_leaf, table.argmax(axis=1), -1)
