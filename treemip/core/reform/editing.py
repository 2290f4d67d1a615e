"""What passes share: a model being edited, and a note of what became what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from treemip.core.lower.linear import Linear, Products, quadratic_rows
from treemip.core.model.arrays import unique
from treemip.core.model.blocks import (
    Functions,
    Index,
    Kind,
    Rows,
    SparseRows,
    Variables,
    declared_bounds,
)
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import as_part, interval
from treemip.core.reform.bounds_from_rows import closed, tightened
from treemip.core.reform.formulas import Inequality
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Span


@dataclass(frozen=True)
class Note:
    """One reformulation for `explain`: which block, what it became, by which formula.

    `instead`: what the source asks for if the target does not have it, else empty.
    """

    source: str
    became: str
    formula: str
    span: Span | None
    detail: str = ""
    big_m: tuple[float, float] | None = None
    instead: str = ""


@dataclass
class Editing:
    """Blocks of a model that passes change; `finish` gives the new model."""

    model: Model
    variables: list[Variables] = field(init=False)
    rows: list[Rows] = field(init=False)
    notes: list[Note] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.variables = list(self.model.variables)
        self.rows = list(self.model.rows)
        self._bounds: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def columns(self) -> int:
        return self.variables[-1].stop if self.variables else 0

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest values of all columns, by their declarations and the model's rows."""
        if self._bounds is None or len(self._bounds[0]) != self.columns:
            self._bounds = tightened(*declared_bounds(self.variables), self.model.rows)
        return self._bounds

    def interval(self, matrix: SparseRows, constant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return interval(matrix, constant, *self.bounds)

    def closed_interval(
        self, matrix: SparseRows, constant: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `interval`, with rows of several variables where bounds alone leave an end open."""
        low, high = self.interval(matrix, constant)
        if np.isfinite(low).all() and np.isfinite(high).all():
            return low, high
        return interval(matrix, constant, *closed(*self.bounds, self.rows))

    def add_variables(
        self,
        name: str,
        index: Index,
        kind: Kind,
        span: Span | None,
        made_by: str,
        lower: np.ndarray | float = 0.0,
        upper: np.ndarray | float = 1.0,
    ) -> np.ndarray:
        """Append a family within these bounds; its columns, int64 (length,)."""
        start = self.columns
        name = fresh(name, {b.name for b in self.variables})
        low, high = (np.full(index.length, end, float) for end in (lower, upper))
        self.variables.append(Variables(name, index, start, low, high, kind, span, made_by))
        return np.arange(start, start + index.length)

    def add_rows(self, rows: Rows) -> None:
        self.rows.append(replace(rows, name=fresh(rows.name, {b.name for b in self.rows})))

    def state(
        self,
        name: str,
        index: Index,
        inequality: Inequality,
        values: Mapping[str, Linear],
        span: Span | None,
        made_by: str,
        mirrored: bool = False,
    ) -> None:
        """Add an inequality as rows; see `Inequality.rows`."""
        body, lower, upper = inequality.rows(values, mirrored)
        rows = Rows(name, index, body.matrix(), lower, upper, span, made_by=made_by)
        if not body.is_affine:
            rows = replace(rows, quadratic=quadratic_rows(body), slots=body.slot_matrix())
        self.add_rows(rows)

    def finish(self, **changes: object) -> Model:
        return replace(
            self.model,
            variables=tuple(self.variables),
            rows=tuple(self.rows),
            **changes,  # type: ignore[arg-type]
        )


def arguments_of(block: Functions) -> Linear:
    """The arguments of functions, a row for each."""
    q = block.quadratic
    return Linear(
        block.arguments.count,
        block.constants,
        (as_part(block.arguments),),
        Products(q.row, q.first, q.second, q.coef) if q.count else None,
        (as_part(block.slots),) if block.slots is not None else (),
    )


def fresh(name: str, taken: set[str]) -> str:
    """The name itself, or with the first free number behind it."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def demand_bounded(
    editing: Editing,
    matrix: SparseRows,
    missing: np.ndarray,
    span: Span | None,
    what: str,
    remedy: str = "give the variable bounds in its declaration",
) -> None:
    """E501 for the first row that is `missing` an end, bool (rows,): its variables without bounds,
    by name. what: cannot be proven then."""
    if not missing.any():
        return
    row = int(np.argmax(missing))
    lower, upper = editing.bounds
    at = slice(matrix.indptr[row], matrix.indptr[row + 1])
    ids, coefs = matrix.indices[at], matrix.data[at]
    infinite = ~(np.isfinite(coefs * lower[ids]) & np.isfinite(coefs * upper[ids]))
    blocks = [origin for b in _holding(editing, ids[infinite]) for origin in origins(editing, b)]
    listed = " and ".join(f"'{b.name}'" for b in blocks)
    have = "has no finite bounds" if len(blocks) == 1 else "have no finite bounds"
    fail(
        "E501",
        f"{what} cannot be proven: {listed} {have}",
        span,
        f"{remedy}; or bound it by a row of the spec: {cap(blocks[0])}",
    )


def _holding(editing: Editing, ids: np.ndarray) -> list[Variables]:
    """The blocks that some of the columns belong to."""
    return [b for b in editing.variables if ((ids >= b.start) & (ids < b.stop)).any()]


def origins(
    editing: Editing, block: Variables, above: tuple[Variables, ...] = ()
) -> list[Variables]:
    """A block of the spec's own; for results of a function, the unbounded ones it is made of.

    `above`: blocks that this one was found from, which hold each other in rows of passes.
    """
    if not block.made_by:
        return [block]
    parts = [f.arguments.indices for f in editing.model.functions if f.result == block.start]
    rows = (r for r in editing.rows if r.made_by and r.name.startswith(block.name + "_"))
    parts += [r.matrix.indices for r in rows]
    ids = unique(np.concatenate(parts)) if parts else np.zeros(0, np.int32)
    lower, upper = editing.bounds
    free = ids[~(np.isfinite(lower[ids]) & np.isfinite(upper[ids]))]
    above = (*above, block)
    inner = [b for b in _holding(editing, free) if not any(b is one for one in above)]
    return [origin for b in inner for origin in origins(editing, b, above)] or [block]


DOMAIN = re.compile(r'(?:"(?:\\.|[^"\\])*"|[^;{"])*(\{[^{}]*\})')
"""What stands between a declared name and its domain: strings, and nothing that ends it."""


def cap(block: Variables) -> str:
    """A row that bounds a variable, over the domain that its declaration has."""
    names, span = block.index.names, block.span
    if not names or span is None:
        return f"cap: -10 <= {block.name} <= 10;"
    match = DOMAIN.match(span.source.text, span.end)
    domain = f" {match[1]}" if match else ""
    return f"cap{domain}: -10 <= {block.name}[{','.join(names)}] <= 10;"
