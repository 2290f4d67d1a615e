"""What the stated model asks of a branch's hyperplane, and what it pays for it.

Once the integers have their values on a tree, the rest of a model of margin trees is a convex
program in coefficients, offsets and slack. Its rows at a branch depend only on the side that each
point takes there, so that one reading with all points in a leaf has the rows of the branches above
that leaf. Whatever prices, budgets or distances a spec states come along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treemip.answers.search.answer_columns import split_values
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.hyperplane_columns import NONE, HyperplaneColumns, positions
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.value_sources import Meaning
from treemip.core.model.blocks import Function, Implications, Rows
from treemip.core.model.model import Model
from treemip.core.resolve.typed import at_all
from treemip.core.tree.residuals import guard_holds


@dataclass(frozen=True)
class SideRows:
    """Rows over (w, b) of one branch, b being the threshold below 0: float64 (n, p + 1).

    point int64 (n,): whom a row is about, NONE where it is about the hyperplane alone. least (n,);
    price (n,): of a unit that the row is short of, infinite where it must hold.
    """

    rows: np.ndarray
    point: np.ndarray
    least: np.ndarray
    price: np.ndarray

    def of(self, points: np.ndarray) -> SideRows:
        """The rows about these points, bool (N,)."""
        return self.take((self.point != NONE) & points[self.point])

    def take(self, some: np.ndarray) -> SideRows:
        return SideRows(self.rows[some], self.point[some], self.least[some], self.price[some])

    @staticmethod
    def joined(parts: list[SideRows]) -> SideRows:
        join = np.concatenate
        return SideRows(
            join([p.rows for p in parts]),
            join([p.point for p in parts]),
            join([p.least for p in parts]),
            join([p.price for p in parts]),
        )


@dataclass(frozen=True)
class Widest:
    """A price of the greatest half square over branches: of max over t of scale[t] |w_t|^2 / 2."""

    price: float
    scale: np.ndarray


@dataclass(frozen=True)
class BranchModel:
    """sides: by branch and side, left first. square, absolute float64 (nodes, p): the prices of
    w^2 / 2 and |w|. widest: of MM-SVM-OCT's kind of objective."""

    sides: dict[tuple[int, bool], SideRows]
    square: np.ndarray
    absolute: np.ndarray
    widest: tuple[Widest, ...]


def branch_model(instance: Instance, model: Model) -> BranchModel:
    """The rows and prices of every branch of the stated model.

    Raises NoSums where coefficients or thresholds are no columns of the model.
    """
    return _Reader(instance, model).read()


