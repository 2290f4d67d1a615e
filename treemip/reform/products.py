"""Products with a binary factor.

w = b x with b binary and l <= x <= u (McCormick, exact because b is 0 or 1):
w <= u b,  w >= l b,  w <= x - l (1 - b),  w >= x - u (1 - b).  And b b = b.
Products of two variables of which none is binary stay quadratic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treemip.model.blocks import NO_QUADRATIC, Implications, Index, Kind, Quadratic, Rows
from treemip.model.model import Model, Objective
from treemip.model.rows import add_triplets, sparse_rows
from treemip.model.unique import unique
from treemip.reform.editing import Editing, Note, cap
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span


def rewrite_products(model: Model) -> tuple[Model, list[Note]]:
    """Every product with a binary factor becomes a variable of its own, shared by its uses."""
    users: list[tuple[Quadratic, Span | None]] = [
        (model.objective.quadratic, model.objective.span),
        *((r.quadratic, r.span) for r in model.rows),
        *((i.body.quadratic, i.body.span) for i in model.implications),
    ]
    if not any(q.count for q, _ in users):
        return model, []
    editing = Editing(model)
    binary = np.concatenate([np.full(b.length, b.kind is Kind.BINARY) for b in model.variables])
    columns = _Columns(editing, binary)
    columns.define(users)
    editing.rows = [columns.in_rows(r) for r in editing.rows]
    columns.define_rows()
    implications = tuple(columns.in_implications(i) for i in model.implications)
    objective = columns.in_objective(model.objective)
    return editing.finish(implications=implications, objective=objective), editing.notes


class _Columns:
    """The column that stands for each product: `keys` sorted, `column` beside it."""

    def __init__(self, editing: Editing, binary: np.ndarray) -> None:
        self.editing = editing
        self.binary = binary
        self.width = len(binary)
        self.keys = np.zeros(0, np.int64)
        self.start = 0
        self.span: Span | None = None

    def linear(self, q: Quadratic) -> np.ndarray:
        """Which products have a binary factor."""
        return self.binary[q.first] | self.binary[q.second]

    def define(self, users: Sequence[tuple[Quadratic, Span | None]]) -> None:
        keys = []
        for q, span in users:
            if q.count:
                mine = self.linear(q) & (q.first != q.second)
                keys.append(q.first[mine].astype(np.int64) * self.width + q.second[mine])
                self.span = self.span or span
                self._check(q, mine, span)
        self.keys = unique(np.concatenate(keys)) if keys else self.keys
        if not len(self.keys):
            return
        first, second = self.keys // self.width, self.keys % self.width
        low, high = self._factor_bounds(first, second)
        index = Index(("number",), ("number",), (np.arange(len(self.keys)) + 1,), len(self.keys))
        self.start = self.editing.add_variables(
            "product",
            index,
            np.minimum(low, 0.0),
            np.maximum(high, 0.0),
            Kind.CONTINUOUS,
            self.span,
            "product",
        )
        formula = "w <= u b, w >= l b, w <= x - l (1 - b), w >= x - u (1 - b)"
        note = Note("product", "rows for b x", formula, self.span, f"{len(self.keys)} products")
        self.editing.notes.append(note)

    def _split(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(binary factor, other factor)."""
        swap = ~self.binary[first]
        return np.where(swap, second, first), np.where(swap, first, second)

    def _factor_bounds(
        self, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        _, other = self._split(first, second)
        lower, upper = self.editing.bounds
        return lower[other], upper[other]

    def _check(self, q: Quadratic, mine: np.ndarray, span: Span | None) -> None:
        low, high = self._factor_bounds(q.first[mine], q.second[mine])
        bad = ~(np.isfinite(low) & np.isfinite(high))
        if not bad.any():
            return
        _, other = self._split(q.first[mine], q.second[mine])
        column = int(other[np.argmax(bad)])
        block = next(b for b in self.editing.variables if b.start <= column < b.stop)
        name = block.name
        raise TreemipError(
            Diagnostic(
                "E501",
                f"a product of a binary with '{name}' cannot be made linear: "
                f"'{name}' has no finite bounds",
                span,
                f"give '{name}' bounds in its declaration, or bound it by a row of the spec: "
                f"{cap(block)}",
            )
        )

    def define_rows(self) -> None:
        if not len(self.keys):
            return
        b, x = self._split(self.keys // self.width, self.keys % self.width)
        w = self.start + np.arange(len(self.keys))
        low, high = self._factor_bounds(self.keys // self.width, self.keys % self.width)
        one, far = np.ones(len(b)), np.full(len(b), np.inf)
        zero = np.zeros(len(b))
        self._add("_on_upper", [(w, one), (b, -high)], -far, zero)
        self._add("_on_lower", [(w, one), (b, -low)], zero, far)
        self._add("_off_upper", [(w, one), (x, -one), (b, -low)], -far, -low)
        self._add("_off_lower", [(w, one), (x, -one), (b, -high)], -high, far)

    def _add(
        self,
        suffix: str,
        parts: list[tuple[np.ndarray, np.ndarray]],
        lower: np.ndarray,
        upper: np.ndarray,
    ) -> None:
        size = len(lower)
        row = np.tile(np.arange(size), len(parts))
        var = np.concatenate([ids for ids, _ in parts]).astype(np.int32)
        matrix = sparse_rows(row, var, np.concatenate([c for _, c in parts]), size)
        index = Index(("number",), ("number",), (np.arange(size) + 1,), size)
        self.editing.add_rows(
            Rows("product" + suffix, index, matrix, lower, upper, self.span, made_by="product")
        )

    def _columns_of(self, q: Quadratic, mine: np.ndarray) -> np.ndarray:
        """The column for each product: of its own, or the binary itself for b b."""
        key = q.first[mine].astype(np.int64) * self.width + q.second[mine]
        square = q.first[mine] == q.second[mine]
        at = np.searchsorted(self.keys, key)
        return np.where(square, q.first[mine], self.start + at).astype(np.int32)

    def in_rows(self, rows: Rows) -> Rows:
        q = rows.quadratic
        if not q.count:
            return rows
        mine = self.linear(q)
        matrix = add_triplets(rows.matrix, q.row[mine], self._columns_of(q, mine), q.coef[mine])
        return replace(rows, matrix=matrix, quadratic=_rest(q, mine))

    def in_implications(self, block: Implications) -> Implications:
        return replace(block, body=self.in_rows(block.body))

    def in_objective(self, objective: Objective) -> Objective:
        q = objective.quadratic
        if not q.count:
            return objective
        mine = self.linear(q)
        linear = np.zeros(self.editing.columns)
        linear[: len(objective.linear)] = objective.linear
        np.add.at(linear, self._columns_of(q, mine), q.coef[mine])
        return replace(objective, linear=linear, quadratic=_rest(q, mine))


def _rest(q: Quadratic, mine: np.ndarray) -> Quadratic:
    if mine.all():
        return NO_QUADRATIC
    keep = ~mine
    return Quadratic(q.row[keep], q.first[keep], q.second[keep], q.coef[keep])
