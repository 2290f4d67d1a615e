"""Routes say weights and a threshold for each branch, from the point's own features only.

What a route indexes by category is a sum over categories.
"""

from __future__ import annotations

import pytest
from spec_texts import HEAD, faults, resolved, said

from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import CATEGORICAL, CATEGORY, POINT, SetOf
from treemip.core.resolve.tree_rules import INDICATOR, over_categories


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


COLOURS = (
    'data "d" { label y; encode keep colour; } topology complete(depth = 1); split oblique;\n'
    "var chosen {t in branches, c in categorical_features, v in categories(c)} binary;\n"
    "var label {l in leaves, k in classes} binary;\n"
)
SUM = "sum {c in categorical_features} chosen[t,c,category[i,c]]"


def test_sorts_are_told_apart() -> None:
    spec = resolved(
        f'{COLOURS}minimize chosen[root,"colour","colour=red"]; route left when {SUM} >= 1;'
    )
    chosen = next(s for s in spec.variables if s.name == "chosen")
    assert chosen.sorts[1:] == (CATEGORICAL, CATEGORY)
    assert str(SetOf(CATEGORY)) == "a set of categories"
    assert str(SetOf(CATEGORICAL)) == "a set of categorical features"
    assert spec.objective is not None
    at = spec.objective.value
    assert isinstance(at, t.At)
    assert [a.text for a in at.arguments[1:] if isinstance(a, t.Literal)] == [
        "colour",
        "colour=red",
    ]
    assert [a.sort for a in at.arguments[1:]] == [CATEGORICAL, CATEGORY]


def test_an_index_by_category_is_a_sum_over_categories() -> None:
    spec = resolved(f"{COLOURS}route left when {SUM} >= 1;")
    assert spec.route is not None and isinstance(spec.route.left, t.Reduction)
    at = spec.route.left.body
    assert isinstance(at, t.At)
    made = over_categories(at)
    assert isinstance(made, t.Reduction)
    assert made.op == "sum"
    (binder,) = made.binders
    assert isinstance(binder.set, t.Call)
    assert (binder.set.function, binder.set.sort) == ("categories", SetOf(CATEGORY))
    assert made.free == {"t", "c", "i"}
    product = made.body
    assert isinstance(product, t.Arithmetic)
    entry, has = product.left, product.right
    assert isinstance(entry, t.At) and isinstance(has, t.At)
    assert entry.symbol is at.symbol
    assert entry.arguments[:2] == at.arguments[:2]
    assert has.symbol is INDICATOR
    assert [a.sort for a in has.arguments] == [POINT, CATEGORY]
    assert has.arguments[1] == entry.arguments[2]
    assert over_categories(entry) is None


@pytest.mark.parametrize(
    "rule",
    [
        f"{SUM} >= 0.5",
        f"0.5 - 2 * {SUM} < 0",
        f"(if ord(t) = 1 then {SUM} else 0) >= 1",
        "sum {c in categorical_features} (chosen[t,c,category[i,c]] - ord(c)) >= 1",
    ],
)
def test_affine_routes(rule: str) -> None:
    assert resolved(f"{COLOURS}route left when {rule};").route is not None


@pytest.mark.parametrize(
    "rule",
    [
        f"({SUM}) * ({SUM}) >= 1",
        f'x[i,"n"] * ({SUM}) >= 1',
        f"max(0, {SUM}) >= 1",
        "sum {c in categorical_features} ord(category[i,c]) >= 2",
        'sum {c in categorical_features} (if category[i,c] = "colour=red" then 1 else 0) >= 1',
    ],
)
def test_routes_that_are_not(rule: str) -> None:
    assert [d.code for d in faults(f"{COLOURS}route left when {rule};")] == ["E206"]


def test_a_let_may_hold_the_sum() -> None:
    text = f"let in_set {{i in points, t in branches}} = {SUM}; route left when in_set[i,t] >= 1;"
    assert resolved(COLOURS + text).route is not None


def test_the_words_are_the_language_s() -> None:
    found = faults(f"{COLOURS}param category = 1; route left when {SUM} >= 1;")
    assert [(d.code, d.message) for d in found][:1] == [
        ("E202", "'category' is a table of the language")
    ]
