"""SVM1-ODT with columns that stay categorical: a branch tests a hyperplane or one of them."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from reference.leaf_sums import least_errors
from suite import one_in

import treemip
from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.fixed import fix_tree
from treemip.answers.starts.from_tree import ends_of
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.api.reverify import reverify
from treemip.api.store import load_tree
from treemip.core.model.answer import Limits
from treemip.core.model.tolerances import TIGHT
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.tree import Tree

NORM = 0.01  # the price of weights: less than an error in all

# Solvers are given the feasibility TIGHT: a unit of slack costs 1000 in SVM1-ODT, so what a solver
# may miss of a row by default, 1e-6, is worth 0.001 in the objective, which the tree does not have.


def compiled(columns: dict, depth: int, rest: str = "", keep: str = "keep h, k") -> Compiled:
    text = (
        f'data "table.csv" {{ label c; encode {keep}; scale minmax; }}\n'
        f"topology complete(depth = {depth});\n"
        f"split oblique by svm1_odt(alpha2 = {NORM});\n{rest}"
    )
    return treemip.loads(text, data=columns).compile()


def random_columns(seed: int) -> dict[str, np.ndarray]:
    """One number on a grid of quarters, and columns of three and two categories."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, 9))
    return {
        "n": np.append(rng.integers(0, 5, size - 2), [0, 4]) / 4,
        "h": np.array(["p", "q", "r"])[rng.integers(0, 3, size)],
        "k": np.array(["p", "s"])[rng.integers(0, 2, size)],
        "c": np.array(["no", "yes"])[np.append(rng.integers(0, 2, size - 2), [0, 1])],
    }


