"""Splits by sets of categories in the search, against every tree of tiny tables."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from reference.leaf_sums import errors, least_by
from suite import one_in

import treemip
from treemip.answers.search.splits.category_sets import (
    MOST_ENUMERATED,
    best_set,
    every_set,
    neighbours,
    purest_set,
)
from treemip.answers.search.start import refusal
from treemip.answers.search.tree_search import SearchReport, TreeSearch
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.category_form import CategoryForm
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.tree_map import TreeMap

Columns = dict[str, list]
ERRORS = "minimize misclassified;"
PRICE = 0.01  # of weights and tests


def table(seed: int, points: int = 12, classes: int = 2) -> Columns:
    """A number of few values, columns of four and three categories, and classes."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, classes, points)
    y[:classes] = np.arange(classes)
    return {
        "n": [0.0, 1.0, *(draw.integers(0, 3, points - 2) / 2).tolist()],
        "h": np.array(["p", "q", "r", "s"])[draw.integers(0, 4, points)].tolist(),
        "k": np.array(["u", "v", "w"])[draw.integers(0, 3, points)].tolist(),
        "c": np.array(["no", "yes", "so"])[y].tolist(),
    }


def compiled(columns: Columns, depth: int = 1, more: str = "", form: str = "") -> Compiled:
    keep = ", ".join(name for name in columns if name in "hk")
    used = ", ".join(name for name in columns if name in "nhk")
    split = form or f"oblique by svm1_odt(alpha2 = {PRICE})"
    text = (
        f'data "t" {{ label c; use {used}; encode keep(unseen = zero) {keep}; scale minmax; }}\n'
        f"topology complete(depth = {depth});\nsplit {split};\n{more}"
    )
    return treemip.loads(text, data=columns).compile()


def searched(made: Compiled, goal: float) -> SearchReport:
    """The search's report; it ends with a value of `goal`, or where nothing better turns up."""
    search = TreeSearch(made.instance, made.stated, 120.0, 0, None, made.model)
    return search.run(goal, patient=False)


# ------------------------------------------------------------------------ by hand


def sides(columns: Columns, sets: bool = True) -> list[np.ndarray]:
    """Which rows go left, for every threshold and every set of one column's categories."""
    number = np.array(columns["n"])
    found = [number <= value for value in np.unique(number)]
    for name in ("h", "k") if sets else ():
        values = np.unique(columns[name])
        for size in range(1, len(values)):
            found += [np.isin(columns[name], s) for s in combinations(values, size)]
    return found


def least(columns: Columns, depth: int, tests: float = 0.0, fewest: int = 0) -> float:
    """The fewest errors of any tree with leaves of `fewest` points or more, and `tests` for each
    split; it shares nothing with treemip."""
    y = np.array(columns["c"])
    return least_by(sides(columns), len(y), depth, errors(y), tests, fewest)


# ------------------------------------------------------------------------ answers


@pytest.mark.parametrize(("seed", "depth"), one_in(5, range(6), [1, 2]))
def test_the_search_has_the_fewest_errors(seed: int, depth: int) -> None:
    columns = table(seed, classes=2 + seed % 2)
    errors = least(columns, depth)
    report = searched(compiled(columns, depth), errors + 3 * PRICE)
    assert report.best is not None
    assert report.best.completion.values["wrong"].sum() == errors
    assert errors <= report.best.objective <= errors + 3 * PRICE + 1e-6


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_scip_proves_no_better_tree(seed: int) -> None:
    made = compiled(table(seed, points=7))
    plain = made.solve("scip", start="none", threads=1, feasibility=1e-9)
    begun = made.solve("scip", start="search", threads=1, feasibility=1e-9)
    assert plain.status == begun.status == "optimal"
    assert begun.verified, begun.report
    assert plain.objective is not None
    assert begun.objective == pytest.approx(plain.objective, abs=1e-6)
    report = searched(made, plain.objective)
    assert report.best is not None
    assert report.best.objective == pytest.approx(plain.objective, abs=1e-6)


def test_all_columns_may_be_kept() -> None:
    columns = {"h": list("abcabc"), "k": list("uuvvww"), "c": list("xyxxyx")}
    report = searched(compiled(columns), PRICE)
    assert report.best is not None
    assert report.best.objective == pytest.approx(PRICE)
    (inside,) = (np.flatnonzero(report.best.tree.weights[0]),)
    assert inside.tolist() in ([1], [0, 2])  # b, or a and c


