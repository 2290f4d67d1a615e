"""Which columns of a model are its trees: splits, ways of points, answers of leaves, counts.

All follows from `route`, `predict`, the vocabulary's concepts and what variables mean. No
formulation is known by name, nor any of its rows and variables. Columns are numbered as in the
lowered model, whose first ones are the spec's variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.lower.value_sources import FreePointEvaluator, Solution, mentioned
from treemip.core.model.arrays import offsets_of
from treemip.core.model.blocks import SparseRows
from treemip.core.model.sparse_rows import sparse_rows
from treemip.core.resolve.builtins import GIVEN
from treemip.core.resolve.sorts import CLASS, FEATURE, Degree
from treemip.core.resolve.tree_rules import BRANCH_NAME, LEAF_NAME, POINT_NAME
from treemip.core.resolve.typed import At, Bound, Reduction, Role, Symbol, Typed, at_all
from treemip.core.tree.category_form import CategoryForm, read_form
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.meaning import leaf_variables
from treemip.core.tree.parts_of_splits import PartsOfSplits
from treemip.core.tree.readout import splits

NONE = -1
"""In place of a column, where there is none."""

COUNTED = ("uses", "active", "uses_anywhere", "occupied", "tested_anywhere")
"""Concepts of splits and leaves that are 0 or 1, without those of single categories."""

ZERO_ONE = (*COUNTED, "tested")
"""All concepts of splits and leaves that are 0 or 1."""

SPLITS = ("coef", "bias")
"""Concepts that are the numbers of splits."""


@dataclass(frozen=True)
class Cells:
    """Where something is a single column: thing[at] = rate * column + constant.

    at: int64 (n,) for each of its indices; column int64, rate and constant float64, (n,). Where it
    is several columns, or none, it has no cell.
    """

    at: tuple[np.ndarray, ...]
    column: np.ndarray
    rate: np.ndarray
    constant: np.ndarray

    @classmethod
    def of(cls, matrix: SparseRows, constant: np.ndarray, at: tuple[np.ndarray, ...]) -> Cells:
        """Of affine rows those with one column; constant and the indices `at` (rows,) each."""
        single = np.flatnonzero(np.diff(matrix.indptr) == 1)
        entry = matrix.indptr[single]
        where = tuple(index[single] for index in at)
        column = matrix.indices[entry].astype(np.int64)
        return cls(where, column, matrix.data[entry], constant[single])

    def take(self, some: np.ndarray) -> Cells:
        """Those at the positions, or where it is true."""
        at = tuple(index[some] for index in self.at)
        return Cells(at, self.column[some], self.rate[some], self.constant[some])

    @property
    def is_plain(self) -> bool:
        """Whether the columns are the thing itself."""
        return bool((self.rate == 1).all() and not self.constant.any())

    def table(self, shape: tuple[int, ...]) -> np.ndarray:
        """The columns by index, int64 of this shape, NONE where there is no cell."""
        table = np.full(shape, NONE)
        table[self.at] = self.column
        return table

    def solved(self, wanted: np.ndarray) -> np.ndarray:
        """What the columns are where the thing is as wanted, a table by index; float64 (n,)."""
        values: np.ndarray = (wanted[self.at] - self.constant) / self.rate
        return values


NO_CELLS = Cells((np.zeros(0, np.int64),) * 2, np.zeros(0, np.int64), *np.zeros((2, 0)))
"""Of a table of two indices."""


@dataclass(frozen=True, eq=False)
class TreeMap:
    """The columns of an instance by what they stand for, each read when it is first asked for.

    N points, p features, K labels that leaves answer; nodes are those of the topology.
    """

    instance: Instance

    @classmethod
    def of(cls, instance: Instance) -> TreeMap:
        """The map of an instance, made once."""
        return instance.once(cls)

    # --------------------------------------------------------------- columns and concepts

    @cached_property
    def _names(self) -> Evaluator:
        building = ModelBuilder(self.instance)
        building.starts.update(self.starts)
        return Evaluator(self.instance, ModelColumns(building))

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many columns each variable has."""
        places = Evaluator(self.instance, Solution({})).places
        return {s.name: places.size(s) for s in self.instance.spec.variables}

    @cached_property
    def starts(self) -> dict[str, int]:
        """The first column of each variable."""
        offsets = offsets_of(np.array(list(self.sizes.values()), np.int64)).tolist()
        return dict(zip(self.sizes, offsets, strict=False))

    @property
    def count(self) -> int:
        """How many columns the variables have."""
        return sum(self.sizes.values())

    def indices(self, symbol: Symbol) -> tuple[np.ndarray, ...]:
        """The indices of a symbol over its own domain, int64 each; of a variable, in the order of
        its columns."""
        frame = self._names.places.domain_frame(symbol)
        return tuple(frame.column(name) for name in symbol.domain.names)

    def affine(self, concept: str) -> Linear | None:
        """A concept over its own domain, in columns; None where the spec has none of that name, or
        it is not affine in them."""
        symbol = self.instance.spec.concepts.get(concept)
        if symbol is None or symbol.degree > Degree.AFFINE:
            return None
        return self._names.linear(at_all(symbol), self._names.places.domain_frame(symbol))

    def cells(self, concept: str) -> Cells | None:
        """Those of a concept over its own domain; None where the spec has none of that name."""
        symbol = self.instance.spec.concepts.get(concept)
        if symbol is None:
            return None
        row = self.affine(concept)
        if row is None:
            row = Linear.known(np.zeros(0))
        return Cells.of(row.matrix(), row.constant, self.indices(symbol))

    @cached_property
    def counted(self) -> dict[str, Cells]:
        """The cells of what the vocabulary counts, as far as the spec has it."""
        found = {name: self.cells(name) for name in COUNTED}
        return {name: cells for name, cells in found.items() if cells is not None}

    def variables(self, *cells: Cells) -> frozenset[str]:
        """The names of the variables whose columns are cells."""
        held = np.zeros(self.count + 1, bool)
        for one in cells:
            held[one.column] = True
        return frozenset(n for n, s in self.starts.items() if held[s : s + self.sizes[n]].any())

    def solved(self, wanted: Iterable[tuple[Cells, np.ndarray]]) -> np.ndarray:
        """All columns, float64, where what has the cells is as wanted; nan for the others."""
        columns = np.full(self.count, np.nan)
        for cells, table in wanted:
            columns[cells.column] = cells.solved(table)
        return columns

    def by_name(self, columns: np.ndarray) -> dict[str, np.ndarray]:
        """The variables all of whose columns are known, of float64 (columns,), nan where not."""
        parts = {name: columns[s : s + self.sizes[name]] for name, s in self.starts.items()}
        known = {n: p for n, p in parts.items() if len(p) and not np.isnan(p).any()}
        return {name: part.copy() for name, part in known.items()}  # without all others

    # ------------------------------------------------------------------------------ splits

    @cached_property
    def coef(self) -> Cells:
        """The coefficients of splits, by branch and feature: the concept's, and where there is no
        such concept, the route's."""
        own = self.cells("coef")
        return self._route[0] if own is None else own

    @cached_property
    def bias(self) -> Cells:
        """The thresholds of splits, by branch, in the same way."""
        own = self.cells("bias")
        return self._route[1] if own is None else own

    @cached_property
    def _route(self) -> tuple[Cells, Cells]:
        """Coefficients and thresholds as the route states them."""
        route, topology = self.instance.spec.route, self.instance.nodes
        assert route is not None
        branches, sides = topology.branches, (route.left, route.right)
        point = np.zeros(len(branches), np.int64)
        frame = Frame(len(branches), {BRANCH_NAME: branches, POINT_NAME: point})
        sign = 1.0 if route.op in ("<", "<=") else -1.0
        parts = self._by_input(sides, (sign, -sign), frame, branches)
        part = parts.at[1]
        bias = parts.take(part == 0)
        coef = parts.take((part > 0) & (part <= self.inputs.features))
        return (
            Cells((coef.at[0], coef.at[1] - 1), coef.column, coef.rate, coef.constant),
            Cells((bias.at[0],), bias.column, -bias.rate, -bias.constant),
        )

    def _by_input(
        self,
        addends: Iterable[Typed | None],
        signs: Iterable[float],
        frame: Frame,
        nodes: np.ndarray,
    ) -> Cells:
        """The cells of an expression affine in a point's inputs, by node and part: part 0 is what
        has no input, part 1 + j what input j is multiplied by. Without cells where an addend is not
        affine in the variables.

        nodes int64 (rows of the frame,).
        """
        width, total = self.inputs.width, Linear.known(np.zeros(frame.size))
        after = {name: width + start for name, start in self.starts.items()}
        names = FreePointEvaluator(self.instance, {}, starts=after)
        for addend, sign in zip(addends, signs, strict=True):
            if addend is None or addend.degree > Degree.AFFINE:
                nodes, total = nodes[:0], Linear.known(np.zeros(0))
                break
            total = total.plus(names.linear(addend, frame).times(sign))
        matrix, constant = total.matrix(), np.zeros((len(nodes), 1 + width))
        own = matrix.indices < width
        constant[:, 0] = total.constant
        constant[matrix.row_of[own], 1 + matrix.indices[own]] = matrix.data[own]
        row, column, rate = (
            matrix.row_of[~own] * (1 + width),
            matrix.indices[~own],
            matrix.data[~own],
        )
        if (form := total.products) is not None:
            row = np.concatenate([row, form.row * (1 + width) + 1 + form.first])
            column, rate = np.append(column, form.second), np.append(rate, form.coef)
        node, part = np.divmod(np.arange(constant.size), 1 + width)
        entries = sparse_rows(row, column - width, rate, constant.size)
        return Cells.of(entries, constant.ravel(), (nodes[node], part))

    @cached_property
    def inputs(self) -> Inputs:
        """What the inputs of splits are."""
        return Inputs.of(self.instance)

    @cached_property
    def categories(self) -> CategoryForm | None:
        """The variables of splits by categories; None where there are no such splits, or where a
        set of categories does not determine them."""
        route = self.instance.spec.route
        if route is None or route.left is None:
            return None
        return read_form(self.instance, self._split_values)

    def split_values(self, weights: np.ndarray, threshold: np.ndarray) -> dict[str, np.ndarray]:
        """The variables that splits determine, by name: weights float64 (nodes, inputs), threshold
        (nodes,)."""
        return self._split_values(weights, threshold, self.categories)

    def _split_values(
        self, weights: np.ndarray, threshold: np.ndarray, form: CategoryForm | None
    ) -> dict[str, np.ndarray]:
        bias = threshold
        if form is not None:  # such splits have no coefficients
            bias = np.where(self.inputs.is_by_set(weights), form.bias, threshold)
        wanted = (self.coef, weights[:, : self.inputs.features]), (self.bias, bias)
        columns = self.solved(wanted)
        parts = self._parts_of_splits
        if parts is not None:
            columns[parts.columns] = parts.solved(weights)
        values = self.by_name(columns)
        return values if form is None else values | form.values(self.instance, weights)

    @cached_property
    def _parts_of_splits(self) -> PartsOfSplits | None:
        """Of coefficients that are several columns; None where there are none that uses tell."""
        rows = self.affine("coef"), self.affine("uses")
        if rows[0] is None or rows[1] is None:
            return None
        concepts = self.instance.spec.concepts
        at = self.indices(concepts["coef"]), self.indices(concepts["uses"])
        return PartsOfSplits.of(rows[0], rows[1], *at)

    def likely_split_values(
        self, weights: np.ndarray, threshold: np.ndarray
    ) -> dict[str, np.ndarray]:
        """As `split_values`, and where a coefficient is several columns, such as one for either
        sign, one of them that makes it what it is alone, the others 0: one of the ways to say the
        splits, if there are more."""
        known = self.split_values(weights, threshold)
        row = self.affine("coef")
        if row is None:
            return known
        at = self.indices(self.instance.spec.concepts["coef"])
        matrix, wanted = row.matrix(), weights[at] - row.constant
        several = np.diff(matrix.indptr)[matrix.row_of] > 1
        entry = np.flatnonzero(several & (matrix.data == wanted[matrix.row_of]))
        _, first = np.unique(matrix.row_of[entry], return_index=True)
        columns = np.full(self.count, np.nan)
        columns[matrix.indices[several]] = 0.0
        columns[matrix.indices[entry[first]]] = 1.0
        said = matrix.data * np.nan_to_num(columns[matrix.indices])
        whole = (np.bincount(matrix.row_of, said, matrix.count) == wanted)[matrix.row_of]
        columns[matrix.indices[several & ~whole]] = np.nan
        return self.by_name(columns) | known

    @cached_property
    def unsplit_left(self) -> bool:
        """Where the route sends the points of a branch whose variables are all 0.

        Where each branch has a split, there may be no threshold then, and it does not matter.
        """
        zero = {name: np.zeros(size) for name, size in self.sizes.items()}
        _, threshold, strict = splits(self.instance, zero)
        return not (threshold[0] <= 0 if strict else threshold[0] < 0)

    @cached_property
    def listed_thresholds(self) -> list[np.ndarray] | None:
        """The thresholds that splits of each feature choose from, increasing, float64 (k,) each;
        None where the route does not read them off a search tree over numbers, one for each."""
        route = self.instance.spec.route
        assert route is not None and route.left is not None and route.right is not None
        codes = [s for s in mentioned(route.left, route.right) if s.role is Role.TREE]
        if len(codes) != 1 or codes[0].sorts != (FEATURE,):
            return None
        code = self.instance.trees[codes[0].name]
        ends, mid = code.leaves, code.values["mid"]
        features = range(self.inputs.features)
        return [np.sort(mid[ends[code.family[ends] == j]]) for j in features]

    @cached_property
    def prices_thresholds(self) -> bool:
        """Whether the objective depends on thresholds, by what it and its variables mean."""
        spec = self.instance.spec
        asked = () if spec.objective is None else (spec.objective.value,)
        own, symbols = self.variables(self.bias), mentioned(*asked, means=True)
        return spec.concepts.get("bias") in symbols or any(s.name in own for s in symbols)

    # -------------------------------------------------------------------- ways and answers

    @cached_property
    def ways(self) -> np.ndarray:
        """The column that says that a point passes a node, int64 (N, nodes), NONE where no single
        one does."""
        shape = len(self.instance.table.y), self.instance.nodes.size
        return self._saying("routed", shape, self.cells("reach"))

    @cached_property
    def labels(self) -> np.ndarray:
        """The column that says that a leaf answers a label, int64 (nodes, K), NONE where no single
        one does; without labels where leaves have values."""
        predict, topology = self.instance.spec.predict, self.instance.nodes
        assert predict is not None
        if predict.over is None:
            return np.full((topology.size, 0), NONE)
        shape = topology.size, len(self.instance.names(predict.over))
        of_class = predict.over == CLASS
        table = GIVEN + ("label" if of_class else predict.over.name)
        found = self._saying(table, shape, self.cells("label") if of_class else None)
        if (symbol := self.label_weight) is not None:
            own = self.indices(symbol)
            found[own] = self.starts[symbol.name] + np.arange(self.sizes[symbol.name])
        return found

    def _saying(self, table: str, shape: tuple[int, ...], concept: Cells | None) -> np.ndarray:
        """The columns that are a table of the language on a tree: by a concept, or by what a
        variable means."""
        found = np.full(shape, NONE)
        for symbol in self.instance.spec.variables:
            if _means_plainly(symbol, table):
                own = self.indices(symbol)
                found[own] = self.starts[symbol.name] + np.arange(self.sizes[symbol.name])
        if concept is not None:
            plain = concept.take((concept.rate == 1) & (concept.constant == 0))
            found[plain.at] = plain.column
        return found

    @cached_property
    def label_weight(self) -> Symbol | None:
        """The variable v where `predict` says argmax {k in …} v[l,k]."""
        predict = self.instance.spec.predict
        value = None if predict is None else predict.value
        if not isinstance(value, Reduction) or value.op != "argmax" or value.guard:
            return None
        body = value.body
        if not isinstance(body, At) or body.symbol not in self.instance.spec.variables:
            return None
        names = [a.name if isinstance(a, Bound) else "" for a in body.arguments]
        return body.symbol if len(names) == 2 and names[1] == value.binders[0].name else None

    @cached_property
    def parts(self) -> Cells | None:
        """The parts of leaves' values, by leaf and part: 0 is the constant, 1 + j the slope of
        input j. None unless the values are parts that are one column each, all of them different.
        """
        spec, topology = self.instance.spec, self.instance.nodes
        assert spec.predict is not None
        leaves, point = topology.leaves, np.zeros(len(topology.leaves), np.int64)
        frame = Frame(len(leaves), {LEAF_NAME: leaves, POINT_NAME: point})
        cells = self._by_input((spec.predict.value,), (1.0,), frame, leaves)
        every = sum(self.sizes[name] for name in leaf_variables(spec))
        single = len(np.unique(cells.column)) == len(cells.column) == every
        return cells if single and not cells.constant.any() else None


def _means_plainly(symbol: Symbol, table: str) -> bool:
    """Whether a variable means a table of the language at its own indices, in their order."""
    means = symbol.means
    value = None if means is None else means.value
    if means is None or not isinstance(value, At) or value.symbol.name != table:
        return False
    names = [a.name if isinstance(a, Bound) else "" for a in value.arguments]
    return names == list(means.domain.names)
