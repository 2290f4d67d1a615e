"""Ranges of slots hold every value, are attained by monotone functions, and slopes are right."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tape_models import dense, nothing

import treemip
from treemip.core.model.blocks import Quadratic
from treemip.core.model.bounds import elementwise_range, objective_bound, slopes, tape_ranges
from treemip.core.model.squares import without_squares
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Tape
from treemip.core.model.values import slot_values
from treemip.core.solving.solve import solve

EXPONENTS = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.5, 1.5, 2.0, 3.0, 4.0)
FUNCTIONS = [(f, 1.0) for f in (Smooth.EXP, Smooth.LOG, Smooth.LOGISTIC)]
FUNCTIONS += [(Smooth.POWER, p) for p in EXPONENTS]
ends = st.integers(-8, 8).map(lambda k: k / 4)


def one(function: Smooth, exponent: float) -> Tape:
    """The function of the only column."""
    column = Affine(dense([[1.0]]), nothing(1), np.zeros(1))
    return Tape((column, Elementwise(function, np.array([0]), exponent)))


def defined(function: Smooth, exponent: float, u: np.ndarray) -> np.ndarray:
    if function is Smooth.LOG:
        return u > 0
    if function is Smooth.POWER and not exponent.is_integer():
        return u > 0 if exponent < 0 else u >= 0
    return u != 0 if exponent < 0 else np.ones(len(u), bool)


@pytest.mark.parametrize(("function", "exponent"), FUNCTIONS)
@given(ends=st.tuples(ends, ends))
def test_functions(function: Smooth, exponent: float, ends: tuple[float, float]) -> None:
    low, high = min(ends), max(ends)
    u = np.linspace(low, high, 33)
    u = u[defined(function, exponent, u)]
    if not len(u):
        return
    tape = one(function, exponent)
    found = np.array([slot_values(tape, np.array([v]))[1] for v in u])
    least, most = tape_ranges(tape, np.array([low]), np.array([high]))
    assert least[1] <= found.min() + 1e-12 * abs(found.min())
    assert most[1] >= found.max() - 1e-12 * abs(found.max())
    rises, falls = slopes(tape.steps[1], least, most)  # type: ignore[arg-type]
    assert not rises[0] or (np.diff(found) >= -1e-12).all()
    assert not falls[0] or (np.diff(found) <= 1e-12).all()


@pytest.mark.parametrize(
    ("function", "exponent", "low", "high", "expected"),
    [
        (Smooth.LOGISTIC, 1, -1e6, 1e6, (0, 1)),
        (Smooth.LOG, 1, -1, 1, (-np.inf, 0)),
        (Smooth.POWER, 2, -1, 3, (0, 9)),
        (Smooth.POWER, 3, -1, 2, (-1, 8)),
        (Smooth.POWER, -1, -1, 2, (-np.inf, np.inf)),
        (Smooth.POWER, -1, 0, 2, (0.5, np.inf)),
        (Smooth.POWER, -1, -2, 0, (-np.inf, -0.5)),
        (Smooth.POWER, -2, -2, 1, (0.25, np.inf)),
        (Smooth.POWER, 0.5, -1, 4, (0, 2)),
    ],
)
def test_ends(function: Smooth, exponent: float, low: float, high: float, expected) -> None:
    found = elementwise_range(function, float(exponent), np.array([low]), np.array([high]))
    assert (found[0][0], found[1][0]) == expected


@given(st.lists(st.tuples(ends, ends), min_size=1, max_size=4))
def test_products_and_affine_rows(boxes: list[tuple[float, float]]) -> None:
    """Every corner of the box is within the range, and some corner is at each end."""
    count = len(boxes)
    low, high = (np.array([f(b) for b in boxes]) for f in (min, max))
    weights = np.array([[1.0, -2.0, 0.5, 3.0][:count]])
    tape = Tape(
        (
            Affine(dense(np.eye(count)), nothing(count), np.zeros(count)),
            Product(np.array([0, count]), np.arange(count)),
            Affine(nothing(1), dense(weights), np.array([1.0])),
        )
    )
    least, most = tape_ranges(tape, low, high)
    grid = np.stack(np.meshgrid(*zip(low, high, strict=True)), axis=-1).reshape(-1, count)
    found = np.array([slot_values(tape, x)[count:] for x in grid])
    assert found.min(axis=0) == pytest.approx(least[count:])
    assert found.max(axis=0) == pytest.approx(most[count:])


TABLE = {
    "a": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
    "b": [1.0, 0.0, 1.0, 0.0, 1.0, 0.0],
    "c": ["n", "y", "y", "n", "y", "n"],
}
HEAD = 'data "t" { label c; scale minmax; } topology complete(depth = 2); '


def bound(text: str, table: object = None) -> float:
    return objective_bound(treemip.loads(text, data=table).compile().model)


@given(
    st.lists(st.tuples(ends, ends, ends, ends), min_size=2, max_size=4),
    st.sampled_from([1.0, -1.0, 0.0]),
)
def test_no_point_is_below_what_squares_prove(
    columns: list[tuple[float, float, float, float]], curved: float
) -> None:
    """Of (a x)^2 + curved * x1 x2 + c x over a box, by a grid of points."""
    a, c, one, other = np.array(columns).T
    lower, upper = np.minimum(one, other), np.maximum(one, other)
    square = np.outer(a, a)
    square[0, 1] += curved / 2
    square[1, 0] += curved / 2
    first, second = np.triu_indices(len(a))
    coef = np.where(first == second, 1.0, 2.0) * square[first, second]
    stated = np.flatnonzero(coef)
    form = Quadratic(np.zeros(len(stated), int), first[stated], second[stated], coef[stated])
    found = without_squares(form, c, lower, upper)
    grid = np.stack(np.meshgrid(*np.linspace(lower, upper, 5).T), axis=-1).reshape(-1, len(a))
    value = np.einsum("ki,ij,kj->k", grid, square, grid) + grid @ c
    left = found.form
    rest = (grid[:, left.first] * grid[:, left.second]) @ left.coef
    assert (value >= found.least + rest + grid @ found.costs - 1e-9).all()
    if (a != 0).all() and not curved:
        assert not found.form.count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("var u >= 1, <= 3; minimize z: 2 * u - 5;", -3),
        ("var u >= 1, <= 3; maximize z: 2 * u - 5;", 1),
        ("var u >= 1, <= 3; minimize z: -u;", -3),
        ("var u free; minimize z: u;", -np.inf),
        ("var u free; maximize z: u;", np.inf),
        ("var u free; minimize z: 3 + u * u;", 3),
        ("var u >= 1, <= 2; var v >= -1, <= 4; minimize z: u * v;", -2),
        ("var u >= 1, <= 2; var v >= -1, <= 4; maximize z: u * v;", 8),
        ("var u >= 0; minimize z: exp(u);", 1),
        ("var u >= 0, <= 5; var v >= 0, <= 5; minimize z: (u + v - 6)^2;", 0),
        ("var u >= 0, <= 5; var v >= 0, <= 5; maximize z: 7 - (u - 2 * v - 6)^2;", 6),
        ("var u >= 0, <= 5; var v >= 0, <= 5; minimize z: (u + v + 3)^2 + u - 4 * v;", -3.5),
        ("var u >= 0, <= 2; var v >= 0, <= 2; minimize z: (u + v - 6)^2;", 4),
        ("var u free; var v free; minimize z: (u - v)^2 + 3;", 3),
        (  # products of other columns beside it, of which a row lets one be 1
            "var u {i in 1..2} binary; var v {i in 1..2} binary; "
            "minimize z: (u[1] + u[2] - 1)^2 - u[1] * v[1] - u[2] * v[2];"
            "subject to one: u[1] + u[2] <= 1;",
            -1,
        ),
        ("var u >= 0, <= 2; var v >= 0, <= 2; minimize z: (u - v)^2 - 2 * u * v;", -16),
        ("var u >= 0, <= 2; var v >= 0, <= 2; maximize z: (u + v - 1)^2;", 17),
        ("var u {i in 1..3} binary; maximize z: sum {i in 1..3} u[i];", 3),
        (
            "var u {i in 1..3} binary; maximize z: sum {i in 1..3} u[i];"
            "subject to one: sum {i in 1..3} u[i] <= 1;",
            1,
        ),
        (
            "var u {i in 1..3} binary; maximize z: sum {i in 1..3} i * u[i];"
            "subject to some: sum {i in 1..3} 2 * u[i] = 3;",
            4.5,
        ),
        (  # what a row holds may be below 0 where a column counts against it
            "var u {i in 1..2} binary; maximize z: u[1] - u[2];subject to one: u[1] + u[2] <= 1;",
            1,
        ),
        (
            "var u {i in 1..3} binary; var v {i in 1..3} >= 0; maximize z: sum {i in 1..3} u[i];"
            "subject to below {i in 1..3}: u[i] <= v[i]; most: sum {i in 1..3} v[i] <= 2;",
            2,
        ),
        (
            "var u {i in 1..3} binary; var v {i in 1..3} >= 0; minimize z: -(sum {i in 1..3} u[i]);"
            "subject to below {i in 1..3}: v[i] - u[i] >= 0; most: sum {i in 1..3} v[i] <= 2;",
            -2,
        ),
    ],
)
def test_small_ones(text: str, expected: float) -> None:
    assert bound(text) == pytest.approx(expected)


@pytest.mark.parametrize("by", ["oblique by soct", "univariate by oct", "univariate by binoct"])
def test_errors_are_not_negative(by: str) -> None:
    assert bound(f"{HEAD}split {by}; minimize z: misclassified + 0.5 * splits;", TABLE) >= -1e-9


def test_no_more_points_are_right_than_there_are() -> None:
    assert bound(HEAD + "split oblique by soct;", TABLE) == 6


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(k, marks=pytest.mark.truth) for k in range(12, 60))]
)
def test_nothing_is_better_than_the_bound(seed: int) -> None:
    """Random models with packing rows, rows x <= y and others, solved to optimality."""
    pytest.importorskip("highspy")
    draw = np.random.default_rng(seed)
    names = [f"v{k}" for k in range(6)]
    kinds = ["binary", ">= 0, <= 2", ">= -1, <= 1", ">= 0, <= 3 integer"]
    lines = [f"var {n} {kinds[draw.integers(3)]};" for n in names]
    rows = []
    for k in range(5):
        picked = draw.choice(6, 2 + int(draw.integers(3)), replace=False)
        if draw.random() < 0.4:
            rows.append(f"r{k}: {names[picked[0]]} <= {names[picked[1]]};")
        else:
            total = " + ".join(f"{draw.integers(1, 4)} * {names[p]}" for p in picked)
            rows.append(f"r{k}: {total} <= {draw.integers(1, 5)};")
    value = " + ".join(f"({draw.integers(-3, 6)}) * {n}" for n in names)
    sense = ["minimize", "maximize"][seed % 2]
    model = (
        treemip.loads(f"{' '.join(lines)} {sense} z: {value} + 1; subject to {' '.join(rows)}")
        .compile()
        .model
    )
    answer = solve(model, "highs")
    if answer.objective is not None:
        sign = 1.0 if sense == "maximize" else -1.0
        assert sign * answer.objective <= sign * objective_bound(model) + 1e-6


def test_families_that_do_not_count_cost_no_memory() -> None:
    """BinOCT's largest families, about ways and no errors, are not copied to entries."""
    x = np.random.default_rng(0).random((1500, 3))
    table = {f"f{j}": x[:, j].tolist() for j in range(3)}
    table["c"] = ["y" if one > 1.5 else "n" for one in x.sum(axis=1)]
    text = 'data "t" { label c; } topology complete(depth = 2); split univariate by binoct;'
    model = treemip.loads(text, data=table).compile().model
    entries = sum(block.matrix.nonzeros for block in model.rows)
    tracemalloc.start()
    assert objective_bound(model) == 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert entries > 300_000
    assert peak < 4 * entries  # bytes; an entry alone takes 8
