"""What a search keeps to on any table: CART's errors, its seconds, budgets, sizes of leaves."""

from __future__ import annotations

import time

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.search.beginnings import FEW
from treemip.answers.search.tree_search import TreeSearch
from treemip.answers.starts.cart import cart
from treemip.api.compiled import Compiled

FORMS = {
    "univariate by oct": "scale minmax;",
    "univariate by binoct": "",
    "univariate by flow_oct": "bin quantile(5);",
    "oblique by soct(eps = 0.0001)": "scale minmax;",
    "oblique by octh(mu = 0.0001)": "scale minmax;",
}


def compiled(
    by: str, seed: int, points: int, features: int = 6, depth: int = 2, more: str = ""
) -> Compiled:
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 40, (points, features)).astype(float)
    y = (x[:, 0] + x[:, 1] > 40).astype(int) + (x[:, 2] > 25)
    y = np.where(draw.random(points) < 0.1, draw.integers(0, 3, points), y)
    columns: dict = {f"f{j}": x[:, j].tolist() for j in range(features)}
    columns["c"] = [f"k{k}" for k in y]
    text = (
        f'data "t" {{ label c; {FORMS[by]} }} topology complete(depth = {depth}); '
        f"split {by}; {more}"
    )
    return treemip.loads(text, data=columns).compile()


def searched(program: Compiled, seconds: float) -> TreeSearch:
    search = TreeSearch(program.instance, program.stated, seconds, 0)
    search.run()
    return search


def errors(search: TreeSearch) -> int:
    assert search.best is not None
    tree, table = search.best.tree, search.instance.table
    labels = tree.labels[search.search.leaf_number[tree.ends(table.inputs)]]
    return int((labels != table.y).sum())


@pytest.mark.parametrize(("by", "depth"), one_in(1, FORMS, [1, 2, 3]))
def test_no_search_is_worse_than_cart(by: str, depth: int) -> None:
    program = compiled(by, depth, 150, depth=depth, more="minimize misclassified;")
    grown, y = cart(program.instance), program.instance.table.y
    told = grown.predicted
    assert errors(searched(program, 0.0)) <= int((told != y).sum())


@pytest.mark.parametrize("by", ["univariate by binoct", "oblique by soct(eps = 0.0001)"])
def test_a_search_of_many_points_ends_in_time(by: str) -> None:
    program = compiled(by, 0, 9000)
    began = time.perf_counter()
    search = searched(program, 1.0)
    assert time.perf_counter() - began < 6.0
    assert errors(search) < 4500


def test_budgets_and_sizes_of_leaves_are_kept() -> None:
    more = (
        "minimize misclassified; subject to few {t in branches}: "
        "sum {j in features} uses[t,j] <= 2; all: sum {j in features} uses_anywhere[j] <= 3; "
        "size {l in leaves}: points_in[l] >= 20 * occupied[l];"
    )
    program = compiled("oblique by soct(eps = 0.0001)", 1, 400, more=more)
    search = TreeSearch(program.instance, program.stated, 60.0, 0)
    for start in range(4):  # as many on any machine: the first of them has single features
        search._visit(start, -np.inf)
    search._complete_waiting()
    assert search.best is not None
    tree = search.best.tree
    uses = tree.weights != 0
    assert uses.sum(axis=1).max() == 2
    assert uses.any(axis=0).sum() <= 3
    points = np.bincount(tree.ends(search.instance.table.inputs))
    assert points[points > 0].min() >= 20
    assert errors(search) < 130  # the largest class alone leaves some 230


def test_gaps_that_a_formulation_needs_are_searched_for() -> None:
    draw = np.random.default_rng(0)
    x = draw.random((400, 2))
    columns: dict = {"a": x[:, 0].tolist(), "b": x[:, 1].tolist()}
    columns["c"] = [f"k{int(k)}" for k in x.sum(axis=1) + 0.1 * draw.normal(size=400) > 1]
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 2); '
        "split oblique by soct(eps = 0.006);"
    )
    search = searched(treemip.loads(text, data=columns).compile(), 1.5)
    assert search.gaps.narrow
    assert search.gaps.needed == pytest.approx(0.006)
    assert errors(search) < 120  # the larger class alone leaves some 200


def test_the_sequence_of_trees_depends_on_the_seed_alone() -> None:
    program = compiled("oblique by soct(eps = 0.0001)", 3, 300)
    values = []
    for _ in range(2):
        search = TreeSearch(program.instance, program.stated, 60.0, 7)
        for start in range(6):
            search._visit(start, -np.inf)
        values.append([entry[:2] for pool in search.pools for entry in pool.entries])
    assert values[0] == values[1]


def test_among_many_points_single_features_are_improved_first() -> None:
    """A tree of hyperplanes takes seconds there, and may end worse than the best cuts."""
    by = "oblique by soct(eps = 0.0001)"
    program = compiled(by, 4, 4000, more="minimize misclassified;")
    search = TreeSearch(program.instance, program.stated, 60.0, 0)
    grown, y = cart(program.instance), program.instance.table.y
    told = grown.predicted
    search._of_single_features(0, -np.inf)
    assert search.best is not None
    assert search.axis is not None
    tree = search.axis.pool.entries[0].tree
    assert ((tree.weights != 0).sum(axis=1) <= 1).all()
    assert errors(search) < int((told != y).sum())


RARE = """data "t" { label k; } topology complete(depth = 2); split univariate by binoct;
minimize misclassified; subject to
  found: recall["rare"] >= 0.8;
  sizes {l in leaves}: points_in[l] >= 0.1 * card(points) * occupied[l];"""


