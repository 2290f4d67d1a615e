"""Proofs for margin trees: the optimum of full enumeration, of the kernel and of numpy alike."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest
from formulations import table
from reference.margins import margot, mm_svm_stump, sides, svm
from suite import one_in

import treemip
from treemip.answers.engines.engine import Case, Effort
from treemip.answers.engines.margin.engine import ENGINE, MarginEngine
from treemip.answers.engines.margin.sides import Task, prove
from treemip.answers.engines.obstacle import prepared
from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.start import Searched
from treemip.api.compiled import Compiled
from treemip.core.compiled.library import kernel

WAYS = [
    pytest.param(False, id="numpy"),
    pytest.param(True, id="kernel", marks=pytest.mark.skipif(kernel() is None, reason="no kernel")),
]
BUDGET = (
    "param B {t in branches} = level(1: 1, 2: 1);\n"
    "subject to budget {t in branches}: sum {j in features} uses[t,j] <= B[t];\n"
)
SOFT = "minimize svm + 0.8 * sum {t in branches} max(0, sum {j in features} uses[t,j] - 1);\n"
LINEAR = "minimize svm + 0.7 * sum {t in branches, j in features} uses[t,j];\n"


@pytest.fixture(params=WAYS, autouse=True)
def way(request, monkeypatch):
    if not request.param:
        for module in ("margin.sides", "margin.engine", "margin.reading"):
            monkeypatch.setattr(f"treemip.answers.engines.{module}.kernel", lambda: None)
    return request.param


def compiled(x: np.ndarray, sign: np.ndarray, by: str, depth: int = 2, rest: str = "") -> Compiled:
    text = (
        f'data "t" {{ label c positive "1"; }} topology complete(depth = {depth});\n'
        f"split margin by {by};\n{rest}"
    )
    return treemip.loads(text, data=table(x, sign)).compile()


def engine(made: Compiled) -> MarginEngine:
    found = prepared(ENGINE, Case(made.instance, made.stated))
    assert isinstance(found, MarginEngine), found
    return found


def proven(made: Compiled, seconds: float = 60.0) -> Searched:
    found = engine(made).run(Effort(seconds))
    assert found.proven, found
    return found


def random_points(seed: int, points: int, features: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Points on a grid with both signs, equal points of two signs among them."""
    rng = np.random.default_rng(seed)
    sign = rng.permutation(np.r_[1, -1, rng.choice([-1, 1], points - 2)])
    return rng.integers(0, 4, (points, features)) / 3, sign


def close(value: float) -> object:
    return pytest.approx(value, rel=2e-6, abs=1e-6)


@pytest.mark.parametrize("seed", one_in(5, range(6)))
def test_the_optimum_is_the_best_of_all_sides(seed: int) -> None:
    x, sign = random_points(seed, 7)
    prices = [(0.5, 20.0), (3.0, 3.0), (100.0, 1.0)][seed % 3]
    found = proven(compiled(x, sign, f"margot(C = level(1: {prices[0]}, 2: {prices[1]}))"))
    assert found.objective == close(margot(x, sign, prices))


@pytest.mark.parametrize("seed", range(2))
def test_one_branch_is_a_support_vector_machine(seed: int) -> None:
    x, sign = random_points(seed, 30, 3)
    assert proven(compiled(x, sign, "margot(C = 2)", 1)).objective == close(svm(x, sign, 2.0))


def test_three_levels() -> None:
    x, sign = random_points(5, 5)
    found = proven(compiled(x, sign, "margot(C = level(1: 1, 2: 2, 3: 9))", 3))
    assert found.objective == close(margot(x, sign, (1.0, 2.0, 9.0)))


def features_at_a_price(x: np.ndarray, sign: np.ndarray, price: float, count) -> float:  # type: ignore[no-untyped-def]
    """MARGOT's optimum at depth 2, where a branch pays `count` of its number of features."""
    every = [np.isin(np.arange(x.shape[1]), s) for k in range(x.shape[1] + 1)
             for s in combinations(range(x.shape[1]), k)]  # fmt: skip

    def least(points: np.ndarray, left: np.ndarray | None) -> float:
        some = [count(int(u.sum())) + svm(x[points], sign[points], price, left, u)
                for u in every if np.isfinite(count(int(u.sum())))]  # fmt: skip
        return min(some)

    everyone = np.ones(len(x), bool)
    return min(
        least(everyone, left) + least(left, None) + least(~left, None) for left in sides(len(x))
    )


