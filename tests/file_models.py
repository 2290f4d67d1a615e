"""Small models for the tests of the writers: a builder that keeps the arrays' contracts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from treemip.core.model.blocks import (
    NO_QUADRATIC,
    Index,
    Kind,
    Quadratic,
    Rows,
    SparseRows,
    Variables,
)
from treemip.core.model.model import Model, Objective
from treemip.core.source.span import Source, Span

INF = float("inf")
SOURCE = Source("tiny.tree", "var a;\nvar b;\nsubject to\n  cap: a + b <= 1;\n")


def span(word: str) -> Span:
    """The first place of `word` in SOURCE."""
    start = SOURCE.text.index(word)
    return SOURCE.span(start, start + len(word))


def index(names: str = "", *columns: Sequence[int]) -> Index:
    """``index("i t", [1, 2], [3, 4])``: two tuples; all sorts are "number"."""
    if not columns:
        return Index()
    bound = tuple(names.split())
    arrays = tuple(np.array(column, np.int64) for column in columns)
    return Index(bound, ("number",) * len(bound), arrays, len(arrays[0]))


def grid(names: str, *sizes: int) -> Index:
    """All tuples of 1..size, the last index varying fastest."""
    axes = np.meshgrid(*(np.arange(1, size + 1) for size in sizes), indexing="ij")
    return index(names, *(axis.ravel().tolist() for axis in axes))


@dataclass
class Builder:
    """Blocks one after the other; `model` puts them together."""

    name: str = "tiny"
    variables: list[Variables] = field(default_factory=list)
    rows: list[Rows] = field(default_factory=list)

    def var(
        self,
        name: str,
        at: Index | None = None,
        lower: float | Sequence[float] = 0.0,
        upper: float | Sequence[float] = INF,
        kind: Kind = Kind.CONTINUOUS,
        *,
        where: Span | None = None,
    ) -> Variables:
        at = at or Index()
        start = self.variables[-1].stop if self.variables else 0
        low, high = (np.broadcast_to(np.asarray(b, float), at.length) for b in (lower, upper))
        block = Variables(name, at, start, low.copy(), high.copy(), kind, where)
        self.variables.append(block)
        return block

    def row(
        self,
        name: str,
        entries: Sequence[dict[int, float]],
        lower: float | Sequence[float] = -INF,
        upper: float | Sequence[float] = INF,
        at: Index | None = None,
        *,
        where: Span | None = None,
        quadratic: Quadratic = NO_QUADRATIC,
    ) -> Rows:
        """`entries`: for each row a dictionary from column to coefficient."""
        at = at or (Index() if len(entries) == 1 else index("r", range(1, len(entries) + 1)))
        low, high = (np.broadcast_to(np.asarray(b, float), at.length) for b in (lower, upper))
        matrix = sparse(entries)
        block = Rows(name, at, matrix, low.copy(), high.copy(), where, quadratic)
        self.rows.append(block)
        return block

    def model(self, objective: Objective | None = None, **changes: object) -> Model:
        made = Model(self.name, tuple(self.variables), tuple(self.rows))
        return made.with_(objective=objective or Objective(), **changes)


def sparse(entries: Sequence[dict[int, float]]) -> SparseRows:
    rows = [sorted(row.items()) for row in entries]
    return SparseRows(
        np.cumsum([0, *map(len, rows)]),
        np.array([column for row in rows for column, _ in row], np.int32),
        np.array([value for row in rows for _, value in row], float),
    )


def objective(
    costs: Sequence[float] = (),
    sense: str = "minimize",
    constant: float = 0.0,
    products: dict[tuple[int, int], float] | None = None,
    name: str = "obj",
) -> Objective:
    """`products`: coefficient of x[first] * x[second], first <= second."""
    pairs = sorted((products or {}).items())
    quadratic = Quadratic(
        np.zeros(len(pairs), np.int64),
        np.array([pair[0] for pair, _ in pairs], np.int32),
        np.array([pair[1] for pair, _ in pairs], np.int32),
        np.array([value for _, value in pairs], float),
    )
    return Objective(sense, name, constant, np.array(costs, float), quadratic)


def every_bound() -> Model:
    """Each way a column can be bounded, in each kind; each way a row can be."""
    b = Builder("bounds")
    b.var("x", grid("i", 6), [0, -2.5, -INF, -INF, 3, -4], [INF, 1e-5, INF, -1, 3, INF])
    b.var("k", grid("i", 5), [0, -3, -INF, -INF, 2], [INF, 7, INF, 4, 2], Kind.INTEGER)
    b.var("pick", grid("i", 4), [0, 0, 1, -5], [1, 0, 1, 9], Kind.BINARY)
    b.var("y", None, 0, 1)
    row = {0: 1.0, 6: 0.1, 11: -2.0}
    b.row(
        "cap",
        [row, row, row, row, row, {}],
        [-INF, 2, 4, -1, -INF, -INF],
        [1.5, INF, 4, 1e7, 0, 9],
    )
    b.row("free", [{1: 1.0, 15: 5.0}])
    b.row("last", [{2: 1.0, 3: 1 / 3}], -INF, -7)
    return b.model(objective([1.0, 0, 0, -1.0]))


def quadratic() -> Model:
    """maximize -(x1^2 + x1 x2 + 3 x2^2) + x1 + 2.5"""
    b = Builder("squares")
    b.var("x", grid("i", 2), -10, 10)
    b.row("sum", [{0: 1.0, 1: 1.0}], -INF, 100)
    products = {(0, 0): -1.0, (0, 1): -1.0, (1, 1): -3.0}
    return b.model(objective([1.0], "maximize", 2.5, products, "profit"))