def rare(points: int) -> tuple[dict, np.ndarray]:
    """A class of one in a hundred points, more of them where a and b are large."""
    draw = np.random.default_rng(1)
    x = draw.random((points, 4)).round(3)
    y = draw.random(points) < 0.003 + 0.03 * (x[:, 0] > 0.5) * (x[:, 1] > 0.5)
    columns: dict = {name: column.tolist() for name, column in zip("abcd", x.T, strict=True)}
    return columns | {"k": np.where(y, "rare", "usual").tolist()}, y


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_rows_that_cost_many_errors_are_kept_by_trees_with_splits(seed: int) -> None:
    data, y = rare(1500)
    compiled = treemip.loads(RARE, data=data).compile()
    search = TreeSearch(compiled.instance, compiled.stated, 60.0, seed)
    search.run(patient=False)
    assert search.best is not None
    everyone = len(y) - int(y.sum())  # the errors of one leaf, which alone keeps the rows at once
    assert errors(search) < 0.5 * everyone


def test_random_trees_take_few_cuts_of_the_root_in_turn() -> None:
    data = {"a": [0.0, 1.0, 1.0, 2.0, 0.0], "b": [1.0, 0.0, 1.0, 3.0, 3.0], "c": list("nynyy")}
    text = 'data "t" { label c; } topology complete(depth = 2); split univariate by binoct;'
    made = treemip.loads(text, data=data).compile()
    search = TreeSearch(made.instance, made.stated, 0.0, 0)
    begin = search.begin
    assert sorted(begin.few_cuts) == [(0, 0.5), (0, 1.5), (1, 0.5), (1, 2.0)]
    for _ in range(3):
        trees = [begin.random_tree(search.classes) for _ in begin.few_cuts]
        roots = [(int(t.weights[0].argmax()), float(t.threshold[0])) for t in trees]
        assert sorted(roots) == sorted(begin.few_cuts)
    many = compiled("univariate by binoct", 1, 2 * FEW)
    assert not TreeSearch(many.instance, many.stated, 0.0, 0).begin.few_cuts


FEATURES_PRICED = """
data "t" { label c positive "k1"; }
topology shape "((. .) (. .))";
split univariate by binoct;
minimize misclassified + 0.25 * distinct_features;
"""


def test_of_cuts_that_part_carts_points_alike_the_cheapest_is_taken_without_time() -> None:
    """Both features part the points of the second branch; CART knows the first one's cut first. A
    branch that parts nothing needs a split as well."""
    data = {
        "a1": [3.0, 2.0, 2.0, 2.0, 3.0, 1.0],
        "a2": [3.0, 3.0, 1.0, 3.0, 2.0, 0.0],
        "c": ["k1", "k1", "k1", "k1", "k0", "k0"],
    }
    made = treemip.loads(FEATURES_PRICED, data=data).compile()
    search = TreeSearch(made.instance, made.stated, 0.0, 0)
    cart_tree = search.begin.purest_tree()
    assert np.count_nonzero(cart_tree.weights.any(axis=0)) == 2
    best = search.run().best
    assert best is not None and best.objective <= 1.25


def deep(by: str, goal: str) -> Compiled:
    """More labellings of the leaves than are tried."""
    draw = np.random.default_rng(1)
    x = draw.integers(0, 30, (60, 2)).astype(float)
    data = {"a": x[:, 0], "b": x[:, 1], "c": [f"k{k}" for k in draw.integers(0, 3, 60)]}
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 5); '
        f"split univariate by {by}; {goal}"
    )
    return treemip.loads(text, data=data).compile()


def test_labels_of_many_leaves_begin_with_the_heaviest_classes() -> None:
    """From labels that are all the same, no single other one helps the least recall."""
    made = deep("binoct", "maximize min {k in classes} recall[k];")
    search, grown = TreeSearch(made.instance, made.stated, 0.0, 0), cart(made.instance)
    y = made.instance.table.y
    told = grown.predicted
    least = min((told[y == k] == k).mean() for k in range(3))
    assert -search.search.relabelled(search.begin.purest_tree()) >= least > 0


def test_where_sums_do_not_tell_labels_apart_the_heaviest_class_is_taken() -> None:
    """What attackers can do is in no sum over the points of leaves."""
    made = deep("roct", "")
    search = TreeSearch(made.instance, made.stated, 0.0, 0)
    tree, y = search.begin.purest_tree(), made.instance.table.y
    labels = tree.labels[search.search.leaf_number[tree.ends(made.instance.table.inputs)]]
    assert (labels == y).mean() > 0.6


def test_splits_that_only_hold_the_others_in_their_place_are_kept() -> None:
    """No point is worth less on one side of the root; without its split, b would be split there."""
    made = treemip.loads(
        'data "t" { label c; scale minmax; } topology shape "((. .) (. .))"; '
        "split oblique by soct(eps = 0.005); maximize accuracy; "
        'subject to later {j in features_of("b")}: uses[root,j] = 0;',
        data={
            "a": [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            "b": [0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 2.0, 3.0],
            "c": list("nnyyyyyy"),
        },
    ).compile()
    search = TreeSearch(made.instance, made.stated, 0.0, 0)
    tree = search.search.empty()
    tree.weights[0, 0], tree.threshold[0] = 1.0, 0.5
    tree.weights[1:3, 1], tree.threshold[1:3] = 1.0, 0.5
    search.search.relabelled(tree)
    search._considered(tree)
    assert search.best is not None and search.best.objective == 1.0
