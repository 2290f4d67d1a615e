"""Binaries that are the same in every solution for points with the same rows: their way in a tree.

Take two points i and i' whose private rows over binaries of their own and shared columns are the
same. The proofs here use these rows and the bounds of shared columns, nothing else:

1. Conflict. A row of i with u = 1 and a row of i' with v = 1 that no values of the shared columns
   satisfy together: u of i and v of i' are never both 1, and neither are u and v of one point. An
   example is u = 1 ==> a x <= b, v = 1 ==> a x >= b + eps, as big-M rows or with guards. Rows are
   added in pairs, and the sum is held against the bounds of the columns in it.
2. Implication. Of a row w = u + ..., u = 1 implies w = 1, so what conflicts with w does with u.
3. Forced. A row c u1 + ... + c uk + f = d, where f has shared columns and binaries known to be
   forced only, has the same value of f for i and i'. If the u conflict in pairs, at most one of
   them is 1 for i and i' together, so that u1, ..., uk are forced to the same values.

What is forced is equal in every solution, so any row or price of other data may hold it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.model.arrays import Ragged, begins, numbered, offsets_of, unique
from treemip.core.model.tolerances import CONFLICT
from treemip.core.reform.presolve.equal_points import equal_points, private_point
from treemip.core.reform.presolve.point_columns import SHARED, PointColumns
from treemip.core.reform.presolve.row_entries import GUARD_CONSTANT, GUARD_VALUE, RowEntries

MOST_ENTRIES = 50_000_000
"""Entries of pairs of rows that are added at most; points beyond are left apart."""

SLICE = 2_000_000


@dataclass(frozen=True)
class Bounds:
    """Of all columns: lower, upper float64 and integer bool, (columns,)."""

    lower: np.ndarray
    upper: np.ndarray
    integer: np.ndarray

    @property
    def binary(self) -> np.ndarray:
        inside = (self.lower >= 0) & (self.upper <= 1)
        binary: np.ndarray = self.integer & inside
        return binary


def forced_columns(entries: RowEntries, columns: PointColumns, bounds: Bounds) -> np.ndarray:
    """For each column the one that it equals in every solution, int64 (columns,); else itself."""
    own = columns.point != SHARED
    binary = bounds.binary & own
    other = np.zeros(entries.rows, bool)
    other[entries.row[own[entries.column] & ~binary[entries.column]]] = True
    routing = (private_point(entries, columns) >= 0) & ~other & entries.plain
    entries = entries.of_rows(routing)
    columns = columns.shared_too(~binary)
    first, _ = equal_points(entries, columns, np.zeros((len(own), 0)))

    has_rows = np.zeros(columns.points, bool)
    has_rows[columns.point[entries.column][binary[entries.column]]] = True
    merged = (first != np.arange(columns.points)) & has_rows
    target = np.arange(len(own))
    if not merged.any():
        return target
    leaders = np.zeros(columns.points, bool)
    leaders[first[merged]] = True
    of_row = private_point(entries, columns)
    led = entries.of_rows((of_row >= 0) & leaders[of_row])
    forced = _Routing(led, columns, bounds, of_row, leaders).forced()
    return _renamed(target, columns, merged, first, forced)


def _renamed(
    target: np.ndarray,
    columns: PointColumns,
    merged: np.ndarray,
    first: np.ndarray,
    forced: np.ndarray,
) -> np.ndarray:
    """`target` with the columns of merged points renamed where those of the first are `forced`."""
    key = columns.point * columns.positions + columns.position
    leading = np.flatnonzero(forced)
    leading = leading[np.argsort(key[leading])]
    mine = np.flatnonzero((columns.point != SHARED) & merged[columns.point])
    wanted = first[columns.point[mine]] * columns.positions + columns.position[mine]
    at = np.searchsorted(key[leading], wanted)
    there = at < len(leading)
    there[there] = key[leading[at[there]]] == wanted[there]
    target[mine[there]] = leading[at[there]]
    return target


class _Routing:
    """The proofs for the first point of each class. P binaries of a point, by local numbers.

    led: the rows of these points; of_row int64 (rows,): the point of each private row.
    """

    def __init__(
        self,
        led: RowEntries,
        columns: PointColumns,
        bounds: Bounds,
        of_row: np.ndarray,
        leaders: np.ndarray,
    ) -> None:
        self.led, self.columns, self.bounds = led, columns, bounds
        self.own = columns.point[led.column] != SHARED
        number = np.cumsum(leaders) - 1
        self.point_of_row = np.where(of_row >= 0, number[of_row], -1)
        used = numbered(columns.position[led.column[self.own]])
        self.size, self.points = len(used[0]), int(leaders.sum())
        self.local = np.full(len(columns.point), -1)
        self.local[led.column[self.own]] = used[1]
        self.dead = np.zeros((self.points, self.size), bool)
        self.conflict = np.zeros((self.points, self.size, self.size), bool)

    def forced(self) -> np.ndarray:
        """The binaries that are forced, bool (columns,)."""
        self._find_conflicts()
        above = self._implied()
        conflict = above @ self.conflict.astype(np.float32) @ above.transpose(0, 2, 1) > 0
        dead = np.einsum("puu->pu", conflict)
        conflict |= dead[:, :, None] | dead[:, None, :]
        known = self._forced(conflict)
        led = self.led.column[self.own]
        forced = np.zeros(len(self.local), bool)
        forced[led] = known[self.point_of_row[self.led.row[self.own]], self.local[led]]
        return forced

    # ------------------------------------------------------------------ conflicts

    def _find_conflicts(self) -> None:
        row, column, rest, sign = self._conditions()
        if not len(row):
            return
        led = self.led
        at = np.flatnonzero(~self.own & ~led.guard)
        body = Ragged.from_pairs(led.row[at], at, led.rows)
        last = np.full(led.rows, -1)
        np.maximum.at(last, led.row[at], led.column[at])
        group = numbered(self.point_of_row[row] * (len(self.local) + 1) + last[row] + 1)[1]
        order = np.argsort(group, kind="stable")
        row, column, rest, sign, group = (a[order] for a in (row, column, rest, sign, group))
        lengths = np.bincount(group)
        starts = offsets_of(lengths)[:-1]
        later = starts[group] + lengths[group] - np.arange(len(group))  # with itself
        later[body.lengths[row] == 0] = 1
        cost = body.lengths[row] * 2 * later
        spent = np.cumsum(cost)
        at_most = np.searchsorted(spent, MOST_ENTRIES, "right")
        for one in np.split(np.arange(at_most), _cuts(spent[:at_most])):
            first = np.repeat(one, later[one])
            second = (
                first + np.arange(len(first)) - np.repeat(offsets_of(later[one])[:-1], later[one])
            )
            lost = self._least(body, row, sign, first, second)
            bound = rest[first] + rest[second]
            size = 1 + np.abs(rest[first]) + np.abs(rest[second])
            apart = lost > bound + CONFLICT * size
            point = self.point_of_row[row[first[apart]]]
            u = self.local[column[first[apart]]]
            v = self.local[column[second[apart]]]
            self.conflict[point, u, v] = self.conflict[point, v, u] = True

    def _conditions(self) -> tuple[np.ndarray, ...]:
        """What a row says of shared columns g where a binary of its own is 1: sign * g <= rest.

        row, column int64, rest, sign float64: a condition for each binary and bound of a row. The
        other binaries of the row are taken where they leave most room.
        """
        led = self.led
        own = self.own & ~led.guard
        least = np.bincount(led.row[own], np.minimum(led.coef[own], 0), led.rows)
        most = np.bincount(led.row[own], np.maximum(led.coef[own], 0), led.rows)
        at = np.flatnonzero(own & ~led.guarded[led.row])
        row, column, coef = led.row[at], led.column[at], led.coef[at]
        room = led.upper[row] - coef - (least[row] - np.minimum(coef, 0))
        from_below = -led.lower[row] + coef + (most[row] - np.maximum(coef, 0))
        parts = [(row, column, room, 1.0), (row, column, from_below, -1.0)]

        at = np.flatnonzero(self.own & led.guard & self._guards_one())
        row, column = led.row[at], led.column[at]
        parts += [(row, column, led.upper[row] - least[row], 1.0)]
        parts += [(row, column, most[row] - led.lower[row], -1.0)]
        row, column, rest = (np.concatenate([p[k] for p in parts]) for k in range(3))
        sign = np.concatenate([np.full(len(p[0]), p[3]) for p in parts])
        finite = np.isfinite(rest)
        return row[finite], column[finite], rest[finite], sign[finite]

    def _guards_one(self) -> np.ndarray:
        """Entries of guards that hold one binary and ask for the value that it has at 1."""
        led = self.led
        alone = np.bincount(led.row[led.guard], minlength=led.rows) == 1
        value = led.coef + led.facts[led.row, GUARD_CONSTANT]
        asked: np.ndarray = alone[led.row] & (value == led.facts[led.row, GUARD_VALUE])
        return asked

    def _least(
        self, body: Ragged, row: np.ndarray, sign: np.ndarray, first: np.ndarray, second: np.ndarray
    ) -> np.ndarray:
        """Least values of the sums of conditions first[k] and second[k] over the shared box."""
        count = len(first)
        both = np.concatenate([first, second])
        ragged = body.take(row[both])
        pair = np.repeat(np.tile(np.arange(count), 2), ragged.lengths)
        coef = self.led.coef[ragged.items] * np.repeat(sign[both], ragged.lengths)
        column = self.led.column[ragged.items]
        width = len(self.local)
        key = pair * width + column
        order = np.argsort(key, kind="stable")
        key = key[order]
        starts = np.flatnonzero(begins(key))
        if not len(starts):
            return np.zeros(count)
        total = np.add.reduceat(coef[order], starts)
        pair, column = np.divmod(key[starts], width)
        there = total != 0
        pair, column, total = pair[there], column[there], total[there]
        bounds = self.bounds
        ends = total * bounds.lower[column], total * bounds.upper[column]
        return np.bincount(pair, np.minimum(*ends), count)

    # --------------------------------------------------------------- implications, forced

    def _implied(self) -> np.ndarray:
        """1 where binary u implies binary w, with itself and through others; float32."""
        led, rows = self.led, self.led.rows
        size = np.bincount(led.row, minlength=rows)
        alone = np.bincount(led.row[self.own & ~led.guard], minlength=rows) == size
        flat = alone & (led.lower == 0) & (led.upper == 0) & ~led.guarded
        high = np.bincount(led.row, led.coef > 0, rows)
        low = np.bincount(led.row, led.coef < 0, rows)
        above = np.zeros((self.points, self.size, self.size), np.float32)
        np.einsum("puu->pu", above)[:] = 1
        for sign, count in ((1.0, high), (-1.0, low)):
            parents = np.flatnonzero(flat[led.row] & (count[led.row] == 1) & (led.coef * sign > 0))
            parent = np.full(rows, -1)
            parent[led.row[parents]] = parents
            child = np.flatnonzero((parent[led.row] >= 0) & (led.coef * sign < 0))
            over = parent[led.row[child]]
            same = led.coef[child] == -led.coef[over]
            child, over = child[same], over[same]
            point = self.point_of_row[led.row[child]]
            above[point, self.local[led.column[child]], self.local[led.column[over]]] = 1
        while True:
            further = (above @ above > 0).astype(np.float32)
            if (further == above).all():
                return above
            above = further

    def _forced(self, conflict: np.ndarray) -> np.ndarray:
        """The binaries forced by equations, bool (points, P)."""
        led = self.led
        known = np.zeros((self.points, self.size), bool)
        equation = (led.lower == led.upper) & ~led.guarded
        at = np.flatnonzero(self.own & equation[led.row])
        rows, number = numbered(led.row[at])
        point, local, coef = self.point_of_row[rows], self.local[led.column[at]], led.coef[at]
        free = ~conflict
        np.einsum("puu->pu", free)[:] = False
        while True:
            unknown = ~known[point[number], local]
            there = np.zeros((len(rows), self.size), bool)
            there[number[unknown], local[unknown]] = True
            low, high = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
            np.minimum.at(low, number[unknown], coef[unknown])
            np.maximum.at(high, number[unknown], coef[unknown])
            settled = (low == high) & ~self._meet(there, free, point)
            if not settled.any():
                return known
            of, which = np.nonzero(there & settled[:, None])
            known[point[of], which] = True

    def _meet(self, there: np.ndarray, free: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Whether two of the binaries of a row may both be 1, bool (rows,)."""
        meet = np.zeros(len(there), bool)
        step = max(1, SLICE // self.size**2)
        for at in range(0, len(there), step):
            one = slice(at, at + step)
            pairs = there[one, :, None] & there[one, None, :] & free[point[one]]
            meet[one] = pairs.any(axis=(1, 2))
        return meet


def _cuts(spent: np.ndarray) -> np.ndarray:
    """Where to cut a list whose costs are `spent` in all, so that each part costs about SLICE."""
    if not len(spent):
        return spent
    steps = np.arange(SLICE, int(spent[-1]), SLICE)
    return unique(np.searchsorted(spent, steps))
