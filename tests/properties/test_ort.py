"""ORT and ORT-L against all trees on tiny data, verified whole; a changed leaf is found."""

from __future__ import annotations

import numpy as np
import pytest
from reference.leaf_sums import least_cost
from reference.regression_trees import squared, tiny

import treemip
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("pyscipopt", reason="a solver is needed")


def solved(
    formulation: str,
    x: np.ndarray,
    y: np.ndarray,
    depth: int,
    solver: str,
    rest: str = "",
    **parameters: float,
) -> Result:
    text = (
        f'data "t" {{ label c number; scale minmax; }} topology complete(depth = {depth});\n'
        f"split univariate by {formulation};\n{rest}"
    )
    columns = {f"a{j}": x[:, j] for j in range(x.shape[1])}
    compiled = treemip.loads(text, data={**columns, "c": y}, **parameters).compile()
    return compiled.solve(solver, start="none", threads=1, feasibility=1e-9)


def require_optimum(result: Result, expected: float) -> None:
    assert result.status == "optimal"
    assert result.objective == pytest.approx(expected, abs=2e-5)
    assert result.verdict == "verified", result.report


def test_equal_labels_need_no_split() -> None:
    x, _ = tiny(1, 6, 2)
    for formulation in ("ort", "ort_linear"):
        result = solved(formulation, x, np.full(6, -3.0), 1, "highs", alpha=0.1)
        require_optimum(result, 0.0)
        assert result.tree is not None and (result.tree.values(x) == -3).all()


def test_weights_count() -> None:
    """A point of weight 3 is worth as much as three."""
    x, y = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 4, 6, 13])
    text = (
        'data "t" { label c number; weight w; scale minmax; } topology complete(depth = 1);\n'
        "split univariate by ort(squared = 1); minimize squared_error;"
    )
    weights = np.array([3.0, 1, 1, 1])
    compiled = treemip.loads(text, data={"a": x[:, 0], "c": y, "w": weights}).compile()
    result = compiled.solve("scip", start="none")
    mean = np.average(y[:3], weights=weights[:3])
    expected = min(float((weights[:3] * (y[:3] - mean) ** 2).sum()), 0 + squared(y[1:]))
    assert result.objective == pytest.approx(expected, rel=1e-4)


def test_a_spec_s_own_terms_and_constraints() -> None:
    x, y = tiny(4, 6, 2)
    rest = """minimize absolute_error + 0.5 * features_used;
subject to
  one_feature: distinct_features <= 1;
  low {i in points}: predicted[i] <= 4;
  full {l in leaves}: points_in[l] >= 2 * occupied[l];
"""
    result = solved("ort", x, y, 2, "highs", rest)
    cheapest = min(
        least_cost(
            x[:, [j]], 2, 0.5, 2, lambda s: float(np.abs(y[s] - min(np.median(y[s]), 4)).sum())
        )
        for j in range(2)
    )
    require_optimum(result, cheapest)


def test_coefficients_that_a_spec_asks_for_count() -> None:
    """A coefficient is chosen where it is not 0, and not where a constraint would like it to be."""
    x, y = tiny(6, 7, 2)
    rest = "minimize absolute_error; subject to many: coefficients >= 3;"
    result = solved("ort_linear", x, y, 1, "highs", rest, min_leaf=3, lasso=0.1)
    assert result.verdict == "verified"
    assert (np.abs(result.values["leaf_slope"]) >= 0.009).sum() >= 3


def refused(text: str) -> str:
    data = {
        "a": [0, 1, 2, 3.0],
        "c": ["p", "q", "p", "q"] if "label c;" in text else [1, 2, 3, 4.0],
    }
    with pytest.raises(TreemipError) as caught:
        treemip.loads(text, data=data).compile()
    first = caught.value.diagnostics[0]
    return f"{first.code}: {first.message}"


@pytest.mark.parametrize("formulation", ["ort", "ort_linear"])
def test_what_is_refused(formulation: str) -> None:
    rest = "} topology complete(depth = 1); split univariate by " + formulation
    unscaled = refused('data "t" { label c number; ' + rest + ";")
    assert unscaled.startswith("E307: ") and "scale minmax" in unscaled
    loss = refused('data "t" { label c number; scale minmax; ' + rest + "(squared = 2);")
    assert loss == "E307: squared is 0 or 1"
    classes = refused('data "t" { label c; scale minmax; ' + rest + ";")
    assert (
        classes == f"E206: '{formulation}' predicts numbers, but the label 'c' is read as classes"
    )
