"""A test of a kept column is a use of one feature: counted, priced and bounded as others are."""

from __future__ import annotations

import pytest

import treemip
from treemip.api.compiled import Compiled
from treemip.core.source.diagnostic import TreemipError

TABLE = {
    "x": [0.1, 0.2, 0.3, 0.5, 0.7, 0.9],
    "k": ["u", "v", "u", "w", "z", "v"],
    "h": ["p", "q", "q", "p", "q", "p"],
    "class": ["a", "b", "a", "b", "a", "b"],
}
"""The categories of k separate the classes; neither x nor h does in one split."""

CAP = "subject to cap {t in branches, j in features}: -10 <= coef[t,j] <= 10;\n"


def compiled(
    rest: str, encode: str = "encode keep k, h;", formulation: str = "svm1_odt"
) -> Compiled:
    text = (
        f'data "t" {{ label class; {encode} scale minmax; }}\ntopology complete(depth = 2);\n'
        f"split oblique by {formulation};\n{rest}"
    )
    return treemip.loads(text, data=TABLE).compile()


def solved(rest: str) -> tuple[int, int, set[str]]:
    """Errors, the sum of |F_t|, and the distinct features, of a tree that is verified."""
    result = compiled(CAP + rest).solve("highs", start="none", threads=1, time_limit=60)
    assert result.status == "optimal"
    assert result.verified, result.report
    found = result.train_score
    assert result.train_errors is not None and found is not None
    return result.train_errors, found.features_used, set(found.distinct_features)


@pytest.mark.parametrize("term", ["distinct_features", "features_used"])
def test_no_features_at_all(term: str) -> None:
    assert solved(f"subject to none: {term} = 0;") == (3, 0, set())


@pytest.mark.parametrize(("price", "expected"), [(0.1, (0, 1, {"k"})), (10, (3, 0, set()))])
@pytest.mark.parametrize("term", ["distinct_features", "features_used"])
def test_a_price_on_features(term: str, price: float, expected: tuple[int, int, set[str]]) -> None:
    assert solved(f"minimize misclassified + {price} * {term};") == expected


def test_features_that_are_asked_for() -> None:
    errors, used, distinct = solved("subject to all: distinct_features >= 3;")
    assert (errors, used, distinct) == (0, 3, {"x", "k", "h"})
    assert solved("subject to more: features_used >= 3;")[1] == 3


def test_a_column_that_must_be_tested_and_one_that_must_not() -> None:
    _, _, distinct = solved('subject to a: tested_anywhere["h"] = 1; b: tested_anywhere["k"] = 0;')
    assert "h" in distinct and "k" not in distinct
    _, _, distinct = solved('subject to a {t in branches}: tested[t,"k"] = 0;')
    assert "k" not in distinct


def test_pairs_of_columns() -> None:
    either = 'either: tested_anywhere["k"] + tested_anywhere["h"] <= 1;'
    _, _, distinct = solved(f"subject to {either} two: distinct_features >= 2;")
    assert "x" in distinct and len(distinct & {"k", "h"}) == 1
    needs = 'needs: tested_anywhere["k"] <= tested_anywhere["h"];'
    _, _, distinct = solved(f'subject to {needs} k: tested_anywhere["k"] = 1;')
    assert {"k", "h"} <= distinct


def test_a_test_that_is_asked_for_sends_a_category_left() -> None:
    """A binary alone would say that k is tested where no split does."""
    plain = compiled(CAP)
    asked = compiled(CAP + "subject to all: features_used >= 3;")
    families = [{rows.name for rows in made.model.rows} for made in (plain, asked)]
    assert "chosen_some" in families[1] - families[0]
    assert compiled(CAP + "subject to few: features_used <= 3;").program.spec.called_back == set()


WARNED = (
    "uses and uses_anywhere are of the features of x, and a test of a kept column is none of them: "
    "add sum {c in categorical_features} tested[t,c], or tested_anywhere[c], where such tests are "
    "to count"
)
SHORT = "subject to short {t in branches}: sum {j in features} uses[t,j]"


def test_uses_without_tests_of_kept_columns_is_warned_of() -> None:
    (said,) = compiled(f"{CAP}{SHORT} <= 0;").warnings
    assert (said.code, said.message) == ("W301", WARNED)
    named = "let few {t in branches} = sum {j in features} uses[t,j]; minimize misclassified;"
    assert [w.code for w in compiled(CAP + named).warnings] == ["W301"]
    both = "+ sum {c in categorical_features} tested[t,c] <= 0;"
    assert compiled(f"{CAP}{SHORT} {both}").warnings == []
    assert compiled(f"{CAP}subject to few: features_used <= 1;").warnings == []
    assert compiled(f"{CAP}{SHORT} <= 0;", "encode onehot;").warnings == []
    assert solved(f"{SHORT} {both}") == (3, 0, set())


def test_features_of_a_kept_column() -> None:
    with pytest.raises(TreemipError) as caught:
        compiled('param a = card(features_of("k"));')
    (said,) = caught.value.diagnostics
    assert said.code == "E309" and said.span is not None and said.span.text == '"k"'
    assert said.message == 'column "k" is kept categorical: no features are made of it'
    assert said.remedy == (
        'tested[t,"k"] is 1 where the split at t tests it, '
        'tested_anywhere["k"] where some split does'
    )


@pytest.mark.parametrize("term", ["distinct_features", "features_used"])
def test_formulations_without_such_splits_have_the_models_they_had(term: str) -> None:
    """Kept columns take no part in S-OCT, and W302 says so."""
    kept, without = (
        compiled(f"minimize misclassified + {term};", settings, "soct")
        for settings in ("encode keep k, h;", "use x;")
    )
    assert [w.code for w in kept.warnings] == ["W302"]
    assert [b.name for b in kept.model.variables] == [b.name for b in without.model.variables]
    assert [(r.name, r.length) for r in kept.model.rows] == [
        (r.name, r.length) for r in without.model.rows
    ]
