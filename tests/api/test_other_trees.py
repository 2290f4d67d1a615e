"""Trees to compare with: what they are worth, and whether the spec allows them."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.search.complete import complete
from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.from_tree import broken_by_tree
from treemip.api import other_trees as module
from treemip.api.other_trees import other_trees
from treemip.core.resources import specs_path

RNG = np.random.default_rng(3)
X = RNG.integers(0, 8, (30, 3)).astype(float)
TABLE = {name: X[:, j].tolist() for j, name in enumerate("uvw")} | {
    "sex": RNG.choice(["f", "m"], 30).tolist(),
    "c": np.where((X[:, 0] > 4) ^ (X[:, 1] > 5) ^ (RNG.random(30) < 0.1), "y", "n").tolist(),
    "z": np.round(X[:, 0] ** 2 + RNG.normal(0, 6, 30), 2).tolist(),
}
SHARE = (
    "let share {g in values(sex)} = "
    'sum {i in points : sex[i] = g} predicts[i,"y"] / card({i in points : sex[i] = g});'
)


@pytest.fixture(autouse=True)
def time_enough(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 60.0)


def spec(by: str, more: str = "", label: str = "c", depth: int = 2) -> treemip.Program:
    drop = "z" if label == "c" else "c"
    text = (
        f'data "t" {{ label {label}; group sex; drop {drop}; scale minmax; }} '
        f"topology complete(depth = {depth}); split univariate by {by}; {more}"
    )
    return treemip.loads(text, data=TABLE)


def texts(program: treemip.Program) -> list[str]:
    compiled = program.compile()
    return [one.text() for one in other_trees(compiled.instance, compiled.stated)]


def test_the_constraints_of_the_spec_that_a_tree_misses_are_named():
    program = treemip.load(specs_path() / "credit.tree")
    assert texts(program) == [
        "CART 4 (misses bad_recall, parity)",
        "majority class 8 (misses bad_recall)",
    ]


def test_a_tree_that_the_formulation_alone_forbids_is_not_allowed():
    program = treemip.load(specs_path() / "diabetes_ort.tree")
    assert texts(program) == ["CART 0.4477 (not allowed by this spec)", "no split 1"]


@pytest.mark.parametrize("by", ["oct", "binoct"])
def test_nothing_is_said_of_rows_when_the_time_is_used_up(by):
    compiled = spec(by, "subject to few: splits <= 1;").compile()
    tree = of_cart(compiled.instance, cart(compiled.instance))
    assert broken_by_tree(compiled.instance, compiled.stated, tree)
    assert broken_by_tree(compiled.instance, compiled.stated, tree, late=lambda: True) is None


def test_constraints_on_splits_are_seen():
    more = "subject to few: distinct_features <= 1; some: splits >= 1;"
    (cart_, majority) = texts(spec("oct", more))
    assert cart_.endswith("(misses few)") and majority.endswith("(misses some)")


@pytest.mark.parametrize("by", ["oct", "binoct", "flow_oct"])
def test_a_requirement_about_the_features_of_splits_is_seen(by):
    """CART has two cuts, between which the answer is another: it rises and falls."""
    x = np.arange(12.0)
    data = {"x": x, "c": np.where((x > 3) & (x < 8), "y", "n").tolist()}
    text = (
        'data "t" { label c positive "y"; bin quantile(12); } topology complete(depth = 2); '
        f"split univariate by {by}; minimize misclassified; subject to rising: monotone(x, up);"
    )
    assert texts(treemip.loads(text, data)) == ["CART 0 (misses rising)", "majority class 4"]


def test_a_threshold_is_a_reason_where_no_other_one_parts_the_points_alike():
    """CART's root has points at 4 / 6 and 5 / 6, whose gap is all that OCT asks for."""
    for least, missed in ((0.75, False), (0.833, False), (0.834, True), (0.99, True)):
        cart_, majority = texts(spec("oct", f"subject to low: bias[root] >= {least};"))
        assert cart_.endswith("(misses low)") == missed and "(" not in majority


def test_a_gap_that_the_formulation_asks_for_is_a_reason():
    """OCT asks for the least gap above 1e-5 between the points that a split parts."""
    x, classes = [0.0, 0.5, 0.500005, 1.0], ["n", "n", "y", "y"]
    for by, apart in (("oct", 0.500005), ("oct", 0.6), ("binoct", 0.500005)):
        text = f'data "t" {{ label c; }} topology complete(depth = 1); split univariate by {by};'
        x[2] = apart
        program = treemip.loads(f"{text} minimize misclassified;", {"x": x, "c": classes})
        wrong = " (not allowed by this spec)" if by == "oct" and apart < 0.6 else ""
        assert texts(program) == [f"CART 0{wrong}", "majority class 2"]


def test_splits_that_no_row_is_held_against_are_said_to_be_so():
    data = {"x": [0.0, 0.4, 0.6, 1.0], "c": ["n", "n", "y", "y"]}
    text = 'data "t" { label c; } topology complete(depth = 1); split randomized by mrct;'
    assert texts(treemip.loads(text, data))[0] == "CART 0 (rows not checked)"


LARGE = "subject to large {l in leaves}: points_in[l] >= 7 * occupied[l];"
ROWS = (
    "",
    'subject to found: recall["y"] >= 0.95;',
    LARGE,
    f'{SHARE} subject to parity: -0.05 <= share["f"] - share["m"] <= 0.05;',
)
CASES = [
    *((by, "c", f"minimize misclassified; {rows}") for by in ("oct", "binoct") for rows in ROWS),
    ("oct(min_leaf = 6)", "c", "minimize misclassified;"),
    *(("ort(squared = 1, min_leaf = 4)", "z number", rows) for rows in ("", LARGE)),
]


@pytest.mark.parametrize(("by", "label", "more"), CASES)
def test_no_tree_that_is_allowed_is_better_than_the_optimum(by, label, more):
    result = spec(by, more, label).compile().solve(time_limit=20)
    assert result.status == "optimal" and result.objective is not None
    for other in result.others:
        worth = float(other.errors or 0) if other.objective is None else other.objective
        assert other.broken or worth >= result.objective - 1e-6, other.text()


@pytest.mark.parametrize("by", ["oct", "binoct", "ort"])
def test_what_was_completed_sends_points_where_the_tree_does(by):
    compiled = spec(by, label="z number" if by == "ort" else "c").compile()
    instance = compiled.instance
    if by == "ort":
        from treemip.answers.search.greedy import greedy_tree

        tree = greedy_tree(instance)
    else:
        tree = of_cart(instance, cart(instance))
    inputs = instance.table.inputs
    completion = complete(instance, compiled.stated, tree)
    assert completion.tree is not None and not completion.violations
    assert (completion.tree.ends(inputs) == tree.ends(inputs)).all()


def test_large_tables_and_models_are_compared_without_a_look_at_the_rows(monkeypatch):
    compiled = spec("oct", 'subject to found: recall["y"] >= 0.95;').compile()

    def told() -> list[str]:
        others = other_trees(compiled.instance, compiled.stated)
        return [one.text().replace(str(one.errors), "n") for one in others]

    assert told()[1] == "majority class n (misses found)"
    monkeypatch.setattr(module, "MOST_NONZEROS", 0)
    unknown = "n (rows not checked)"
    assert told() == [f"CART {unknown}", f"majority class {unknown}"]
    monkeypatch.setattr(module, "MOST_ENTRIES", 0)
    assert told() == [f"majority class {unknown}"]
