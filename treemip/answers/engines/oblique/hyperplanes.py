"""The gap and the norm that the stated model demands of hyperplanes, read from its rows.

A row is about a hyperplane if it has one branch's coefficients and threshold, in proportion to a
point's coordinates. Its other entries are settled by that point's way through the tree, as the
columns' meanings say, or count by their bounds. So a row may be an implication or have its big-M
written out, whatever it and its variables are called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.hyperplane_columns import NONE, HyperplaneColumns, Ways, one_branch
from treemip.answers.search.sums import NoSums
from treemip.core.instance.instance import Instance
from treemip.core.model.blocks import Implications, Rows, SparseRows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import some_rows, sparse_rows, take_rows
from treemip.core.model.tolerances import ROUNDING
from treemip.core.model.values import row_sums

HALF = 0.5


def hyperplanes_of(instance: Instance, model: Model) -> HyperplaneColumns:
    """Raises Refusal where the stated model has no columns of hyperplanes."""
    try:
        return HyperplaneColumns.of(instance, model)
    except NoSums as why:
        raise Refusal(str(why)) from None


@dataclass(frozen=True)
class Gaps:
    """At each of the branches, float64 (branches,): a . x - b is at most `low` for all points that
    go left and at least `high` for all that go right."""

    low: np.ndarray
    high: np.ndarray

    @property
    def each(self) -> np.ndarray:
        return np.asarray(self.high - self.low)


class Sides:
    """The rows of a stated model that keep points on their sides of hyperplanes."""

    def __init__(self, columns: HyperplaneColumns) -> None:
        self.columns, self.topology = columns, columns.topology
        model = columns.model
        asked = np.zeros(model.column_count, bool)
        for body, implied in _bodies(model):
            rows = _about_hyperplanes(columns, body)
            asked[take_rows(body.matrix, rows).indices] = True
            if implied is not None:
                asked[take_rows(implied.guard, rows).indices] = True
        asked &= columns.entry == NONE
        self.ways = Ways.of(columns.instance, model, asked)
        self.x_nonzeros = np.count_nonzero(columns.instance.table.inputs, axis=1)

    @cached_property
    def gaps(self) -> Gaps:
        """What all trees keep. Raises Refusal where a point may pass a branch without a row of its
        hyperplane."""
        topology = self.topology
        low, high = np.full(topology.size, -np.inf), np.full(topology.size, np.inf)
        for (branch, left), (least, most) in self.intervals().items():
            if left:
                low[branch] = most.max()
            else:
                high[branch] = least.min()
        gaps = Gaps(low[topology.branches], high[topology.branches])
        if not np.isfinite(gaps.each).all():
            raise Refusal("points may pass a branch without a row of its hyperplane")
        return gaps

    def intervals(self) -> dict[tuple[int, bool], tuple[np.ndarray, np.ndarray]]:
        """By branch, and whether to its left: the least and the most that a . x - b is for each
        point that goes there, float64 (N,), infinite where no row says."""
        topology, points = self.topology, len(self.x_nonzeros)
        found: dict[tuple[int, bool], tuple[np.ndarray, np.ndarray]] = {}
        blocks = [self.read(*one) for one in _bodies(self.columns.model)]
        for leaf in topology.leaves.tolist():
            within = [block.at(leaf) for block in blocks]
            for child, above in pairwise(topology.upwards(leaf)):
                least, most = self._kept(above, blocks, within)
                key = above, bool(child == topology.left[above])
                none = np.full(points, np.inf), np.full(points, -np.inf)
                before = found.get(key, none)
                found[key] = np.minimum(before[0], least), np.maximum(before[1], most)
        return found

    def _kept(
        self, branch: int, blocks: list[_SideRows], within: list[tuple[np.ndarray, np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The least and the most that each point's a . x - b is at a branch, float64 (N,)."""
        points = len(self.x_nonzeros)
        least, most = np.full(points, -np.inf), np.full(points, np.inf)
        for block, (low, high) in zip(blocks, within, strict=True):
            here = block.branch == branch
            np.maximum.at(least, block.point[here], low[here])
            np.minimum.at(most, block.point[here], high[here])
        return least, most

    def replaceable(self, block: Implications) -> np.ndarray:
        """Which of the rows say no more than on which side of a hyperplane a point is, with the gap
        of all others; bool (rows,)."""
        low, high = self.gaps.low.max(), self.gaps.high.min()
        side, found = self.read(block.body, block), np.zeros(block.length, bool)
        stays, held = np.ones((2, len(side.rows)), bool), np.zeros(len(side.rows), bool)
        for leaf in self.topology.leaves.tolist():
            left, right = self._sides(leaf)[:, side.branch]
            least, most = side.at(leaf)
            here = np.isfinite(least) | np.isfinite(most)
            stays[0] &= ~here | (left & np.isneginf(least) & (most == low))
            stays[1] &= ~here | (right & np.isposinf(most) & (least == high))
            held |= here
        plain = np.diff(side.settled.indptr) + np.diff(side.others.indptr) == 0
        found[side.rows] = plain & held & stays.any(axis=0)
        return found

    def _sides(self, leaf: int) -> np.ndarray:
        """At which branches a leaf is on the left, and at which on the right; bool (2, nodes)."""
        sides = np.zeros((2, self.topology.size), bool)
        for child, above in pairwise(self.topology.upwards(leaf)):
            sides[int(child != self.topology.left[above]), above] = True
        return sides

    def read(self, body: Rows, implied: Implications | None) -> _SideRows:
        """The rows of a block that are about points at hyperplanes."""
        columns, ways = self.columns, self.ways
        rows = _about_hyperplanes(columns, body)
        matrix, guard = take_rows(body.matrix, rows), None
        own = columns.entry[matrix.indices] != NONE
        rest = _part(matrix, ~own)
        if implied is None:
            point = one_branch(rest, ways.point)
        else:
            guard = take_rows(implied.guard, rows)
            point = one_branch(guard, ways.point)
            foreign = ways.point[guard.indices] == NONE
            point[guard.row_of[foreign]] = NONE
        factor = self._factor(_part(matrix, own), point)
        keep = np.flatnonzero((factor != 0) & (point != NONE))
        rest, rows, point = take_rows(rest, keep), rows[keep], point[keep]
        settled = ways.point[rest.indices] == point[rest.row_of]
        literals = None
        if implied is not None and guard is not None:
            constant = implied.guard_constant[rows] - implied.value[rows]
            literals = take_rows(guard, keep), constant
        return _SideRows(
            rows,
            one_branch(matrix, columns.branch_of)[keep],
            point,
            factor[keep],
            _part(rest, settled),
            _part(rest, ~settled),
            some_rows(body, rows),
            literals,
            self,
        )

    def _factor(self, matrix: SparseRows, point: np.ndarray) -> np.ndarray:
        """What rows are of a . x - b with the coordinates of their points, float64 (rows,); 0 where
        they are no multiple of it."""
        columns, x, row = self.columns, self.columns.instance.table.inputs, matrix.row_of
        data, entry = matrix.data * columns.unit[matrix.indices], columns.entry[matrix.indices]
        is_bias = entry == columns.features
        factor = -np.bincount(row[is_bias], data[is_bias], matrix.count)
        wanted = factor[row] * np.where(is_bias, -1.0, x[point[row], entry % columns.features])
        wrong = np.abs(data - wanted) > ROUNDING * np.abs(factor[row])
        entries = np.bincount(row[~is_bias], minlength=matrix.count)
        fits = (np.bincount(row, wrong, matrix.count) == 0) & (entries == self.x_nonzeros[point])
        return np.where(fits, factor, 0.0)


