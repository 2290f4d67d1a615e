"""Several good trees of one spec: each verified, within its share, different from the others."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.api.near_optimal import NearOptimalTrees
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError
from treemip.methods.near_optimal import Signature

GROUPED = 'data "t" { label c positive "p"; group g; scale minmax; } topology complete(depth = 2); '


def points(count: int = 40) -> dict[str, list]:
    draw = np.random.default_rng(3)
    a, b = draw.integers(0, 10, (2, count))
    positive = (a + b + draw.integers(0, 4, count)) > 10
    groups = np.where(draw.random(count) < 0.5, "u", "v")
    label = np.where(positive, "p", "n")
    return {"a": a.tolist(), "b": b.tolist(), "g": groups.tolist(), "c": label.tolist()}


@cache
def near(by: str, more: str) -> NearOptimalTrees:
    program = treemip.loads(f"{GROUPED} split {by}; {more}", data=points())
    how = {"solver": "highs", "start": "search", "time_limit": 2} if "oblique" in by else {}
    return program.compile().solve(**how).near_optimal(6, within=0.5, seconds=2.0)


@cache
def solved() -> Result:
    """A small table's best tree by itself."""
    best = treemip.loads(f"{GROUPED} split univariate by binoct;", data=points(12)).compile()
    return best.solve("highs", time_limit=5)


@pytest.mark.parametrize("by", ["univariate by binoct", "univariate by oct", "oblique by octh"])
def test_each_tree_is_verified_within_the_share_and_another_one(by: str) -> None:
    found = near(by, "minimize misclassified;")
    best = found.results[0].objective
    assert best is not None and len(found) > 1
    for one in found.results:
        assert one.verdict == "verified", one.problems
        assert one.objective is not None
        assert best <= one.objective <= 1.5 * best + 1e-6
        assert one.train_errors == round(one.objective)
    inputs = found.results[0].compiled.instance.table.inputs
    names = [Signature.of(one.tree, inputs) for one in found.results if one.tree is not None]
    assert all(a != b for a, b in combinations(names, 2))


def every_tree(x: np.ndarray, y: np.ndarray, depth: int) -> dict[object, int]:
    """The errors of all trees with labels that are best, and different ones below each branch; a
    tree is the points of its leaves and the features of its branches."""

    def below(rows: np.ndarray, depth: int) -> list[tuple[list[np.ndarray], list[int], object]]:
        trees: list[tuple[list[np.ndarray], list[int], object]] = [([rows], [], None)]
        for j in range(x.shape[1] if depth else 0):
            for value in np.unique(x[rows, j])[:-1]:
                left = x[rows, j] <= value
                sides = below(rows[left], depth - 1), below(rows[~left], depth - 1)
                trees += [
                    (a + b, sorted([j, *f, *g]), (p, q)) for (a, f, p), (b, g, q) in product(*sides)
                ]
        return trees

    def classes(shape: object, labels: Iterator[int]) -> set[int]:
        """The labels below; all of them also where a branch has one label below it."""
        if shape is None:
            return {next(labels)}
        low, high = (classes(side, labels) for side in shape)
        return low | high if len(low | high) > 1 else {-1}

    trees: dict[object, int] = {}
    for leaves, features, shape in below(np.arange(len(x)), depth):
        counts = [np.bincount(y[rows], minlength=2) for rows in leaves]
        best = [np.flatnonzero(count == count.max()).tolist() for count in counts]
        if any(-1 not in classes(shape, iter(labels)) for labels in product(*best)):
            name = frozenset(tuple(sorted(rows)) for rows in leaves), tuple(features)
            trees[name] = sum(int(count.min()) for count in counts)
    return trees


TINY = {
    "a": [0, 2, 1, 1, 2, 2, 0, 1, 0, 1, 2, 0],
    "b": [0, 2, 1, 1, 2, 0, 1, 2, 2, 0, 0, 0],
    "c": list("pnpnpnnpnpnn"),
}


@cache
def near_tiny(
    formulation: str, depth: int, within: float, trees: int, more: str = "minimize misclassified;"
) -> NearOptimalTrees:
    text = (
        f'data "t" {{ label c positive "p"; scale minmax(0.1, 0.9); }} '
        f"topology complete(depth = {depth}); split univariate by {formulation}; {more}"
    )
    return treemip.loads(text, data=TINY).compile().solve().near_optimal(trees, within, 60.0)


@pytest.mark.parametrize(
    ("formulation", "depth", "within"),
    [("binoct", 1, 1.0), ("oct", 1, 0.5), ("binoct", 2, 0.0), ("binoct", 2, 1.0), ("oct", 2, 1.0)],
)
def test_all_trees_are_listed_where_the_engine_takes_the_spec(
    formulation: str, depth: int, within: float
) -> None:
    x = np.array([TINY["a"], TINY["b"]]).T
    trees = every_tree(x, np.array([c == "p" for c in TINY["c"]], int), depth)
    limit = (1 + within) * min(trees.values())
    expected = sorted(errors for errors in trees.values() if errors <= limit)
    found = near_tiny(formulation, depth, within, 1000)
    assert (found.complete, found.counted, found.met) == (True, True, len(expected))
    assert [one.train_errors for one in found.results] == expected
    assert {one.answer.solver for one in found.results} == {"engine"}
    assert {one.verdict for one in found.results} == {"verified"}
    share = f"within {100 * within:g} % of the best objective"
    assert found.text() == f"{len(expected)} trees {share}; there are no others"


def test_more_trees_than_asked_for_are_counted() -> None:
    every = near_tiny("binoct", 2, 1.0, 1000)
    some = near_tiny("binoct", 2, 1.0, 3)
    assert (len(some), some.complete, some.counted, some.met) == (3, False, True, len(every))
    assert some.text() == f"3 of {len(every)} trees within 100 % of the best objective"


