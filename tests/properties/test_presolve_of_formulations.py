"""Every formulation keeps its optimum when equal points are merged, also with rows of a spec's own
on leaves, groups and labels; the univariate ones have that of the enumeration of all trees."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import Columns, errors_of, table
from reference.leaf_sums import least_errors, thresholds
from suite import one_in

import treemip
from treemip.api.compiled import Compiled
from treemip.core.model.answer import Limits
from treemip.core.model.values import objective_value, violation
from treemip.core.reform.presolve.presolve import presolved
from treemip.core.strategy.solvers import solve_with

SPLITS = {
    "oct": "univariate by oct",
    "flow_oct": "univariate by flow_oct",
    "binoct": "univariate by binoct",
    "soct": "oblique by soct",
    "octh": "oblique by octh(alpha = 0.01)",
    "svm1_odt": "oblique by svm1_odt",
    "margot": "margin by margot(M_xi = 20, M_H = 20)",
    "mm_svm_oct": "margin by mm_svm_oct(M = 20)",
}

SIDES = {
    "none": "",
    "least": "subject to least {l in leaves}: sum {i in points} reach[i,l] >= 3 * occupied[l];",
    "most": "subject to most {l in leaves}: sum {i in points} reach[i,l] <= 7;",
    "odd": "subject to odd {l in leaves}: sum {i in points : weight[i] > 1} reach[i,l] <= 3;",
    "recall": 'subject to recall: sum {i in points : y[i] = "1"} correct[i] >= 4;',
    "errors": "subject to errors: sum {i in points} correct[i] <= 8;",
    "parity": """
let rate {g in values(sex)} =
  sum {i in points : sex[i] = g} predicts[i,positive] / card({i in points : sex[i] = g});
subject to parity {g in values(sex), h in values(sex) : g != h}: rate[g] - rate[h] <= 0.4;
""",
    "weights": "minimize sum {i in points} weight[i] * (1 - correct[i]);",
}

WITHOUT = {("margot", "least"), ("margot", "weights"), ("mm_svm_oct", "weights")}
"""Neither has `occupied` for every node, nor a meaning without its margins."""


def repeated(seed: int) -> Columns:
    """Ten points, four or five of them different, with labels, groups and weights at random."""
    rng = np.random.default_rng(seed)
    distinct = rng.integers(0, 3, (int(rng.integers(4, 6)), 2)).astype(float)
    x = distinct[rng.integers(0, len(distinct), 10)]
    x[:2] = [[0, 0], [2, 2]]
    y = (rng.random(10) < 0.3).astype(int) ^ (x.sum(axis=1) >= 2)
    y[:2] = [0, 1]
    sex = rng.permutation([str(k % 2) for k in range(10)])
    return table(x, y, sex=sex.tolist(), w=rng.integers(1, 3, 10).astype(float))


def stated(formulation: str, side: str, seed: int, depth: int = 1) -> Compiled:
    own = {"binoct": "", "flow_oct": "bin thresholds;"}.get(formulation, "scale minmax;")
    text = (
        f'data "t.csv" {{ label c positive "1"; group sex; weight w; {own} }}\n'
        f"topology complete(depth = {depth});\nsplit {SPLITS[formulation]};\n{SIDES[side]}\n"
    )
    return treemip.loads(text, data=repeated(seed)).compile()


def both_ways(made: Compiled, solver: str) -> None:
    """The optimum of the model, and of the one with equal points merged, copied back."""
    model = made.for_solver(solver).model
    smaller = presolved(model)
    if made.program.spec.formulation != "svm1_odt":  # whose ways of points no row forces
        assert smaller.model is not model
    limits = Limits(threads=1)
    alone, merged = solve_with(model, solver, limits), solve_with(smaller.model, solver, limits)
    assert merged.status == alone.status
    if alone.status != "optimal":
        return
    assert merged.objective == pytest.approx(alone.objective, rel=1e-5, abs=1e-5)
    values = smaller.answer(merged).values
    assert values is not None
    assert violation(model, values) <= 1e-5
    assert objective_value(model, values) == pytest.approx(alone.objective, rel=1e-5, abs=1e-5)


CASES = [(f, s) for f in SPLITS for s in SIDES if (f, s) not in WITHOUT]


@pytest.mark.parametrize(("case", "seed"), one_in(7, CASES, range(5)))
def test_the_optimum_is_the_same_with_equal_points_merged(case: tuple[str, str], seed: int) -> None:
    both_ways(stated(*case, seed), "scip")


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(5, 10))
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("formulation", ["oct", "flow_oct", "binoct", "soct"])
def test_and_so_it_is_at_depth_2(formulation: str, side: str, seed: int) -> None:
    both_ways(stated(formulation, side, seed, 2), "highs")


@pytest.mark.parametrize(
    ("seed", "formulation"), one_in(2, range(4), ["oct", "flow_oct", "binoct"])
)
def test_the_optimum_is_that_of_the_enumeration(formulation: str, seed: int) -> None:
    made = stated(formulation, "none", seed, 2)
    points = made.instance.table
    result = made.solve("scip", start="none", threads=1, presolve="merge_points")
    assert result.objective is not None
    least = least_errors(thresholds(points.x), points.y, 2)
    assert errors_of(made, result.objective) == pytest.approx(least, abs=1e-6)
    assert result.verified, result.report


@pytest.mark.parametrize(
    "formulation",
    [
        pytest.param(f, marks=pytest.mark.truth if SPLITS[f].startswith("margin") else ())
        for f in SPLITS
        if f != "svm1_odt"  # whose search takes its whole time
    ],
)
def test_a_solve_from_a_start_is_verified(formulation: str) -> None:
    made = stated(formulation, "none", 0)
    result = made.solve("scip", start="search", threads=1)
    assert result.verified, result.report
    plain = made.solve("scip", start="search", threads=1, presolve="none")
    assert result.objective == pytest.approx(plain.objective, rel=1e-5, abs=1e-5)
