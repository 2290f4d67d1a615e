"""From a spec and its data to sums over points.

`TreeColumns` evaluates the spec's rows, by way of each concept's `means`, as affine expressions in
columns that a search can count: which nodes a point passes (`routed`), what a leaf says
(`given_label`), how a branch splits (`coef`, `uses`, ...). `sums_of` turns these rows into arrays
over points, leaves and classes. What has no such form remains a column of its own, whose value only
the evaluator knows. `Learned` adds rows of the formulation that trees turn out to break.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.linear import Linear, Products, Value
from treemip.lower.model_columns import ModelBuilder, function_arguments
from treemip.lower.relations import Relations
from treemip.lower.value_sources import Nothing
from treemip.model.blocks import Function, SparseRows
from treemip.model.model import Model
from treemip.model.sparse_rows import Part, join_parts
from treemip.model.tape import Smooth
from treemip.resolve import typed as t
from treemip.resolve.builtins import is_only_on_a_tree
from treemip.resolve.typed import Role, Symbol
from treemip.search.folds import PRODUCT, Fold, FoldFunction
from treemip.search.function_columns import Applied, SumTape
from treemip.search.leaf_answers import (
    LABEL_TABLE,
    LeafAnswers,
    Parabola,
    answers_of,
    breakpoints,
    candidates,
    is_linear_between,
    why_no_values,
    with_between,
)
from treemip.search.point_functions import Layout
from treemip.search.sums import UNKNOWN, Family, Sums
from treemip.source.diagnostic import TreemipError
from treemip.source.span import Span
from treemip.tree.tree_map import COUNTED, SPLITS, TreeMap

ROUTED, GIVEN = "routed", "given answer"


class NotAffine(Exception):
    """A meaning is not affine or bilinear in the columns of a tree."""


class NoSums(Exception):
    """The spec's value is no function of a few sums over points; the text says why."""


class TreeColumns(Nothing):
    """The source of columns; `families` has the first column and the length of each by name.

    A concept or variable with a meaning is that meaning where it is affine or bilinear in the
    columns, and a column family of its own where it is not (a count of weights that are not 0). A
    single variable may be a function of sums, such as the greatest of some.
    Labels are those of the tree, even where a formulation says that an unused leaf has none. A
    value that leaves have is a sum over labels, one of which each leaf has.
    """

    def __init__(self, instance: Instance, answers: LeafAnswers) -> None:
        assert instance.topology is not None
        self.instance, self.answers = instance, answers
        self.evaluator = Evaluator(instance, self)
        self.families: dict[str, tuple[int, int]] = {}
        self.symbols: dict[str, Symbol] = {}
        self.applied: list[Applied] = []
        self.functions = SumTape(self._apply)
        self.tape = self.functions
        self.count = 0
        nodes, labels = instance.topology.size, answers.count
        routed = self._family(ROUTED, len(instance.table.y) * nodes)
        given = self._family(GIVEN, nodes * labels)
        self._tables: dict[str, Value] = {ROUTED: routed}
        self.label_start = self.families[GIVEN][0]
        self.structure_start = self.count
        self.layout = Layout(instance.topology, labels, self.label_start, self.structure_start)
        if answers.values is None:
            self._tables[answers.table] = given
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
        assert instance.topology is not None
        leaves, labels = instance.topology.leaves, layout.labels
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

    def _column(self, symbol: Symbol) -> Linear:
        """A family of its own, one column for each of the symbol's indices."""
        self.symbols[symbol.name] = symbol
        return self._family(symbol.name, self.evaluator.places.domain_frame(symbol).size)

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
        if symbol.name == "label" and len(arguments) == 2 and isinstance(given, Linear):
            nodes, classes = arguments
            return given.spread(nodes * self.answers.count + classes)
        number = symbol.role is Role.VARIABLE and not arguments and not self._probing
        probing, self._probing = self._probing, 0 if number else self._probing + 1
        try:
            assert symbol.means is not None
            value = self.evaluator.inline(
                symbol.means, dict(zip(symbol.means.domain.names, arguments, strict=True)), frame
            )
            if isinstance(value, Linear) and value.slots:
                raise NotAffine
        except (NotAffine, TypeError, TreemipError):
            return self._column(symbol)
        finally:
            self._probing = probing
        return value

    def piecewise(  # type: ignore[override]
        self, expression: t.Typed, frame: Frame, evaluator: Evaluator
    ) -> Value:
        """A result column for each row, unless it is about one point or leaf; inside a meaning,
        none: the concept is a column then."""
        function, arguments, offsets = function_arguments(expression, frame, evaluator)
        return self._apply(function, arguments, offsets, 1.0)

    def product(self, left: Linear, right: Linear) -> Linear:
        """What a point adds with a label where it is that; else a column for each row."""
        if self._is_of_labels(left, right) or self._is_of_labels(right, left):
            return left.product(right)
        if self._has_numbers(left) and self._has_numbers(right):
            return left.product(right)  # of splits, such as squared norms
        if left is right:
            return self._apply(Smooth.POWER, left, np.arange(left.size + 1), 2.0)
        rows = np.arange(left.size)
        return self.functions.product([(left, rows), (right, rows)], left.size)

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
            raise NoSums(f"it has {what} of numbers that splits or points do not settle")
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
        assert self.instance.topology is not None
        node = np.full(points.size, UNKNOWN)
        node[passed.row_of] = passed.indices % self.instance.topology.size
        of_label = (given.indices - start) // self.answers.count
        if (node[passed.row_of] != passed.indices % self.instance.topology.size).any():
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


