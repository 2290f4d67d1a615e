"""The Taylor expansion of sums of a tape's slots, pulled back through the tape to the columns.

The expansion is a sum of terms

    value * d[first] * d[second],

d[k] being the change of slot k and, in terms of first order, d[second] a constant. A step at a
time, from the last to the first, d of its slots is replaced: by f'(u) d[u] + f''(u)/2 d[u]^2 in
terms of first order, which leaves a term of each order, and by f'(u) d[u] in those of second
order. This is edge pushing (Gower and Mello, A new framework for the computation of Hessians,
2012), all slots of a step at once. Which slots a term joins is known beforehand and kept in
arrays; only the values are CasADi's. What is left in the end are changes of affine rows A x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.casadi_slots import Slots, gathered, pattern, scaled, transposed
from treemip.emit.casadi_steps import Derivatives, Group
from treemip.frozen import dataclass
from treemip.model.blocks import Quadratic, SparseRows
from treemip.model.rows import stack, take_rows
from treemip.model.tape import Affine, Elementwise, Product, Tape

if TYPE_CHECKING:
    from collections.abc import Iterator

    import casadi
    from casadi import MX

MOST_TERMS = 2_000_000
"""Terms that one step may leave. A function of a sum over all points would pair all of them."""


class TooManyTermsError(Exception):
    """More than MOST_TERMS."""


@dataclass(frozen=True)
class Terms:
    """value[at[k]] * d[first[k]] * d[second[k]]; first >= second, int64 (terms,).

    value: an MX column; what is picked out of it is put off until it is used.
    """

    first: np.ndarray
    second: np.ndarray
    value: MX
    at: np.ndarray

    def some(self, which: np.ndarray) -> Terms:
        return Terms(self.first[which], self.second[which], self.value, self.at[which])


class Expansion:
    """Terms of a model of `columns` columns.

    `first` and `second` number, one after the other, the constant, changes of columns, changes of
    the rows of columns in affine steps, and changes of slots.
    """

    def __init__(self, ca: casadi, tape: Tape, slots: Slots, columns: int) -> None:
        self.ca, self.columns = ca, columns
        self.steps = tape.steps
        self.derivatives = Derivatives(ca, tape, slots)
        self.affine = [_unit(columns)]
        self.bases: list[int] = []
        base = 1 + columns
        for step in tape.steps:
            self.bases.append(base)
            if isinstance(step, Affine) and step.columns.nonzeros:
                self.affine.append(step.columns)
                base += step.length
        self.starts = base + tape.starts
        self.bends = self._bending()
        self.linear: list[Terms] = []
        self.pairs: list[Terms] = []

    def add_slots(self, slots: np.ndarray, value: MX) -> None:
        """value[k] * d[slot k] of slots in any order."""
        first = slots + self.starts[0]
        if self.bends[first].any():
            self.linear.append(_ordered(first, np.zeros_like(first), value))

    def add_products(self, form: Quadratic, value: MX) -> None:
        """value[k] * d[column] * d[column]."""
        if form.count:
            self.pairs.append(_ordered(1 + form.first, 1 + form.second, value))

    def pull(self) -> None:
        """Back through all steps."""
        for k in reversed(range(len(self.steps))):
            mine = self._taken(self.linear, k)
            if mine is not None:
                self.linear += self._replaced(k, mine)
                self.pairs += self._bent(k, mine)
            while (mine := self._taken(self.pairs, k)) is not None:
                self.pairs += self._replaced(k, mine)

    def second_order(self) -> MX:
        """MX (columns, columns) M: the terms of second order are dx' M dx."""
        left = self._merged(self.pairs) if self.pairs else None
        if left is None:
            return self.ca.MX(self.columns, self.columns)
        used, place = np.unique([left.first, left.second], return_inverse=True)
        row, col = place.reshape(2, -1)
        order = np.lexsort((row, col))
        where = pattern(self.ca, (len(used), len(used)), row[order], col[order])
        values = self.ca.MX(where, gathered(self.ca, left.value, left.at[order]))
        rows = take_rows(stack(self.affine), used - 1)
        across = transposed(self.ca, rows, self.columns)
        return self.ca.mtimes(across, self.ca.mtimes(values, across.T))

    # ---------------------------------------------------------------------- one step

    def _bending(self) -> np.ndarray:
        """Whether each number's change depends on that of a column in second order, bool."""
        found = np.zeros(self.starts[-1], bool)
        for step, start, stop in zip(self.steps, self.starts[:-1], self.starts[1:], strict=True):
            if isinstance(step, Affine):
                found[start:stop] = found[self.starts[0] + step.slots.indices].any()
            else:
                found[start:stop] = True
        return found

    def _taken(self, terms: list[Terms], k: int) -> Terms | None:
        """Out of `terms` those of slots from step k on, equal pairs added together."""
        ready, left = [], []
        for some in terms:
            own = some.first >= self.starts[k]
            if own.all():
                ready.append(some)
            elif not own.any():
                left.append(some)
            else:
                ready.append(some.some(own))
                left.append(some.some(~own))
        terms[:] = left
        return self._merged(ready) if ready else None

    def _merged(self, parts: list[Terms]) -> Terms:
        terms = parts[0] if len(parts) == 1 else self._joined(parts)
        key = terms.first * self.starts[-1] + terms.second
        kept, which = _distinct(key)
        if len(kept) == len(key):
            return terms
        order = np.lexsort((which, terms.at))
        where = pattern(self.ca, (len(kept), terms.value.numel()), which[order], terms.at[order])
        total = self.ca.mtimes(self.ca.DM(where, 1.0), terms.value)
        return Terms(terms.first[kept], terms.second[kept], total, np.arange(len(kept)))

    def _joined(self, parts: list[Terms]) -> Terms:
        lengths = [part.value.numel() for part in parts]
        shifts = np.cumsum(lengths) - lengths
        return Terms(
            np.concatenate([part.first for part in parts]),
            np.concatenate([part.second for part in parts]),
            self.ca.vertcat(*(part.value for part in parts)),
            np.concatenate([part.at + n for part, n in zip(parts, shifts, strict=True)]),
        )

    def _replaced(self, k: int, terms: Terms) -> Iterator[Terms]:
        """The terms by what the change of their first slot, one of step k, comes from."""
        step, row = self.steps[k], terms.first - self.starts[k]
        origin = self.starts[0]
        if isinstance(step, Affine):
            yield from self._through_rows(k, step, row, terms)
        elif isinstance(step, Elementwise):
            source, slope = origin + step.arguments[row], self.derivatives.bends(k)[0]
            yield _ordered(source, terms.second, self._times(terms, slope, row))
        else:
            for group, some, at in self._by_length(k, row, terms):
                for m, slope in enumerate(group.slopes):
                    source = origin + group.factors[at, m]
                    if not (some.second.any() or self.bends[source].any()):
                        continue
                    if slope is None:
                        yield _ordered(source, some.second, some.value, some.at)
                    else:
                        yield _ordered(source, some.second, self._times(some, slope, at))

    def _through_rows(self, k: int, step: Affine, row: np.ndarray, terms: Terms) -> Iterator[Terms]:
        if step.columns.nonzeros:
            yield _ordered(self.bases[k] + row, terms.second, terms.value, terms.at)
        if step.slots.nonzeros:
            lengths = np.diff(step.slots.indptr)[row]
            if lengths.sum() > MOST_TERMS:
                raise TooManyTermsError
            entry = np.repeat(np.arange(len(row)), lengths)
            shift = step.slots.indptr[row] - (np.cumsum(lengths) - lengths)
            where = np.arange(len(entry)) + np.repeat(shift, lengths)
            source = self.starts[0] + step.slots.indices[where]
            coef, at = step.slots.data[where], terms.at[entry]
            if len(coef) and (coef == coef[0]).all():
                value = scaled(self.ca, terms.value, coef[:1])
                yield _ordered(source, terms.second[entry], value, at)
            else:
                value = scaled(self.ca, gathered(self.ca, terms.value, at), coef)
                yield _ordered(source, terms.second[entry], value)

    def _bent(self, k: int, terms: Terms) -> Iterator[Terms]:
        """What terms of first order of step k leave of second order."""
        step, row = self.steps[k], terms.first - self.starts[k]
        if isinstance(step, Elementwise):
            source = self.starts[0] + step.arguments[row]
            yield _ordered(source, source, self._times(terms, self.derivatives.bends(k)[1], row))
        elif isinstance(step, Product):
            for group, some, at in self._by_length(k, row, terms):
                for (one, other), rest in group.pairs:
                    first = self.starts[0] + group.factors[at, one]
                    second = self.starts[0] + group.factors[at, other]
                    if rest is None:
                        yield _ordered(first, second, some.value, some.at)
                    else:
                        yield _ordered(first, second, self._times(some, rest, at))

    def _times(self, terms: Terms, factor: MX, at: np.ndarray) -> MX:
        return gathered(self.ca, terms.value, terms.at) * gathered(self.ca, factor, at)

    def _by_length(
        self, k: int, row: np.ndarray, terms: Terms
    ) -> Iterator[tuple[Group, Terms, np.ndarray]]:
        """Terms of products `row` of step k by the products' length, with places in the group."""
        groups = self.derivatives.groups(k)
        for group in groups:
            if len(groups) == 1:
                yield group, terms, row
                continue
            place = np.full(self.steps[k].length, -1)
            place[group.at] = np.arange(len(group.at))
            own = place[row] >= 0
            if own.any():
                yield group, terms.some(own), place[row[own]]


def _ordered(
    first: np.ndarray, second: np.ndarray, value: MX, at: np.ndarray | None = None
) -> Terms:
    """Terms of all values where `at` is None."""
    at = np.arange(len(first)) if at is None else at
    return Terms(np.maximum(first, second), np.minimum(first, second), value, at)


def _distinct(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First place of each key, and which of them each one is; nothing is sorted without need."""
    if (key[1:] > key[:-1]).all():
        return np.arange(len(key)), np.arange(len(key))
    _, kept, which = np.unique(key, return_index=True, return_inverse=True)
    return kept, which


def _unit(size: int) -> SparseRows:
    return SparseRows(np.arange(size + 1), np.arange(size, dtype=np.int32), np.ones(size))