UNIVARIATE = """univariate;
var coef {t in branches, j in features} binary;
var bias {t in branches} >= -1, <= 1;
var group {t in branches, c in categorical_features, v in categories(c)} binary;
var on {t in branches, c in categorical_features} binary;
var reach {i in points, l in leaves} binary;
var label {l in leaves, k in classes} binary;
let at {i in points, t in branches} = sum {c in categorical_features} group[t,c,category[i,c]];
subject to
  one_split {t in branches}:
    sum {j in features} coef[t,j] + sum {c in categorical_features} on[t,c] = 1;
  grouped {t in branches, c in categorical_features, v in categories(c)}: group[t,c,v] <= on[t,c];
  one_leaf {i in points}: sum {l in leaves} reach[i,l] = 1;
  one_label {l in leaves}: sum {k in classes} label[l,k] = 1;
  to_left {i in points, l in leaves, t in left_ancestors(l)}:
    dot(coef[t,*], x[i,*]) + SIGN * at[i,t] <= bias[t] + 2 * (1 - reach[i,l]) LEFT;
  to_right {i in points, l in leaves, t in right_ancestors(l)}:
    dot(coef[t,*], x[i,*]) + SIGN * at[i,t] >= bias[t] + 0.1 - 3 * (1 - reach[i,l]) RIGHT;
route left when dot(coef[t,*], x[i,*]) + SIGN * at[i,t] <= bias[t] HALF"""


def own(sign: int, by_bias: bool = False) -> str:
    """A formulation of one's own, whose sets go left (-1) or right (1), by a threshold of the tests
    or by that of the branch."""
    half = f"{'-' if sign < 0 else '+'} 0.5 * sum {{c in categorical_features}} on[t,c]"
    text = UNIVARIATE.replace("SIGN", str(sign))
    for word in ("HALF", "LEFT", "RIGHT"):
        text = text.replace(word, "" if by_bias else half)
    if by_bias:  # the route does not read the tests, so that they need a meaning
        plain = "c in categorical_features} binary;"
        means = "means max {v in categories(c)} group[t,c,v];"
        text = text.replace(plain, plain[:-1] + " " + means)
    return text


@pytest.mark.parametrize(
    ("sign", "by_bias", "form"),
    [
        (-1, False, CategoryForm(("group",), ("on",))),
        (1, False, CategoryForm(("group",), ("on",), False)),
        (-1, True, CategoryForm(("group",), ("on",), bias=-0.5)),
    ],
)
@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_a_formulation_of_ones_own(seed: int, sign: int, by_bias: bool, form: CategoryForm) -> None:
    """Its variables have other names, and a set may be the one that goes right."""
    columns = table(seed, points=10)
    made = compiled(columns, 2, ERRORS, own(sign, by_bias))
    assert TreeMap.of(made.instance).categories == form
    report = searched(made, least(columns, 2))
    assert report.best is not None
    assert report.best.objective == least(columns, 2)
    result = made.solve("highs", start="search", time_limit=60)
    assert result.verified, result.report
    assert result.objective == least(columns, 2)


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_constraints_and_prices_are_kept(seed: int) -> None:
    columns = table(seed, points=16)
    tests = "sum {t in branches, c in categorical_features} on[t,c]"
    more = f"minimize misclassified + 0.4 * (features_used + {tests});"
    more += "subject to many {l in leaves}: points_in[l] >= 2;"
    made = compiled(columns, 2, more, own(-1))
    expected = least_of_full(columns, 2, 0.4)
    report = searched(made, expected)
    assert report.best is not None
    assert report.best.objective == pytest.approx(expected)


def least_of_full(columns: Columns, fewest: int, price: float) -> float:
    """Fewest errors and splits' prices of trees of depth 2 with a split at each branch."""
    ways, y, best = sides(columns), np.array(columns["c"]), np.inf
    for root in ways:
        total = 3 * price
        for rows in (np.flatnonzero(root), np.flatnonzero(~root)):
            total += min(
                (
                    sum(len(p) - np.unique(y[p], return_counts=True)[1].max() for p in parts)
                    for left in ways
                    for parts in [(rows[left[rows]], rows[~left[rows]])]
                    if min(map(len, parts)) >= fewest
                ),
                default=np.inf,
            )
        best = min(best, total)
    return float(best)