class _Reader:
    def __init__(self, instance: Instance, model: Model) -> None:
        self.instance, self.model, self.topology = instance, model, instance.nodes
        self.features = instance.table.x.shape[1]
        self.sign = model.objective.sign
        self.costs = self.sign * model.costs
        columns = HyperplaneColumns.of(instance, model)
        self.node, self.entry = columns.branch_of, columns.entry
        self.unit = np.where(self.entry == self.features, -columns.unit, columns.unit)
        self.split = self.entry != NONE
        lower, upper = model.lower, model.upper
        continuous = ~model.integer & ~self.split
        self.slack = continuous & (self.costs > 0) & (lower == 0) & np.isinf(upper)

    def read(self) -> BranchModel:
        shape = (self.topology.size, self.features)
        square, absolute = np.zeros(shape), np.zeros(shape)
        form = self.model.objective.quadratic
        own = (form.first == form.second) & (self.entry[form.first] < self.features)
        own &= self.split[form.first]
        column = form.first[own]
        factor = 2 * self.sign * form.coef[own] * self.unit[column] ** 2
        np.add.at(square, (self.node[column], self.entry[column]), factor)
        self._absolute(absolute)
        sides = dict[tuple[int, bool], SideRows]()
        for leaf in self.topology.leaves:
            rows = self._rows(int(leaf))
            for child, above in pairwise(self.topology.upwards(int(leaf))):
                sides.setdefault((above, bool(child == self.topology.left[above])), rows[above])
        return BranchModel(sides, square, absolute, tuple(self._widest()))

    def _absolute(self, absolute: np.ndarray) -> None:
        """Adds the prices of |w|, from results of abs in the objective."""
        for function in self.model.functions:
            if function.function is not Function.ABS or not function.is_affine:
                continue
            price = self.costs[function.result : function.result + function.length]
            arguments = function.arguments
            single = np.flatnonzero((np.diff(arguments.indptr) == 1) & (function.constants == 0))
            column = arguments.indices[arguments.indptr[single]]
            is_weight = self.split[column] & (self.entry[column] < self.features)
            single, column = single[is_weight], column[is_weight]
            factor = np.abs(arguments.data[arguments.indptr[single]] * self.unit[column])
            at = self.node[column], self.entry[column]
            np.add.at(absolute, at, np.maximum(price[function.owner[single]] * factor, 0.0))

    def _widest(self) -> Iterator[Widest]:
        """Rows such as 0.5 |w_t|^2 <= worst, with a price on `worst`."""
        scales: dict[int, np.ndarray] = {}
        for block in self.model.rows:
            form = block.quadratic
            if not form.count or block.slots is not None:
                continue
            single = np.flatnonzero((np.diff(block.matrix.indptr) == 1) & (block.upper == 0))
            bound = block.matrix.indices[block.matrix.indptr[single]]
            data = block.matrix.data[block.matrix.indptr[single]]
            for row, column, factor in zip(single, bound, data, strict=True):
                mine = form.row == row
                first = form.first[mine]
                whole = (first == form.second[mine]).all() and self.split[first].all()
                node = np.unique(self.node[first])
                if whole and len(node) == 1 and factor < 0 < self.costs[column]:
                    scale = scales.setdefault(int(column), np.zeros(self.topology.size))
                    scale[node] = 2 * form.coef[mine].max() / -factor
        for column, scale in scales.items():
            yield Widest(float(self.costs[column]), scale)

    def _rows(self, leaf: int) -> dict[int, SideRows]:
        """The rows of each branch where all points end in that leaf."""
        values = self._integers(leaf)
        parts: dict[int, list[SideRows]] = {int(t): [] for t in self.topology.branches}
        for block in self.model.rows:
            self._read(block, np.arange(block.length), values, parts)
        for implication in self.model.implications:
            held = np.flatnonzero(guard_holds(implication, values))
            self._read(implication.body, held, values, parts)
        none = SideRows(np.zeros((0, self.features + 1)), np.zeros(0, int), *np.zeros((2, 0)))
        return {t: SideRows.joined([none, *found]) for t, found in parts.items()}

    def _integers(self, leaf: int) -> np.ndarray:
        """Every column with all points in a leaf and all features in use; nan where it has none."""
        tree = Candidate.empty(self.topology, self.instance.table.inputs.shape[1])
        tree.weights[self.topology.branches] = 1.0
        nodes, points = self.topology.size, len(self.instance.table.y)
        path = np.zeros((points, nodes))
        path[:, self.topology.upwards(leaf)] = 1.0
        labels = np.zeros((nodes, len(self.instance.table.classes)))
        labels[self.topology.leaves, 0] = 1.0
        of_splits = split_values(self.instance, tree)
        source = Meaning({"routed": path.ravel(), "given_label": labels.ravel()}, of_splits)
        evaluator = Evaluator(self.instance, source)
        values = np.full(self.model.column_count, np.nan)
        for symbol in self.instance.spec.variables:
            block = self.model.block(symbol.name)
            frame = evaluator.places.domain_frame(symbol)
            at = slice(block.start, block.stop)
            values[at] = np.asarray(evaluator.known(at_all(symbol), frame), float)
        return values

    def _read(
        self,
        block: Rows | Implications,
        chosen: np.ndarray,
        values: np.ndarray,
        parts: dict[int, list[SideRows]],
    ) -> None:
        """Adds a block's chosen rows to the branches that they are about."""
        assert isinstance(block, Rows)
        if not len(chosen) or block.slots is not None:
            return
        row_of, column, data = block.matrix.row_of, block.matrix.indices, block.matrix.data
        number = np.full(block.length, NONE)
        number[chosen] = np.arange(len(chosen))
        number[block.quadratic.row] = NONE
        here = number[row_of] != NONE
        row, column, data = number[row_of[here]], column[here], data[here]
        count, is_split, is_slack = len(chosen), self.split[column], self.slack[column]
        dense = np.zeros((count, self.features + 1))
        entries = data[is_split] * self.unit[column[is_split]]
        np.add.at(dense, (row[is_split], self.entry[column[is_split]]), entries)
        low, high = np.full(count, self.topology.size), np.full(count, NONE)
        np.minimum.at(low, row[is_split], self.node[column[is_split]])
        np.maximum.at(high, row[is_split], self.node[column[is_split]])
        others = ~is_split & ~is_slack
        with np.errstate(invalid="ignore"):
            known = np.bincount(row[others], (data * values[column])[others], count)
        slacks = np.bincount(row[is_slack], minlength=count)
        factor = np.bincount(row[is_slack], data[is_slack], count)
        price = np.bincount(row[is_slack], self.costs[column[is_slack]], count)
        own = (low == high) & ~np.isnan(known) & (slacks <= 1)
        movable = np.zeros(count, bool)
        np.logical_or.at(movable, row[others], ~self.model.integer[column[others]])
        own &= ~movable
        point = positions(self.instance, block.index, "point")[chosen]
        for sign, limit in ((1.0, block.lower), (-1.0, block.upper)):
            least = sign * (limit[chosen] - known)
            relief = sign * factor
            with np.errstate(divide="ignore", invalid="ignore"):
                each = np.where(relief > 0, price / relief, np.inf)
            usable = own & np.isfinite(least) & (relief >= 0)
            for node in np.unique(low[usable]):
                at = usable & (low == node)
                rows = SideRows(sign * dense[at], point[at], least[at], each[at])
                parts[int(node)].append(rows)
