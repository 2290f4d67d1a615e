"""Products with a binary factor, wherever they are: in rows, in functions, on the tape.

w = b x with b binary and l <= x <= u (McCormick, exact because b is 0 or 1): w <= u b,  w >= l b,
w <= x - l (1 - b),  w >= x - u (1 - b).  And b b = b. A product of binaries acts as a binary, so
products of three or more factors with at most one that is not binary become products of two. All
others stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from treemip.core.lower.linear import Linear, quadratic_rows
from treemip.core.model.arrays import offsets_of, unique
from treemip.core.model.blocks import (
    NO_QUADRATIC,
    Functions,
    Implications,
    Index,
    Kind,
    Quadratic,
    Rows,
    SparseRows,
)
from treemip.core.model.model import Model, Objective
from treemip.core.model.sparse_rows import (
    add_scaled,
    add_triplets,
    as_part,
    sparse_rows,
    stack,
    take_rows,
    with_entries,
    without_entries,
)
from treemip.core.model.tape import NO_TAPE, Affine, Product, Step, Tape
from treemip.core.reform.bounds_from_rows import closed, narrowed_results
from treemip.core.reform.editing import Editing, Note, cap, origins
from treemip.core.reform.formulas import PRODUCT, listed
from treemip.core.reform.target import Target
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Span

MOST_PRODUCTS = 1_000_000
"""In one step of expanding products of three and more factors, whose terms multiply."""

User = Rows | Functions | Objective


def has_products(model: Model) -> bool:
    """Whether rows, implications or the objective have products with a binary factor."""
    return _Linearizable(model).any(model.objective, *model.bodies)


def has_products_in_functions(model: Model) -> bool:
    """Whether arguments of functions have products with a binary factor."""
    return bool(model.functions) and _Linearizable(model).any(*model.functions)


def becomes_linear(model: Model, rows: Rows) -> bool:
    """Whether a model's rows are linear once products with a binary factor are columns."""
    can = _Linearizable(model)
    if rows.slots is not None and not can.slots[rows.slots.indices].all():
        return False
    return bool(can.products_of(rows.quadratic).all())


def rewrite_products(model: Model, target: Target) -> tuple[Model, list[Note]]:
    """Every product with a binary factor becomes a variable of its own, shared by its uses.

    Raises E501 where the other factor has no finite bounds.
    """
    can = _Linearizable(model)
    if not can.any(*_users(model)):
        return model, []
    editing = Editing(model)
    editing.variables = narrowed_results(editing.variables, model, *editing.bounds)
    columns = _Columns(editing, can)
    columns.define([(user.quadratic, user.span) for user in _users(model)])
    columns.expand([user for user in _users(model) if can.slots_of(user)])
    editing.rows = [columns.in_rows(r) for r in editing.rows]
    columns.define_rows()
    reformed = editing.finish(
        implications=tuple(columns.in_implications(i) for i in model.implications),
        functions=tuple(columns.in_functions(f) for f in model.functions),
        objective=columns.in_objective(model.objective),
    )
    if all(user.slots is None for user in _users(reformed)):
        reformed = reformed.with_(tape=NO_TAPE)
    return reformed, editing.notes


def _users(model: Model) -> Iterator[User]:
    """Everything that can contain products and slots."""
    yield model.objective
    yield from model.bodies
    yield from model.functions