def test_without_time_nothing_is_called_complete() -> None:
    text = f"{GROUPED} split univariate by binoct; minimize misclassified;"
    best = treemip.loads(text, data=points()).compile().solve()
    found = best.near_optimal(5, 0.5, seconds=0.0)
    assert len(found) >= 1
    assert not found.complete
    assert not found.counted


def test_trees_that_the_formulation_forbids_are_left_out() -> None:
    free = near_tiny("oct", 2, 1.0, 1000)
    sized = near_tiny("oct(min_leaf = 3)", 2, 1.0, 1000)
    assert sized.complete
    assert 0 < sized.met < free.met
    for one in sized.results:
        assert one.tree is not None
        ends = one.tree.route(one.compiled.instance.table.inputs)
        assert np.unique(ends, return_counts=True)[1].min() >= 3


def test_constraints_hold_for_every_tree_and_none_is_called_optimal_but_the_best() -> None:
    found = near("univariate by binoct", "minimize misclassified; subject to few: errors >= 3;")
    assert all(one.verdict == "verified" for one in found.results)
    assert all((one.train_errors or 0) >= 3 for one in found.results)
    proven = [one.optimality is not None and one.optimality.proven for one in found.results]
    best = found.results[0].objective
    equal = [one.objective == best for one in found.results]
    assert all(same for same, claim in zip(equal, proven, strict=True) if claim)


def test_the_table_tells_errors_features_and_rates_of_groups(tmp_path: Path) -> None:
    found = near("univariate by binoct", "minimize misclassified;")
    files = found.save(tmp_path / "a.json")
    others = [f"a-{i}.json" for i in range(2, len(found) + 1)]
    assert [file.name for file in files] == ["a.json", *others, "a-trees.csv"]
    with files[-1].open() as text:
        rows = list(csv.DictReader(text))
    assert rows == found.table()
    for row, file, one in zip(rows, files, found.results, strict=False):
        assert json.loads(file.read_text())["scores"]["training"]["errors"] == int(
            row["training errors"]
        )
        assert one.tree is not None
        given = np.array(one.tree.predict({k: v for k, v in points().items() if k in "ab"}))
        member, label = np.array(points()["g"]) == "u", np.array(points()["c"])
        assert row["positive g=u"] == f"{100 * np.mean(given[member] == 'p'):.3g} %"
        assert row["errors g=u"] == f"{100 * np.mean((given != label)[member]):.3g} %"


def test_names_of_features_with_commas_and_spaces_stay_apart() -> None:
    """Two features, neither of which parts the classes alone."""
    columns = {"age, in years": [0, 0, 1, 1], "blood pressure": [0, 1, 0, 1], "c": list("nnny")}
    text = 'data "t" { label c; } topology complete(depth = 2); split univariate by binoct;'
    best = treemip.loads(text, data=columns).compile().solve(time_limit=8)
    row, *_ = best.near_optimal(1, 0.0, seconds=1.0).table()
    assert row["features"] == "age, in years; blood pressure"


@pytest.mark.parametrize(
    ("trees", "within", "message"),
    [
        (0, 0.1, "the number of trees must be at least 1, not 0"),
        (3, -0.1, "the share by which trees may be worse must be 0 or more, not -0.1"),
        (3, float("nan"), "the share by which trees may be worse must be 0 or more, not nan"),
    ],
)
def test_numbers_that_ask_for_nothing_are_refused(trees: int, within: float, message: str) -> None:
    with pytest.raises(TreemipError) as refused:
        solved().near_optimal(trees, within)
    (why,) = refused.value.diagnostics
    assert (why.code, why.message) == ("E902", message)


@pytest.mark.parametrize(
    ("complete", "met", "line"),
    [
        (True, 1, "no other tree is within 2 % of the best objective"),
        (False, 1, "no other tree was found within 2 % of the best objective; there may be some"),
        (
            False,
            4,
            "1 of 4 trees that were found within 2 % of the best objective; there may be more",
        ),
    ],
)
def test_one_tree_is_not_called_trees(complete: bool, met: int, line: str) -> None:
    assert NearOptimalTrees((solved(),), 0.02, complete, met).text() == line


def test_randomized_trees_are_the_local_solutions_of_a_search() -> None:
    pytest.importorskip("casadi", reason="Ipopt is needed")
    text = f"{GROUPED} split randomized by mrct; minimize expected_cost + 0.5 * l0_local;"
    best = treemip.loads(text, data=points()).compile().solve(time_limit=1)
    found = best.near_optimal(3, 1.0, seconds=1.0)
    assert len(found) > 1
    assert (found.complete, found.counted) == (False, False)
    least = found.results[0].objective
    assert least is not None and best.objective is not None and least <= best.objective
    inputs, names = best.compiled.instance.table.inputs, set()
    for one in found.results:
        assert one.verdict == "verified", one.problems
        assert one.objective is not None and least <= one.objective <= 2 * least + 1e-6
        assert one.tree is not None
        names.add(Signature.of_randomized(one.tree, inputs))
    assert len(names) == len(found)


def test_margin_trees_are_those_of_their_own_search() -> None:
    text = f"{GROUPED} split margin by margot;"
    best = treemip.loads(text, data=points()).compile().solve(start="search", time_limit=1)
    found = best.near_optimal(3, 1.0, seconds=1.0)
    assert len(found) > 1
    for one in found.results:
        assert one.verdict == "verified", one.problems
    objectives = [one.objective for one in found.results]
    assert None not in objectives and objectives == sorted(objectives)