def splits(columns: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Which rows go left, for every threshold and every set of one column's categories."""
    found = [columns["n"] <= value for value in np.unique(columns["n"])]
    for name in ("h", "k"):
        values = np.unique(columns[name])
        for count in range(1, len(values)):
            found += [np.isin(columns[name], s) for s in combinations(values, count)]
    return found


@pytest.mark.parametrize(("seed", "depth"), [*one_in(3, range(12), [1]), *one_in(3, range(5), [2])])
def test_the_optimum_is_that_of_full_enumeration(seed: int, depth: int) -> None:
    check(seed, depth)


@pytest.mark.truth
def test_the_optimum_is_that_of_full_enumeration_on_60_tables() -> None:
    for seed in range(20, 80):
        check(seed, 1 + seed % 2)


def check(seed: int, depth: int) -> None:
    columns = random_columns(seed)
    result = compiled(columns, depth).solve("scip", start="none", threads=1, feasibility=TIGHT)
    assert result.status == "optimal"
    assert result.verified, result.report
    expected = least_errors(splits(columns), columns["c"], depth)
    assert result.train_errors == expected
    assert expected <= result.objective < expected + 1 / 2  # type: ignore[operator]


MIDDLE = {
    "n": [0.0, 0.5, 1.0, 0.0, 0.5, 1.0],
    "h": ["a", "b", "c", "c", "b", "a"],
    "c": ["x", "y", "x", "x", "y", "x"],
}
"""Only {a, c} against {b} separates the classes; no number does, and no category's code."""


def middle(rest: str = "", keep: str = "keep h") -> Result:
    result = compiled(MIDDLE, 1, rest, keep).solve("highs", start="none")
    assert result.verified, result.report
    return result


def test_two_categories_against_a_third_are_one_split() -> None:
    result = middle()
    assert (result.status, result.train_errors) == ("optimal", 0)
    assert result.objective == pytest.approx(NORM)  # one test and no weight
    tree = result.tree
    assert tree is not None
    split = tree.by_category(0)
    assert split is not None
    assert split.column == "h"
    assert {split.left, split.right} == {("a", "c"), ("b",)}
    x, y = "x  (4 points: 4 x)", "y  (2 points: 2 y)"
    drawn = f"├─ h is b: {y}\n└─ h is not b: {x}", f"├─ h is a or c: {x}\n└─ h is not a or c: {y}"
    assert str(tree) == f"6 points\n{drawn[split.left == ('a', 'c')]}"
    assert tree.score(MIDDLE).features == {1: ("h",)}
    assert tree.predict(MIDDLE).tolist() == MIDDLE["c"]


def test_the_side_of_a_category_can_be_asked_for() -> None:
    result = middle('subject to b_left: goes_left[root,"h","h=b"] = 1;')
    assert result.tree is not None
    node = {"node": 1, "column": "h", "left": ["b"], "right": ["a", "c"]}
    said = result.tree.to_json()
    assert said["nodes"][0] == node
    again = Tree.from_json(json.loads(json.dumps(said)))
    assert again.to_json() == said
    assert again.predict(MIDDLE).tolist() == MIDDLE["c"]


def test_a_count_of_tests_leaves_the_hyperplane() -> None:
    rest = "subject to none {t in branches, c in categorical_features}: tested[t,c] = 0;"
    result = middle(rest)
    assert result.train_errors == 2
    assert result.tree is not None
    assert result.tree.by_category(0) is None


def test_rows_of_unseen_categories_go_right_where_the_spec_takes_them() -> None:
    b_left = 'subject to b_left: goes_left[root,"h","h=b"] = 1;'
    new = {"n": [0.0, 0.0], "h": ["b", "z"]}
    with pytest.raises(TreemipError) as caught:
        middle(b_left).tree.predict(new)  # type: ignore[union-attr]
    assert [d.code for d in caught.value.diagnostics] == ["E309"]
    tree = middle(b_left, "keep(unseen = zero) h").tree
    assert tree is not None
    assert tree.predict(new).tolist() == ["y", "x"]


def test_saved_and_verified_again(tmp_path: Path) -> None:
    rows = zip(*MIDDLE.values(), strict=True)
    lines = [",".join(map(str, row)) for row in rows]
    (tmp_path / "table.csv").write_text("\n".join(["n,h,c", *lines]) + "\n")
    text = (
        'data "table.csv" { label c; encode keep h; scale minmax; }'
        "topology complete(depth = 1); split oblique by svm1_odt;"
    )
    result = treemip.loads(text, base=tmp_path).compile().solve("highs", start="none")
    result.save(tmp_path / "t.json")
    again = reverify(tmp_path / "t.json")
    assert again.verified, again
    assert again.errors == 0
    assert load_tree(tmp_path / "t.json").predict(MIDDLE).tolist() == MIDDLE["c"]
    # the same tree on other rows, encoded as it was itself
    (tmp_path / "other.csv").write_text("n,h,c\n0,b,x\n1,b,y\n1,a,x\n")
    assert reverify(tmp_path / "t.json", tmp_path / "other.csv").errors == 1


def test_a_solution_of_another_set_is_found_out() -> None:
    result = middle()
    made = result.compiled
    values = {name: found.copy() for name, found in result.values.items()}
    values["goes_left"] = 1 - values["goes_left"]
    from treemip.core.tree.readout import readout, routed_by_solution
    from treemip.core.tree.verify import verify

    tree, end = readout(made.instance, values), routed_by_solution(made.instance, values)
    report = verify(made.instance, made.reformed.original, values, tree, end)
    assert report.misrouted == (1, 2, 3, 4, 5, 6)
    assert {v.name for v in report.violations} >= {"in_set", "not_in_set"}


@pytest.mark.parametrize("seed", one_in(2, range(8)))
def test_any_tree_of_categories_costs_its_own_errors(seed: int) -> None:
    columns = random_columns(seed)
    rng = np.random.default_rng(seed)
    made = compiled(columns, 2, "cut told {l in leaves, k in classes}: label[l,k] <= 1;")
    node = np.zeros(len(columns["c"]), np.int64)
    for t in range(3):
        sides = splits(columns)[len(np.unique(columns["n"])) :]
        left = sides[rng.integers(len(sides))] if sides else np.ones(len(node), bool)
        node = np.where(node == t, np.where(left, 2 * t + 1, 2 * t + 2), node)
    y = made.instance.table.y
    classes = {
        leaf: int(np.bincount(y[node == leaf], minlength=2).argmax()) for leaf in range(3, 7)
    }
    given = np.array([classes[int(leaf)] for leaf in node])
    errors = int((given != y).sum())
    fixed = fix_tree(made.instance, made.model, node, classes)
    result = made.result(solve(fixed, "highs", Limits(feasibility=TIGHT)), {}, [])
    assert result.status == "optimal"
    assert result.verified, result.report
    assert result.train_errors == result.values["wrong"].sum() == errors
    assert result.tree is not None
    assert result.tree.route(made.instance.table.inputs).tolist() == node.tolist()


@pytest.mark.parametrize("depth", [1, 2])
def test_cart_on_categories_is_a_start(depth: int) -> None:
    pytest.importorskip("sklearn")
    made = compiled(random_columns(3), depth)
    tree = of_cart(made.instance, cart(made.instance))
    ends, classes = ends_of(tree, made.instance.table.inputs)
    given = np.array([classes[int(end)] for end in ends])
    begun = fix_tree(made.instance, made.model, ends, classes)
    fixed = made.result(solve(begun, "highs", Limits(feasibility=TIGHT)), {}, [])
    assert fixed.status == "optimal"
    assert fixed.verified, fixed.report
    assert fixed.train_errors <= (given != made.instance.table.y).sum()
    if depth == 1:
        result = made.solve("highs", start="cart")
        assert result.answer.start_accepted is True
        assert result.verified


def test_without_categorical_features_it_is_the_plain_model() -> None:
    numbers = {"n": MIDDLE["n"], "m": [0.0, 1.0, 0.0, 0.25, 0.75, 0.5], "c": MIDDLE["c"]}
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 2);'
        "split oblique by svm1_odt;"
    )
    model = treemip.loads(text, data=numbers).compile().model
    points, branches, leaves, features = 6, 3, 4, 2
    names = [b.name for b in model.variables if b.length and not b.made_by]
    assert names == [
        *("wrong", "reach", "given", "leaf_class", "leaf_given"),
        *("coef", "bias", "above", "below", "slack"),
    ]
    columns = 2 * points + 2 * points * leaves + leaves
    columns += branches * (features + 1 + 3 * points)
    assert sum(b.length for b in model.variables if not b.made_by) == columns
    families = {rows.name for rows in model.rows}
    assert not families & {"one_tested", "chosen", "in_set", "not_in_set", "one_kind_first"}


def test_a_formulation_without_such_splits_says_that_kept_columns_take_no_part() -> None:
    text = 'data "t" { label c; encode keep h; scale minmax; } topology complete(depth = 1);'
    made = treemip.loads(f"{text} split oblique by soct;", data=MIDDLE).compile()
    (warning,) = made.warnings
    assert warning.code == "W302"
    assert warning.message == ("soct cannot split by categories, so kept columns are not used: 'h'")
    result = made.solve("highs", start="cart")
    assert result.verified
    assert result.train_errors == 2
    alone = text.replace("label c;", "label c; use h;")
    with pytest.raises(TreemipError) as caught:
        treemip.loads(f"{alone} split oblique by soct;", data=MIDDLE).compile()
    assert [d.code for d in caught.value.diagnostics] == ["E306"]


def test_categories_alone_need_no_number() -> None:
    columns = {"h": MIDDLE["h"], "c": MIDDLE["c"]}
    result = compiled(columns, 1, keep="keep h").solve("highs", start="none")
    assert result.train_errors == 0
    assert result.verified, result.report