class _Linearizable:
    """Which products and slots have at most one factor that is not binary."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @cached_property
    def binary(self) -> np.ndarray:
        """Which columns are binary, bool (columns,)."""
        return self.model.binary

    @cached_property
    def slots(self) -> np.ndarray:
        return multilinear_slots(self.model.tape, self.binary)

    def any(self, *users: User) -> bool:
        return any(
            (user.quadratic.count and self.products_of(user.quadratic).any()) or self.slots_of(user)
            for user in users
        )

    def products_of(self, q: Quadratic) -> np.ndarray:
        """Which products have a binary factor."""
        return self.binary[q.first] | self.binary[q.second]

    def slots_of(self, user: User) -> bool:
        """Whether some slots, or all of none, can be expressed by columns."""
        if user.slots is None:
            return False
        return not user.slots.nonzeros or bool(self.slots[user.slots.indices].any())


class _Columns:
    """The column of each product: sorted `keys` and the parallel array `columns`."""

    def __init__(self, editing: Editing, can: _Linearizable) -> None:
        self.editing = editing
        self.can = can
        self.binary = can.binary  # or equal to a product of binaries
        self.keys, self.columns = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.blocks: list[tuple[str, np.ndarray, np.ndarray, Span | None]] = []
        self.expanded: Expanded | None = None
        self.span: Span | None = None

    # ------------------------------------------------------------------- columns

    def define(self, users: list[tuple[Quadratic, Span | None]]) -> None:
        """Define columns for all products in rows, arguments and the objective."""
        keys = []
        for q, span in users:
            if q.count:
                mine = self.can.products_of(q) & (q.first != q.second)
                keys.append(_keys(q.first[mine], q.second[mine]))
                self.span = self.span or span
                self._check(q.first[mine], q.second[mine], span)
        if keys:
            self._add(unique(np.concatenate(keys)))

    def expand(self, users: list[User]) -> None:
        """Expressions for the slots in use, with columns for their products."""
        if users:
            self.span = users[0].span
            self.expanded = Expanded(self.editing.model.tape, self.can.slots, self)

    def require_few(self, products: int) -> None:
        if products > MOST_PRODUCTS:
            message = (
                f"these products expand into more than {MOST_PRODUCTS} products of two variables"
            )
            remedy = (
                "multiply fewer or shorter expressions: every term is multiplied by every other"
            )
            fail("E502", message, self.span, remedy)

    def require_finite(self, value: Linear) -> None:
        if not value.is_finite:
            message = "these products expand into a coefficient that is not finite"
            remedy = "multiply smaller numbers: a product of many factors grows with each of them"
            fail("E402", message, self.span, remedy)

    def affine(self, value: Linear) -> Linear:
        """The rows with columns in place of products; each product has a binary factor."""
        form = value.products
        if form is None:
            return value
        wanted = unique(_keys(form.first, form.second)[form.first != form.second])
        missing = wanted[~np.isin(wanted, self.keys)]
        self._check(*_factors(missing), self.span)
        self._add(missing)
        q = quadratic_rows(value)
        part = as_part(sparse_rows(q.row, self._columns_of(q.first, q.second), q.coef, value.size))
        return Linear(value.size, value.offset, (*value.parts, part))

    def _add(self, keys: np.ndarray) -> None:
        """A block of columns for new products."""
        if not len(keys):
            return
        first, second = _factors(keys)
        low, high = self._factor_bounds(first, second)
        ends = np.minimum(low, 0.0), np.maximum(high, 0.0)
        kind, index = Kind.CONTINUOUS, _numbered(len(keys))
        columns = self.editing.add_variables("product", index, kind, self.span, "product", *ends)
        name = self.editing.variables[-1].name
        self.blocks.append((name, keys, columns, self.span))
        self.binary = np.concatenate([self.binary, self.binary[first] & self.binary[second]])
        note = Note(name, "rows for b x", listed(PRODUCT), self.span, f"{len(keys)} products")
        self.editing.notes.append(note)
        keys = np.concatenate([self.keys, keys])
        order = np.argsort(keys, kind="stable")
        self.columns = np.concatenate([self.columns, columns])[order]
        self.keys = keys[order]

    def _split(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(binary factor, other factor)."""
        swap = ~self.binary[first]
        return np.where(swap, second, first), np.where(swap, first, second)

    def _factor_bounds(
        self, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        _, other = self._split(first, second)
        lower, upper = self.editing.bounds
        if not (np.isfinite(lower[other]).all() and np.isfinite(upper[other]).all()):
            lower, upper = closed(lower, upper, self.editing.model.rows)
        return lower[other], upper[other]

    def _check(self, first: np.ndarray, second: np.ndarray, span: Span | None) -> None:
        low, high = self._factor_bounds(first, second)
        bad = ~(np.isfinite(low) & np.isfinite(high))
        if not bad.any():
            return
        _, other = self._split(first, second)
        column = int(other[np.argmax(bad)])
        made = next(b for b in self.editing.variables if b.start <= column < b.stop)
        block = origins(self.editing, made)[0]
        name = block.name
        fail(
            "E501",
            f"a product of a binary with '{name}' cannot be made linear: "
            f"'{name}' has no finite bounds",
            span,
            f"give '{name}' bounds in its declaration, or bound it by a row of the spec: "
            f"{cap(block)}",
        )

    # ---------------------------------------------------------------------- rows

    def define_rows(self) -> None:
        for name, keys, w, span in self.blocks:
            low, high = self._factor_bounds(*_factors(keys))
            columns = zip("wbx", (w, *self._split(*_factors(keys))), strict=True)
            values = {letter: Linear.variables(ids) for letter, ids in columns}
            values |= {"l": Linear.known(low), "u": Linear.known(high)}
            index = _numbered(len(keys))
            for suffix, inequality in PRODUCT.items():
                self.editing.state(f"{name}_{suffix}", index, inequality, values, span, "product")

    # --------------------------------------------------------------------- users

    def _columns_of(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The column for each product: of its own, or the binary itself for b b."""
        if not len(self.keys):
            return first.astype(np.int32)
        at = np.searchsorted(self.keys, _keys(first, second)).clip(max=len(self.keys) - 1)
        return np.where(first == second, first, self.columns[at]).astype(np.int32)

    def _linear(
        self, matrix: SparseRows, q: Quadratic, slots: SparseRows | None
    ) -> tuple[SparseRows, Quadratic, SparseRows | None, np.ndarray]:
        """Products and slots replaced by columns in the matrix where possible, and the change of
        each row's constant."""
        constants = np.zeros(matrix.count)
        if q.count:
            mine = self.can.products_of(q)
            columns = self._columns_of(q.first[mine], q.second[mine])
            matrix = add_triplets(matrix, q.row[mine], columns, q.coef[mine])
            q = NO_QUADRATIC if mine.all() else q.take(~mine)
        if slots is not None and self.expanded is not None:
            there = self.can.slots[slots.indices]
            sums = self.expanded.sums(with_entries(slots, there))
            matrix = add_scaled(matrix, sums.matrix(), np.ones(matrix.count))
            constants = sums.constant
            slots = None if there.all() else with_entries(slots, ~there)
        return matrix, q, slots, constants

    def in_rows(self, rows: Rows) -> Rows:
        if rows.is_affine:
            return rows
        matrix, rest, slots, constants = self._linear(rows.matrix, rows.quadratic, rows.slots)
        ends = {"lower": rows.lower - constants, "upper": rows.upper - constants}
        return replace(rows, matrix=matrix, quadratic=rest, slots=slots, **ends)

    def in_functions(self, block: Functions) -> Functions:
        if block.is_affine:
            return block
        matrix, rest, slots, constants = self._linear(block.arguments, block.quadratic, block.slots)
        constants = block.constants + constants
        return replace(block, arguments=matrix, quadratic=rest, slots=slots, constants=constants)

    def in_implications(self, block: Implications) -> Implications:
        return replace(block, body=self.in_rows(block.body))

    def in_objective(self, objective: Objective) -> Objective:
        if not objective.quadratic.count and objective.slots is None:
            return objective
        row = without_entries(1)
        row, rest, slots, constants = self._linear(row, objective.quadratic, objective.slots)
        linear = np.zeros(self.editing.columns)
        linear[: len(objective.linear)] = objective.linear
        linear[row.indices] += row.data
        constant = objective.constant + float(constants[0])
        return replace(objective, constant=constant, linear=linear, quadratic=rest, slots=slots)


def _keys(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One number for each pair of columns, in the order of the pairs, the lesser column first."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low.astype(np.int64) << 32 | high.astype(np.int64)


def _factors(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return keys >> 32, keys & 0xFFFFFFFF


def _numbered(count: int) -> Index:
    return Index(("number",), ("number",), (np.arange(count) + 1,), count)


# --------------------------------------------------------------------------- products on the tape


def multilinear_slots(tape: Tape, binary: np.ndarray) -> np.ndarray:
    """Which slots are such products, or sums of them, bool (slots,).

    binary: bool (columns,).
    """
    fits = np.zeros(tape.length, bool)
    whole = np.zeros(tape.length, bool)  # made of binaries alone
    if not any(isinstance(s, Affine) and binary[s.columns.indices].any() for s in tape.steps):
        return fits
    for step, start in zip(tape.steps, tape.starts[:-1], strict=True):
        own = slice(start, start + step.length)
        if isinstance(step, Affine):
            row = step.slots.row_of
            fits[own] = _none(~fits[step.slots.indices], row, step.length)
            whole[own] = fits[own] & _none(~whole[step.slots.indices], row, step.length)
            whole[own] &= _none(~binary[step.columns.indices], step.columns.row_of, step.length)
        elif isinstance(step, Product):
            row = np.repeat(np.arange(step.length), np.diff(step.offsets))
            others = np.bincount(row, ~whole[step.factors], step.length)
            fits[own] = _none(~fits[step.factors], row, step.length) & (others <= 1)
            whole[own] = fits[own] & (others == 0)
    return fits


def _none(holds: np.ndarray, row: np.ndarray, rows: int) -> np.ndarray:
    """Whether none of a row's entries holds, bool (rows,)."""
    return np.bincount(row, holds, rows) == 0


def _term_counts(value: Linear) -> np.ndarray:
    """Terms of each row, the constant among them, int64 (rows,)."""
    return np.diff(value.matrix().indptr) + 1


class Expanded:
    """Slots that are products of binaries and at most one other factor, or sums of such, as affine
    expressions of columns and of columns that stand for products: expanded step by step, products
    of three and more factors from the left. `matrix` and `constants` have a row for each slot.

    Rows of other slots are empty. Row 0 is the constant 1, and slot s has row s + 1: products are
    padded with it to one length.
    """

    def __init__(self, tape: Tape, fits: np.ndarray, columns: _Columns) -> None:
        self.fits = fits
        self.matrix = without_entries(1)
        self.constants = np.ones(1)
        for step, start in zip(tape.steps, tape.starts[:-1], strict=True):
            keep = np.flatnonzero(fits[start : start + step.length])
            self._append(step.length, keep, self._expand(step, keep, columns))

    def _append(self, length: int, keep: np.ndarray, expanded: Linear) -> None:
        lengths, constants = np.zeros(length, np.int64), np.zeros(length)
        matrix = expanded.matrix()
        lengths[keep], constants[keep] = np.diff(matrix.indptr), expanded.constant
        own = SparseRows(offsets_of(lengths), matrix.indices, matrix.data)
        self.matrix = stack([self.matrix, own])
        self.constants = np.concatenate([self.constants, constants])

    def _expand(self, step: Step, keep: np.ndarray, columns: _Columns) -> Linear:
        if isinstance(step, Affine):
            own = Linear(len(keep), step.constants[keep], (as_part(take_rows(step.columns, keep)),))
            return own.plus(self.sums(take_rows(step.slots, keep)))
        if isinstance(step, Product):
            return self._product(step, keep, columns)
        return Linear(0)

    def _product(self, step: Product, keep: np.ndarray, columns: _Columns) -> Linear:
        lengths = np.diff(step.offsets)
        table = np.zeros((step.length, lengths.max(initial=0)), np.int64)
        table[np.arange(table.shape[1]) < lengths[:, None]] = step.factors + 1
        expanded = Linear.known(np.ones(len(keep)))
        for factors in table[keep].T:
            rows = self._rows(factors)
            columns.require_few(int((_term_counts(expanded) * _term_counts(rows)).sum()))
            with np.errstate(over="ignore", invalid="ignore"):
                value = expanded.product(rows)
            columns.require_finite(value)
            expanded = columns.affine(value)
        return expanded

    def _rows(self, rows: np.ndarray) -> Linear:
        whole = Linear(len(self.constants), self.constants, (as_part(self.matrix),))
        return whole.spread(rows)

    def sums(self, slots: SparseRows) -> Linear:
        """Sums of slots as affine expressions of columns."""
        each = self._rows(slots.indices.astype(np.int64) + 1).times(slots.data)
        return each.summed(slots.row_of, slots.count)
