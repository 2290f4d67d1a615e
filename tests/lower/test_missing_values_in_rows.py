"""`missing(x[i,j])` is known: where the data have no value, whatever the encoding makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.api.explain import explain
from treemip.core.source.diagnostic import TreemipError

DATA = {
    "a": np.array([1.0, np.nan, 3.0, np.nan, 5.0, 6.0]),
    "b": np.arange(6.0),
    "c": np.array(["u", "v", "", "u", "v", "u"], object),
    "y": np.array([0, 1, 0, 1, 1, 1]),
}
HEAD = "topology complete(depth = 1); split univariate by oct; minimize misclassified;"


@pytest.mark.parametrize(
    ("settings", "gaps"),
    [
        ("missing side;", [2, 2, 0, 1, 1, 1]),
        ("missing impute(mode);", [2, 0, 1, 1]),
        ("missing indicator(mode);", [2, 2, 0, 1, 1, 1]),
        ("missing drop c; missing impute(mean) a;", [2, 0, 0, 0]),
    ],
)
def test_missing_values_are_counted(settings: str, gaps: list[int]) -> None:
    count = "param gaps {j in features} = sum {i in points} missing(x[i,j]);"
    text = f'data "m" {{ label y; {settings} scale minmax; }} {HEAD} {count}'
    instance = treemip.loads(text, data=DATA).compile().instance
    assert instance.values["gaps"].values.tolist() == gaps


def test_rows_on_points_without_a_value_hold_in_the_tree() -> None:
    """Points without a value of a must be right, though the tree gets more right without them."""
    data = {
        "a": np.array([np.nan, np.nan, 1, 2, 3, 4]),
        "b": np.array([0.0, 0, 0, 0, 1, 1]),
        "y": np.array([1, 1, 0, 0, 1, 0]),
    }
    row = 'subject to right {i in points : missing(x[i,"a"]) = 1}: correct[i] = 1;'
    errors = {}
    for rows in ("", row):
        text = f'data "m" {{ label y; missing impute(9) a; scale minmax; }} {HEAD} {rows}'
        result = treemip.loads(text, data=data).compile().solve("scip", time_limit=60)
        assert result.verdict == "verified" and result.status == "optimal"
        assert result.tree is not None
        errors[rows] = result.objective
        wrong = result.tree.predict({"a": data["a"], "b": data["b"]}) != data["y"]
        assert wrong.sum() == result.objective
        if rows:
            assert not wrong[:2].any()
    assert errors[""] <= errors[row]


def test_scripts_and_formulas_have_the_table() -> None:
    few = 'subject to few: sum {i in points} missing(x[i,"a"]) * correct[i] >= 1;'
    text = f'data "m" {{ label y; missing impute(mode); scale minmax; }} {HEAD} {few}'
    compiled = treemip.loads(text, data=DATA).compile()
    formulas = explain(compiled, "latex")
    assert r"\mathrm{missing}_{i, \text{a}}" in formulas
    for target in ("pyomo", "ampl"):
        assert "missing" in "".join(compiled.to_script(target))


def test_a_column_of_several_features_is_no_feature() -> None:
    text = (
        f'data "m" {{ label y; missing side; scale minmax; }} {HEAD} '
        'subject to few {t in branches}: uses[t,"a"] = 0;'
    )
    with pytest.raises(TreemipError) as error:
        treemip.loads(text, data=DATA).compile()
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E309"
    assert diagnostic.message == ('there is no feature "a": 2 features are made of the column "a"')
    assert diagnostic.remedy == (
        'write  sum {j in features_of("a")} …  over all of them, or name one: '
        "'a (missing lowest)', 'a (missing highest)'"
    )
