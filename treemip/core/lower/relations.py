"""Constraints to blocks of rows and implications."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

import numpy as np

from treemip.core.lower.error_context import used_from
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame, demand_room
from treemip.core.lower.linear import Linear, quadratic_rows
from treemip.core.lower.model_columns import ModelBuilder
from treemip.core.model.blocks import Implications, Literals, Method, Quadratic, Rows, SparseRows
from treemip.core.model.sparse_rows import some_rows, stack_products, stack_slices
from treemip.core.model.tolerances import KNOWN_ROW
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.spec import Constraint, Guard, Relation
from treemip.core.resolve.typed import Typed, TypedDomain
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Span

PROBE = 256  # rows looked at first
ENTRIES = 250_000  # in a slice, about
ROW_BYTES, ENTRY_BYTES = 40, 12  # of a finished row, and of each of its entries

# What rows have beside their matrix: bounds, products, coefficients of slots.
Beside = tuple[np.ndarray, np.ndarray, Quadratic, SparseRows | None]


class Relations:
    def __init__(self, building: ModelBuilder, evaluator: Evaluator) -> None:
        self.building = building
        self.evaluator = evaluator
        self._frames: dict[TypedDomain, Frame] = {}
        self._pieces: dict[Frame, list[Frame]] = {}

    def lower(self, constraint: Constraint) -> None:
        """Append the constraint's rows; a family whose domain is empty leaves none."""
        self.building.place = constraint.used_from or constraint.name_span
        with used_from(self.building.place):
            self._lower(constraint)

    def _lower(self, constraint: Constraint) -> None:
        frame = self.frame(constraint)
        if frame.size == 0:
            return
        for suffix, relation in sides(constraint.relation):
            rows = self.rows(constraint, relation, frame, constraint.name + suffix)
            if not constraint.guards:
                rest = self.without_trivial(rows, frame, constraint)
                if rest.length:
                    self.building.rows.append(rest)
            else:
                self.building.implications.append(self.implication(constraint, rows, frame))

    def frame(self, constraint: Constraint) -> Frame:
        return self.with_local_sets(constraint, self._frame(constraint.domain))

    def count(self, constraint: Constraint) -> int:
        """The rows of a constraint."""
        return self._frame(constraint.domain).size

    def _frame(self, domain: TypedDomain) -> Frame:
        if domain not in self._frames:
            grown, _ = self.evaluator.sets.expand(domain.binders, domain.guard, Frame.empty())
            self._frames[domain] = grown
        return self._frames[domain]

    def with_local_sets(self, constraint: Constraint, frame: Frame) -> Frame:
        """The frame with the sets that the constraint gives names to."""
        for name, local in constraint.local_sets:
            distinct, which = frame.project(local.free, local.local)
            frame = frame.with_local(name, self.evaluator.sets.lists(local, distinct), which)
        return frame

    def rows(self, constraint: Constraint, relation: Relation, frame: Frame, name: str) -> Rows:
        """lower <= matrix x <= upper with the constants moved to the bounds."""
        beside: list[Beside] = []

        def matrices() -> Iterator[SparseRows]:
            for part in self.pieces(relation, frame):
                matrix, rest = self.piece(relation, part)
                beside.append(rest)
                yield matrix

        matrix = stack_slices(matrices(), frame.size)
        lows, highs, products, slots = zip(*beside, strict=True)
        return Rows(
            name,
            self.building.index(constraint.domain.names, constraint.domain.sorts, frame),
            matrix,
            np.concatenate(lows),
            np.concatenate(highs),
            constraint.span,
            stack_products(products, [len(low) for low in lows]),
            slots=slots[0] if len(slots) == 1 else None,
        )

    def pieces(self, relation: Relation, frame: Frame) -> list[Frame]:
        """The frame in slices whose entries fit the cache; shared by families over one frame.

        The first rows tell how many entries a row has. Slices also bound the memory: an
        expression's intermediate arrays are as long as its slice has entries.
        """
        if frame.size <= PROBE or _is_nonlinear(relation):  # a tape's steps are large by design
            return [frame]
        if frame not in self._pieces:
            first = frame.take(np.arange(PROBE))
            body, _, _ = self.between(relation, first)
            each = max(1.0, sum(len(p.var) for p in body.parts) / PROBE)
            demand_room(frame.size, ROW_BYTES + int(each * ENTRY_BYTES))
            step = max(PROBE, int(ENTRIES / each))
            starts = range(0, frame.size, step)
            self._pieces[frame] = (
                [frame]
                if step >= frame.size
                else [frame.take(np.arange(s, min(s + step, frame.size))) for s in starts]
            )
        return self._pieces[frame]

    def piece(self, relation: Relation, frame: Frame) -> tuple[SparseRows, Beside]:
        body, low, high = self.between(relation, frame)
        _require_finite(body, relation.span)
        constant = body.constant
        quadratic = quadratic_rows(body)
        return body.matrix(), (low - constant, high - constant, quadratic, body.slot_matrix())

    def all_between(
        self, relation: Relation, frame: Frame
    ) -> list[tuple[Linear, np.ndarray, np.ndarray]]:
        """Bodies with their bounds: two where there are variables in the outer sides."""
        return [self.between(each, frame) for _, each in sides(relation)]

    def between(self, relation: Relation, frame: Frame) -> tuple[Linear, np.ndarray, np.ndarray]:
        """The body with its bounds; both bounds when the outer sides are known."""
        zero, far = np.zeros(frame.size), np.full(frame.size, np.inf)
        if relation.right2 is not None:
            body = self.evaluator.linear(relation.right, frame)
            ends = [self._known(e, frame) for e in (relation.left, relation.right2)]
            low, high = ends if relation.op == "<=" else ends[::-1]
            _require_range(low, high, relation.span)
            return body, low, high
        left = self.evaluator.linear(relation.left, frame)
        right = self.evaluator.linear(relation.right, frame)
        body = left.plus(right.times(-1.0))
        if relation.op == "=":
            return body, zero, zero
        return (body, -far, zero) if relation.op == "<=" else (body, zero, far)

    def _known(self, expression: Typed, frame: Frame) -> np.ndarray:
        return np.asarray(self.evaluator.known(expression, frame), float)

    def implication(self, constraint: Constraint, rows: Rows, frame: Frame) -> Implications:
        """body(x) where all guards hold, which is where g_1 + ... + g_n - (n - 1) = 1, g_k being
        1 where guard k holds and else 0. A single guard stays as it is, with its value."""
        guards = [self.guard(one, frame) for one in constraint.guards]
        guard, value = guards[0]
        conjuncts: tuple[Literals, ...] = ()
        if len(guards) > 1:
            literals = [literal(*one) for one in guards]
            conjuncts = tuple(Literals(g.matrix(), g.constant) for g in literals)
            value = np.ones(frame.size)
            guard = reduce(Linear.plus, literals).plus(Linear.known((1.0 - len(guards)) * value))
        big_m = None
        if constraint.big_m is not None:
            big_m = self._known(constraint.big_m, frame)
            if not np.isfinite(big_m).all() or (big_m < 0).any():
                fail("E503", "a big-M is finite and not negative", constraint.big_m.span)
        return Implications(
            rows,
            guard.matrix(),
            guard.constant,
            value,
            Method(constraint.method or "auto"),
            big_m,
            conjuncts,
        )

    def guard(self, guard: Guard, frame: Frame) -> tuple[Linear, np.ndarray]:
        """The left side of an equation before `==>`, and its right side, float64 (rows,)."""
        value = self._known(guard.value, frame)
        if not np.isin(value, (0.0, 1.0)).all():
            message = "the left side of '==>' must be compared with 0 or 1"
            fail("E403", message, guard.value.span)
        return self.evaluator.linear(guard.left, frame), value

    def without_trivial(self, rows: Rows, frame: Frame, constraint: Constraint) -> Rows:
        """Rows without variables say nothing when they hold and make the model void when not."""
        empty = np.diff(rows.matrix.indptr) == 0
        if rows.quadratic.count:
            empty[rows.quadratic.row] = False
        if rows.slots is not None:
            empty &= np.diff(rows.slots.indptr) == 0
        broken = empty & ((rows.lower > KNOWN_ROW) | (rows.upper < -KNOWN_ROW))
        if broken.any():
            domain, row = constraint.domain, int(np.argmax(broken))
            where = self.evaluator.places.for_row(domain.names, domain.sorts, frame, row)
            fail(
                "E403",
                f"the row '{rows.name}'{where} has no variables and does not hold",
                constraint.span,
            )
        return rows if not empty.any() else some_rows(rows, np.flatnonzero(~empty))


