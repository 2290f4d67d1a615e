"""Routes say weights and a threshold for each branch, from the point's own features only."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, resolved, said


@pytest.mark.parametrize(
    "rule",
    [
        "dot(coef[t,*], x[i,*]) <= bias[t]",
        'bias[t] * bias[t] > 2 * x[i,"a"] - coef[t,"a"] * x[i,"b"] / 3',
        'sum {j in features : j != "a"} x[i,j] < 1',
        "x[i,argmax {j in features} coef[t,j]] >= bias[t]",
        "score[t] + own[i,t] <= 0",
        '(if depth(t) = 0 then x[i,"a"] else -x[i,"b"]) <= bias[t]',
    ],
)
def test_affine_in_the_features(rule) -> None:
    lets = """
    let score {b in branches} = bias[b];
    let own {p in points, b in branches} = dot(coef[b,*], x[p,*]) + score[b];
    """
    assert resolved(lets + f"route left when {rule};").route is not None


@pytest.mark.parametrize(
    ("rule", "pointed"),
    [
        ('x[i,"a"] * x[i,"b"] <= 1', 'x[i,"a"] * x[i,"b"]'),
        ('x[i,"a"]^2 <= 1', 'x[i,"a"]^2'),
        ('1 / x[i,"a"] <= 1', '1 / x[i,"a"]'),
        ('abs(x[i,"a"]) <= 1', 'x[i,"a"]'),
        ("max {j in features} x[i,j] <= 1", "x[i,j]"),
        ('(if x[i,"a"] > 1 then 1 else 0) <= bias[t]', 'x[i,"a"]'),
        ("weight[i] <= bias[t]", "weight[i]"),
        ("ord(y[i]) <= 1", "y[i]"),
        ("ord(i) <= 1", "i"),
        ("reach[i,left(t)] >= 1", "reach[i,left(t)]"),
        ("M[i] * bias[t] <= 1", "M[i]"),
        ('sum {p in points} x[p,"a"] <= 1', 'x[p,"a"]'),
        ("spread[i] <= 1", 'x[p,"a"] * x[p,"a"]'),
        ("correct[i] <= 0.5", "hit[i,l]"),
    ],
)
def test_what_a_new_row_does_not_have(rule, pointed) -> None:
    lets = 'let spread {p in points} = x[p,"a"] * x[p,"a"];\n'
    ((code, text),) = said(lets + f"route left when {rule};")
    assert code == "E206"
    assert text == pointed


def test_predictions_are_classes_or_their_numbers() -> None:
    assert resolved('predict class "setosa";').predict.value is not None
    assert resolved("predict class 2;").predict.value is not None
    assert said("predict class root;") == [("E204", "root")]
    assert said("predict distribution root;") == [("E206", "root")]
    assert said("predict distribution coef[root,*];") == [("E204", "coef[root,*]")]
    randomized = HEAD + "split randomized by mrct;"
    spec = resolved(f"{randomized} predict distribution label[root,*];")
    assert spec.predict.kind == "distribution"
    assert said("predict class argmax {j in features} coef[l,j];") == [
        ("E204", "argmax {j in features} coef[l,j]")
    ]
