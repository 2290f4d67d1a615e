"""Built-in functions over frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from treemip.core.instance import derived
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.lower.frame import Frame
from treemip.core.lower.index_lookup import IndexLookup
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.model.arrays import Ragged, unique
from treemip.core.model.values import logistic
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import FEATURE, POINT, Sort
from treemip.core.source.diagnostic import fail

ELEMENTWISE: dict[str, Any] = {
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "logistic": logistic,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
}
STEPS = ("left", "right", "parent")
SIDES = {"left_support": "left", "right_support": "right"}
FLOW_SETS = ("source_side", "cut_left", "cut_right")
TREE_VALUES = ("mid", "next", "lo", "hi")


class Calls:
    def __init__(self, evaluator: EvaluatorParts, places: IndexLookup) -> None:
        self.evaluator = evaluator
        self.places = places
        self.instance = evaluator.instance
        self._derived: dict[str, Ragged] = {}

    def call(self, e: t.Call, frame: Frame) -> np.ndarray:
        """A function of known arguments, one value a row."""
        name = e.function
        if name in ("root", "positive", "negative"):
            if frame.size == 0:  # of a choice that is not taken
                return np.zeros(0, np.int64)
            return np.full(frame.size, self._constant(e), np.int64)
        if name == "max_depth":
            return self._max_depth(e, frame)
        if name == "sorted":
            return self._sorted(e, frame)
        if name == "descend":
            return self._descend(e, frame)
        arguments = [self._value(a, e, frame) for a in e.arguments]
        if name in ("max", "min"):
            pick = np.maximum if name == "max" else np.minimum
            return pick.reduce([np.asarray(a, float) for a in arguments])
        if name in ELEMENTWISE:
            return elementwise(e, arguments[0])
        if name == "ord":
            return arguments[0] + 1.0
        if name == "point":
            return self._point(e, arguments[0])
        if name == "point_of":
            return self.instance.flow_cuts.points[arguments[0]]
        if name in derived.GAPS:
            return self.instance.once(_gaps)[name][arguments[0]]
        if name == "least_gap_moved":
            return derived.least_gap_moved(self.instance.table.x, *arguments)
        return self._of_node(e, self.forest(e.arguments[0].sort), arguments[0])

    def _value(self, argument: t.Typed, e: t.Call, frame: Frame) -> np.ndarray:
        """An argument's values. Raises E601 where it holds variables."""
        value = self.evaluator.evaluate(argument, frame)
        if not isinstance(value, np.ndarray):
            fail(
                "E601",
                f"'{e.function}' of an expression that is {argument.degree} "
                "cannot be stated exactly in a row",
                e.span,
                "sums, products, powers, quotients, exp, log, sqrt, logistic, abs, max, "
                "min and norms can be stated",
            )
        return value

    def lists(self, e: t.Call, frame: Frame) -> Ragged:
        """A set-valued function, one list a row."""
        name = e.function
        if name in derived.SETS:
            return self._derived_set(name).take(self.evaluator.known(e.arguments[0], frame))
        if name == "categories":
            categories = self.instance.table.categories
            return categories.take(self.evaluator.known(e.arguments[0], frame))
        if name == "values":
            assert isinstance(e.arguments[0], t.At)
            codes = self.places.whole(e.arguments[0].symbol)
            return Ragged.same(unique(codes), frame.size)
        if name == "features_of":
            return self._features_of(e.arguments[0], frame)
        if name in SIDES:
            side: Ragged = getattr(self.instance.supports, SIDES[name])
            return side.take(self.evaluator.known(e.arguments[0], frame))
        if name in FLOW_SETS:
            nodes: Ragged = getattr(self.instance.flow_cuts, name)
            return nodes.take(self.evaluator.known(e.arguments[0], frame))
        if name == "inner":
            tree = e.arguments[0]
            return self.forest_of_tree(tree).inner.take(self._families(tree, frame))
        if name == "level":
            depth = self.instance.nodes.depth
            wanted = self.evaluator.known(e.arguments[0], frame) - 1
            at = np.argsort(depth, kind="stable")
            low, high = (np.searchsorted(depth[at], wanted, side) for side in ("left", "right"))
            places = Ragged.runs(low, high - low)
            return Ragged(places.offsets, at[places.items])
        table: Ragged = getattr(self.forest(e.arguments[0].sort), name)
        return table.take(self.evaluator.known(e.arguments[0], frame))

    # -------------------------------------------------------------------- trees

    def forest(self, sort: Sort) -> Forest:
        return self.instance.forest(sort)

    def forest_of_tree(self, tree: t.Typed) -> Forest:
        assert isinstance(tree, t.At)
        return self.instance.trees[tree.symbol.name]

    def _families(self, tree: t.Typed, frame: Frame) -> np.ndarray:
        """Which tree of the family each row means."""
        assert isinstance(tree, t.At)
        arguments = [self.evaluator.known(a, frame) for a in tree.arguments]
        return self.places.inside(tree.symbol, arguments, frame, tree.span)

    def _of_node(self, e: t.Call, forest: Forest, nodes: np.ndarray) -> np.ndarray:
        if e.function == "depth":
            return forest.depth[nodes].astype(float)
        if e.function in TREE_VALUES:
            if e.function not in forest.values:
                fail("E204", f"the topology's nodes have no '{e.function}'", e.span)
            return forest.values[e.function][nodes]
        assert e.function in STEPS
        targets: np.ndarray = getattr(forest, e.function)[nodes]
        if (targets < 0).any():
            heap = forest.heap[nodes[np.argmin(targets >= 0)]]
            has = (
                "the root has no parent"
                if e.function == "parent"
                else f"leaf {heap} has no children"
            )
            fail(
                "E401",
                f"'{e.function}' does not exist here: {has}",
                e.span,
                "restrict the domain: {t in branches} has children, "
                "{t in nodes : t != root} a parent",
            )
        return targets

    def _max_depth(self, e: t.Call, frame: Frame) -> np.ndarray:
        tree = e.arguments[0]
        depths = self.forest_of_tree(tree).max_inner_depth
        if isinstance(tree, t.At) and tree.arguments:
            return depths[self._families(tree, frame)].astype(float)
        return np.full(frame.size, float(depths.max(initial=-1)))

    def _descend(self, e: t.Call, frame: Frame) -> np.ndarray:
        """Follow the bits from the root: bit 1 at depth d goes left (threshold at most mid)."""
        tree, bits = e.arguments
        forest = self.forest_of_tree(tree)
        assert isinstance(bits, t.Reduction)
        child, rows = self.evaluator.expand(bits.binders, bits.guard, frame)
        values = np.asarray(self.evaluator.known(bits.body, child), float) >= 0.5
        width = int(np.bincount(rows, minlength=frame.size).max(initial=0))
        table = np.zeros((frame.size, max(width, 1)), bool)
        depth = child.column(bits.binders[0].name).astype(np.int64)
        table[rows, depth - int(depth.min(initial=0))] = values
        node = forest.roots[self._families(tree, frame)]
        for d in range(width):
            inside = np.flatnonzero((node >= 0) & ~forest.is_leaf[node])
            side = np.where(table[inside, d], forest.left[node[inside]], forest.right[node[inside]])
            node = node.copy()
            node[inside] = side
        return np.where(node >= 0, forest.values["mid"][np.maximum(node, 0)], np.nan)

    # --------------------------------------------------------------------- data

    def _constant(self, e: t.Call) -> int:
        if e.function == "root":
            return 0
        if self.instance.data is None or self.instance.data.positive is None:
            two = self.instance.data is not None and len(self.instance.table.classes) == 2
            if not two:
                fail(
                    "E305",
                    f"'{e.function}' needs two classes, one of them positive",
                    e.span,
                    'name it in the data block: positive "…";',
                )
            positive = 1
        else:
            positive = self.instance.data.positive
        if e.function == "positive":
            return positive
        classes = len(self.instance.table.classes)
        if classes != 2:
            message = f"'negative' is the other of two classes, and there are {classes}"
            fail("E305", message, e.span, "write  y[i] != positive  for all others")
        return 1 - positive

    def _sorted(self, e: t.Call, frame: Frame) -> np.ndarray:
        """The r-th smallest value of a table, r from 1; of points among all they stand for."""
        table = e.arguments[0]
        assert isinstance(table, t.At)
        values, counts = self.places.whole(table.symbol), self.instance.counts
        order, rank = np.argsort(values), self.evaluator.known(e.arguments[1], frame)
        of_points = counts is not None and table.symbol.sorts == (POINT,)
        last = np.cumsum(counts[order] if of_points else np.ones(len(order)))  # type: ignore[index]
        most = int(last[-1]) if len(last) else 0
        if not ((rank >= 1) & (rank <= most) & (rank == np.floor(rank))).all():
            fail("E401", f"ranks run from 1 to {most}", e.arguments[1].span)
        return values[order[np.searchsorted(last, rank)]].astype(float)

    def _point(self, e: t.Call, rows: np.ndarray) -> np.ndarray:
        """The points of data rows, counted from 1 as in every message. Raises E309."""
        numbers = self.instance.table.row_numbers
        order = np.argsort(numbers)
        at = order[np.searchsorted(numbers[order], rows).clip(max=len(numbers) - 1)]
        missing = numbers[at] != rows
        if missing.any():
            fail(
                "E309",
                f"row {rows[np.argmax(missing)]:g} is not among the {len(numbers)} training points",
                e.span,
                "rows are counted from 1 without the header; `train` and `missing drop` "
                "leave rows out",
            )
        return at

    def _features_of(self, column: t.Typed, frame: Frame) -> Ragged:
        """The features that encoding made of a column of the file, or of a feature's column."""
        assert self.instance.data is not None
        origin = np.array(self.instance.data.encoder.origin)
        named = origin if column.sort == FEATURE else np.array(self.instance.names(column.sort))
        wanted = named[self.evaluator.known(column, frame)]
        rows, features = np.nonzero(wanted[:, None] == origin)
        return Ragged.from_pairs(rows, features, frame.size)

    def _derived_set(self, name: str) -> Ragged:
        if name not in self._derived:
            table = self.instance.table
            self._derived[name] = derived.SETS[name](table.x, table.y)
        return self._derived[name]


def elementwise(e: t.Call, argument: np.ndarray) -> np.ndarray:
    """A function of one number. Raises E404 where it is undefined."""
    values = np.asarray(argument, float)
    with np.errstate(all="ignore"):
        results: np.ndarray = ELEMENTWISE[e.function](values)
    if np.isnan(results[~np.isnan(values)]).any():
        fail("E404", f"'{e.function}' is undefined here", e.span)
    return results


def _gaps(instance: Instance) -> dict[str, np.ndarray]:
    return derived.gaps(instance.table.x)
