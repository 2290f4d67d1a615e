"""Rows that sums do not know: checked as by a completion, and kept by other answers of leaves."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import treemip
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import complete, never
from treemip.answers.search.tree_search import TreeSearch
from treemip.answers.search.watched_rows import TRIED, WatchedRows

SPEC = """data "t.csv" {{ label y positive "yes"; scale minmax; }}
topology complete(depth = {depth});
split univariate by {by};
minimize misclassified;
subject to
  up: monotone(a, up);
  down: monotone(b, down);
  found: recall["yes"] >= 0.3;
"""
ORDER = {"up", "down"}


def table(seed: int, rows: int = 60) -> dict:
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(0, 6, (3, rows))
    return {"a": a, "b": b, "c": c, "y": np.where(a + c + rng.normal(size=rows) > 5, "yes", "no")}


def searching(by: str, depth: int, seed: int) -> tuple[TreeSearch, WatchedRows]:
    compiled = treemip.loads(SPEC.format(by=by, depth=depth), data=table(seed)).compile()
    search = TreeSearch(compiled.instance, compiled.stated, 60.0, seed)
    watched = WatchedRows(compiled.instance, compiled.stated, search.search)
    watched.note(ORDER, search.sums)
    assert watched.families == ORDER
    return search, watched


def random_trees(search: TreeSearch, count: int) -> list[Candidate]:
    trees = [search.begin.random_tree(search.classes) for _ in range(count)]
    for tree in trees:
        tree.labels[:] = search.rng.integers(0, 2, len(tree.labels))
    return trees


@pytest.mark.parametrize("by", ["oct", "binoct"])
@pytest.mark.parametrize("depth", [2, 3])
def test_a_check_says_what_a_completion_does(by: str, depth: int) -> None:
    search, watched = searching(by, depth, depth)
    seen = set()
    for tree in random_trees(search, 25):
        broken = {
            v.name for v in complete(search.instance, search.solutions.model, tree).violations
        }
        if broken <= ORDER | {"found"}:
            assert watched.keeps(tree) == (not broken & ORDER)
            seen.add(watched.keeps(tree))
    assert seen == {True, False}


def test_other_answers_are_the_best_that_keep_the_rows() -> None:
    search, watched = searching("oct", 2, 5)
    search.search.price = 1e3
    mended = 0
    for tree in random_trees(search, 25):
        if watched.keeps(tree):
            continue
        found = watched.mended(tree, never)
        values = []
        for labels in product(range(2), repeat=4):
            other = tree.copy()
            other.labels[:] = labels
            objective, violation = search.search.worth(other)
            if watched.keeps(other):
                values.append(objective + search.search.price * violation)
        assert TRIED >= 16 and found is not None
        value, other = found
        assert watched.keeps(other)
        assert value == pytest.approx(min(values))
        mended += 1
    assert mended > 5


def test_rows_that_sums_count_are_not_watched() -> None:
    search, watched = searching("oct", 2, 0)
    watched.note({"found", "route_left"}, search.sums)
    assert watched.families == ORDER


@pytest.mark.parametrize("seed", range(3))
def test_a_search_finds_trees_in_order(seed: int) -> None:
    """As good as the best tree of depth 2, all rows kept."""
    text = SPEC.format(by="oct", depth=2)
    compiled = treemip.loads(text, data=table(seed, 30)).compile()
    search = TreeSearch(compiled.instance, compiled.stated, 20.0, 0)
    report = search.run(patient=False)
    best = compiled.solve(time_limit=60)
    assert report.best is not None
    assert best.status == "optimal"
    assert report.best.objective == pytest.approx(best.objective)


SURVIVAL = """data "t.csv" { label none; number time from months, event from died;
  use age, bmi, other; scale minmax; }
topology complete(depth = 2);
split univariate by ost(min_leaf = 5);
subject to
  falls: monotone(age, down);
"""


def survivals(rows: int = 80) -> dict:
    """Who is neither young nor old dies early, and of the others those of high bmi."""
    rng = np.random.default_rng(2)
    age, bmi, other = rng.integers(0, 12, (3, rows))
    hazard = np.where((age > 3) & (age < 8), 3.0, 1.0) + np.where(bmi > 6, 0.8, 0.0)
    months = rng.exponential(1 / hazard)
    return {"age": age, "bmi": bmi, "other": other, "months": months, "died": np.ones(rows, int)}


def test_values_of_leaves_in_an_order_are_found_by_splits_that_are_barred() -> None:
    compiled = treemip.loads(SURVIVAL, data=survivals()).compile()
    search = TreeSearch(compiled.instance, compiled.stated, 60.0, 0)
    best = search.run(patient=False).best
    assert best is not None and search.watched.families == {"falls"}
    spec = SURVIVAL.replace("use age, ", "use ")[: SURVIVAL.index("subject to") - len("age, ")]
    without_age = treemip.loads(spec, data=survivals()).compile().solve(time_limit=30)
    assert without_age.status == "optimal"
    assert best.objective <= without_age.objective + 1e-6
