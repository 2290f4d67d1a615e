"""The engine that lists trees: specs of all kinds that the fast engine refuses, against all trees.

What each spec says of a tree is written out here in numpy.
"""

from __future__ import annotations

import csv
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.engines.engine import Case, Effort
from treemip.answers.engines.frontier.engine import ENGINE, FrontierEngine
from treemip.answers.engines.obstacle import prepared
from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.start import Searched

SPECS = Path(__file__).parents[2] / "specs"
SECONDS = 60.0


def proven(compiled: treemip.Compiled) -> Searched:
    """What the engine finds, which it has to prove."""
    engine = prepared(ENGINE, Case(compiled.instance, compiled.stated))
    assert not isinstance(engine, Refusal), str(engine)
    found = engine.run(Effort(SECONDS))
    assert found.proven and found.bound == pytest.approx(found.objective, nan_ok=True)
    return found


def shipped(name: str) -> Searched:
    return proven(treemip.load(SPECS / name).compile())


# ------------------------------------------------------------------- shipped examples


PAGES = sorted((SPECS / "constraints").glob("*.tree"))


@pytest.mark.parametrize(
    "page", one_in(3, [p.stem for p in PAGES if "split univariate by" in p.read_text()])
)
def test_the_fast_engine_and_this_one_agree_on_the_pages_of_constraints(page: str) -> None:
    compiled = treemip.load(SPECS / "constraints" / f"{page}.tree").compile()
    fast = compiled.solve(time_limit=SECONDS)
    assert fast.optimality is not None and fast.optimality.proven
    assert proven(compiled).objective == pytest.approx(fast.objective)


def test_a_shape_of_its_own_with_features_that_are_not_allowed() -> None:
    instance = treemip.load(SPECS / "own_formulation.tree").compile().instance
    table = instance.table
    allowed = [j for j, name in enumerate(table.features) if not name.startswith("head_shape")]
    x, y = table.x[:, allowed], table.y

    def right(points: np.ndarray) -> int:
        return int(np.bincount(y[points], minlength=2).max(initial=0))

    best = 0
    for first, second in product(range(x.shape[1]), repeat=2):
        left, low = x[:, first] < 0.5, x[:, second] < 0.5
        best = max(best, right(~left) + right(left & low) + right(left & ~low))
    assert shipped("own_formulation.tree").objective == best


def test_branches_of_a_level_that_make_the_same_split() -> None:
    table = treemip.load(SPECS / "own" / "oblivious.tree").compile().instance.table

    def cuts(column: np.ndarray) -> list[float]:
        values = np.unique(column)
        return [-1.0, *((values[:-1] + values[1:]) / 2)]

    every = [(j, t) for j, column in enumerate(table.x.T) for t in cuts(column)]
    best = np.inf
    for (a, s), (b, t) in product(every, repeat=2):
        leaf = 2 * (table.x[:, a] > s) + (table.x[:, b] > t)
        wrong = 0
        for number in range(4):
            in_leaf = np.bincount(table.y[leaf == number], minlength=2)
            wrong += in_leaf.sum() - in_leaf.max()
        best = min(best, wrong)
    assert shipped("own/oblivious.tree").objective == best


def test_sets_of_categories_at_each_branch() -> None:
    instance = treemip.load(SPECS / "monks_categorical.tree").compile().instance
    codes, y = instance.table.categories, instance.table.y
    inputs, offsets = instance.table.inputs, np.asarray(codes.offsets)
    ways = []
    for first, last in pairwise(offsets):
        for chosen in product([False, True], repeat=int(last - first)):
            ways.append(inputs[:, first:last][:, list(chosen)].sum(axis=1) > 0)
    sides = np.unique(np.array(ways), axis=0).astype(float)
    of_class = np.stack([y == k for k in range(2)]).astype(float)
    best = 0.0
    for left in sides:
        rest = (of_class * (1 - left)).sum(axis=1).max()
        low = sides @ (of_class * left).T
        high = (of_class * left).sum(axis=1) - low
        best = max(best, rest + float((low.max(axis=1) + high.max(axis=1)).max()))
    assert shipped("monks_categorical.tree").objective == best


