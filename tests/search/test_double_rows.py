"""Rows between two variables, in formulations whose leaves choose among listed values and as
implications: they are read as the two rows that a model gets."""

from __future__ import annotations

import numpy as np
import pytest

import treemip

LISTED = """
data "t" { label y number; scale minmax; }
topology complete(depth = 1);
split univariate;
use univariate_routing;
set options = 0..2;
var low {l in leaves} >= 0, <= 2 means 1;
var pick {l in leaves, k in options} binary means if abs(given_value[l] - k) <= 0.001 then 1 else 0;
var error {i in points} >= 0, <= 9 means abs(given_prediction[i] - y[i]);
minimize sum {i in points} error[i];
subject to
  one     {l in leaves}: sum {k in options} pick[l,k] = 1;
  double  {l in leaves, k in options}: -low[l] <= pick[l,k] - 1 <= low[l];
  over    {i in points, l in leaves}:
    reach[i,l] = 1 ==> error[i] >= y[i] - sum {k in options} k * pick[l,k];
  under   {i in points, l in leaves}:
    reach[i,l] = 1 ==> error[i] >= sum {k in options} k * pick[l,k] - y[i];
predict value sum {k in options} k * pick[l,k];
"""


def test_a_double_row_beside_listed_values() -> None:
    data = {"a": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 0.0, 2.0, 2.0]}
    result = treemip.loads(LISTED, data).compile().solve(time_limit=20)
    assert result.verdict == "verified"
    assert result.objective == pytest.approx(0.0, abs=1e-6)


def test_an_implication_of_a_double_row() -> None:
    """Errors between two counts, where a split is used."""
    x = np.arange(8.0)
    data = {"a": x, "b": x[::-1] % 3, "y": list("ppqqpqpq")}
    text = """
    data "t" { label y; scale minmax; } topology complete(depth = 2);
    split univariate by oct; minimize misclassified;
    subject to twice: uses[root,"a"] = 1 ==>
      -uses_anywhere["b"] <= misclassified - 1 <= uses_anywhere["b"];
    """
    made = treemip.loads(text, data).compile()
    result, alone = made.solve(time_limit=30), made.solve(solver="highs", start="none")
    assert result.objective == pytest.approx(alone.objective, abs=1e-6)
    assert result.verdict == "verified"
