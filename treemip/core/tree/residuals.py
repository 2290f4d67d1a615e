"""By how much rows fail to hold: of the model at a solution, of a constraint on a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.numbers import compare
from treemip.core.model.blocks import Implications, Rows
from treemip.core.model.model import Model
from treemip.core.model.on_demand import OnDemand, digest, to_check
from treemip.core.model.text import label
from treemip.core.model.tolerances import VERIFIED
from treemip.core.model.values import slot_values
from treemip.core.resolve.spec import Constraint, Relation


@dataclass(frozen=True)
class Violation:
    """A row that does not hold, by how much, with its indices in the user's words."""

    name: str
    where: str
    amount: float
    span: object | None = None

    def text(self) -> str:
        place = f" for {self.where}" if self.where else ""
        return f"'{self.name}'{place} by {self.amount:.3g}"


def model_violations(model: Model, values: dict[str, np.ndarray]) -> list[Violation]:
    """Bounds, rows and implications that a solution breaks, the worst of each block.

    A row may be off by `VERIFIED` times the size of its terms. A value that is no number breaks all
    that it is in.
    """
    if not isinstance(model.rows, OnDemand):
        return _violations(model, values)
    found: list[Violation] = model.rows.once(
        digest(values), lambda: _worst_of_each(_violations(model, values))
    )
    return found


def first_violations(model: Model, values: dict[str, np.ndarray]) -> list[Violation]:
    """The same; of rows made on demand, those of the first points if they break any, and none whose
    values are not known, nan."""
    if model.is_kept:
        return model_violations(model, values)
    unknown = any(np.isnan(part).any() for part in values.values())
    some = _violations(model, values, first=True, unknown=unknown)
    if not some and unknown:
        some = _violations(model, values, unknown=True)
    return _worst_of_each(some) if some or unknown else model_violations(model, values)


def _violations(
    model: Model, values: dict[str, np.ndarray], first: bool = False, unknown: bool = False
) -> list[Violation]:
    """first: of rows on demand, among those of the first points alone. unknown: whether to pass
    over what has a value that is no number."""
    x = (
        np.concatenate([values[b.name] for b in model.variables])
        if model.variables
        else np.zeros(0)
    )

    def known(off: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(off), -np.inf, off) if unknown else off

    violations = []
    slots = slot_values(model.tape, x) if model.tape.steps else None
    for block in model.variables:
        part = values[block.name]
        if ((part >= block.lower) & (part <= block.upper)).all():
            continue
        off = known(np.maximum(block.lower - part, part - block.upper))
        violations += _worst(block.name, block.index, off, np.full(len(off), VERIFIED), block.span)
    for rows in to_check(model.rows, values, first):
        off, allowed = row_distance(rows, x, slots)
        violations += _worst(rows.name, rows.index, known(off), allowed, rows.span)
    for implication in to_check(model.implications, values, first):
        off, allowed = row_distance(implication.body, x, slots)
        off = known(np.where(guard_holds(implication, x), off, -np.inf))
        violations += _worst(
            implication.name, implication.body.index, off, allowed, implication.body.span
        )
    return violations


def _worst_of_each(violations: list[Violation]) -> list[Violation]:
    """One for each name, where slices of its rows have several."""
    worst: dict[str, Violation] = {}
    for one in violations:
        if one.name not in worst or one.amount > worst[one.name].amount:
            worst[one.name] = one
    return list(worst.values())


def row_distance(
    rows: Rows, x: np.ndarray, slots: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """How far each row is outside its bounds, and how far it may be; float64 (rows,).

    `slots` are the values of the model's tape, where it has one.
    """
    products = rows.matrix.data * x[rows.matrix.indices]
    body = _of_rows(products, rows.matrix.indptr)
    size = _of_rows(np.abs(products, out=products), rows.matrix.indptr)
    q = rows.quadratic
    if q.count:
        squares = q.coef * x[q.first] * x[q.second]
        # not +=: bincount of no entries has integers
        body = body + np.bincount(q.row, squares, rows.length)
        size = size + np.bincount(q.row, np.abs(squares), rows.length)
    if rows.slots is not None and slots is not None:
        worth = rows.slots.data * slots[rows.slots.indices]
        body = body + np.bincount(rows.slots.row_of, worth, rows.length)
        size = size + np.bincount(rows.slots.row_of, np.abs(worth), rows.length)
    off = np.maximum(rows.lower - body, body - rows.upper)
    return off, VERIFIED * np.fmax(1.0, size)


def _of_rows(entries: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """The sum of each row's entries, float64 (rows,)."""
    sums = np.zeros(len(indptr) - 1)
    filled = np.flatnonzero(np.diff(indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(entries, indptr[filled])
    return sums


def guard_holds(block: Implications, x: np.ndarray) -> np.ndarray:
    """Where the left side of the implications is true, bool (rows,)."""
    products = block.guard.data * x[block.guard.indices]
    guard = np.bincount(block.guard.row_of, products, block.length) + block.guard_constant
    return np.abs(guard - block.value) < 0.5


def _worst(name, index, off, allowed, span) -> list[Violation]:  # type: ignore[no-untyped-def]
    over = off - allowed
    if not len(over) or over.max() <= 0:
        return []
    row = int(over.argmax())
    pairs = zip(index.names, index.columns, strict=True)
    where = ", ".join(f"{n} = {label(c[row].item())}" for n, c in pairs)
    return [Violation(name, where, float(off[row]), span)]


def constraint_violation(constraint: Constraint, evaluator: Evaluator) -> list[Violation]:
    """The worst row of a constraint evaluated with everything known; none when all hold."""
    domain = constraint.domain
    frame, _ = evaluator.sets.expand(domain.binders, domain.guard, Frame.empty())
    for name, local_set in constraint.local_sets:
        distinct, which = frame.project(local_set.free, local_set.local)
        frame = frame.with_local(name, evaluator.sets.lists(local_set, distinct), which)
    if frame.size == 0:
        return []
    off, size = _relation_distance(constraint.relation, frame, evaluator)
    for guard in constraint.guards:
        left, value = (evaluator.known(e, frame) for e in (guard.left, guard.value))
        off = np.where(np.abs(left - value) < 0.5, off, -np.inf)
    row = int((off / size).argmax())
    if not off[row] > VERIFIED * size[row]:
        return []
    ids = [frame.column(n) for n in domain.names]
    where = evaluator.places.describe(domain.sorts, ids, row)
    return [Violation(constraint.name, where, float(off[row]), constraint.span)]


def _relation_distance(
    relation: Relation, frame: Frame, evaluator: Evaluator
) -> tuple[np.ndarray, np.ndarray]:
    """How far each row is from holding, and the size of its sides, at least 1."""
    off, size = np.full(frame.size, -np.inf), np.ones(frame.size)
    pairs = [(relation.left, relation.op, relation.right)]
    if relation.op2 is not None and relation.right2 is not None:
        pairs.append((relation.right, relation.op2, relation.right2))
    for left, op, right in pairs:
        a = np.asarray(evaluator.known(left, frame), float)
        b = np.asarray(evaluator.known(right, frame), float)
        with np.errstate(over="ignore", invalid="ignore"):  # numbers of a damaged tree.json
            distance = np.where(compare(op, a, b), 0.0, np.abs(a - b))
        off = np.fmax(off, distance)  # rows of unknown meaning (NaN) are passed over
        for side in (a, b):
            size = np.fmax(size, np.where(np.isinf(side), 1.0, np.abs(side)))
    return off, size
