"""ROCT: the fewest points that an attacker can bring to a wrong leaf, as in all trees there are."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter as at

import numpy as np
import pytest
from reference.robust_trees import Stump, random_points, stumps
from suite import one_in

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError


def compiled(
    x: np.ndarray, y: np.ndarray, radii: np.ndarray, depth: int, rest: str = ""
) -> Compiled:
    columns = {"a": x[:, 0], "b": x[:, 1], "c": [f"k{k}" for k in y]}
    text = (
        'data "t.csv" { label c; scale minmax; }\n'
        f"topology complete(depth = {depth});\nsplit univariate by roct;\n"
        f'param radius {{j in features}} = table("a": {radii[0]}, "b": {radii[1]});\n{rest}'
    )
    return treemip.loads(text, data=columns).compile()


def proven(made: Compiled, solver: str, start: str = "none") -> Result:
    result = made.solve(solver, start=start, threads=1)
    assert result.status == "optimal"
    assert result.verdict == "verified", result.report
    return result


@pytest.mark.parametrize("seed", one_in(8, range(2, 10)))
@pytest.mark.parametrize(
    ("rest", "value", "allowed"),
    [
        ("minimize robust_errors + 0.6 * splits;", lambda s: s[1] + 0.6 * s[2], lambda s: True),
        ("minimize misclassified; subject to few: robust_errors <= 3;", at(0), lambda s: s[1] <= 3),
        (
            "minimize misclassified; subject to many: robust_errors >= 4;",
            at(0),
            lambda s: s[1] >= 4,
        ),
        ("maximize robust_errors;", lambda s: -s[1], lambda s: True),
        (
            "subject to size {l in leaves}: points_in[l] >= 3 * occupied[l];",
            at(1),
            lambda s: s[3] >= 3,
        ),
    ],
    ids=["price", "few", "many", "most", "size"],
)
def test_with_objectives_and_constraints_of_ones_own(
    rest: str, value: Callable[[Stump], float], allowed: Callable[[Stump], bool], seed: int
) -> None:
    """Those that ask for more of what an attacker can do bring in the rows for that."""
    x, y, radii = random_points(seed)
    best = min((value(s) for s in stumps(x, y, radii) if allowed(s)), default=None)
    made = compiled(x, y, radii, 1, rest)
    if best is None:
        assert made.solve("highs", start="none").status == "infeasible"
        return
    assert abs(proven(made, "highs").objective or 0.0) == pytest.approx(abs(best), abs=1e-6)


def test_thresholds_keep_their_distance_from_what_an_attacker_reaches() -> None:
    x = np.array([[0, 0], [0.25, 0], [0.75, 1], [1, 1]])
    made = compiled(x, np.array([0, 0, 1, 1]), np.array([0.1, 0.6]), 1)
    result = proven(made, "highs")
    assert result.objective == 0
    assert result.tree is not None
    assert result.tree.weights[0].tolist() == [1, 0]
    gap = 0.05 / 2  # of 0.35 and 0.65, 0.15 and 0.1, ... the nearest two are 0.1 and 0.15
    assert 0.35 + gap <= result.tree.threshold[0] + 1e-6 <= 0.65 - gap + 2e-6


def test_points_outside_the_unit_box_are_refused_with_a_remedy() -> None:
    columns = {"a": [0.0, 2.0], "c": ["k0", "k1"]}
    text = 'data "t" { label c; } topology complete(depth = 1); split univariate by roct;'
    with pytest.raises(TreemipError) as caught:
        treemip.loads(text, data=columns).compile()
    assert caught.value.diagnostics[0].message == (
        "ROCT needs features in [0, 1]: add `scale minmax;` to the data block "
        "(it fails for point 2, feature 'a')"
    )
