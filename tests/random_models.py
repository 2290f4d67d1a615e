"""Random small models: every bound, kind, sense and sign, ranges, constants, products."""

from __future__ import annotations

import numpy as np
import pytest
from file_models import INF, Builder, grid, objective
from hypothesis import settings
from hypothesis import strategies as st

from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model

# Any float64 a model may hold: subnormal, odd in its last bit, short, huge.
EXACT = st.one_of(
    st.integers(-9, 9).map(float),
    st.floats(-1e19, 1e19),
    st.sampled_from([0.1, 1 / 3, -1e-5, 5e-324, 2.0**60, 1e16, 123456.0, 0.30000000000000004]),
)
# What solvers keep: HiGHS drops coefficients of 1e-9 and less and refuses those of 1e15.
TAME = st.one_of(st.integers(-9, 9).map(float), st.floats(0.01, 99), st.floats(-99, -0.01))
WHOLE = st.integers(-5, 5).map(float)


def ends(numbers: st.SearchStrategy[float], free: bool = True) -> st.SearchStrategy:
    """A lower and an upper bound, in order; either may be infinite when `free`."""
    pairs = st.tuples(numbers, numbers).map(sorted)
    if not free:
        return pairs
    return pairs.flatmap(
        lambda p: st.sampled_from(
            [(p[0], p[1]), (p[0], INF), (-INF, p[1]), (-INF, INF), (p[0], p[0]), (0.0, INF)]
        )
    )


@st.composite
def models(
    draw: st.DrawFn,
    numbers: st.SearchStrategy[float] = EXACT,
    free: bool = True,
    products: bool = True,
) -> Model:
    """A model of up to four blocks of variables and four of rows, some of them empty."""
    b = Builder("random")
    bounds = ends(numbers, free)
    for name in draw(st.lists(st.sampled_from("abcd"), max_size=4, unique=True)):
        length, kind = draw(st.integers(0, 4)), draw(st.sampled_from(Kind))
        block = st.just((0.0, 1.0)) | ends(st.sampled_from([0.0, 1.0]), free=False)
        pairs = [draw(block if kind is Kind.BINARY else bounds) for _ in range(length)]
        b.var(name, grid("i", length), [p[0] for p in pairs], [p[1] for p in pairs], kind)
    columns = b.variables[-1].stop if b.variables else 0
    places = st.integers(0, max(columns - 1, 0))
    nonzero, some = numbers.filter(bool), int(columns > 0)
    for name in draw(st.lists(st.sampled_from("pqrs"), max_size=4, unique=True)):
        entries = st.dictionaries(places, nonzero, max_size=5 * some)
        rows = draw(st.lists(entries, max_size=4))
        pairs = [draw(ends(numbers)) for _ in rows]
        b.row(name, rows, [p[0] for p in pairs], [p[1] for p in pairs], grid("i", len(rows)))
    pair = st.tuples(places, places).map(lambda p: (min(p), max(p)))
    made = objective(
        draw(st.lists(st.just(0.0) | numbers, max_size=columns)),
        draw(st.sampled_from(["minimize", "maximize"])),
        draw(st.just(0.0) | numbers),
        draw(st.dictionaries(pair, nonzero, max_size=4 * some)) if products else None,
    )
    return b.model(made)


def dense(model: Model) -> np.ndarray:
    """All coefficients, float64 (rows, columns)."""
    full = np.zeros((model.row_count, model.column_count))
    row = 0
    for block in model.rows:
        full[row + block.matrix.row_of, block.matrix.indices] = block.matrix.data
        row += block.length
    return full


MANY = settings(deadline=None)

FEW = settings(max_examples=20, derandomize=True, deadline=None)


def limits(model: Model) -> list[tuple[float, float]]:
    """Column bounds, a binary's kept within 0 and 1."""
    pairs = []
    for block in model.variables:
        binary = block.kind is Kind.BINARY
        for low, high in zip(block.lower, block.upper, strict=True):
            pairs.append((max(low, 0.0), min(high, 1.0)) if binary else (low, high))
    return pairs


def row_limits(model: Model) -> list[tuple[float, float]]:
    return [p for b in model.rows for p in zip(b.lower, b.upper, strict=True)]


def optimum(model: Model) -> float | None:
    """By HiGHS from arrays, past any file; None when there is no solution."""
    highspy = pytest.importorskip("highspy")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    full = dense(model)
    for (low, high), cost in zip(limits(model), model.costs, strict=True):
        solver.addCol(cost, low, high, 0, [], [])
    for j in np.flatnonzero(model.integer):
        solver.changeColIntegrality(int(j), highspy.HighsVarType.kInteger)
    for row, (low, high) in zip(full, row_limits(model), strict=True):
        at = np.flatnonzero(row)
        solver.addRow(low, high, len(at), at.astype(np.int32), row[at])
    if model.objective.sense == "maximize":
        solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    solver.changeObjectiveOffset(model.objective.constant)
    solver.run()
    if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
        return float(solver.getObjectiveValue())
    assert solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible
    return None


def demand_optimum(model: Model, found: float | None, sign: float) -> None:
    """A reader's optimum of a file is the model's. sign: -1 where the file has its negative."""
    expected = optimum(model)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert sign * found == pytest.approx(expected, abs=1e-6)
