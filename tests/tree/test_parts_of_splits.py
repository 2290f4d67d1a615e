"""Coefficients that are two columns each: with what the split uses they follow from the split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.core.tree.tree_map import TreeMap

SIGNED = """
formulation signed splits univariate "for tests";
var pos {t in branches, j in features} binary;
var neg {t in branches, j in features} binary;
let coef {t in branches, j in features} = pos[t,j] - neg[t,j];
let uses {t in branches, j in features} = USES;
var bias {t in branches} >= -2, <= 2;
var reach {i in points, l in leaves} binary;
var label {l in leaves, k in classes} binary means given_label[l,k];
minimize sum {i in points} (1 - correct[i]);
subject to
  one_leaf {i in points}: sum {l in leaves} reach[i,l] = 1;
  one_used {t in branches}: sum {j in features} (pos[t,j] + neg[t,j]) = 1;
  one_label {l in leaves}: sum {k in classes} label[l,k] = 1;
  go_right {i in points, l in leaves, t in right_ancestors(l)}:
    reach[i,l] = 1 ==> dot(coef[t,*], x[i,*]) >= bias[t] by big_m(4);
  go_left {i in points, l in leaves, t in left_ancestors(l)}:
    reach[i,l] = 1 ==> dot(coef[t,*], x[i,*]) + 0.001 <= bias[t] by big_m(4);
route left when dot(coef[t,*], x[i,*]) < bias[t];
predict class argmax {k in classes} label[l,k];
"""
SPEC = """data "t" { label c; scale minmax; }
topology complete(depth = 2);
split univariate by signed;
"""
DATA = {"a": [1, 2, 3, 4, 5, 6], "b": [1, 3, 2, 5, 6, 4], "c": list("ynyyny")}


def made(folder: Path, uses: str) -> treemip.Compiled:
    (folder / "signed.tree").write_text(SIGNED.replace("USES", uses))
    return treemip.loads(SPEC, DATA, base=folder).compile()


@pytest.mark.parametrize(("uses", "known"), [("pos[t,j] + neg[t,j]", True), ("coef[t,j]", False)])
def test_two_columns_follow_from_coefficient_and_use(uses: str, known: bool, tmp_path) -> None:
    instance = made(tmp_path, uses).instance
    weights = np.zeros((7, 2))
    weights[0, 1], weights[1, 0], weights[2, 0] = -1.0, 1.0, -1.0
    values = TreeMap.of(instance).split_values(weights, np.zeros(7))
    assert ("pos" in values) == ("neg" in values) == known
    if known:
        assert values["pos"].tolist() == [0, 0, 1, 0, 0, 0]
        assert values["neg"].tolist() == [0, 1, 0, 0, 1, 0]


def test_such_a_formulation_is_proven_by_an_engine(tmp_path) -> None:
    result = made(tmp_path, "pos[t,j] + neg[t,j]").solve(time_limit=30)
    assert result.optimality is not None and result.optimality.by == "an exact engine"
    other = SPEC.replace("by signed;", "by oct;\nminimize misclassified;")
    assert result.objective == treemip.loads(other, DATA).compile().solve(time_limit=30).objective
