"""Models in one block of variables per kind and one of rows, written down densely, for tests."""

from __future__ import annotations

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

SOURCE = Source("small.tree", "objective rows variables\n")


def span(word: str) -> Span:
    """Where a word stands in the made-up source, to see that messages point there."""
    start = SOURCE.text.index(word)
    return SOURCE.span(start, start + len(word))


def sparse(matrix: np.ndarray) -> SparseRows:
    matrix = np.atleast_2d(np.asarray(matrix, float))
    row, column = np.nonzero(matrix)
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(matrix, axis=1))]).astype(np.int64)
    return SparseRows(indptr, column.astype(np.int32), matrix[row, column])


def products(*terms: tuple[int, int, int, float]) -> Quadratic:
    """(row, first, second, coef), in order of row."""
    row, first, second, coef = zip(*terms, strict=True) if terms else ((), (), (), ())
    return Quadratic(
        np.array(row, np.int64),
        np.array(first, np.int32),
        np.array(second, np.int32),
        np.array(coef, float),
    )


def rows(
    matrix: object,
    lower: object,
    upper: object,
    quadratic: Quadratic = NO_QUADRATIC,
    name: str = "r",
) -> Rows:
    matrix = sparse(np.asarray(matrix, float))
    index = Index(length=matrix.count)
    full = [np.broadcast_to(np.asarray(b, float), matrix.count).copy() for b in (lower, upper)]
    return Rows(name, index, matrix, *full, span("rows"), quadratic)


def small(
    kinds: str,
    costs: object,
    blocks: tuple[Rows, ...] = (),
    lower: object = 0.0,
    upper: object = 1.0,
    sense: str = "minimize",
    constant: float = 0.0,
    quadratic: Quadratic = NO_QUADRATIC,
) -> Model:
    """kinds: a letter per column, c, i or b; one variables block per run of equal letters."""
    count = len(kinds)
    low, high = (np.broadcast_to(np.asarray(b, float), count).copy() for b in (lower, upper))
    kind_of = {"c": Kind.CONTINUOUS, "i": Kind.INTEGER, "b": Kind.BINARY}
    starts = [j for j in range(count) if j == 0 or kinds[j] != kinds[j - 1]]
    variables = tuple(
        Variables(
            f"v{start}",
            Index(length=stop - start),
            start,
            low[start:stop],
            high[start:stop],
            kind_of[kinds[start]],
            span("variables"),
        )
        for start, stop in zip(starts, [*starts[1:], count], strict=True)
    )
    objective = Objective(
        sense, "obj", constant, np.asarray(costs, float), quadratic, span("objective")
    )
    return Model("small", variables, blocks, objective=objective)


def knapsack(columns: int, rows_: int, seed: int = 0) -> Model:
    """A binary knapsack of several rows, hard to prove optimal beyond some 60 columns."""
    random = np.random.default_rng(seed)
    matrix = random.integers(10, 100, (rows_, columns)).astype(float)
    profit = matrix.mean(axis=0) + random.integers(0, 20, columns)
    capacity = matrix.sum(axis=1) // 2
    return small("b" * columns, profit, (rows(matrix, -np.inf, capacity),), sense="maximize")


def market_split(seed: int = 0) -> tuple[Model, np.ndarray]:
    """30 binaries that split four markets exactly, and one solution; very hard to find.

    Cornuejols and Dawande, A class of hard small 0-1 programs, 1999.
    """
    random = np.random.default_rng(seed)
    matrix = random.integers(1, 100, (4, 30)).astype(float)
    solution = random.integers(0, 2, 30).astype(float)
    share = matrix @ solution
    return small("b" * 30, np.zeros(30), (rows(matrix, share, share),)), solution
