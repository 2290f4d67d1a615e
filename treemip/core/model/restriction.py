"""A model restricted to some columns: the others, and what follows from them, become parameters.

The tape is evaluated in part: of a step only the slots stay that depend on a free column and that a
row or the objective asks for. What is known of a slot is one parameter: the constant part of an
affine row, the product of the known factors. Where a sum takes slots that are a parameter times one
other slot, those with the same other slot become one. So the expected cost of a randomized tree,
with the branches known, has a term for each class and leaf, whatever the number of points. A linear
row with one free column is a bound of that column.

The model is restricted once for a set of columns and serves every point: the parameters are numbers
that `parameters` computes from the point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from treemip.core.model.arrays import Ragged, joined, offsets_of
from treemip.core.model.blocks import Index, Kind, Quadratic, Rows, SparseRows, Variables
from treemip.core.model.dependence import factor_rows, moving_rows, moving_slots
from treemip.core.model.model import Model, Objective
from treemip.core.model.single_rows import SingleRows, single_rows
from treemip.core.model.sparse_rows import with_entries, without_entries
from treemip.core.model.tape import Affine, Elementwise, Product, Step, Tape
from treemip.core.model.values import row_sums

Recipe = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(x, slots of the whole model) -> the values of some parameters, float64."""


@dataclass(frozen=True)
class Restriction:
    """`model` has the columns `free` of `whole`, in order, and then a column for each parameter.

    free: int64, ascending. rows: the rows of `whole` that its rows are, int64; `single`: those that
    are bounds of a column; the others do not depend on a free column. recipes: of the parameters,
    in order; count: how many there are.
    """

    whole: Model
    model: Model
    free: np.ndarray
    rows: np.ndarray
    single: SingleRows
    recipes: tuple[Recipe, ...]
    count: int

    def parameters(self, x: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """The parameters at x (columns of `whole`,): float64 (count,). slots: its tape at x."""
        return joined([recipe(x, slots) for recipe in self.recipes])

    def bounds(self, x: np.ndarray, body: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds of the free columns where the others are as in x (columns of
        `whole`,); float64 (free,). body: the rows of `whole` at x."""
        lower, upper = self.single.bounds(self.whole, x, body)
        return lower[self.free], upper[self.free]


def restricted(model: Model, free: np.ndarray, proximal: float, near: np.ndarray) -> Restriction:
    """The model in its columns `free`, bool (columns,), with a proximal term.

    The objective gets proximal / 2 * sum over j in `near`, bool (columns,), of (x[j] - c[j])^2,
    without its constant, where c is the point that the parameters are computed from. The objective
    leaves out what does not depend on a free column. The model has no implications and functions.
    """
    return _Restricting(model, free).restriction(proximal, near & free)


# ------------------------------------------------------------------------ how a model is restricted


class _Restricting:
    """One restriction in the making.

    A parameter k is known as slot -1 - k until all are counted: then the first slots are those of
    the parameters.
    """

    def __init__(self, model: Model, free: np.ndarray) -> None:
        self.model, self.free = model, free
        self.columns = np.flatnonzero(free)
        self.column = np.cumsum(free) - 1
        self.moving = moving_slots(model.tape, free)
        self.other = self._other_factor()
        self.live = self._live()
        self.number = np.zeros(model.tape.length, np.int64)
        self.steps: list[Step] = []
        self.length = 0
        self.recipes: list[Recipe] = []
        self.count = 0

    def restriction(self, proximal: float, near: np.ndarray) -> Restriction:
        for step, start in self._steps():
            at = np.flatnonzero(self.live[start : start + step.length])
            if len(at):
                self._step(step, start, at)
        objective = self._objective(proximal, near)
        single = single_rows(self.model, self.free, self.moving)
        others = np.ones(self.model.row_count, bool)
        others[single.row] = False
        blocks, kept, first = [], [], 0
        for block in self.model.rows:
            moves = moving_rows(block, self.free, self.moving)
            at = np.flatnonzero(moves & others[first : first + block.length])
            if len(at):
                blocks.append(self._rows(block, at))
                kept.append(first + at)
            first += block.length
        return Restriction(
            self.model,
            self._numbered(objective, blocks),
            self.columns,
            joined(kept, np.int64),
            single,
            tuple(self.recipes),
            self.count,
        )

    def _steps(self) -> list[tuple[Step, int]]:
        """The steps of the whole tape, with the first slot of each."""
        tape = self.model.tape
        return list(zip(tape.steps, tape.starts.tolist(), strict=False))

    # ------------------------------------------------------------------- what is needed

    def _other_factor(self) -> np.ndarray:
        """The only factor that moves, of products that have one and known ones; else -1."""
        other = np.full(self.model.tape.length, -1)
        for step, start in self._steps():
            if isinstance(step, Product) and step.length:
                moves = self.moving[step.factors]
                owner = factor_rows(step).row_of
                one = np.bincount(owner, moves, step.length) == 1
                one &= np.diff(step.offsets) > 1
                own = moves & one[owner]
                other[start + owner[own]] = step.factors[own]
        return other

    def _live(self) -> np.ndarray:
        """Which slots the restricted tape has, bool (slots,)."""
        live = np.zeros(self.model.tape.length, bool)
        for sums in (self.model.objective.slots, *(b.slots for b in self.model.rows)):
            if sums is not None:
                self._ask(live, sums.indices)
        for step, start in reversed(self._steps()):
            wanted = live[start : start + step.length]
            if isinstance(step, Affine):
                self._ask(live, step.slots.indices[wanted[step.slots.row_of]])
            elif isinstance(step, Elementwise):
                live[step.arguments[wanted]] = True
            else:
                factors = step.factors[wanted[factor_rows(step).row_of]]
                live[factors[self.moving[factors]]] = True
        return live

    def _ask(self, live: np.ndarray, slots: np.ndarray) -> None:
        """Mark what a sum of these slots takes."""
        slots = slots[self.moving[slots]]
        inner = self.other[slots]
        live[np.where(inner >= 0, inner, slots)] = True

    # ---------------------------------------------------------------------- one step

    def _step(self, step: Step, start: int, at: np.ndarray) -> None:
        made: Step
        if isinstance(step, Affine):
            made = self._affine(step, at)
        elif isinstance(step, Elementwise):
            arguments = self.number[step.arguments[at]]
            made = Elementwise(step.function, arguments, step.exponent)
        else:
            made = self._product(step, at)
        self.number[start + at] = self._add(made)

    def _affine(self, step: Affine, at: np.ndarray) -> Affine:
        columns, slots = _taken(step.columns, at), _taken(step.slots, at)
        known = ~self.free[columns.indices], ~self.moving[slots.indices]
        row, slot, data = self._sums(slots)
        fixed = with_entries(columns, known[0]), with_entries(slots, known[1])
        partly = np.flatnonzero(np.diff(fixed[0].indptr) + np.diff(fixed[1].indptr))
        if len(partly):
            of_x, of_slots = _taken(fixed[0], partly), _taken(fixed[1], partly)
            shift = self._parameters(
                lambda x, values: row_sums(of_x, x) + row_sums(of_slots, values), len(partly)
            )
            row = np.concatenate([row, partly])
            slot = np.concatenate([slot, shift])
            data = np.concatenate([data, np.ones(len(partly))])
        return Affine(
            self._of_free(columns), _rows_of(len(at), row, slot, data), step.constants[at]
        )

    def _product(self, step: Product, at: np.ndarray) -> Product:
        factors = _taken(factor_rows(step), at)
        moves = self.moving[factors.indices]
        owner, known = factors.row_of, with_entries(factors, ~moves)
        partly = np.flatnonzero(np.diff(known.indptr))
        row, slot = owner[moves], self.number[factors.indices[moves]]
        if len(partly):
            begins, chosen = known.indptr[partly], known.indices
            share = self._parameters(
                lambda _, values: np.multiply.reduceat(values[chosen], begins), len(partly)
            )
            row, slot = np.concatenate([partly, row]), np.concatenate([share, slot])
        order = np.argsort(row, kind="stable")
        counts = np.bincount(row, minlength=len(at))
        return Product(offsets_of(counts), slot[order])

    def _sums(self, sums: SparseRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, slots and coefficients of what moves in sums of slots."""
        moves = self.moving[sums.indices]
        row, slot, data = sums.row_of[moves], sums.indices[moves].astype(np.int64), sums.data[moves]
        inner = self.other[slot]
        joined = inner >= 0
        if not joined.any():
            return row, self.number[slot], data
        own_row, own_slot, own_data = self._joined(row[joined], slot[joined], data[joined])
        rest = ~joined
        return (
            np.concatenate([row[rest], own_row]),
            np.concatenate([self.number[slot[rest]], own_slot]),
            np.concatenate([data[rest], own_data]),
        )

    def _joined(
        self, row: np.ndarray, slot: np.ndarray, data: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Products with one factor that moves, those of the same row and factor as one."""
        inner, length = self.other[slot], self.model.tape.length
        keys, which = np.unique(row * length + inner, return_inverse=True)
        known = self._known_factors(slot)
        begins, chosen = known.indptr[:-1], known.indices
        share = self._parameters(
            lambda _, values: np.bincount(
                which, data * np.multiply.reduceat(values[chosen], begins), len(keys)
            ),
            len(keys),
        )
        rows, factor = np.divmod(keys, length)
        factors = np.stack([share, self.number[factor]], axis=1).ravel()
        made = self._add(Product(2 * np.arange(len(keys) + 1), factors))
        return rows, made, np.ones(len(keys))

    def _known_factors(self, slots: np.ndarray) -> SparseRows:
        """The factors that do not move of products, at least one each, in their order."""
        row, factor = [], []
        tape = self.model.tape
        owner = tape.step_of(slots)
        for k in np.unique(owner).tolist():
            step = tape.steps[k]
            assert isinstance(step, Product)
            of_step = np.flatnonzero(owner == k)
            factors = _taken(factor_rows(step), slots[of_step] - int(tape.starts[k]))
            known = ~self.moving[factors.indices]
            row.append(of_step[factors.row_of[known]])
            factor.append(factors.indices[known])
        rows, found = np.concatenate(row), np.concatenate(factor)
        order = np.argsort(rows, kind="stable")
        offsets = offsets_of(np.bincount(rows, minlength=len(slots)))
        return SparseRows(offsets, found[order], np.ones(len(rows)))

    def _parameters(self, recipe: Recipe, count: int) -> np.ndarray:
        """The slots of new parameters, for now."""
        self.recipes.append(recipe)
        self.count += count
        return -1 - np.arange(self.count - count, self.count)

    def _add(self, step: Step) -> np.ndarray:
        """The slots of a new step."""
        self.steps.append(step)
        self.length += step.length
        return np.arange(self.length - step.length, self.length)

    # ------------------------------------------------------------- rows and objective

    def _of_free(self, rows: SparseRows) -> SparseRows:
        own = with_entries(rows, self.free[rows.indices])
        return SparseRows(own.indptr, self.column[own.indices].astype(np.int32), own.data)

    def _rows(self, block: Rows, at: np.ndarray) -> Rows:
        slots = None
        if block.slots is not None:
            slots = _rows_of(len(at), *self._sums(_taken(block.slots, at)))
        place = np.full(block.length, -1)
        place[at] = np.arange(len(at))
        return Rows(
            block.name,
            block.index.take(at),
            self._of_free(_taken(block.matrix, at)),
            block.lower[at],
            block.upper[at],
            block.span,
            self._products(block.quadratic, place),
            slots=slots,
        )

    def _objective(self, proximal: float, near: np.ndarray) -> Objective:
        objective = self.model.objective
        slots = None
        if objective.slots is not None:
            slots = _rows_of(1, *self._sums(objective.slots))
        form = self._products(objective.quadratic, np.zeros(1, np.int64))
        if proximal:
            form = _sorted([form, *self._distance(objective.sign * proximal, near)])
        return replace(
            objective, constant=0.0, linear=self.model.costs[self.free], quadratic=form, slots=slots
        )

    def _distance(self, proximal: float, near: np.ndarray) -> list[Quadratic]:
        """proximal / 2 * x[j]^2 - proximal * c[j] x[j] for the columns j that are `near`."""
        j = np.flatnonzero(near)
        column, none = self.column[j], np.zeros(len(j), np.int64)
        center = self._columns_of(self._parameters(lambda x, _: x[j], len(j)))
        square = Quadratic(none, column, column, np.full(len(j), proximal / 2))
        return [square, Quadratic(none, column, center, np.full(len(j), -proximal))]

    def _products(self, form: Quadratic, place: np.ndarray) -> Quadratic:
        """Products with a free column, in rows place[row]; known columns become parameters."""
        first, second = self.free[form.first], self.free[form.second]
        own = (first | second) & (place[form.row] >= 0) if form.count else np.zeros(0, bool)
        left, right = form.first[own], form.second[own]
        known = np.unique(np.concatenate([left, right]))
        known = known[~self.free[known]].astype(np.int64)
        column = self.column.copy()
        if len(known):
            column[known] = self._columns_of(self._parameters(lambda x, _: x[known], len(known)))
        a, b = column[left], column[right]
        ends = np.minimum(a, b), np.maximum(a, b)
        return _sorted([Quadratic(place[form.row[own]], *ends, form.coef[own])])

    def _columns_of(self, parameters: np.ndarray) -> np.ndarray:
        """The columns of parameters that are given as slots."""
        return len(self.columns) - 1 - parameters

    def _numbered(self, objective: Objective, rows: list[Rows]) -> Model:
        """The model, with the slots of the parameters in front of all others."""
        free, count = len(self.columns), self.count
        none = without_entries(count)
        own = free + np.arange(count, dtype=np.int32)
        given = SparseRows(np.arange(count + 1), own, np.ones(count))
        first = (Affine(given, none, np.zeros(count)),) if count else ()
        steps = (*first, *(_shifted(step, count) for step in self.steps))
        sums = None if objective.slots is None else _shifted_rows(objective.slots, count)
        blocks = (
            replace(b, slots=None if b.slots is None else _shifted_rows(b.slots, count))
            for b in rows
        )
        endless = np.full(count, np.inf)
        lower, upper = self.model.lower[self.free], self.model.upper[self.free]
        variables = (
            Variables("free", Index(length=free), 0, lower, upper, Kind.CONTINUOUS),
            Variables("known", Index(length=count), free, -endless, endless, Kind.CONTINUOUS),
        )
        return Model(
            self.model.name,
            variables,
            tuple(blocks),
            objective=replace(objective, slots=sums),
            tape=Tape(steps),
        )


# -------------------------------------------------------------------------------------- sparse rows


def _taken(rows: SparseRows, at: np.ndarray) -> SparseRows:
    """Some of the rows, int64, in any order."""
    entries = Ragged(rows.indptr, np.arange(rows.nonzeros)).take(at)
    return SparseRows(entries.offsets, rows.indices[entries.items], rows.data[entries.items])


def _rows_of(count: int, row: np.ndarray, index: np.ndarray, data: np.ndarray) -> SparseRows:
    """Rows of entries in any order."""
    order = np.lexsort((index, row))
    return SparseRows(offsets_of(np.bincount(row, minlength=count)), index[order], data[order])


def _sorted(forms: list[Quadratic]) -> Quadratic:
    """The products of all forms by row."""
    row = np.concatenate([form.row for form in forms])
    order = np.argsort(row, kind="stable")
    first = np.concatenate([form.first for form in forms])[order].astype(np.int32)
    second = np.concatenate([form.second for form in forms])[order].astype(np.int32)
    return Quadratic(row[order], first, second, np.concatenate([f.coef for f in forms])[order])


def _final(slots: np.ndarray, count: int) -> np.ndarray:
    """The slots, those of parameters given as -1 - k, with the parameters first."""
    return np.where(slots < 0, -1 - slots, slots + count)


def _shifted(step: Step, count: int) -> Step:
    if isinstance(step, Affine):
        return replace(step, slots=_shifted_rows(step.slots, count))
    if isinstance(step, Elementwise):
        return replace(step, arguments=_final(step.arguments, count))
    return replace(step, factors=_final(step.factors, count))


def _shifted_rows(rows: SparseRows, count: int) -> SparseRows:
    return _rows_of(rows.count, rows.row_of, _final(rows.indices, count), rows.data)
