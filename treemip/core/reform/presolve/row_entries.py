"""All rows of a model as one list of entries, with implications as rows that have a guard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.model.blocks import Implications, Method, Rows, SparseRows
from treemip.core.model.model import Model

GUARD_CONSTANT, GUARD_VALUE = 3, 4
"""Columns of `RowEntries.facts`."""


@dataclass(frozen=True)
class RowEntries:
    """Entry k is coef[k] * x[column[k]] in row[k]; `guard`: in the guard of an implication.

    row ascends. facts float64 (rows, 7): what two rows must share to be one, apart from their
    entries: family, lower, upper, and of an implication guard constant, value, big-M and method
    (-1 where there is none). plain bool (rows,): without products and nonlinear parts.
    """

    row: np.ndarray
    column: np.ndarray
    coef: np.ndarray
    guard: np.ndarray
    facts: np.ndarray
    plain: np.ndarray

    @property
    def rows(self) -> int:
        return len(self.facts)

    @property
    def lower(self) -> np.ndarray:
        return self.facts[:, 1]

    @property
    def upper(self) -> np.ndarray:
        return self.facts[:, 2]

    @property
    def guarded(self) -> np.ndarray:
        """Whether the row is an implication's, bool (rows,)."""
        there: np.ndarray = self.facts[:, GUARD_VALUE] >= 0
        return there

    def of_rows(self, keep: np.ndarray) -> RowEntries:
        """The entries of some rows, which keep their numbers. keep bool (rows,)."""
        at = keep[self.row]
        return RowEntries(
            self.row[at], self.column[at], self.coef[at], self.guard[at], self.facts, self.plain
        )

    def renamed(self, target: np.ndarray) -> RowEntries:
        """Entries of column c as entries of target[c]; several of one column are added up."""
        key = (2 * self.row + self.guard) * len(target) + target[self.column]
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        coef = np.add.reduceat(self.coef[order], first) if len(first) else self.coef[:0]
        rest, column = np.divmod(key[first], len(target))
        keep = coef != 0
        row, guard = rest[keep] // 2, (rest[keep] % 2).astype(bool)
        return RowEntries(row, column[keep], coef[keep], guard, self.facts, self.plain)


def row_entries(model: Model) -> RowEntries:
    """The entries of a model's rows, and after them those of its implications."""
    parts, facts, plain, first = [], [], [], 0
    blocks: list[Rows | Implications] = [*model.rows, *model.implications]
    for family, block in enumerate(blocks):
        body = block.body if isinstance(block, Implications) else block
        parts.append(_entries(body.matrix, first, False))
        if isinstance(block, Implications):
            parts.append(_entries(block.guard, first, True))
        facts.append(_facts(block, body, family))
        plain.append(np.full(block.length, body.is_affine))
        first += block.length
    row, column, coef, guard = (np.concatenate(p) for p in zip(*parts, strict=True))
    order = np.argsort(row, kind="stable")
    return RowEntries(
        row[order],
        column[order].astype(np.int64),
        coef[order],
        guard[order],
        np.concatenate(facts),
        np.concatenate(plain),
    )


def _entries(matrix: SparseRows, first: int, guard: bool) -> tuple[np.ndarray, ...]:
    row = first + matrix.row_of
    return row, matrix.indices, matrix.data, np.full(len(row), guard)


def _facts(block: Rows | Implications, body: Rows, family: int) -> np.ndarray:
    facts = np.full((block.length, 7), -1.0)
    facts[:, 0], facts[:, 1], facts[:, 2] = family, body.lower, body.upper
    if isinstance(block, Implications):
        facts[:, GUARD_CONSTANT], facts[:, GUARD_VALUE] = block.guard_constant, block.value
        if block.big_m is not None:
            facts[:, 5] = block.big_m
        facts[:, 6] = [*Method].index(block.method)
    return facts