# ----------------------------------------------------------------------- rows to arrays


MOST_NUMBERS = 1 << 27  # in the largest array: 1 GB
MOST_PROVABLE = 1 << 22  # points times leaves times values tried, for a proof: 0.7 GB

STRUCTURE = (*SPLITS, *COUNTED)
"""Concepts of splits and leaves whose values a search reads off a tree by itself, beside the
variables of splits by categories."""


@dataclass(frozen=True)
class Row:
    """Rows over the columns of a tree, float64 low and high (rows,)."""

    value: Linear
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def free(cls, value: Linear) -> Row:
        far = np.full(value.size, np.inf)
        return cls(value, -far, far)


def sums_of(
    instance: Instance,
    of_point: np.ndarray,
    families: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
) -> Sums:
    """The sums for distinct points; of_point int64 (N,) numbers them. Raises NoSums.

    families: constraints of the formulation that are to count like the spec's own; without: those
    of the spec that are not to count. Where leaves
    have values, the sums are those of a parabola if they can be, and else of candidates.
    """
    answers = answers_of(instance)
    if answers is None:
        probes = Parabola.probes(instance)
        if probes is None:
            raise NoSums(why_no_values(instance))
        parabola, tried = probes
        sums = sums_among(instance, of_point, tried, families, without)
        if _is_quadratic(sums):
            return _at_three(sums, parabola)
        answers = candidates(instance)
        assert answers is not None
    return sums_among(instance, of_point, answers, families, without)


def provable_sums(
    instance: Instance,
    of_point: np.ndarray,
    families: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
) -> Sums:
    """As `sums_of`, but where leaves have values and each one's best is a value of the label, as
    with absolute errors, all values of the label are candidates."""
    sums, topology = sums_of(instance, of_point, families, without), instance.topology
    if sums.answers.values is None or sums.parabola is not None or topology is None:
        return sums
    values = breakpoints(instance)
    if values is None:
        return sums
    probes = with_between(values)
    if len(instance.table.y) * len(topology.leaves) * probes.count > MOST_PROVABLE:
        return sums
    every = sums_among(instance, of_point, probes, families, without)
    if not _is_like(every, is_linear_between):
        return sums
    return _some_labels(every, slice(None, None, 2), LeafAnswers.among(values, complete=True))


def _is_quadratic(sums: Sums) -> bool:
    return _is_like(sums, Parabola.fits)


def _is_like(sums: Sums, fits: Callable[[np.ndarray], bool]) -> bool:
    """Whether each leaf may have its best value whatever the others have, and what points and
    leaves add to the objective fits, as a function of it."""
    parts = (sums.shared[:, :, 0], sums.label[:, :, 0])
    return sums.free_labels and 0 not in sums.local_rows and all(map(fits, parts))