@pytest.mark.parametrize(
    "rest",
    [
        "minimize misclassified + 0.4 * distinct_features;",
        "minimize misclassified; subject to few: distinct_features <= 1;",
        'minimize misclassified; subject to none {t in branches}: uses[t,"a"] = 0;',
        'minimize misclassified; subject to first: uses[root,"b"] = 1;',
    ],
)
def test_a_coefficient_that_is_two_variables(rest: str) -> None:
    """`categorical_odt` has one for either sign, and a price or a row counts them."""
    rng = np.random.default_rng(5)
    columns: dict[str, list[object]] = {n: rng.integers(0, 2, 12).tolist() for n in "abd"}
    columns |= {"h": rng.choice(list("uvw"), 12).tolist(), "c": rng.choice(list("pq"), 12).tolist()}
    rest = rest.replace("[t,1]", '[t,"a"]').replace("b", "b")
    text = f"""data "t" {{ label c; encode keep h; scale minmax; }}
topology complete(depth = 2); split univariate by categorical_odt;\n{rest}"""
    compiled = treemip.loads(text, data=columns).compile()
    alone = compiled.solve("scip", start="none")
    assert alone.status == "optimal"
    assert proven(compiled).objective == pytest.approx(alone.objective)


def test_a_variable_whose_meaning_is_no_sum() -> None:
    table = treemip.load(SPECS / "own" / "two_labels.tree").compile().instance.table
    with (SPECS / "data" / "credit-24.csv").open() as file:
        names = [row["housing"] for row in csv.DictReader(file)]
    housing = np.unique(names, return_inverse=True)[1]

    def wrong(points: np.ndarray) -> int:
        parts = (np.bincount(column[points], minlength=1) for column in (table.y, housing))
        return sum(int(part.sum() - part.max(initial=0)) for part in parts)

    splits = [table.x[:, j] <= t for j in range(table.x.shape[1]) for t in np.unique(table.x[:, j])]
    best = min(wrong(left) + wrong(~left) for left in splits)
    assert shipped("own/two_labels.tree").objective == best


def test_a_variable_without_a_meaning_gets_its_value_from_the_rows() -> None:
    found = shipped("own/walk_policy.tree")
    alone = treemip.load(SPECS / "own" / "walk_policy.tree").compile()
    assert found.objective == pytest.approx(alone.solve("scip", start="none").objective)


def test_leaves_that_choose_from_a_list_of_values() -> None:
    text = """data "t" { label none; number time, event; scale minmax; }
topology shape "((. .) .)"; split univariate by ost_grid(steps = 3);
minimize likelihood + 0.4 * splits;"""
    rng = np.random.default_rng(3)
    columns = {f"a{j}": rng.integers(0, 3, 8).tolist() for j in range(2)}
    columns |= {"time": rng.permutation(8) + 1, "event": [1, 0, 1, 1, 0, 1, 1, 0]}
    compiled = treemip.loads(text, data=columns).compile()
    alone = compiled.solve("highs", start="none")
    assert alone.status == "optimal"
    assert proven(compiled).objective == pytest.approx(alone.objective)
    assert shipped("pumps_survival.tree").objective == pytest.approx(11.6824722)


