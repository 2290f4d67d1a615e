"""Expressions over a frame, beside the same arithmetic on dictionaries, row by row."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.lower.linear import Linear, pairs

COLUMNS = 5
Poly = dict[tuple, float]  # () constant, (v,) a column, (v, w) a product, (-1 - s,) a slot
Both = tuple[Linear, list[Poly]]


NO_PRODUCTS: tuple[list, ...] = ([], [], [], [])


def polynomials(found: Linear) -> list[Poly]:
    """What a Linear says, without zeros."""
    rows: list[Poly] = [defaultdict(float) for _ in range(found.size)]
    for r, value in enumerate(found.constant.tolist()):
        rows[r][()] += value
    matrix = found.matrix()
    assert matrix.count == found.size and (matrix.data != 0).all()
    for r, v, a in zip(matrix.row_of, matrix.indices, matrix.data, strict=True):
        assert (int(v),) not in rows[r]  # once each
        rows[r][(int(v),)] = float(a)
    for r, v, w, a in zip(*(found.products or NO_PRODUCTS), strict=True):
        assert v <= w
        rows[r][(int(v), int(w))] += float(a)
    slots = found.slot_matrix()
    if slots is not None:
        for r, s, a in zip(slots.row_of, slots.indices, slots.data, strict=True):
            rows[r][(-1 - int(s),)] += float(a)
    return [clean(row) for row in rows]


def clean(row: Poly) -> Poly:
    return {key: value for key, value in row.items() if value != 0}


def added(*rows: Poly) -> Poly:
    total: Poly = defaultdict(float)
    for row in rows:
        for key, value in row.items():
            total[key] += value
    return clean(total)


def multiplied(a: Poly, b: Poly) -> Poly:
    total: Poly = defaultdict(float)
    for first, x in a.items():
        for second, y in b.items():
            total[tuple(sorted((*first, *second)))] += x * y
    return clean(total)


@st.composite
def expressions(draw: st.DrawFn, size: int, degree: int = 2, depth: int = 3) -> Both:
    """Numbers are small and whole, so that both ways of adding agree exactly."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kinds = ["known", "column"]
    kinds += ["times", "plus", "sum", "spread", "scaled"] if depth else []
    kinds += ["product", "slot"] if depth and degree == 2 else []
    kind = draw(st.sampled_from(kinds))
    inner = depth - 1
    if kind == "known":
        values = rng.integers(-3, 4, size).astype(float)
        return Linear.known(values), [clean({(): v}) for v in values.tolist()]
    if kind == "column":
        ids = rng.integers(0, COLUMNS, size)
        return Linear.variables(ids), [{(v,): 1.0} for v in ids.tolist()]
    if kind == "slot":
        ids = rng.integers(0, COLUMNS, size)
        return Linear.of_slots(ids), [{(-1 - s,): 1.0} for s in ids.tolist()]
    if kind in ("times", "scaled"):
        found, rows = draw(expressions(size, degree, inner))
        factor = rng.integers(-2, 3, size).astype(float)
        if kind == "scaled":
            factor[:] = factor[0] if size else 0
            made = found.times(float(factor[0]) if size else 1.0)
        else:
            made = found.times(factor)
        return made, [multiplied({(): f}, row) for f, row in zip(factor, rows, strict=True)]
    if kind == "plus":
        (a, these), (b, those) = (draw(expressions(size, degree, inner)) for _ in range(2))
        return a.plus(b), [added(x, y) for x, y in zip(these, those, strict=True)]
    if kind == "product":
        (a, these), (b, those) = (draw(expressions(size, 1, inner)) for _ in range(2))
        return a.product(b), [multiplied(x, y) for x, y in zip(these, those, strict=True)]
    count = draw(st.integers(0, 5)) if size or kind == "sum" else 0
    if kind == "sum":
        count = count if size else 0
        found, rows = draw(expressions(count, degree, inner))
        where = rng.integers(0, max(size, 1), count)
        sums = [
            added(*(row for row, at in zip(rows, where, strict=True) if at == r))
            for r in range(size)
        ]
        return found.summed(where, size), sums
    found, rows = draw(expressions(max(count, 1), degree, inner))
    which = rng.integers(0, max(count, 1), size)
    return found.spread(which), [rows[k] for k in which.tolist()]


@given(st.integers(0, 5).flatmap(expressions))
def test_arithmetic(both: Both) -> None:
    found, rows = both
    assert polynomials(found) == rows
    assert found.is_finite
    if found.is_affine:
        assert all(len(key) < 2 and min(key, default=0) >= 0 for row in rows for key in row)


@given(st.integers(1, 5).flatmap(lambda n: expressions(n, 1)))
def test_without_constant(both: Both) -> None:
    found, rows = both
    rest = [{key: value for key, value in row.items() if key} for row in rows]
    assert polynomials(found.without_constant()) == rest


def test_what_is_not_finite_is_seen() -> None:
    column = Linear.variables(np.array([0, 1]))
    assert column.is_finite and column.is_affine
    assert not column.times(np.array([1.0, np.inf])).is_finite
    assert not column.plus(Linear.known(np.array([0.0, np.nan]))).is_finite
    assert not column.product(column).times(np.nan).is_finite
    assert not Linear.of_slots(np.array([0])).times(np.inf).is_finite


def test_products_and_slots_are_not_affine() -> None:
    column = Linear.variables(np.array([0, 1]))
    assert not column.product(column).is_affine
    assert not column.plus(Linear.of_slots(np.array([0, 0]))).is_affine
    assert column.slot_matrix() is None


@given(st.lists(st.integers(0, 3), max_size=6), st.lists(st.integers(0, 3), max_size=6))
def test_pairs(a: list[int], b: list[int]) -> None:
    row, first, second = pairs(np.array(a, np.int64), np.array(b, np.int64), 4)
    expected = [(r, i, k) for i, r in enumerate(a) for k, s in enumerate(b) if r == s]
    found = list(zip(row.tolist(), first.tolist(), second.tolist(), strict=True))
    assert sorted(found) == sorted(expected)
