"""The tape under construction: affine rows, functions and products become slots.

A variable, an equal affine row of one request, a function of a slot has one slot however often it
is asked for, and products share the factors that they begin with: path probabilities of a tree cost
a slot for each point and node instead of one for each point, leaf and level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from treemip.core.lower.linear import Linear
from treemip.core.model.arrays import Ragged, begins, mixed_bits, numbered, offsets_of, unique
from treemip.core.model.blocks import SparseRows
from treemip.core.model.bounds import Range, tape_ranges
from treemip.core.model.sparse_rows import Part, join_parts, take_rows, without_entries
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Step, Tape


class Memo:
    """A slot for each key 0, 1, …, -1 where there is none yet."""

    def __init__(self) -> None:
        self._slots = np.full(0, -1)

    def missing(self, keys: np.ndarray) -> np.ndarray:
        """Distinct keys without a slot, ascending."""
        distinct = unique(keys)
        more = int(distinct[-1]) + 1 - len(self._slots) if len(distinct) else 0
        if more > 0:
            self._slots = np.concatenate([self._slots, np.full(more, -1)])
        return distinct[self._slots[distinct] < 0]

    def put(self, keys: np.ndarray, slots: np.ndarray) -> None:
        self._slots[keys] = slots

    def __getitem__(self, keys: np.ndarray) -> np.ndarray:
        return self._slots[keys]


class TapeBuilder:
    """`bounds` gives the lower and upper bounds of all columns so far, float64 each."""

    def __init__(self, bounds: Callable[[], Range]) -> None:
        self._bounds = bounds
        self.steps: list[Step] = []
        self.length = 0
        self._columns = Memo()
        self._functions: dict[tuple[Smooth, float], Memo] = {}

    def tape(self) -> Tape:
        return Tape(tuple(self.steps))

    def _add(self, step: Step) -> np.ndarray:
        start, self.length = self.length, self.length + step.length
        self.steps.append(step)
        return np.arange(start, self.length)

    # ------------------------------------------------------------------ requests

    def slots(self, value: Linear) -> np.ndarray:
        """A slot for each row, int64 (size,)."""
        coef, slots = self.scaled(value)
        return slots if coef is None else self._affine(value)

    def scaled(self, value: Linear) -> tuple[np.ndarray | None, np.ndarray]:
        """The rows as coef * slot, int64 slots; coef is None where all are 1.

        A row of one entry needs no step of its own.
        """
        if value.offset is None or not value.offset.any():
            if not value.parts and not value.products and _is_single(value.slots):
                return _but_ones(value.slots[0].coef), value.slots[0].var.astype(np.int64)
            if not value.slots and not value.products and _is_single(value.parts):
                return _but_ones(value.parts[0].coef), self._variables(value.parts[0].var)
        return None, self._affine(value)

    def apply(self, function: Smooth, arguments: np.ndarray, exponent: float = 1.0) -> Linear:
        """function(slot), one a row."""
        memo = self._functions.setdefault((function, exponent), Memo())
        missing = memo.missing(arguments)
        if len(missing):
            memo.put(missing, self._add(Elementwise(function, missing, exponent)))
        return Linear.of_slots(memo[arguments])

    def product(self, factors: list[tuple[Linear, np.ndarray]], size: int) -> Linear:
        """Products of rows: row r of a factor (value, rows) is a factor of product rows[r]."""
        scale = np.ones(size)
        owners, slots = [], []
        for value, rows in factors:
            coef, own = self.scaled(value)
            if coef is not None:
                np.multiply.at(scale, rows, coef)
            owners.append(rows)
            slots.append(own)
        product = Linear.of_slots(
            self._products(np.concatenate(owners), np.concatenate(slots), size)
        )
        return product if (scale == 1).all() else product.times(scale)

    def ranges(self) -> Range:
        """What the bounds of the columns prove about the slots so far."""
        return tape_ranges(self.tape(), *self._bounds())

    # --------------------------------------------------------------------- steps

    def _variables(self, columns: np.ndarray) -> np.ndarray:
        missing = self._columns.missing(columns)
        if len(missing):
            count = len(missing)
            rows = join_parts(count, [Part(1, missing.astype(np.int32))])
            self._columns.put(
                missing, self._add(Affine(rows, without_entries(count), np.zeros(count)))
            )
        return self._columns[columns]

    def _products(self, owner: np.ndarray, factor: np.ndarray, size: int) -> np.ndarray:
        steps, slots = shared_products(owner, factor, size, self.length)
        for step in steps:
            self._add(step)
        return slots

    def _affine(self, value: Linear) -> np.ndarray:
        value = self._without_products(value)
        columns = value.matrix()
        slots = join_parts(value.size, value.slots)
        first, which = distinct_rows(columns, slots, value.constant)
        constants = value.constant[first]
        distinct = self._add(Affine(take_rows(columns, first), take_rows(slots, first), constants))
        return distinct[which]

    def _without_products(self, value: Linear) -> Linear:
        """Products of two columns in their own slots."""
        form = value.products
        if form is None:
            return value
        pairs = np.stack([self._variables(form.first), self._variables(form.second)], axis=1)
        count = len(pairs)
        slots = self._products(np.repeat(np.arange(count), 2), pairs.ravel(), count)
        order = np.argsort(form.row, kind="stable")
        lengths = np.bincount(form.row, minlength=value.size)
        part = Part(lengths, slots[order].astype(np.int32), form.coef[order])
        linear = Linear(value.size, value.offset, value.parts)
        return replace(linear, slots=(*value.slots, part))


def _is_single(parts: tuple[Part, ...]) -> bool:
    """One entry in every row."""
    return len(parts) == 1 and isinstance(parts[0].lengths, int) and parts[0].lengths == 1


def _but_ones(coef: np.ndarray | None) -> np.ndarray | None:
    return None if coef is None or (coef == 1).all() else coef


def distinct_rows(
    columns: SparseRows, slots: SparseRows, constants: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """First row of each kind, ascending, and each row's kind.

    Rows are told apart by a hash; where two different ones should have the same, all are kept.
    """
    size = len(constants)
    if _begins_rise(columns) or _begins_rise(slots):
        return np.arange(size), np.arange(size)
    key = np.zeros(size, np.uint64)
    if constants.any():
        key += mixed_bits(constants.view(np.uint64), np.uint64(1))
    for k, matrix in enumerate((columns, slots)):
        if not matrix.nonzeros:
            continue
        entries = mixed_bits(
            matrix.data.view(np.uint64), matrix.indices.astype(np.uint64) * 4 + 2 + k
        )
        total = np.zeros(len(entries) + 1, np.uint64)
        np.cumsum(entries, out=total[1:])
        key += total[matrix.indptr[1:]] - total[matrix.indptr[:-1]]
    order = key.argsort(kind="stable")
    key = key[order]
    new = begins(key)
    if new.all():
        return np.arange(size), np.arange(size)
    other = np.empty(size, np.int64)
    other[order] = order[new][np.cumsum(new) - 1]  # the first of the same key, by each row
    is_first = other == np.arange(size)
    again = np.flatnonzero(~is_first)
    if not _equal(columns, slots, constants, again, other[again]):
        return np.arange(size), np.arange(size)
    return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[other]


def _begins_rise(matrix: SparseRows) -> bool:
    """Whether each row's first entry is further on than that of the row before, as in families
    that have a column or slot of its own for each row: none is equal to another."""
    if matrix.nonzeros < matrix.count or (matrix.indptr[1:] == matrix.indptr[:-1]).any():
        return False
    first = matrix.indices[matrix.indptr[:-1]]
    return bool((first[1:] > first[:-1]).all())


def _equal(
    columns: SparseRows,
    slots: SparseRows,
    constants: np.ndarray,
    rows: np.ndarray,
    others: np.ndarray,
) -> bool:
    """Whether row rows[k] is the same as row others[k], for each k."""
    if (constants[rows] != constants[others]).any():
        return False
    for matrix in (columns, slots):
        if not matrix.nonzeros:
            continue
        entries = Ragged(matrix.indptr, np.arange(matrix.nonzeros))
        one, other = entries.take(rows), entries.take(others)
        if (one.offsets != other.offsets).any():
            return False
        at, there = one.items, other.items
        if (matrix.indices[at] != matrix.indices[there]).any():
            return False
        if (matrix.data[at] != matrix.data[there]).any():
            return False
    return True


# -------------------------------------------------------------------------------- shared products


@dataclass(frozen=True)
class _Prefixes:
    """A prefix tree: nodes in order of level; `parent` is -1 and `level` 1 for the first ones."""

    parent: np.ndarray
    factor: np.ndarray
    level: np.ndarray
    end: np.ndarray  # of each product, the node where it ends, -1 for an empty one


def shared_products(
    owner: np.ndarray, factor: np.ndarray, size: int, start: int
) -> tuple[list[Product], np.ndarray]:
    """Steps that compute `size` products along a prefix tree, and the slot of each, int64 (size,).

    Factors that stand in more products come first, the order of frequent-pattern trees (Han, Pei,
    Yin 2000); a prefix that several products begin with is one slot. The root's factor stands in
    the products of all leaves below it, and so on down, whatever the shape of the tree.

    Product owner[k] has the factor slot factor[k]; `start` is the first free slot.
    """
    tree = _prefixes(owner, factor, size)
    count = len(tree.parent)
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=count)
    ends = np.bincount(tree.end[tree.end >= 0], minlength=count)
    own_slot = (children > 1) | (ends > 0)
    slot = np.where(tree.level == 1, tree.factor, -1)
    steps = []
    for level in range(2, int(tree.level.max(initial=1)) + 1):
        nodes = np.flatnonzero(own_slot & (tree.level == level))
        if len(nodes):
            # Their last factors, the rarest, are then taken in ascending order, often each once.
            nodes = nodes[tree.factor[nodes].argsort(kind="stable")]
            steps.append(_step(tree, nodes, slot))
            slot[nodes] = start + np.arange(len(nodes))
            start += len(nodes)
    result = slot[tree.end] if count else np.full(size, -1)
    empty = tree.end < 0
    if empty.any():
        steps.append(Product(np.zeros(2, np.int64), np.zeros(0, np.int64)))
        result[empty] = start
    return steps, result


def _prefixes(owner: np.ndarray, factor: np.ndarray, size: int) -> _Prefixes:
    distinct, code, rank = _counted(factor)
    order = (owner * len(distinct) + rank[code]).argsort(kind="stable")
    owner, code = owner[order], code[order]
    lengths = np.bincount(owner, minlength=size)
    first = offsets_of(lengths)[:-1]
    end = np.full(size, -1)
    parents, factors, levels = [], [], []
    count = 0
    for k in range(int(lengths.max(initial=0))):
        here = np.flatnonzero(lengths > k)
        keys = (end[here] + 1) * len(distinct) + code[first[here] + k]
        nodes, which = numbered(keys)
        parents.append(nodes // len(distinct) - 1)
        factors.append(distinct[nodes % len(distinct)])
        levels.append(np.full(len(nodes), k + 1))
        end[here] = count + which
        count += len(nodes)
    join = np.concatenate
    none = [np.zeros(0, np.int64)]
    return _Prefixes(join(none + parents), join(none + factors), join(none + levels), end)


def _counted(factor: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different factors, ascending; which of them each one is; the rank of each of them.

    The most frequent has rank 0, and of two that are equally frequent the smaller the lower one.
    """
    low = int(factor.min()) if len(factor) else 0
    frequency = np.bincount(factor - low)
    present = np.flatnonzero(frequency)
    number = np.empty(len(frequency), np.int64)
    number[present] = np.arange(len(present))
    rank = np.empty(len(present), np.int64)
    rank[(-frequency[present]).argsort(kind="stable")] = np.arange(len(present))
    return present + low, number[factor - low], rank


def _step(tree: _Prefixes, nodes: np.ndarray, slot: np.ndarray) -> Product:
    """Each node as the product of the nearest prefix above that has a slot and what follows."""
    rows, factors = [np.arange(len(nodes))], [tree.factor[nodes]]
    row, above = np.arange(len(nodes)), tree.parent[nodes]
    while len(row):
        done = slot[above] >= 0
        rows.append(row)
        factors.append(np.where(done, slot[above], tree.factor[above]))
        row, above = row[~done], tree.parent[above[~done]]
    owner = np.concatenate(rows)
    order = owner.argsort(kind="stable")
    offsets = offsets_of(np.bincount(owner, minlength=len(nodes)))
    return Product(offsets, np.concatenate(factors)[order])
