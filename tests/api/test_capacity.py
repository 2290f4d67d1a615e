"""Bounds on the VC dimension: their values, their conditions, and the sets that reach them."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from treemip.api.stats import least_shattered, vc_dimension


def lb_vc(depth: int, features: int) -> int:
    """The recursive procedure in the proof of Proposition 3."""
    return 2 * (features + 1) if depth == 2 else 2 * lb_vc(depth - 1, features - 1)


@pytest.mark.parametrize("depth", range(2, 7))
def test_propositions_2_and_3_are_the_recursion(depth: int) -> None:
    for features in range(depth + 1, depth + 8):
        assert least_shattered(depth, features) == lb_vc(depth, features) <= 2**features
    for features in range(1, depth + 1):
        assert least_shattered(depth, features) is None


def parted(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether a hyperplane parts two sets of points."""
    p = left.shape[1]
    rows = np.vstack(
        [np.hstack([left, -np.ones((len(left), 1))]), np.hstack([-right, np.ones((len(right), 1))])]
    )
    found = linprog(np.zeros(p + 1), rows, np.full(len(rows), -1.0), bounds=(None, None))
    return found.status == 0


def independent(points: np.ndarray) -> bool:
    """Affinely: then a perceptron shatters p + 1 points of R^p."""
    return bool(np.linalg.matrix_rank(points[1:] - points[0]) == len(points) - 1)


@pytest.mark.parametrize(("features", "possible"), [(2, False), (3, True)])
def test_proposition_2_needs_three_inputs(features: int, possible: bool) -> None:
    """Two disjoint sets of p + 1 independent vertices of the unit cube that a hyperplane parts."""
    cube = np.array(list(product([0.0, 1.0], repeat=features)))
    sets = [cube[list(c)] for c in combinations(range(len(cube)), features + 1)]
    sets = [s for s in sets if independent(s)]
    pairs = (
        (a, b) for a, b in product(sets, sets) if not {tuple(v) for v in a} & {tuple(v) for v in b}
    )
    assert any(parted(a, b) for a, b in pairs) == possible
    assert (least_shattered(2, features) is not None) == possible


@pytest.mark.parametrize("features", [1, 2, 3])
def test_a_perceptron_shatters_p_plus_1_points_and_no_p_plus_2(features: int) -> None:
    rng = np.random.default_rng(features)
    assert vc_dimension("oblique", 1, features)["at least"] == features + 1
    for count in (features + 1, features + 2):
        points = rng.random((count, features))
        chosen = (np.array(c, bool) for c in product([False, True], repeat=count))
        shattered = all(parted(points[c], points[~c]) for c in chosen if c.any() and not c.all())
        assert shattered == (count == features + 1)


def test_what_is_said_of_each_kind() -> None:
    assert vc_dimension("univariate", 2, 5) is None
    randomized = vc_dimension("randomized", 3, 5)
    assert (randomized["at least"], randomized["at most"]) == (20, "O(2^(4(D-1)) p^2)")
    assert randomized["source"].endswith("Proposition 3 and Proposition 4")
    assert vc_dimension("oblique", 2, 4)["at most"] is None
    assert "note" not in randomized


@pytest.mark.parametrize(("split", "most"), [("oblique", None), ("randomized", "O(")])
@pytest.mark.parametrize(("depth", "features"), [(2, 2), (3, 3), (4, 3)])
def test_why_there_is_no_lower_bound(split: str, most: str, depth: int, features: int) -> None:
    found = vc_dimension(split, depth, features)
    assert found["at least"] is None
    assert found["at most"] is None if most is None else found["at most"].startswith(most)
    assert found["note"] == "the lower bound needs a depth below the number of features"
    assert "note" not in vc_dimension(split, depth, depth + 1)