def _at_three(sums: Sums, parabola: Parabola) -> Sums:
    """The sums at the three values that a parabola needs, of those at which it was tested."""
    three = _some_labels(sums, slice(None, None, 2), parabola.answers)
    return replace(three, parabola=parabola)


def _some_labels(sums: Sums, at: slice, answers: LeafAnswers) -> Sums:
    return replace(
        sums,
        shared=np.ascontiguousarray(sums.shared[:, at]),
        local=np.ascontiguousarray(sums.local[:, :, at]),
        label=np.ascontiguousarray(sums.label[:, at]),
        answers=answers,
    )


def sums_among(
    instance: Instance,
    of_point: np.ndarray,
    answers: LeafAnswers,
    families: frozenset[str] = frozenset(),
    without: frozenset[str] = frozenset(),
) -> Sums:
    """The sums where leaves have one of these answers; the rest as of `sums_of`."""
    columns = TreeColumns(instance, answers)
    try:
        objective, constraints = _objective(columns), _constraints(columns, families, without)
    except TreemipError as error:  # what a model states may have no value on a tree
        raise NoSums(error.diagnostics[0].message) from None
    constraints = [c for c in constraints if not _squares(columns, c.value)]
    constraints = [one for c in constraints if (one := _that_bind(columns, c)).value.size]
    columns.keep_mentioned([objective, *(row.value for row in constraints)])
    arguments = [Row.free(applied.arguments) for applied in columns.applied]
    of_points = [c for c in constraints if _counts_points(columns, c.value)]
    of_splits = [c for c in constraints if not _counts_points(columns, c.value)]
    return _Arrays(columns, of_point, [Row.free(objective), *arguments, *of_points], of_splits).sums


def _objective(columns: TreeColumns) -> Linear:
    objective = columns.instance.spec.objective
    if objective is None:
        return Linear.known(np.zeros(1))
    return columns.evaluator.linear(objective.value, Frame.empty())


def _constraints(
    columns: TreeColumns, families: frozenset[str], without: frozenset[str]
) -> list[Row]:
    """The spec's own constraints; most of a formulation's say what its trees are."""
    instance, rows = columns.instance, []
    relations = Relations(ModelBuilder(instance), columns.evaluator)
    for constraint in instance.spec.constraints:
        wanted = constraint.module == "spec" or constraint.name in families
        if not wanted or constraint.guards or constraint.name in without:
            continue
        frame = relations.frame(constraint)
        if frame.size:
            rows.append(Row(*relations.between(constraint.relation, frame)))
    return rows


def _counts_points(columns: TreeColumns, value: Linear) -> bool:
    """Whether rows depend on where points go or on labels, be it through a function."""
    if value.products is not None:
        return True
    first = columns.structure_start
    return any(
        (part.var < first).any() or any(one.gives(part.var).any() for one in columns.applied)
        for part in value.parts
    )


def _that_bind(columns: TreeColumns, row: Row) -> Row:
    """The rows without those that hold on every tree, such as what says that an absolute value is
    no less than its argument."""
    rest = np.flatnonzero(~columns.layout.always(row.value, row.low, row.high))
    if len(rest) == row.value.size:
        return row
    return Row(row.value.spread(rest), row.low[rest], row.high[rest])


def _squares(columns: TreeColumns, value: Linear) -> bool:
    """Whether rows have products of what splits are, such as squared norms."""
    form = value.products
    return form is not None and bool((form.first >= columns.structure_start).any())


