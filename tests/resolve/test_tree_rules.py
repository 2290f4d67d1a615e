"""Routes say weights and a threshold for each branch, from the point's own features only.

What a route indexes by category is a sum over categories.
"""

from __future__ import annotations

from spec_texts import resolved

from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import CATEGORICAL, CATEGORY, POINT, SetOf
from treemip.core.resolve.tree_rules import INDICATOR, over_categories

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
