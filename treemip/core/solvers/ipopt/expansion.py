"""A weighted sum of a tape's slots, expanded around x and pulled back through the tape.

The expansion is a sum of terms

    value * d[first] * d[second],

d[k] being the change of slot k and, in terms of first order, d[second] a constant. A step at a
time, from the last to the first, d of its slots is replaced: by f'(u) d[u] + f''(u)/2 d[u]^2 in
terms of first order, which leaves a term of each order, and by f'(u) d[u] in those of second
order. This is edge pushing (Gower and Mello, A new framework for the computation of Hessians,
2012), all slots of a step at once. What is left in the end are changes of affine rows A x.

The Jacobian of rows g is the part of the Hessian of lam' g by (lam, x) that joins lam and x, so it
comes from terms of second order alone: d[second] is then the change of a row's multiplier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.core.model.blocks import Quadratic, SparseRows
from treemip.core.model.tape import Affine, Elementwise, Product
from treemip.core.solvers.ipopt.differentials import Changes, Derivatives, Group
from treemip.core.solvers.ipopt.operations import column, gathered, scaled, times
from treemip.core.solvers.ipopt.taylor_terms import Terms, matrix, merged, ordered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casadi import MX

MOST_TERMS = 2_000_000
"""Terms that one step may leave. A function of a sum over all points would pair all of them."""

WORTH = 0.75
"""Terms of second order are added together where less than this share of them is left."""


class TooManyTermsError(Exception):
    """More than MOST_TERMS."""


class Expansion:
    """Terms of a model of `columns` columns; `first` and `second` number its `Changes`.

    The last columns may be parameters, which do not change. multipliers: of rows, if any.
    """

    def __init__(
        self, derivatives: Derivatives, columns: int, parameters: int = 0, multipliers: int = 0
    ) -> None:
        self.derivatives, self.columns = derivatives, columns
        self.free = columns - parameters
        self.ca, self.steps = derivatives.ca, derivatives.steps
        self.changes = Changes(derivatives, columns, multipliers)
        self.moving = self.changes.moving(self.free) if parameters else None
        self.starts, self.numbers = self.changes.starts, self.changes.numbers
        self.linear: list[Terms] = []
        self.pairs: list[Terms] = []
        self._picked: dict[tuple[int, bytes], MX] = {}

    def add_slots(self, slots: np.ndarray, value: MX) -> None:
        """value[k] * d[slot k], slots in any order."""
        if self.changes.bends[slots].any():
            value = scaled(self.ca, value, self.derivatives.rates[slots])
            terms = Terms.of(self.numbers[slots], np.zeros_like(slots, np.int64), value)
            self.linear += self._moving([terms])

    def add_products(self, form: Quadratic, value: MX) -> None:
        """value[k] * d[column] * d[column]."""
        if form.count:
            base = self.changes.base
            first, second = base + form.first.astype(np.int64), base + form.second.astype(np.int64)
            self.pairs += self._moving([ordered(first, second, value)])

    def add_rows(self, weights: SparseRows) -> None:
        """Sums of slots, each times its multiplier: d[slot] * d[multiplier]."""
        slots = weights.indices.astype(np.int64)
        value = self.ca.MX(column(self.ca, weights.data * self.derivatives.rates[slots]))
        self.pairs += self._moving([ordered(self.numbers[slots], 1 + weights.row_of, value)])

    def add_row_products(self, form: Quadratic, x: MX) -> None:
        """Products of columns, x (columns, 1), each times its row's multiplier."""
        row = 1 + form.row.astype(np.int64)
        for own, other in ((form.first, form.second), (form.second, form.first)):
            value = scaled(self.ca, gathered(self.ca, x, other), form.coef)
            change = self.changes.base + own.astype(np.int64)
            self.pairs += self._moving([ordered(change, row, value)])

    def pull(self) -> None:
        """Back through all steps. Raises TooManyTermsError."""
        for k in reversed(self.changes.others):
            if found := self._taken(self.linear, k):
                for terms in merged(self.ca, found):
                    self.linear += self._moving(self._replaced(k, terms))
                    self.pairs += self._moving(self._bent(k, terms))
            while found := self._taken(self.pairs, k):
                for terms in found if self._is_narrow(k) else merged(self.ca, found, WORTH):
                    self.pairs += self._moving(self._replaced(k, terms))
            self._picked.clear()
            if sum(len(terms.first) for terms in self.pairs) > MOST_TERMS:
                raise TooManyTermsError

    def second_order(self) -> MX:
        """MX (free columns, free columns) M: the terms of second order are dx' M dx."""
        if not self.pairs:
            return self.ca.MX(self.free, self.free)
        low, rows = self.changes.rows(min(int(terms.second.min()) for terms in self.pairs))
        parts = [Terms.of(t.first - low, t.second - low, t.value) for t in self.pairs]
        values = matrix(self.ca, parts, (rows.size1(), rows.size1()))
        rows = rows if self.moving is None else rows[:, : self.free]
        return self.ca.mtimes(rows.T, self.ca.mtimes(values, rows))

    def of_multipliers(self) -> MX:
        """MX (multipliers, free columns): the terms of a multiplier and a column."""
        count = self.changes.base - 1
        if not self.pairs:
            return self.ca.MX(count, self.free)
        low, rows = self.changes.rows(min(int(terms.first.min()) for terms in self.pairs))
        parts = [Terms.of(t.first - low, t.second - 1, t.value) for t in self.pairs]
        values = matrix(self.ca, parts, (rows.size1(), count))
        rows = rows if self.moving is None else rows[:, : self.free]
        return self.ca.mtimes(values.T, rows)

    def _moving(self, terms: Iterable[Terms]) -> Iterable[Terms]:
        """The terms without those of a change that is none."""
        return terms if self.moving is None else self._without_known(terms, self.moving)

    def _without_known(self, terms: Iterable[Terms], moving: np.ndarray) -> Iterator[Terms]:
        for some in terms:
            own = moving[some.first] & moving[some.second]
            if own.all():
                yield some
            elif own.any():
                yield some.some(self.ca, own)

    # ---------------------------------------------------------------------- one step

    def _is_narrow(self, k: int) -> bool:
        """Whether each term of step k gives exactly one other, so no matrix has to add them."""
        return isinstance(self.steps[k], Elementwise)

    def _taken(self, terms: list[Terms], k: int) -> list[Terms]:
        """Remove from `terms`, and return, those of slots from step k on."""
        taken, left, start = [], [], self.starts[k]
        for some in terms:
            if some.highest < start:
                left.append(some)
            elif (own := some.first >= start).all():
                taken.append(some)
            else:
                taken.append(some.some(self.ca, own))
                left.append(some.some(self.ca, ~own))
        terms[:] = left
        return taken

    def _replaced(self, k: int, terms: Terms) -> Iterator[Terms]:
        """The terms after the chain rule on their first slot, which belongs to step k."""
        step, row = self.steps[k], terms.first - self.starts[k]
        if isinstance(step, Affine):
            yield from self._through_rows(k, step, row, terms)
        elif isinstance(step, Elementwise):
            arguments = step.arguments[row]
            if terms.second[0] or self.changes.bends[arguments].any():
                slope = self._at(self.derivatives.bends(k)[0], row)
                value = times(self.ca, terms.value, slope)
                yield ordered(self.numbers[arguments], terms.second, value)
        else:
            for group, some, at in self._by_length(k, row, terms):
                for m, slope in enumerate(group.slopes):
                    source = group.sources[at, m]
                    if some.second[0] or self.changes.bends[source].any():
                        value = times(self.ca, some.value, self._at(slope, at))
                        yield ordered(self.numbers[source], some.second, value)

    def _through_rows(self, k: int, step: Affine, row: np.ndarray, terms: Terms) -> Iterator[Terms]:
        if step.columns.nonzeros:
            yield ordered(self.changes.bases[k] + row, terms.second, terms.value)
        if step.slots.nonzeros:
            begin = step.slots.indptr[row]
            lengths = step.slots.indptr[row + 1] - begin
            count = int(lengths.sum())
            if count > MOST_TERMS:
                raise TooManyTermsError
            if not count:
                return
            term = np.repeat(np.arange(len(row)), lengths)
            entry = np.arange(count) + (begin - (np.cumsum(lengths) - lengths))[term]
            # Sorted by source slot: their derivatives are then contiguous and need no gathering.
            order = step.slots.indices[entry].argsort(kind="stable")
            term, entry = term[order], entry[order]
            slots = step.slots.indices[entry]
            rates = step.slots.data[entry] * self.derivatives.rates[slots]
            rates /= self.derivatives.slots.rate(k)
            value = scaled(self.ca, gathered(self.ca, terms.value, term), rates)
            yield ordered(self.numbers[slots], terms.second[term], value)

    def _bent(self, k: int, terms: Terms) -> list[Terms]:
        """The second-order terms that first-order terms of step k give rise to."""
        step, row, found = self.steps[k], terms.first - self.starts[k], []
        if isinstance(step, Elementwise):
            source = self.numbers[step.arguments[row]]
            bend = gathered(self.ca, self.derivatives.bends(k)[1], row)
            found.append(Terms.of(source, source, times(self.ca, terms.value, bend)))
        elif isinstance(step, Product):
            for group, some, at in self._by_length(k, row, terms):
                for (one, other), rest in group.pairs:
                    first, second = group.sources[at, one], group.sources[at, other]
                    value = times(self.ca, some.value, gathered(self.ca, rest, at))
                    found.append(ordered(self.numbers[first], self.numbers[second], value))
        return merged(self.ca, found, WORTH) if found else found

    def _at(self, slope: MX, row: np.ndarray) -> MX:
        """slope[row], once for all terms of a step that want the same rows of a derivative."""
        key = id(slope), row.tobytes()
        if key not in self._picked:
            self._picked[key] = gathered(self.ca, slope, row)
        return self._picked[key]

    def _by_length(
        self, k: int, row: np.ndarray, terms: Terms
    ) -> Iterator[tuple[Group, Terms, np.ndarray]]:
        """Terms of products `row` of step k by the products' length, with places in the group."""
        groups = self.derivatives.groups(k)
        if len(groups) == 1:
            yield groups[0], terms, row
            return
        for group in groups:
            place = np.full(self.steps[k].length, -1)
            place[group.at] = np.arange(len(group.at))
            own = place[row] >= 0
            if own.any():
                yield group, terms.some(self.ca, own), place[row[own]]
