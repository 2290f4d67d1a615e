"""The source of columns in which a tree's rows are affine.

Concepts and variables are evaluated, by way of their `means`, as affine expressions in columns that
a search can count: which nodes a point passes (`routed`), what a leaf says (`given_label`), how a
branch splits (`coef`, `uses`, ...). Anything else remains a column of its own, whose value only the
evaluator knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from treemip.answers.search.choices import ChoosingEvaluator
from treemip.answers.search.folds import PRODUCT, Fold, FoldFunction
from treemip.answers.search.function_columns import Applied, SumTape
from treemip.answers.search.leaf_answers import LABEL, LABEL_TABLE, LeafAnswers
from treemip.answers.search.point_functions import Layout
from treemip.answers.search.structure import UNKNOWN
from treemip.answers.search.sums import NoSums
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear, Products, Value
from treemip.core.lower.model_columns import function_arguments
from treemip.core.lower.value_sources import Nothing
from treemip.core.model.blocks import Function
from treemip.core.model.sparse_rows import Part
from treemip.core.model.tape import Smooth
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import is_only_on_a_tree
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.other_names import variable_behind
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Span
from treemip.core.tree.tree_map import COUNTED, SPLITS

ROUTED, GIVEN = "routed", "given answer"

STRUCTURE = (*SPLITS, *COUNTED)
"""Concepts of splits and leaves whose values a search reads off a tree by itself, beside the
variables of splits by categories."""

MOST_OWN = 64  # indices of a variable of the spec's own that is a function of sums


class NotAffine(TypeError):
    """A meaning is not affine or bilinear in the columns of a tree, as of what is not known."""


class TreeColumns(Nothing):
    """The source of columns; `families` has the first column and the length of each by name.

    A concept or variable with a meaning is that meaning where it is affine or bilinear in the
    columns, and a column family of its own where it is not (a count of weights that are not 0). A
    single variable may be a function of sums, such as the greatest of some. A variable that is
    another name for one of STRUCTURE is a column of that name. Labels are those of the tree, even
    where a formulation says that an unused leaf has none. A value that leaves have is a sum over
    labels, one of which each leaf has.
    """

    def __init__(self, instance: Instance, answers: LeafAnswers) -> None:
        self.instance, self.answers = instance, answers
        self.evaluator = ChoosingEvaluator(instance, self)
        self.families: dict[str, tuple[int, int]] = {}
        self.symbols: dict[str, Symbol] = {}
        self._concepts = concepts_behind(instance)
        self.applied: list[Applied] = []
        self.functions = SumTape(self._apply)
        self.tape = self.functions
        self.count = 0
        nodes, labels = instance.nodes.size, answers.count
        routed = self._family(ROUTED, len(instance.table.y) * nodes)
        given = self._family(GIVEN, nodes * labels)
        self._tables: dict[str, Value] = {ROUTED: routed}
        self.label_start = self.families[GIVEN][0]
        self.structure_start = self.count
        ends = self.label_start, self.structure_start
        self.layout = Layout(instance.nodes, labels, *ends, answers.complete)
        if answers.values is None:
            self._tables[answers.table] = given
        elif answers.are_shares:
            self._tables[answers.table] = self._shares(answers.values)
        else:
            self._tables |= self._values(answers.values)
        route = instance.spec.route
        self._by_chance = route is not None and route.probability is not None
        self._meanings: dict[Symbol, Value] = {}
        self._probing = 0

    def _family(self, name: str, size: int) -> Linear:
        start, self.count = self.count, self.count + size
        self.families[name] = (start, size)
        return Linear.variables(start + np.arange(size))

    def _values(self, values: np.ndarray) -> dict[str, Value]:
        """The tables of leaves' values, float64 (K,) or (L, K), as sums over labels."""
        instance, layout = self.instance, self.layout
        leaves, labels = instance.nodes.leaves, layout.labels
        each = np.zeros((layout.nodes, labels))
        each[leaves] = values
        given = self.label_start + np.arange(each.size)
        part = Part(labels, given.astype(np.int32), each.ravel())
        points = np.arange(len(instance.table.y))
        passed = (points[:, None] * layout.nodes + leaves).ravel()
        of_leaf = self.label_start + leaves[:, None] * labels + np.arange(labels)
        products = Products(
            np.repeat(points, len(leaves) * labels),
            np.repeat(passed, labels).astype(np.int32),
            np.tile(of_leaf.ravel(), len(points)).astype(np.int32),
            np.tile(each[leaves].ravel(), len(points)),
        )
        return {
            "given_value": Linear(layout.nodes, None, (part,)),
            "given_slope": np.zeros(layout.nodes * len(instance.table.features)),
            "given_prediction": Linear(len(points), products=products),
        }

    def _shares(self, shares: np.ndarray) -> Linear:
        """The table of leaves' shares, one of float64 (K, classes), as sums over labels."""
        labels, classes = shares.shape
        node = np.repeat(np.arange(self.layout.nodes), classes)
        given = self.label_start + node[:, None] * labels + np.arange(labels)
        each = np.tile(shares.T, (self.layout.nodes, 1))
        part = Part(labels, given.ravel().astype(np.int32), each.ravel())
        return Linear(len(node), None, (part,))

    def _column(self, symbol: Symbol) -> Linear:
        """A family of its own, one column for each of the symbol's indices."""
        name = self._concepts.get(symbol, symbol.name)
        if name not in self.symbols:
            self.symbols[name] = symbol
            return self._family(name, self.evaluator.places.size(symbol))
        start, size = self.families[name]
        return Linear.variables(start + np.arange(size))

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        if symbol.name in self._tables:
            return self._tables[symbol.name]
        if symbol.role is Role.DATA and is_only_on_a_tree(symbol.name):
            raise NoSums(f"it speaks of '{symbol.name}', which its leaves do not answer")
        if symbol not in self._meanings:
            if symbol.means is not None:
                self._meanings[symbol] = self._meaning(symbol)
            elif symbol.role is Role.VARIABLE:
                self._meanings[symbol] = self._column(symbol)
            else:
                return None
        return self._meanings[symbol]

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        raise AssertionError(f"{span}: a variable has a table here")

    def _meaning(self, symbol: Symbol) -> Value:
        frame = self.evaluator.places.domain_frame(symbol)
        arguments = [frame.column(name) for name in symbol.domain.names]
        given = self._tables.get(LABEL_TABLE)
        name = self._concepts.get(symbol, symbol.name)
        if name == LABEL and len(arguments) == 2 and isinstance(given, Linear):
            nodes, classes = arguments
            return given.spread(nodes * (given.size // self.layout.nodes) + classes)
        number = symbol.role is Role.VARIABLE and not arguments and not self._probing
        value = self._inlined(symbol, number)
        own = symbol.role is Role.VARIABLE and symbol.module == SPEC and frame.size <= MOST_OWN
        if value is None and own and not number and not self._probing:
            with suppress(NoSums):
                value = self._inlined(symbol, True)  # a function of sums for each of its indices
        return self._column(symbol) if value is None else value

    def _inlined(self, symbol: Symbol, functions: bool) -> Value | None:
        """What a symbol means, None where that is not affine or bilinear in the columns. functions:
        whether results of functions are columns."""
        frame = self.evaluator.places.domain_frame(symbol)
        arguments = (frame.column(name) for name in symbol.domain.names)
        probing, self._probing = self._probing, 0 if functions else self._probing + 1
        try:
            assert symbol.means is not None
            value = self.evaluator.inline(
                symbol.means, dict(zip(symbol.means.domain.names, arguments, strict=True)), frame
            )
        except (TypeError, TreemipError):
            return None
        finally:
            self._probing = probing
        return None if isinstance(value, Linear) and value.slots else value

    def piecewise(self, expression: t.Typed, frame: Frame, evaluator: Evaluator) -> Value:
        """A result column for each row, unless it is about one point or leaf; inside a meaning,
        none: the concept is a column then."""
        function, arguments, offsets = function_arguments(expression, frame, evaluator)
        return self._apply(function, arguments, offsets, 1.0)

    def of_one(self, function: Callable[..., np.ndarray], rows: Sequence[Linear]) -> Linear | None:
        """A function of rows side by side, as sums over points; None where one of its results is
        not about one point or leaf."""
        if self._by_chance:
            return None
        each, size = len(rows), rows[0].size
        side_by_side = Linear(each * size)
        for k, row in enumerate(rows):
            side_by_side = side_by_side.plus(row.summed(k + each * np.arange(size), each * size))

        def apply(arguments: np.ndarray) -> np.ndarray:
            parts = arguments.reshape(*arguments.shape[:-1], size, each)
            return np.asarray(function(*np.moveaxis(parts, -1, 0)), float)

        return self.layout.applied(apply, side_by_side, each * np.arange(size + 1))

    def product(self, left: Linear, right: Linear) -> Linear:
        """What a point adds with a label where it is that; else a column for each row."""
        if self._is_of_labels(left, right) or self._is_of_labels(right, left):
            return left.product(right)
        if self._has_numbers(left) and self._has_numbers(right):
            return self._without_squares(left.product(right))  # of splits
        if left is right:
            return self._apply(Smooth.POWER, left, np.arange(left.size + 1), 2.0)
        rows = np.arange(left.size)
        return self.functions.product([(left, rows), (right, rows)], left.size)

    def _without_squares(self, value: Linear) -> Linear:
        """Columns that are 0 or 1 in place of their squares, as in a squared norm."""
        form = value.products
        if form is None:
            return value
        binary = np.zeros(self.count, bool)
        for name, symbol in self.symbols.items():
            start, size = self.families[name]
            binary[start : start + size] = symbol.kind == "binary"
        same = (form.first == form.second) & binary[form.first]
        square, rest = (Products(*(part[some] for part in form)) for some in (same, ~same))
        order = np.argsort(square.row, kind="stable")
        lengths = np.bincount(square.row, minlength=value.size)
        part = Part(lengths, square.first[order], square.coef[order])
        own = replace(value, products=rest if len(rest.row) else None)
        return own.plus(Linear(value.size, None, (part,)))

    def _apply(
        self, function: FoldFunction, arguments: Linear, offsets: np.ndarray, exponent: float
    ) -> Linear:
        """Results, one for each group of arguments: sums over points where a group is about one
        point or leaf, else columns."""
        if not self._by_chance:
            alone = Fold(function, np.arange(arguments.size), offsets, np.zeros((0, 0)), exponent)
            results = self.layout.applied(alone.values, arguments, offsets)
            if results is not None:
                return results
        if self._probing:
            raise NotAffine
        if not isinstance(function, Function) and self._has_numbers(arguments):
            what = "a product" if function == PRODUCT else "a nonlinear function"
            raise NoSums(f"it has {what} of variables that do not follow from the tree")
        name = function if isinstance(function, str) else function.value
        start = self.count
        self.applied.append(Applied(function, arguments, offsets, start, exponent))
        return self._family(f"{name} {len(self.applied)}", len(offsets) - 1)

    def keep_mentioned(self, values: list[Linear]) -> None:
        """Functions whose results the values mention, by way of other functions too, and no others:
        a definition that is nonlinear may be evaluated twice."""
        kept: list[Applied] = []
        for one in reversed(self.applied):
            if any(one.gives(part.var).any() for value in values for part in value.parts):
                kept.append(one)
                values = [*values, one.arguments]
        self.applied = kept[::-1]

    def _is_of_labels(self, points: Linear, labels: Linear) -> bool:
        """Whether rows multiply nodes that points pass with labels of the same nodes alone."""
        passed, given = points.matrix(), labels.matrix()
        if not passed.nonzeros or not given.nonzeros:
            return True
        start, stop = self.label_start, self.structure_start
        if passed.indices.max() >= start:
            return False
        if given.indices.min() < start or given.indices.max() >= stop:
            return False
        node = np.full(points.size, UNKNOWN)
        node[passed.row_of] = passed.indices % self.instance.nodes.size
        of_label = (given.indices - start) // self.answers.count
        if (node[passed.row_of] != passed.indices % self.instance.nodes.size).any():
            return False
        beside = node[given.row_of]  # rows without points have no products
        return bool(((beside == of_label) | (beside == UNKNOWN)).all())

    def _has_numbers(self, value: Linear) -> bool:
        """Whether rows mention what is no count: coefficients, thresholds, and columns that only a
        solution knows."""
        indices = [part.var for part in value.parts]
        if value.products is not None:
            indices += [value.products.first, value.products.second]
        for name in self.symbols:
            if name in COUNTED:
                continue
            start, size = self.families[name]
            if any(((var >= start) & (var < start + size)).any() for var in indices):
                return True
        return False


def concepts_behind(instance: Instance) -> dict[Symbol, str]:
    """The concepts that variables stand for, by whatever name; not those whose own meaning is
    another. A coefficient that is a use as well is a coefficient."""
    behind: dict[Symbol, str] = {}
    for name in (LABEL, *STRUCTURE):
        concept = instance.spec.concepts.get(name)
        variable = None if concept is None else variable_behind(concept)
        if concept is None or variable is None:
            continue
        if name == LABEL or variable.means in (None, concept.means):
            behind.setdefault(variable, name)
    return behind
