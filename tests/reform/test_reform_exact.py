"""Random small models: the reformed one has exactly the optima of the one that was stated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reform_models import Stated, brute_force, check, optimum, text_of


def whole(low: int = -3, high: int = 3) -> st.SearchStrategy[int]:
    return st.integers(low, high)


def same(text: str) -> Stated:
    """A text that means the same to both; u[1] is u1 to Python."""
    return Stated(text, text.replace("u[1]", "u1").replace("u[2]", "u2"))


@st.composite
def affine(draw: st.DrawFn) -> Stated:
    names = draw(
        st.lists(st.sampled_from(["a", "b", "p", "q", "u[1]", "u[2]"]), min_size=1, max_size=3)
    )
    terms = [f"({draw(whole())}) * {name}" for name in names]
    return same(" + ".join([*terms, f"({draw(whole())})"]).replace("(-", "(0 - "))


def joined(pattern: str, *parts: Stated) -> Stated:
    return Stated(
        pattern.format(*(part.tree for part in parts)),
        pattern.format(*(part.python for part in parts)),
    )


VECTORS = st.sampled_from(
    [
        Stated("norminf(u[*])", "max(abs(u1), abs(u2))"),
        Stated("norm1(u[*])", "(abs(u1) + abs(u2))"),
        Stated("max {k in 1..2} (k * u[k] - 1)", "max(u1 - 1, 2 * u2 - 1)"),
        Stated("min {k in 1..2} abs(u[k] + p)", "min(abs(u1 + p), abs(u2 + p))"),
        Stated("max {k in 1..2} max {h in 1..k} (u[h] + h)", "max(u1 + 1, u2 + 2)"),
    ]
)


def piecewise() -> st.SearchStrategy[Stated]:
    """abs, max and min of one another, three deep."""
    return st.recursive(
        st.one_of(affine(), VECTORS),
        lambda inner: st.one_of(
            inner.map(lambda e: joined("abs({})", e)),
            st.tuples(inner, affine()).map(lambda e: joined("max({}, {})", *e)),
            st.tuples(inner, inner).map(lambda e: joined("min({}, {})", *e)),
            st.tuples(inner, affine()).map(lambda e: joined("({} - {})", e[1], e[0])),
        ),
        max_leaves=3,
    )


@st.composite
def products(draw: st.DrawFn) -> Stated:
    """A binary times an affine expression, the binary itself and its square among them."""
    factor = draw(st.sampled_from(["a", "b", "(1 - a)", "(a + b)"]))
    if factor == "(a + b)":
        return joined(factor + " * ({})", draw(st.sampled_from([same("a"), same("b - a")])))
    other = draw(st.one_of(affine(), st.sampled_from([same("a"), same("b"), same("p")])))
    return joined(factor + " * ({})", other)


@st.composite
def triples(draw: st.DrawFn) -> Stated:
    """Three factors and more, of which one at most is not binary."""
    factors = draw(st.lists(st.sampled_from(["a", "b", "(1 - a)", "(a - b)"]), min_size=2))
    other = draw(st.one_of(affine(), st.sampled_from([same("a"), same("b - 1")])))
    return joined(" * ".join([*factors[:3], "({})"]), other)


def piecewise_of_products() -> st.SearchStrategy[Stated]:
    """abs, max and min of one another and of products, and products of them with a binary."""
    return st.recursive(
        st.one_of(products(), triples(), affine()),
        lambda inner: st.one_of(
            inner.map(lambda e: joined("abs({})", e)),
            st.tuples(inner, products()).map(lambda e: joined("max({}, {})", *e)),
            st.tuples(inner, inner).map(lambda e: joined("min({}, {})", *e)),
            st.tuples(affine(), inner).map(lambda e: joined("({} - {})", *e)),
            inner.map(lambda e: joined("a * ({})", e)),
        ),
        max_leaves=3,
    )


def rows_of(bodies: st.SearchStrategy[Stated]) -> st.SearchStrategy[Stated]:
    def row(body: Stated, op: str, side: int) -> Stated:
        return Stated(
            f"{body.tree} {op} {side}", f"{body.python} {'==' if op == '=' else op} {side}"
        )

    return st.builds(row, bodies, st.sampled_from(["<=", ">=", "="]), st.integers(0, 4))


@st.composite
def implications(draw: st.DrawFn) -> Stated:
    guard = st.tuples(st.sampled_from(["a", "1 - a", "b", "1 - b"]), st.integers(0, 1))
    guards = draw(st.lists(guard, min_size=1, max_size=3))
    body = draw(rows_of(affine()))
    left = " and ".join(f"{guard} = {value}" for guard, value in guards)
    broken = " or ".join(f"{guard} != {value}" for guard, value in guards)
    return Stated(f"{left} ==> {body.tree}", f"({broken} or {body.python})")


SENSES = st.sampled_from(["minimize", "maximize"])


@given(SENSES, piecewise(), st.lists(rows_of(piecewise()), max_size=2))
def test_abs_max_min_of_one_another(sense: str, objective: Stated, rows: list[Stated]) -> None:
    check(sense, objective, rows)


@given(SENSES, products(), affine(), st.lists(rows_of(products()), max_size=2))
def test_products(sense: str, one: Stated, two: Stated, rows: list[Stated]) -> None:
    check(sense, joined("{} + {}", one, two), rows)


@given(SENSES, triples(), affine(), st.lists(rows_of(triples()), max_size=2))
def test_products_of_many(sense: str, one: Stated, two: Stated, rows: list[Stated]) -> None:
    check(sense, joined("{} + {}", one, two), rows)


@given(SENSES, piecewise_of_products(), st.lists(rows_of(piecewise_of_products()), max_size=2))
def test_functions_of_products(sense: str, objective: Stated, rows: list[Stated]) -> None:
    check(sense, objective, rows)


def test_a_row_with_a_product_of_three_is_no_bound_of_its_other_variable() -> None:
    """b + 1 <= 0 was read off it, and there was no solution."""
    check("minimize", same("a"), [same("b + 1 - a * (a - b) * a <= 0")])


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize(
    "norm",
    [
        Stated("norminf(w[*])", "max(abs(a * u1), abs(a * u2 - b))"),
        Stated("norm1(w[*])", "(abs(a * u1) + abs(a * u2 - b))"),
        Stated("normsq(z[*])", "((a * b) ** 2 + (a - b) ** 2)"),
    ],
    ids=lambda norm: norm.tree,
)
def test_norms_of_products(sense: str, norm: Stated) -> None:
    """Over lets, with a row that presses the norm the other way."""
    lets = """let w {k in 1..2} = a * u[k] - (k - 1) * b;
