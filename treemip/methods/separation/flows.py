"""The flow networks of points, read from a model's rows, and their maximum flows.

A unit of a point's flow enters at the root, follows edges of the tree and may leave for the sink at
any node (Aghaei, Gómez and Vayanos 2021). Which variables say what enters a node and what leaves
there is known by the rows that conserve it. On a tree the maximum flow is a recursion from the
leaves to the root, and the cut of least capacity is read off on the way back.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from treemip.answers.engines.refusal import Refusal
from treemip.core.instance.instance import Instance
from treemip.core.instance.separated import FlowCuts
from treemip.core.model.arrays import Ragged
from treemip.core.model.blocks import Kind, Rows, SparseRows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import sparse_rows
from treemip.core.model.tolerances import CERTIFIED, FEASIBILITY
from treemip.core.model.values import row_sums
from treemip.methods.separation.separator import Unfit

NONE = -1

KEEP = "leave it out: the model's own rows say the same"


@dataclass(frozen=True)
class _Capacities:
    """Flows at `places` are at most limit - rest x, row by row."""

    places: np.ndarray
    rest: SparseRows
    limit: np.ndarray


class Networks:
    """The network of each point.

    columns int64 (2, N, nodes): of what enters and leaves at each node. place int64 (columns,): of
    a column in `columns`, flat; NONE for others. about_flows: the families with rows about single
    flows, by name. unreadable: those with rows that neither conserve flow nor limit it from above.
    """

    def __init__(self, instance: Instance, model: Model) -> None:
        """Raises Unfit where no two variables are flows by point and node, and Refusal where the
        model's rows are no network for each point."""
        if instance.topology is None:
            raise Refusal("it has no topology")
        self.model, self.topology = model, instance.topology
        depth = self.topology.depth[self.topology.branches]
        self.levels = [self.topology.branches[depth == d] for d in np.unique(depth)]
        self.root = int(self.topology.depth.argmin())
        self._find(instance)
        if (model.lower[self.columns] != 0).any():
            raise Refusal("its flows may be other than 0 or more")

    def _find(self, instance: Instance) -> None:
        """Takes the two variables by point and node whose flow the rows conserve."""
        pairs = list(permutations(_by_point_and_node(instance, self.model), 2))
        refusal: Refusal | None = None
        for pair in pairs:
            try:
                if self._take(np.stack(pair)):
                    return
            except Refusal as error:
                refusal = refusal or error
        if refusal is not None:
            raise refusal
        if pairs:
            raise Refusal("its rows do not conserve the flow of each point at every node")
        raise Unfit(
            "it has no two continuous variables for each point and node",
            f"{KEEP}; it is for flows that enter nodes and leave there",
        )

    def _take(self, columns: np.ndarray) -> bool:
        """Reads the rows for these columns, int64 (2, N, nodes): whether they conserve the flow."""
        self.columns = columns
        self.place = np.full(self.model.column_count, NONE)
        self.place[self.columns.ravel()] = np.arange(self.columns.size)
        self.about_flows: list[str] = []
        self.unreadable: list[str] = []
        self._capacities: list[_Capacities] = []
        conserving = [self._read(block) for block in self.model.rows]
        return self._conserve([matrix for matrix in conserving if matrix is not None])

    # ----------------------------------------------------------------- flows at a solution

    def capacities(self, x: np.ndarray) -> np.ndarray:
        """How much may enter and leave at each node, float64 (2, N, nodes); x (columns,)."""
        limits = self.model.upper[self.columns.ravel()]
        for some in self._capacities:
            np.minimum.at(limits, some.places, some.limit - row_sums(some.rest, x))
        return np.maximum(limits, 0.0).reshape(self.columns.shape)

    def maximum(self, capacities: np.ndarray) -> np.ndarray:
        """How much can reach the sink from each node, float64 (N, nodes)."""
        enter, leave = capacities
        most: np.ndarray = leave.copy()
        for level in reversed(self.levels):
            for child in (self.topology.left[level], self.topology.right[level]):
                most[:, level] += np.minimum(enter[:, child], most[:, child])
        return most

    def arriving(self, x: np.ndarray) -> np.ndarray:
        """What arrives at the sink, float64 (N,)."""
        return np.asarray(x[self.columns[1]].sum(axis=1))

    def minimum_cuts(
        self, capacities: np.ndarray, most: np.ndarray, points: np.ndarray
    ) -> FlowCuts:
        """A cut for each of `points`, int64, whose capacity is most[point, root].

        Of an edge and what lies behind it the cut has whichever is smaller, and the edge where they
        are equal. Where a tree is integral, the source's side is therefore the point's way through
        the tree, and all edges that leave it have capacity 0, as in Aghaei et al., algorithm 1.
        """
        enter, most = capacities[0][points], most[points]
        inside = np.zeros(most.shape, bool)
        inside[:, self.root] = True
        cut = np.zeros((2, *most.shape), bool)
        for level in self.levels:
            for side, children in enumerate((self.topology.left, self.topology.right)):
                child = children[level]
                passes = enter[:, child] > most[:, child] + FEASIBILITY
                inside[:, child] = inside[:, level] & passes
                cut[side][:, level] = inside[:, level] & ~passes
        return FlowCuts(points, *(_ragged(nodes) for nodes in (inside, *cut)))

    def routed(self, x: np.ndarray) -> np.ndarray:
        """x with flows that arrive as x says, as far as the capacities at x let them."""
        enter, leave = capacities = self.capacities(x)
        most = self.maximum(capacities)
        flow = np.zeros_like(capacities)
        flow[0][:, self.root] = np.minimum(self.arriving(x), most[:, self.root])
        for level in self.levels:
            left, right = self.topology.left[level], self.topology.right[level]
            flow[1][:, level] = np.minimum(flow[0][:, level], leave[:, level])
            rest = flow[0][:, level] - flow[1][:, level]
            flow[0][:, left] = np.minimum(rest, np.minimum(enter[:, left], most[:, left]))
            flow[0][:, right] = rest - flow[0][:, left]
        leaves = self.topology.leaves
        flow[1][:, leaves] = flow[0][:, leaves]
        values = x.copy()
        values[self.columns] = flow
        return values

    # --------------------------------------------------------------------------- reading

    def single(self, matrix: SparseRows) -> np.ndarray:
        """Which rows mention flows in another way than by what arrives of a point's, bool."""
        rows = np.zeros(matrix.count, bool)
        place = self.place[matrix.indices]
        at = np.flatnonzero(place != NONE)
        if not len(at):
            return rows
        _, points, nodes = self.columns.shape
        leaves, point = place[at] >= points * nodes, place[at] // nodes % points
        key, of, count = np.unique(
            matrix.row_of[at] * points + point, return_inverse=True, return_counts=True
        )
        low, high = np.full(len(key), np.inf), np.full(len(key), -np.inf)
        np.minimum.at(low, of, matrix.data[at])
        np.maximum.at(high, of, matrix.data[at])
        whole = (np.bincount(of, leaves) == nodes) & (count == nodes) & (low == high)
        rows[key[~whole] // points] = True
        return rows

    def _read(self, block: Rows) -> SparseRows | None:
        """Notes the capacities of a block; returns its rows where they only add up flows."""
        if block.slots is not None or not self.single(block.matrix).any():
            return None
        self.about_flows.append(block.name)
        matrix, is_flow = block.matrix, self.place[block.matrix.indices] != NONE
        if is_flow.all() and not block.lower.any() and not block.upper.any():
            return matrix
        upper = np.isfinite(block.upper)
        coef = np.where(upper, 1.0, -1.0)[matrix.row_of] * matrix.data
        alone = np.bincount(matrix.row_of[is_flow], minlength=matrix.count) == 1
        limited = alone & (upper != np.isfinite(block.lower))
        if block.quadratic.count or not limited.all() or (coef[is_flow] <= 0).any():
            self.unreadable.append(block.name)
            return None
        self._note_capacities(block, is_flow, coef)
        return None

    def _note_capacities(self, block: Rows, is_flow: np.ndarray, coef: np.ndarray) -> None:
        """Rows flow + rest <= limit, each divided by the coefficient of its flow."""
        matrix, row_of, scale = block.matrix, block.matrix.row_of, coef[is_flow]
        limit = np.where(np.isfinite(block.upper), block.upper, -block.lower) / scale
        of, columns = row_of[~is_flow], matrix.indices[~is_flow]
        rest = sparse_rows(of, columns, coef[~is_flow] / scale[of], matrix.count)
        places = self.place[matrix.indices[is_flow]]
        self._demand_capacities(block.name, rest, limit)
        if np.isin(places, self.place[self.columns[0][:, self.root]]).any():
            raise Refusal(f"the rows '{block.name}' limit what enters at the root")
        self._capacities.append(_Capacities(places, rest, limit))

    def _demand_capacities(self, name: str, rest: SparseRows, limit: np.ndarray) -> None:
        """Raises Refusal where a capacity may be below 0: flows are not, so it would be a row of
        other columns as well."""
        bounds = (
            rest.data * self.model.lower[rest.indices],
            rest.data * self.model.upper[rest.indices],
        )
        most = np.bincount(rest.row_of, np.maximum(*bounds), rest.count)
        if (limit - most < -CERTIFIED).any():
            raise Refusal(f"the capacities that the rows '{name}' state may be negative")

    def _conserve(self, matrices: list[SparseRows]) -> bool:
        """Whether the rows are one for each point and node: enter = leave + enter the children."""
        size = self.columns[0].size
        keys, coefs = [np.zeros(0, np.int64)], [np.zeros(0)]
        for matrix in matrices:
            place, row_of = self.place[matrix.indices], matrix.row_of
            leaving = np.flatnonzero(place >= size)
            if not np.array_equal(row_of[leaving], np.arange(matrix.count)):
                return False
            owner = place[leaving] - size
            keys.append(owner[row_of] * 2 * size + place)
            coefs.append(-matrix.data / matrix.data[leaving][row_of])
        key = np.concatenate(keys)
        order = np.argsort(key, kind="stable")
        owner, place = self._conserved()
        enters = np.where(place == owner, 1.0, -1.0)
        return np.array_equal(key[order], owner * 2 * size + place) and np.array_equal(
            np.concatenate(coefs)[order], enters
        )

    def _conserved(self) -> tuple[np.ndarray, np.ndarray]:
        """The entries of these rows in order: the row, which is the place of what enters, and the
        place of a flow in it; int64, as many."""
        size, nodes = self.columns[0].size, self.topology.size
        rows = np.arange(size)
        owner, place = [rows, rows], [rows, size + rows]
        for children in (self.topology.left, self.topology.right):
            above = rows[children[rows % nodes] >= 0]
            owner.append(above)
            place.append(above - above % nodes + children[above % nodes])
        at = np.lexsort((np.concatenate(place), np.concatenate(owner)))
        return np.concatenate(owner)[at], np.concatenate(place)[at]


def _by_point_and_node(instance: Instance, model: Model) -> list[np.ndarray]:
    """The columns of each continuous variable for every point and node, int64 (N, nodes)."""
    points, nodes = instance.table.row_numbers, instance.nodes.heap
    whole = (np.repeat(points, len(nodes)), np.tile(nodes, len(points)))
    return [
        block.start + np.arange(block.length).reshape(len(points), len(nodes))
        for block in model.variables
        if block.index.sorts == ("point", "node")
        and block.kind is Kind.CONTINUOUS
        and all(map(np.array_equal, block.index.columns, whole))
    ]


def _ragged(nodes: np.ndarray) -> Ragged:
    rows, items = np.nonzero(nodes)
    return Ragged.from_pairs(rows, items, len(nodes))