class _Arrays:
    """The entries of all rows as arrays over points, leaves and classes."""

    def __init__(
        self, columns: TreeColumns, of_point: np.ndarray, blocks: list[Row], limits: list[Row]
    ) -> None:
        topology = columns.instance.topology
        assert topology is not None
        self.columns, self.topology = columns, topology
        self.of_point, self.points = of_point, int(of_point.max()) + 1
        self.classes = columns.answers.count
        self.leaves = len(topology.leaves)
        self.leaf_number = np.full(topology.size, -1)
        self.leaf_number[topology.leaves] = np.arange(self.leaves)
        self.blocks, self.limit_rows = blocks, limits
        self.starts = np.cumsum([0, *(block.value.size for block in blocks)])
        self.rows = int(self.starts[-1])
        if self.rows * self.points * self.leaves * self.classes > MOST_NUMBERS:
            raise NoSums("its rows do not fit into memory")

    @property
    def sums(self) -> Sums:
        row, column, data = self._entries
        worth = self._by_leaf()
        one_for_all = (worth == worth[:, :, :1]).all(axis=(1, 2, 3))
        local = np.flatnonzero(~one_for_all)
        shared = np.where(one_for_all[:, None, None], worth[:, :, 0], 0.0)
        first = self.columns.structure_start
        beyond = column >= first
        added = np.zeros((self.columns.count - first, self.rows))
        np.add.at(added, (column[beyond] - first, row[beyond]), data[beyond])
        scale = np.abs(worth).max(axis=(1, 2, 3), initial=0.0)
        join = np.concatenate
        families, opaque = self._families(added)
        objective = self.columns.instance.spec.objective
        return Sums(
            shared=np.ascontiguousarray(shared.transpose(1, 2, 0)),
            local=np.ascontiguousarray(worth[local].transpose(1, 2, 3, 0)),
            local_rows=local,
            label=self._label_part(),
            constant=join([b.value.constant for b in self.blocks]),
            low=join([b.low for b in self.blocks]),
            high=join([b.high for b in self.blocks]),
            scale=np.where(scale > 0, scale, 1.0),
            folds=self._folds(added),
            sign=-1.0 if objective is not None and objective.sense == "maximize" else 1.0,
            structure=added,
            families=families,
            limits=self._limits(),
            opaque=(*opaque, *self._squared),
            answers=self.columns.answers,
        )

    @property
    def _squared(self) -> tuple[str, ...]:
        """A name for products of splits, such as squared norms, where there are any."""
        return ("products",) if any(_squares(self.columns, b.value) for b in self.blocks) else ()

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Row, column and coefficient of the affine entries of all rows."""
        matrices = [block.value.matrix() for block in self.blocks]
        row = [m.row_of + s for m, s in zip(matrices, self.starts[:-1], strict=True)]
        join = np.concatenate
        return join(row), join([m.indices for m in matrices]), join([m.data for m in matrices])

    def _by_leaf(self) -> np.ndarray:
        """What a point adds to each row, float64 (R, M, L, K)."""
        row, column, data = self._entries
        here = column < self.columns.label_start
        row, column, data = row[here], column[here], data[here]
        point, node = np.divmod(column, self.topology.size)
        under = self.topology.leaves_under.take(node)
        each = np.repeat(np.arange(len(node)), under.lengths)
        leaf = self.leaf_number[under.items]
        key = (row[each] * self.points + self.of_point[point[each]]) * self.leaves + leaf
        shape = (self.rows, self.points, self.leaves)
        passed = np.bincount(key, data[each], int(np.prod(shape))).reshape(*shape, 1)
        return passed + self._products().reshape(*shape, self.classes)

    def _products(self) -> np.ndarray:
        """What a point adds with a label, flat over rows, points, leaves and classes."""
        start, stop = self.columns.label_start, self.columns.structure_start
        total = np.zeros(self.rows * self.points * self.leaves * self.classes)
        for block, first_row in zip(self.blocks, self.starts[:-1], strict=True):
            form = block.value.products
            if form is None:
                continue
            of_points = form.first < stop
            form = Products(*(part[of_points] for part in form))
            if not ((form.first < start) & (form.second >= start) & (form.second < stop)).all():
                raise NoSums("it multiplies what points or labels are with numbers of splits")
            point, node = np.divmod(form.first, self.topology.size)
            of_label, label = np.divmod(form.second - start, self.classes)
            if (node != of_label).any():
                raise NoSums("it multiplies a point's node with the label of another one")
            at = (form.row + first_row) * self.points + self.of_point[point]
            key = (at * self.leaves + self.leaf_number[node]) * self.classes + label
            total += np.bincount(key, form.coef, len(total))
        return total

    def _label_part(self) -> np.ndarray:
        row, column, data = self._entries
        start = self.columns.label_start
        here = (column >= start) & (column < self.columns.structure_start)
        node, label = np.divmod(column[here] - start, self.classes)
        part = np.zeros((self.leaves, self.classes, self.rows))
        at = self.leaf_number[node] >= 0  # those of branches are 0
        np.add.at(part, (self.leaf_number[node][at], label[at], row[here][at]), data[here][at])
        return part

    def _folds(self, added: np.ndarray) -> tuple[Fold, ...]:
        first, folds = self.columns.structure_start, []
        for one, start in zip(self.columns.applied, self.starts[1:], strict=False):
            rows = start + np.arange(one.arguments.size)
            to = added[one.start - first :][: one.results]
            folds.append(Fold(one.function, rows, one.offsets, to, one.exponent))
        return tuple(folds)

    def _families(self, added: np.ndarray) -> tuple[dict[str, Family], tuple[str, ...]]:
        columns, first = self.columns, self.columns.structure_start
        in_limits = [part.var for row in self.limit_rows for part in row.value.parts]
        mentioned = np.zeros(columns.count - first, bool)
        mentioned |= added.any(axis=1)
        for var in in_limits:
            mentioned[var - first] = True
        form = TreeMap.of(columns.instance).categories
        known = {*STRUCTURE, *(() if form is None else (*form.sets, *form.tests))}
        families, opaque = {}, []
        for name, symbol in columns.symbols.items():
            start, size = columns.families[name]
            if not mentioned[start - first : start - first + size].any():
                continue
            frame = columns.evaluator.places.domain_frame(symbol)
            indices = tuple(frame.column(n) for n in symbol.domain.names)
            families[name] = Family(start - first, size, indices)
            if name not in known:
                opaque.append(name)
        return families, tuple(opaque)

    def _limits(self) -> tuple[SparseRows, np.ndarray, np.ndarray]:
        first, none = self.columns.structure_start, np.zeros(0)
        if not self.limit_rows:
            return join_parts(0, []), none, none
        row, column, data, start = [], [], [], 0
        for block in self.limit_rows:
            matrix = block.value.matrix()
            row.append(matrix.row_of + start)
            column.append(matrix.indices - first)
            data.append(matrix.data)
            start += matrix.count
        lengths = np.bincount(np.concatenate(row), minlength=start)
        part = Part(lengths, np.concatenate(column).astype(np.int32), np.concatenate(data))
        constant = np.concatenate([b.value.constant for b in self.limit_rows])
        low = np.concatenate([b.low for b in self.limit_rows])
        high = np.concatenate([b.high for b in self.limit_rows])
        return join_parts(start, [part]), low - constant, high - constant


# ---------------------------------------------------------------- rows that trees break

MOST_ROWS = 64
"""Rows of a family that is learned: about leaves or splits, and not about each point."""


class Learned:
    """Families learned so far; `tried` ones are not tried again."""

    def __init__(self, instance: Instance, model: Model, of_point: np.ndarray) -> None:
        self.instance, self.of_point = instance, of_point
        self.families: frozenset[str] = frozenset()
        self.tried: set[str] = set()
        self.lengths = {block.name: block.length for block in model.rows}

    def from_broken(self, broken: Iterable[str], sums: Sums) -> Sums | None:
        """The sums with the families that a tree has broken; None where there is nothing new that
        sums over points can say."""
        own = {c.name for c in self.instance.spec.constraints if c.module == "spec"}
        fresh = {name for name in broken if name not in own | self.tried}
        self.tried |= fresh
        fresh = {n for n in fresh if self.lengths.get(n, MOST_ROWS + 1) <= MOST_ROWS}
        if not fresh:
            return None
        try:
            more = sums_of(self.instance, self.of_point, self.families | fresh)
        except (NoSums, TreemipError):
            return None
        same = more.answers.count == sums.answers.count and more.parabola == sums.parabola
        if set(more.opaque) - set(sums.opaque) or not same:
            return None
        self.families |= fresh
        return more