@pytest.mark.parametrize("seed", one_in(3, [2, 0, 1]))
@pytest.mark.parametrize(
    ("rest", "count"),
    [
        (BUDGET, lambda k: 0.0 if k <= 1 else np.inf),
        (SOFT, lambda k: 0.8 * max(0, k - 1)),
        (LINEAR, lambda k: 0.7 * k),
    ],
    ids=["budget", "soft", "linear"],
)
def test_features_with_budgets_and_prices(seed: int, rest: str, count) -> None:  # type: ignore[no-untyped-def]
    x, sign = random_points(20 + seed, 5)
    found = proven(compiled(x, sign, "margot(C = 4)", 2, rest))
    assert found.objective == close(features_at_a_price(x, sign, 4.0, count))


@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_two_of_three_features(seed: int) -> None:
    x, sign = random_points(40 + seed, 5, 3)
    budget = BUDGET.replace("level(1: 1, 2: 1)", "level(1: 2, 2: 2)")
    found = proven(compiled(x, sign, "margot(C = 30)", 2, budget))
    count = lambda k: 0.0 if k <= 2 else np.inf  # noqa: E731
    assert found.objective == close(features_at_a_price(x, sign, 30.0, count))


@pytest.mark.parametrize("seed", range(4))
def test_the_greatest_norm_of_one_branch(seed: int, way: bool) -> None:
    if not way:
        pytest.skip("the compiled kernel alone knows it")
    x, sign = random_points(30 + seed, 6)
    c1, c3 = [(0.5, 0.3), (3.0, 0.0), (20.0, 2.0), (100.0, 0.01)][seed]
    found = proven(compiled(x, sign, f"mm_svm_oct(c1 = {c1}, c3 = {c3}, M = 1000)", 1))
    assert found.objective == close(mm_svm_stump(x, sign, c1, c3))


@pytest.mark.parametrize(
    ("by", "rest", "seed"),
    [
        ("mm_svm_oct(c1 = 100, c3 = 0.01, M = 500)", "", 1),
        ("mm_svm_oct(c1 = 10, c3 = 0.3, M = 500)", BUDGET, 2),
        ("mm_svm_oct(c1 = 10, c3 = 0, M = 500)", BUDGET, 3),
        ("mm_svm_oct(c1 = 10, c3 = 0, M = 500)", "", 4),
        ("mm_svm_oct(c1 = 0.7, c3 = 0.4, M = 500)", "", 5),
        ("margot(C = 20, M_xi = 500, M_H = 500)", "minimize svm + 3 * splits;", 6),
    ],
)
def test_the_greatest_norm_and_prices_of_splits(by: str, rest: str, seed: int, way: bool) -> None:
    """What the solver alone finds; a branch that pays for those below it among them."""
    pytest.importorskip("pyscipopt")
    made = compiled(*random_points(50 + seed, 7, 3), by, 2, rest)
    if not way:
        refusal = prepared(ENGINE, Case(made.instance, made.stated))
        assert "need the compiled kernel" in str(refusal)
        return
    alone = made.solve("scip", start="none", time_limit=60)
    assert proven(made).objective == pytest.approx(alone.objective, rel=2e-5, abs=1e-5)


def test_a_bound_of_the_greatest_norm_at_any_moment(way: bool) -> None:
    if not way:
        pytest.skip("the compiled kernel alone knows it")
    made = compiled(*random_points(7, 24, 3), "mm_svm_oct(c1 = 4, c3 = 0.1, M = 500)")
    best, problem = proven(made).objective, engine(made).problem
    for seconds in (0.0, 0.002, 0.01, 0.05):
        _, low = prove(Task(problem, np.inf, time.perf_counter() + seconds))
        assert low <= best * (1 + 1e-9)


def test_bounds_are_bounds_at_any_moment(way: bool) -> None:
    """A task that ends at once, and one with more time, are below the optimum."""
    x, sign = random_points(3, 24, 3)
    made = compiled(x, sign, "margot(C = 8)")
    best, problem = proven(made).objective, engine(made).problem
    for seconds in (0.0, 0.002, 0.01, 0.05):
        _, low = prove(Task(problem, np.inf, time.perf_counter() + seconds))
        assert low <= best * (1 + 1e-9)
    _, low = prove(Task(problem, 0.5 * best, time.perf_counter() + 60))
    assert 0.5 * best * (1 - 1e-6) <= low <= best  # what is looked for below a goal is not there


