"""Specs whose leaves answer distributions are estimators; those with other answers are refused."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.sklearn import OptimalTreeClassifier
from treemip.study.sklearn.errors import EstimatorError

pytest.importorskip("pyscipopt", reason="a solver is needed")

SPEC = """data "memory" { label class; }
topology complete(depth = 1);
split univariate;
var coef   {t in branches, j in features} binary;
var bias   {t in branches} >= 0, <= 10;
var go     {i in points} binary means routed[i,left(root)];
var label  {l in leaves, k in classes} >= 0, <= 1;
var chance {i in points, k in classes} >= 0, <= 1
  means sum {l in leaves} routed[i,l] * given_label[l,k];
let reach {i in points, l in leaves} = if l = left(root) then go[i] else 1 - go[i];
minimize sum {i in points, k in classes} (chance[i,k] - (if y[i] = k then 1 else 0)) ^ 2;
subject to
  one {t in branches}: sum {j in features} coef[t,j] = 1;
  go_left  {i in points}: go[i] = 1 ==> dot(coef[root,*], x[i,*]) <= bias[root] by big_m(20);
  go_right {i in points}: go[i] = 0 ==> dot(coef[root,*], x[i,*]) >= bias[root] + 0.5 by big_m(20);
  whole    {l in leaves}: sum {k in classes} label[l,k] = 1;
  on_left  {i in points, k in classes}: go[i] = 1 ==> chance[i,k] = label[left(root),k];
  on_right {i in points, k in classes}: go[i] = 0 ==> chance[i,k] = label[right(root),k];
route left when dot(coef[t,*], x[i,*]) <= bias[t];
predict distribution label[l,*];
"""
X = np.array([[1.0, 2], [2, 1], [3, 5], [4, 4], [5, 1], [1, 7]])
Y = np.array(["p", "q", "q", "q", "p", "p"])


def test_probabilities_are_those_of_the_leaves() -> None:
    found = OptimalTreeClassifier(spec=SPEC, solver="scip").fit(X, Y)
    assert (
        found.predict_proba(X).round(3).tolist()
        == found.tree_.distribution[found.apply(X)].round(3).tolist()
    )
    assert found.predict(X).tolist() == ["p", "q", "q", "q", "q", "p"]
    assert np.isclose(found.predict_proba(X)[1, 1], 0.75, atol=1e-3)


def test_leaves_that_predict_values_are_refused() -> None:
    spec = SPEC.replace("predict distribution label[l,*]", 'predict value label[l,"p"]')
    with pytest.raises(EstimatorError, match="leaves predict values"):
        OptimalTreeClassifier(spec=spec, solver="scip").fit(X, Y)
