"""SVM1-ODT's valid inequalities cut off no optimum (Zhu et al. 2020, Theorem 3, Proposition 1)."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from formulations import compiled, random_table, table
from suite import one_in

from treemip.core.model.values import row_sums

CUTS = ("leaf_purity", "scarce_leaf", "pigeonhole", "two_classes")


def optimum(x: np.ndarray, y: np.ndarray, cuts: tuple[str, ...]) -> tuple[float, dict[str, int]]:
    made = compiled("svm1_odt", table(x, y), 1, cuts=cuts)
    result = made.solve("scip", start="none", feasibility=1e-9)
    assert result.status == "optimal"
    assert result.objective is not None
    assert result.verified, result.report
    rows = {r.name: r.length for r in made.model.rows if r.name in CUTS}
    return result.objective, rows


@pytest.mark.parametrize(("seed", "classes"), one_in(2, range(2), [2, 3, 4]))
def test_the_optimum_stays(classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = random_table(rng, 6, 2, classes)
    y[:classes] = range(classes)
    without, none = optimum(x, y, ())
    with_all, rows = optimum(x, y, CUTS)
    assert with_all == pytest.approx(without, rel=1e-6)
    assert none == {}
    # scarce_leaf is for at least as many classes as leaves, pigeonhole for more of them
    pairs = sum(int((y != one).sum()) for one in y) // 2
    expected = {"leaf_purity": 2, "scarce_leaf": 2, "pigeonhole": 1, "two_classes": 2 * pairs}
    assert {k: v for k, v in rows.items() if v} == {
        k: v for k, v in expected.items() if k != "pigeonhole" or classes > 2
    }


def test_they_raise_the_bound_of_the_relaxation() -> None:
    x, y = random_table(np.random.default_rng(0), 6, 2, 4)
    y[:4] = range(4)
    bounds = [
        compiled("svm1_odt", table(x, y), 1, cuts=cuts).stats(relaxation=True)["lp_bound"]
        for cuts in ((), CUTS)
    ]
    assert bounds[0] == pytest.approx(0, abs=1e-9)
    assert bounds[1] >= 1


def test_two_classes_holds_on_every_tree_and_is_all_of_theorem_3_for_two_classes() -> None:
    """(5) for every I of at most one point a class and every set L of leaves, at all ways to spread
    four points over two leaves of any class: no way breaks a row, and of those with fractional
    errors and ways that keep the rows none breaks (5)."""
    x, y = random_table(np.random.default_rng(1), 4, 2, 2)
    y[:] = [0, 1, 1, 0]
    made = compiled("svm1_odt", table(x, y), 1, cuts=("two_classes",))
    (rows,) = (block for block in made.stated.rows if block.name == "two_classes")
    of = {block.name: block for block in made.stated.variables}

    def keeps(wrong: np.ndarray, reach: np.ndarray) -> bool:
        values = np.zeros(made.stated.column_count)
        values[of["wrong"].start : of["wrong"].stop] = wrong
        values[of["reach"].start : of["reach"].stop] = reach.ravel()
        return bool((row_sums(rows.matrix, values) >= rows.lower - 1e-9).all())

    def holds(wrong: np.ndarray, reach: np.ndarray) -> bool:
        some = [one for n in (1, 2) for one in combinations(range(4), n)]
        sets = [one for one in some if len({*y[[*one]]}) == len(one)]
        leaves = [one for n in (1, 2) for one in combinations(range(2), n)]
        both = product(sets, leaves)
        return all(
            wrong[[*own]].sum() >= reach[np.ix_(own, at)].sum() - len(at) - 1e-9 for own, at in both
        )

    for ends in product(range(2), repeat=4):
        for labels in product(range(2), repeat=2):
            wrong = (np.array(labels)[[*ends]] != y).astype(float)
            assert keeps(wrong, np.eye(2)[[*ends]]) and holds(wrong, np.eye(2)[[*ends]])
    rng, kept = np.random.default_rng(2), 0
    for _ in range(2000):
        left = rng.random(4)
        wrong, reach = rng.random(4), np.column_stack([left, 1 - left])
        assert keeps(wrong, reach) == holds(wrong, reach)
        kept += keeps(wrong, reach)
    assert 0 < kept < 2000