def test_names_make_no_difference() -> None:
    """An own formulation with other names, and big-M written out."""
    x, sign = random_points(4, 7)
    own = treemip.loads(OWN, data=table(x, sign)).compile()
    assert proven(own).objective == close(margot(x, sign, (2.0, 5.0)))


OWN = """
data "t" { label c positive "1"; }
topology complete(depth = 2);
split margin;

param m   = 1000;
param way {i in points} = if y[i] = positive then 1 else -1;

var v     {t in branches, j in features} free;
var shift {t in branches} free;
var goes  {i in points} binary means routed[i,right(root)];
var short {i in points, t in branches} >= 0
  means if passes[i,t] = 1 then max(0, 1 - way[i] * (dot(v[t,*], x[i,*]) + shift[t])) else 0;

let coef   {t in branches, j in features} = v[t,j];
let bias   {t in branches} = -shift[t];
let passes {i in points, t in branches} =
  if t = root then 1 else if t in right_children then goes[i] else 1 - goes[i];
let label  {l in leaves, k in classes} =
  if k = positive and l in right_children or k = negative and l in left_children then 1 else 0;

minimize worth: sum {t in branches} 0.5 * normsq(v[t,*])
  + sum {i in points, t in branches} (if t = root then 2 else 5) * short[i,t];

subject to
  near {i in points, t in branches}:
    way[i] * (dot(v[t,*], x[i,*]) + shift[t]) >= 1 - short[i,t] - m * (1 - passes[i,t]);
  over  {i in points}: dot(v[root,*], x[i,*]) + shift[root] >= -m * (1 - goes[i]);
  under {i in points}: dot(v[root,*], x[i,*]) + shift[root] + 0.001 <= m * goes[i];

route left when dot(v[t,*], x[i,*]) + shift[t] < 0;
"""


REFUSED = {
    "two": "its objective has the greatest norm of all branches beside other norms",
    "l1": "its objective has no price of the 2-norm of each branch's coefficients",
    "errors": "its objective has more than margins, norms and numbers of features",
}


@pytest.mark.parametrize(
    ("by", "rest", "why"),
    [
        ("mm_svm_oct", "minimize cost + margin;", REFUSED["two"]),
        ("margot", "minimize l1 + hinge;", REFUSED["l1"]),
        ("margot", "minimize svm + misclassified;", REFUSED["errors"]),
    ],
)
def test_what_it_does_not_take(by: str, rest: str, why: str) -> None:
    made = compiled(*random_points(1, 8), by, 2, rest)
    refusal = prepared(ENGINE, Case(made.instance, made.stated))
    assert isinstance(refusal, Refusal)
    assert str(refusal) == why


@pytest.mark.parametrize(
    "rest",
    [
        "subject to low {t in branches}: bias[t] >= -0.2;",
        "subject to passing {t in branches : t != root}: sum {i in points} reach[i,t] >= 3;",
    ],
)
def test_rows_that_it_does_not_know_leave_a_bound(rest: str) -> None:
    """A proof may fail, and none is wrong: the solver alone agrees."""
    pytest.importorskip("pyscipopt")
    x, sign = random_points(9, 8)
    made = compiled(x, sign, "margot(C = 6)", 2, rest)
    found = engine(made).run(Effort(30.0))
    alone = made.solve("scip", start="none", time_limit=60)
    assert found.bound <= alone.objective + 1e-5
    if found.proven:
        assert found.objective == close(alone.objective)


def test_a_solve_is_proven_by_the_engine() -> None:
    x, sign = random_points(12, 20, 3)
    result = compiled(x, sign, "margot(C = 6, M_xi = 500, M_H = 500)").solve(time_limit=60)
    assert (result.status, result.answer.solver, result.verified) == ("optimal", "engine", True)


def test_what_it_makes_of_a_spec_is_said() -> None:
    made = compiled(*random_points(2, 9), "margot(C = level(1: 1, 2: 3))", 2, BUDGET)
    said = engine(made).described()
    assert "3 branches, a hyperplane w . x + b at each" in said
    assert "1 feature at most" in said
    assert "budget {t in branches}" in said