def literal(guard: Linear, value: np.ndarray) -> Linear:
    """1 where a guard of 0 or 1 has the value, else 0."""
    return guard.times(2.0 * value - 1.0).plus(Linear.known(1.0 - value))


def _is_nonlinear(relation: Relation) -> bool:
    sides = (relation.left, relation.right, relation.right2)
    return any(s is not None and s.degree is Degree.NONLINEAR for s in sides)


def sides(relation: Relation) -> list[tuple[str, Relation]]:
    """Relations that are one row each, with what their names end in: a double row with variables in
    its outer sides becomes two."""
    if relation.right2 is None:
        return [("", relation)]
    if not (relation.left.degree or relation.right2.degree):
        return [("", relation)]
    first = replace(relation, op2=None, right2=None)
    second = replace(relation, left=relation.right, right=relation.right2, op2=None, right2=None)
    return [("_first", first), ("_second", second)]


def _require_range(low: np.ndarray, high: np.ndarray, span: Span) -> None:
    """The ends of a double row: finite, and in order."""
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        fail("E402", "a side of this row is not a finite number", span)
    worst = int(np.argmax(low - high)) if len(low) else 0
    if len(low) and low[worst] > high[worst]:
        message = f"this row can never hold: {low[worst]:g} is above {high[worst]:g}"
        fail("E403", message, span)


def _require_finite(body: Linear, span: Span) -> None:
    if not body.is_finite:
        fail("E402", "a coefficient of this row is not a finite number", span)