OF_GROUP = """let wrong {v in values(sex)} = sum {i in points : sex[i] = v} (1 - correct[i]);
"""
SQUARED = "sum {v in values(sex)} wrong[v]^2"
RATIO = "(sum {i in points} (1 - correct[i])) / (1 + sum {i in points} correct[i])"
ALONE = {
    "labels of leaves without points": ("oct", OF_GROUP + f"""minimize {SQUARED} + 0.25 * splits;
subject to shown {{l in leaves}}: sum {{k in classes}} label[l,k] = occupied[l];"""),
    "implications about splits": ("oct", OF_GROUP + f"""minimize {SQUARED} + 0.25 * splits;
subject to after {{t in branches : t != root}}: uses[root,"a0"] = 1 ==> uses[t,"a0"] = 0;"""),
    "a variable that nothing prices": ("oct", OF_GROUP + f"""var more binary;
minimize {SQUARED}; subject to few: splits <= 1 + more;"""),
    "columns that rows settle": ("binoct", OF_GROUP + f"""var crowded {{l in leaves}} binary;
minimize {SQUARED} + 0.6 * sum {{l in leaves}} crowded[l];
subject to crowd {{l in leaves}}: points_in[l] <= 3 + card(points) * crowded[l];"""),
    "products in rows that settle": ("binoct", OF_GROUP + f"""var more >= 0, <= 1;
minimize {RATIO}; subject to
  at: more >= wrong["a"] - wrong["b"]; within: more <= card(points);"""),
    "labels in order": ("oct", """minimize misclassified + 0.2 * splits; subject to
  ordered {l in leaves, m in leaves : ord(l) < ord(m)}: label[l,"1"] + label[m,"0"] <= 1;"""),
    "a price and a demand of labels": ("oct", """
minimize misclassified + 0.4 * sum {l in leaves} label[l,"1"];
subject to some: sum {l in leaves} label[l,"0"] >= 1;"""),
    "F1": ("oct", """maximize 2 * confusion["1","1"]
  / (sum {i in points} predicts[i,"1"] + class_count["1"]);"""),
    "prices by branch": ("oct", """minimize misclassified + sum {t in branches}
  (if t = root then 0.3 else if t in right_children then 0.2 else 0.1) * active[t];"""),
    "order on a path": ("oct", """minimize misclassified; subject to
  once {t in branches, j in features : t != root}: coef[root,j] + coef[t,j] <= 1;"""),
    "a leaf of its own price": ("oct", """
minimize misclassified + 0.4 * sum {l in leaves : ord(l) = 1} points_in[l];"""),
    "a product of sums": ("oct", OF_GROUP + """
minimize (wrong["a"] + 1) * (wrong["b"] + 1);"""),
    "budgets by level and feature": ("oct", """minimize misclassified; subject to
  second: sum {t in branches : t != root} active[t] <= 0;
  one: sum {j in features} uses_anywhere[j] <= 1;"""),
}  # fmt: skip


def alone(name: str) -> treemip.Compiled:
    formulation, rest = ALONE[name]
    text = 'data "t" { label c positive "1"; group sex; scale minmax; } topology shape "((. .) .)";'
    rng = np.random.default_rng(5)
    columns: dict[str, list[object]] = {f"a{j}": rng.integers(0, 3, 9).tolist() for j in range(2)}
    columns |= {"c": list("110101001"), "sex": list("abbaabbab")}
    return treemip.loads(f"{text} split univariate by {formulation};{rest}", data=columns).compile()


@pytest.mark.parametrize("name", ALONE)
def test_the_optimum_is_that_of_a_solver_alone(name: str) -> None:
    found, solved = proven(alone(name)), alone(name).solve("scip", start="none")
    assert solved.status == "optimal"
    assert found.objective == pytest.approx(solved.objective)
    if "wrong[" in ALONE[name][1] and "product of" not in name:
        assert found.starts <= 5  # a bound that trees reach at once


def test_implications_about_splits_are_rows_of_the_engine() -> None:
    compiled = alone("implications about splits")
    engine = prepared(ENGINE, Case(compiled.instance, compiled.stated))
    assert isinstance(engine, FrontierEngine) and "after" in engine.spec.families


def test_leaves_whose_value_is_asked_for() -> None:
    text = """data "t" { label none; number time, event; scale minmax; }
topology shape "((. .) .)"; split univariate by ost_grid(steps = 3);
minimize goal: (sum {i in points, l in leaves, r in possible[i]} half_deviance[i,r] * has[i,l,r])
  + 0.4 * splits;"""
    rng = np.random.default_rng(3)
    columns: dict[str, list[object]] = {f"a{j}": rng.integers(0, 3, 8).tolist() for j in range(2)}
    columns |= {"time": (rng.permutation(8) + 1).tolist(), "event": [1, 0, 1, 1, 0, 1, 1, 0]}
    compiled = treemip.loads(text, data=columns).compile()
    spec = Case(compiled.instance, compiled.stated).spec
    assert not spec.sums.opaque
    assert proven(compiled).objective == pytest.approx(
        compiled.solve("highs", start="none").objective
    )


def test_columns_that_a_tree_leaves_open_count_as_no_feature() -> None:
    text = """data "t" { label c; encode keep h; } topology shape "(. .)";
split univariate by categorical_odt; var beyond >= 0 means max(0, distinct_features - 1);
maximize misclassified - 0.6 * beyond; subject to one: beyond >= distinct_features - 1;"""
    columns = {"a": [0, 1, 0, 1, 0, 1], "h": list("uuvvww"), "c": list("yynnyy")}
    compiled = treemip.loads(text, data=columns).compile()
    found = proven(compiled)
    assert found.objective == pytest.approx(compiled.solve("scip", start="none").objective)