@dataclass(frozen=True)
class _SideRows:
    """Rows lower <= factor * (a . x - b) + settled + others <= upper, of a point and a branch each.

    rows int64 (n,): their numbers in the block. settled: entries that the way of the point
    settles; others: those that count by their bounds. guard: columns and constant of what is 0
    where the row holds, None where it always does.
    """

    rows: np.ndarray
    branch: np.ndarray
    point: np.ndarray
    factor: np.ndarray
    settled: SparseRows
    others: SparseRows
    body: Rows
    guard: tuple[SparseRows, np.ndarray] | None
    sides: Sides

    @cached_property
    def _others(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the most of the other entries, float64 (n,)."""
        return _range(self.others, self.sides.columns.model)

    def at(self, leaf: int) -> tuple[np.ndarray, np.ndarray]:
        """The least and the most that a . x - b is where the points end in that leaf, float64 (n,);
        infinite where a row says nothing."""
        values = self.sides.ways.at(leaf)
        known = row_sums(self.settled, values)
        fewest, most = self._others
        low = (self.body.lower - known - most) / self.factor
        high = (self.body.upper - known - fewest) / self.factor
        low, high = np.where(self.factor > 0, low, high), np.where(self.factor > 0, high, low)
        if self.guard is not None:
            matrix, constant = self.guard
            held = np.abs(row_sums(matrix, values) + constant) < HALF
            low, high = np.where(held, low, -np.inf), np.where(held, high, np.inf)
        return low, high


def _bodies(model: Model) -> Iterator[tuple[Rows, Implications | None]]:
    for block in model.rows:
        yield block, None
    for implied in model.implications:
        yield implied.body, implied


def _about_hyperplanes(columns: HyperplaneColumns, body: Rows) -> np.ndarray:
    """The linear rows that have columns of one branch, its threshold among them, int64."""
    if body.slots is not None:
        return np.zeros(0, np.int64)
    matrix = body.matrix
    some = one_branch(matrix, columns.branch_of) != NONE
    is_bias = columns.entry[matrix.indices] == columns.features
    some &= np.bincount(matrix.row_of[is_bias], minlength=matrix.count) > 0
    some[body.quadratic.row] = False
    return np.flatnonzero(some)


def _part(matrix: SparseRows, entries: np.ndarray) -> SparseRows:
    """The rows with some of their entries, bool (nonzeros,)."""
    row = matrix.row_of[entries]
    return sparse_rows(row, matrix.indices[entries], matrix.data[entries], matrix.count)


def _range(matrix: SparseRows, model: Model) -> tuple[np.ndarray, np.ndarray]:
    """What the bounds of the columns prove about rows, float64 (rows,) each."""
    ends = matrix.data * model.lower[matrix.indices], matrix.data * model.upper[matrix.indices]
    row, count = matrix.row_of, matrix.count
    return (
        np.bincount(row, np.minimum(*ends), count),
        np.bincount(row, np.maximum(*ends), count),
    )