def test_single_categories_may_be_spoken_of() -> None:
    columns = {"h": list("abcabc"), "c": list("xyxxyx")}
    more = 'subject to b_left: goes_left[root,"h","h=b"] = 1;'
    report = searched(compiled(columns, 1, more), PRICE)
    assert report.best is not None
    assert report.best.objective == pytest.approx(PRICE)
    assert np.flatnonzero(report.best.tree.weights[0]).tolist() == [1]
    more = "subject to none {t in branches, c in categorical_features}: tested[t,c] = 0;"
    report = searched(compiled(columns | {"n": [0.0, 1.0] * 3}, 1, more), 6.0)
    assert report.best is not None
    assert not report.best.tree.weights[0, 1:].any()


def test_categories_that_training_did_not_have_go_right() -> None:
    columns = {"h": list("abcabc"), "c": list("xyxxyx")}
    more = 'subject to b_left: goes_left[root,"h","h=b"] = 1;'
    result: Result = compiled(columns, 1, more).solve("scip", start="search", time_limit=4)
    assert result.verified, result.report
    assert result.tree is not None
    assert result.tree.predict({"h": ["b", "z"]}).tolist() == ["y", "x"]


# ------------------------------------------------------------------------ refusals


def test_a_route_that_sets_do_not_settle_is_refused() -> None:
    """Where a set goes depends on how many categories it has."""
    route = "sum {c in categorical_features, v in categories(c)} group[t,c,v]"
    text = own(-1).replace("let at", "let all {t in branches} = " + route + ";\nlet at")
    text = text.replace("route left when dot(coef[t,*], x[i,*])", "route left when -all[t]")
    made = compiled(table(0), 1, ERRORS, text)
    why = "its route does not say which categories of a branch's kept column go left"
    assert refusal(made.instance) == why
    with pytest.raises(TreemipError, match=why) as caught:
        made.solve("highs", start="search")
    assert caught.value.diagnostics[0].code == "E902"


def test_margin_splits_beside_categories_are_refused() -> None:
    text = own(-1).replace("univariate;", "margin;")
    made = compiled(table(0), 1, ERRORS, text)
    assert refusal(made.instance) == "margin splits by categories are not searched"


# ------------------------------------------------------------------------ one branch


def free(sets: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((1, rows)), np.zeros(1)


@pytest.mark.parametrize("count", [2, 5, MOST_ENUMERATED, MOST_ENUMERATED + 3])
def test_the_best_set_of_a_sum_over_points(count: int) -> None:
    draw = np.random.default_rng(count)
    groups = draw.integers(-5, 6, (count, 1)).astype(float)

    def value(sums: np.ndarray) -> np.ndarray:
        return sums[..., 0]

    reached, chosen = best_set(groups, np.zeros(1), value, partial(free, rows=1))
    every = every_set(count)
    assert reached == (every @ groups).min()
    assert reached == groups[chosen].sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_best_set_of_coupled_sums(seed: int) -> None:
    """Few categories: all sets. Many: no exchange of one category is better."""
    draw = np.random.default_rng(seed)
    count = MOST_ENUMERATED + 3 * (seed % 2)
    groups = draw.integers(-4, 5, (count, 2)).astype(float)

    def value(sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] + 10 * np.abs(sums[..., 1] - 2)

    reached, chosen = best_set(groups, np.zeros(2), value, partial(free, rows=2))
    assert reached == value(groups[chosen].sum(axis=0))
    others = every_set(count) if count <= MOST_ENUMERATED else neighbours(chosen)
    assert reached <= value(others @ groups).min()
    assert reached <= np.sort(value(every_set(count) @ groups))[20]


def test_neighbours_differ_by_one_category() -> None:
    chosen = np.array([True, False, True, False])
    sets = neighbours(chosen)
    assert len(np.unique(sets, axis=0)) == len(sets) == 4 + 4
    assert set((sets ^ chosen).sum(axis=1).tolist()) == {1, 2}
    assert len(neighbours(np.array([True, False]))) == 1  # the other one


@pytest.mark.parametrize("seed", range(5))
def test_the_purest_set_is_that_of_all_sets(seed: int) -> None:
    """Breiman et al.: with two classes, one order of the categories has the best set."""
    draw = np.random.default_rng(seed)
    code, y = draw.integers(0, 6, 40), draw.integers(0, 2, 40)
    x, counts = np.eye(6)[code], np.eye(2)[y]
    inputs = Inputs(6, 0, np.array([0, 6]))
    found = purest_set(inputs, x, counts)
    assert found is not None
    pure = []
    for left in every_set(6):
        parts = counts[left[code]].sum(axis=0), counts[~left[code]].sum(axis=0)
        pure.append(sum((p**2).sum() / max(p.sum(), 1e-300) for p in parts))
    assert -found.value == pytest.approx(max(pure))
