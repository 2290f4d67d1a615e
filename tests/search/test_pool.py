"""The pool of a search has different trees; a search ends where nothing better turns up."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.search.pool import MANY, STARTS, WAIT, Stall
from treemip.answers.search.tree_search import TreeSearch

SOLUTION, NONE = False, True


@pytest.fixture(scope="module", autouse=True)
def short_searches() -> None:
    """In place of that of the whole suite: the patience here is that of users."""


def noted(*steps: tuple[tuple[bool, float], int, float]) -> Stall:
    stall = Stall()
    for step in steps:
        stall.note(*step)
    return stall


@pytest.mark.parametrize(
    ("starts", "seconds", "over"),
    [
        (STARTS, WAIT, True),
        (STARTS - 1, WAIT, False),
        (STARTS, WAIT - 0.1, False),
        (MANY, 0.1, True),
    ],
)
def test_without_any_tree_it_waits_for_some_starts_and_seconds(
    starts: int, seconds: float, over: bool
) -> None:
    assert Stall().over(starts, seconds) is over


def test_it_waits_longer_the_later_the_last_better_tree_came() -> None:
    stall = noted(((SOLUTION, 9.0), 400, 3.0))
    assert not stall.over(400 + STARTS, 3.0 + WAIT)
    assert not stall.over(400 + MANY, 4.0)
    assert stall.over(400 + STARTS, 9.0)
    assert stall.over(1200, 4.0)


def test_what_is_no_better_does_not_make_it_wait() -> None:
    stall = noted(((SOLUTION, 9.0), 1, 0.1), ((SOLUTION, 9.0), 60, 2.0))
    assert (stall.start, stall.at) == (1, 0.1)


def test_a_first_solution_is_better_than_any_tree_that_is_none() -> None:
    stall = noted(((NONE, 3.0), 1, 0.1), ((SOLUTION, 9.0), 5, 0.5), ((NONE, 2.0), 6, 0.6))
    assert (stall.best, stall.start) == ((SOLUTION, 9.0), 5)


def searched(seed: int, seconds: float = 3.0) -> TreeSearch:
    draw = np.random.default_rng(3)
    x = draw.random((150, 4))
    y = (x[:, 0] + x[:, 1] > 1) ^ (x[:, 2] * x[:, 3] > 0.25)
    columns: dict = {f"f{j}": x[:, j].tolist() for j in range(4)}
    columns["c"] = [f"k{int(k)}" for k in y]
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 2); split oblique by soct;'
    )
    compiled = treemip.loads(text, data=columns).compile()
    return TreeSearch(compiled.instance, compiled.stated, seconds, seed)


def test_the_pool_has_no_tree_twice() -> None:
    search = searched(1)
    for starts in range(40):
        search._visit(starts, -np.inf)
    for pool in search.pools:
        shapes = [search.search.shape(tree) for _, _, tree, _ in pool.entries]
        assert len(set(shapes)) == len(shapes)
    assert len(search.pools[0]) == 5


def test_restarts_are_different_trees() -> None:
    search = searched(2)
    trees = [search.begin.random_tree(search.classes) for _ in range(30)]
    assert len({search.search.shape(tree) for tree in trees}) >= 25
    search.search.relabelled(trees[0])
    moved = [search.begin.perturbed(trees[0]) for _ in range(30)]
    assert len({search.search.shape(tree) for tree in moved}) >= 15