let z {k in 1..2} = if k = 1 then a * b else a - b;
"""
    objective = joined("{} + 0.5 * p", norm)
    rows = [joined("{} >= 1", norm), same("p + a + b <= 2")]
    expected = brute_force(sense, objective, rows)
    text = text_of(sense, objective, rows)
    found, _ = optimum(lets + text)
    assert expected is not None and found == pytest.approx(expected, abs=1e-6)


@given(SENSES, affine(), st.lists(implications(), min_size=1, max_size=3))
def test_implications(sense: str, objective: Stated, rows: list[Stated]) -> None:
    check(sense, objective, rows)


@given(
    SENSES,
    piecewise(),
    products(),
    st.lists(st.one_of(implications(), rows_of(piecewise())), max_size=3),
)
def test_all_together(sense: str, one: Stated, two: Stated, rows: list[Stated]) -> None:
    check(sense, joined("{} - {}", one, two), rows)


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("op", ["<=", ">=", "="])
@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_a_guard_that_is_a_sum(sense: str, op: str, value: int) -> None:
    """The row a + b <= 1 is what makes the sum a guard."""
    python = "==" if op == "=" else op
    rows = [
        same("a + b <= 1"),
        Stated(f"a + b = {value} ==> p - q {op} 1", f"(a + b != {value} or p - q {python} 1)"),
        Stated(f"1 - a - b = {value} ==> u[1] {op} 0", f"(1 - a - b != {value} or u1 {python} 0)"),
    ]
    check(sense, same("p - q + 3 * a - u[1] - b"), rows)


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_functions_in_the_body_of_an_implication(sense: str) -> None:
    rows = [
        Stated("a = 1 ==> abs(p) <= 1", "(a != 1 or abs(p) <= 1)"),
        Stated("a = 0 ==> max(p, q) >= 2", "(a != 0 or max(p, q) >= 2)"),
        Stated("b = 1 ==> a * p + q = 1", "(b != 1 or a * p + q == 1)"),
    ]
    check(sense, same("p + q + 2 * b - a"), rows)
