"""Searches among many points: samples first, gaps at a price that rises, few completions."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.search import greedy, leaf_answers, sum_builder
from treemip.answers.search.alternate import Alternation
from treemip.answers.search.beginnings import Beginnings
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.gaps import own_gap
from treemip.answers.search.greedy import trees_to_compare
from treemip.answers.search.leaf_answers import MOST_CANDIDATES, LeafAnswers, candidates
from treemip.answers.search.solutions import COSTLY, REST, Waiting
from treemip.answers.search.sum_builder import sums_among
from treemip.answers.search.tree_search import TreeSearch
from treemip.core.instance.instance import Instance

GAP = 0.002


def table(points: int, seed: int) -> dict[str, np.ndarray]:
    """Two classes parted by two hyperplanes, from which points keep 0.02; one of a hundred has the
    other class."""
    draw = np.random.default_rng(seed)
    x = draw.random((2 * points, 3))
    first, second = x @ [1, 1, 0] - 1, x @ [1, -1, 0.5] - 0.2
    answer = (first < 0) & (second < 0)
    clear = (np.abs([first, second]) > 0.02).all(axis=0)
    x, answer = x[clear][:points], answer[clear][:points]
    answer ^= draw.random(len(x)) < 0.01
    return {**{f"a{j}": column for j, column in enumerate(x.T)}, "c": answer.astype(str)}


def search_of(data: dict[str, np.ndarray], seconds: float, eps: float = GAP) -> TreeSearch:
    text = (
        'data "t.csv" { label c; scale minmax; } topology complete(depth = 2); '
        f"split oblique by soct(eps = {eps}); minimize misclassified;"
    )
    compiled = treemip.loads(text, data=data).compile()
    return TreeSearch(compiled.instance, compiled.stated, seconds, 0)


def test_trees_improved_by_a_sample_are_as_good_for_all() -> None:
    search = search_of(table(5000, 0), np.inf).search
    search.gap = GAP
    values = []
    for _ in range(3):
        tree = random_tree(search)
        values.append(search.improve_by_sample(tree, -np.inf, 2000, lambda value: True))
        assert narrowest(search, tree) >= GAP * (1 - 1e-6)
    assert min(values) <= 0.02 * len(search.x)


def random_tree(search: Alternation) -> Candidate:
    return Beginnings(search).random_tree(search.counts.argmax(axis=1))


def narrowest(search: Alternation, tree: Candidate) -> float:
    gaps = [np.inf]
    for node in tree.topology.branches.tolist():
        x = search.x[search.members(tree, node)]
        if tree.weights[node].any() and len(x):
            gaps.append(own_gap(x, tree.goes_left(node, x), tree.weights[node]))
    return min(gaps)


@pytest.mark.parametrize("seed", [0, 1])
def test_points_that_are_too_near_cost_more_and_more(seed: int) -> None:
    """At a price that rises they leave the tree as good as it can be, where it is hard at once they
    leave it far worse."""
    search = search_of(table(3000, seed), np.inf).search
    search.gap, soft, hard = 2 * GAP, [], []
    for _ in range(3):
        tree = random_tree(search)
        other = tree.copy()
        soft.append(search.improve(tree, -np.inf))
        assert narrowest(search, tree) >= search.gap * (1 - 1e-6)
        hard.append(search.improve(other, -np.inf, bands=()))
    assert min(soft) <= 0.015 * len(search.x)
    assert sum(soft) < sum(hard)


def test_what_a_narrower_gap_would_bring_is_told() -> None:
    """An outlier presses a feature together, so that no good hyperplane with it has the gap; still
    the tree has splits."""
    data = table(4000, 2)
    data["a2"][0] = 50.0
    search = search_of(data, 4.0)
    report = search.run()
    assert report.best is not None
    assert report.best.tree.weights.any()
    assert report.narrow is not None
    assert report.narrow.objective < report.best.objective
    assert report.narrow.gap < report.narrow.needed == pytest.approx(GAP)


def test_costly_completions_wait() -> None:
    waiting = Waiting(10.0)
    waiting.note(0.0, COSTLY * 5)
    assert not waiting.costly
    waiting.note(1.0, 1.5)
    assert waiting.costly
    assert waiting.pays(2.0)
    assert not waiting.pays(1.5 + REST * 0.5 + 0.1)


def of_numbers(points: int) -> Instance:
    rng = np.random.default_rng(0)
    data: dict = {"a": rng.random(points), "b": rng.random(points)}
    data["y"] = np.round(data["a"] + rng.normal(size=points), 6)
    text = (
        'data "t.csv" { label y number; scale minmax; } topology complete(depth = 2); '
        "split univariate by ort;"
    )
    return treemip.loads(text, data=data).instance


@pytest.mark.parametrize("by_leaf", [False, True])
def test_few_values_of_leaves_at_a_time_have_the_same_sums(
    by_leaf: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = of_numbers(60)
    values = np.linspace(-1, 2, 21)
    answers = LeafAnswers.among(values + np.arange(4)[:, None] / 9 if by_leaf else values)
    of_point, found, among = instance.table.distinct[1], [], sum_builder._among

    def counted(*given: object) -> object:
        found.append(given[2].count)  # type: ignore[attr-defined]
        return among(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(sum_builder, "_among", counted)
    whole = sums_among(instance, of_point, answers)
    for name, value in {"MOST_AT_ONCE": 0, "MANY": 0, "AT_ONCE": 0}.items():
        monkeypatch.setattr(sum_builder, name, value)
    parts = sums_among(instance, of_point, answers)
    assert found == [21, 6, 6, 6, 6, 6, 3]
    for name in ("shared", "local", "label", "scale", "constant", "low", "high"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name)), name


def test_leaves_of_many_points_try_fewer_values(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = of_numbers(300)
    every = candidates(instance)
    assert every is not None
    assert every.count == MOST_CANDIDATES
    monkeypatch.setattr(leaf_answers, "MOST_SUMS", 300 * 4 * 20)
    few = candidates(instance)
    assert few is not None
    assert few.count == 20
    assert few.values is not None
    assert few.values[[0, -1]].tolist() == [instance.table.y.min(), instance.table.y.max()]


def test_trees_to_compare_are_left_out_where_they_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = of_numbers(300)
    assert set(trees_to_compare(instance)) == {"CART", "no split"}
    monkeypatch.setattr(greedy, "MOST_REFINED", 300 * 4 * MOST_CANDIDATES - 1)
    assert not trees_to_compare(instance)
