"""ROCT: the fewest points that an attacker can bring to a wrong leaf, as in all trees there are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from operator import itemgetter as at
from pathlib import Path

import numpy as np
import pytest
from enumerated import least_errors
from suite import one_in

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.cli.main import main
from treemip.source.diagnostic import TreemipError

Box = tuple[np.ndarray, np.ndarray]
"""Lower and upper ends (p,) of what reaches a node: lower < x <= upper."""


def random_points(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x (N, 2) on a grid in [0, 1] with both ends, classes (N,), radii (2,); with duplicates."""
    rng = np.random.default_rng(seed)
    size, steps = int(rng.integers(5, 9)), int(rng.choice([3, 4, 5, 10]))
    x = np.vstack([rng.integers(0, steps + 1, (size - 2, 2)) / steps, [[0, 1], [1, 0]]])
    if seed % 4 == 0:
        x[0], x[1] = x[-1], x[-2]
    radii = rng.choice([0, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3], 2)
    return x, np.append(rng.integers(0, 2 + seed % 2, size - 2), [0, 1]), radii


def can_reach(x: np.ndarray, radii: np.ndarray, box: Box) -> np.ndarray:
    """Which points some attack moves into the box, bool (N,); no attack where it is empty."""
    low, high = box
    inside = (x - radii <= high + 1e-9) & (x + radii > low + 1e-9)
    return inside.all(1) & (low < high).all()


def least_robust_errors(x: np.ndarray, y: np.ndarray, radii: np.ndarray, depth: int) -> int:
    """Of all trees of this depth, by the attacks themselves: a box meets a leaf's box or not."""
    everywhere = (np.full(x.shape[1], -np.inf), np.full(x.shape[1], np.inf))
    return int(min(sum(lost) for lost in losses(x, y, radii, depth, everywhere)))


def losses(
    x: np.ndarray, y: np.ndarray, radii: np.ndarray, depth: int, box: Box
) -> set[tuple[bool, ...]]:
    """Which points are wrong under attack, for every subtree whose points come from the box."""
    reaches = can_reach(x, radii, box)
    found = {tuple((reaches & (y != k)).tolist()) for k in np.unique(y)}
    if depth == 0:
        return found
    for j in range(x.shape[1]):
        ends = np.unique(np.round(np.concatenate([x[:, j] - radii[j], x[:, j] + radii[j]]), 9))
        for threshold in (ends[:-1] + ends[1:]) / 2:
            low, high = box[0].copy(), box[1].copy()
            low[j], high[j] = max(low[j], threshold), min(high[j], threshold)
            sides = (box[0], high), (low, box[1])
            below = [losses(x, y, radii, depth - 1, side) for side in sides]
            found |= {tuple(map(max, one, other)) for one, other in product(*below)}
    return found


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


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("seed", one_in(9, range(54)))
def test_the_optimum_is_that_of_full_enumeration(seed: int, solver: str) -> None:
    x, y, radii = random_points(seed)
    depth = 1 + seed % 3 // 2
    expected = least_robust_errors(x, y, radii, depth)
    result = proven(compiled(x, y, radii, depth), solver)
    assert result.objective == pytest.approx(expected, abs=1e-6)


def test_without_attacks_the_optimum_is_that_of_plain_trees() -> None:
    x, y, _ = random_points(7)
    result = proven(compiled(x, y, np.zeros(2), 2), "highs")
    assert result.objective == pytest.approx(least_errors(x, y, 2), abs=1e-6)


@pytest.mark.parametrize("start", ["cart", "search"])
def test_trees_of_other_ways_are_starts(start: str) -> None:
    x, y, radii = random_points(5)
    result = proven(compiled(x, y, radii, 2), "highs", start)
    assert result.answer.start_accepted
    assert result.objective == pytest.approx(least_robust_errors(x, y, radii, 2), abs=1e-6)


Stump = tuple[int, int, int, int]
"""Errors, errors under attack, splits, size of the smallest leaf that is used."""


def stumps(x: np.ndarray, y: np.ndarray, radii: np.ndarray) -> Iterator[Stump]:
    """All trees of depth 1, thresholds between any two values and ends of attacks."""
    for k in np.unique(y):
        yield int((y != k).sum()), int((y != k).sum()), 0, len(y)
    for j in range(x.shape[1]):
        low, high = x[:, j] - radii[j], x[:, j] + radii[j]
        ends = np.unique(np.round(np.concatenate([low, x[:, j], high]), 9))
        for h in [ends[0] - 1, *((ends[:-1] + ends[1:]) / 2), ends[-1] + 1]:
            left = x[:, j] <= h
            sizes = [n for n in (int(left.sum()), int((~left).sum())) if n]
            for one, other in product(np.unique(y), repeat=2):
                wrong = np.where(left, y != one, y != other)
                attacked = (low <= h) & (y != one) | (high > h) & (y != other)
                yield int(wrong.sum()), int(attacked.sum()), 1, min(sizes)


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


def test_a_changed_class_of_a_leaf_is_found_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x, y, _ = random_points(2)
    rows = [f"{a},{b},k{k}" for (a, b), k in zip(x.tolist(), y.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    text = (
        'data "t.csv" { label c; scale minmax; } topology complete(depth = 1);'
        "split univariate by roct(eps = 0.2);"
    )
    (tmp_path / "t.tree").write_text(text)
    saved = tmp_path / "t.json"
    proven(treemip.load(tmp_path / "t.tree").compile(), "highs").save(saved)
    assert main(["verify", str(saved)]) == 0
    file = json.loads(saved.read_text())
    leaf = file["tree"]["nodes"][-1]
    leaf["class"] = {"k0": "k1", "k1": "k0"}[leaf["class"]]
    saved.write_text(json.dumps(file))
    capsys.readouterr()
    assert main(["verify", str(saved)]) == 1
    assert "the tree's objective is" in capsys.readouterr().out


def test_points_outside_the_unit_box_are_refused_with_a_remedy() -> None:
    columns = {"a": [0.0, 2.0], "c": ["k0", "k1"]}
    text = 'data "t" { label c; } topology complete(depth = 1); split univariate by roct;'
    with pytest.raises(TreemipError) as caught:
        treemip.loads(text, data=columns).compile()
    assert caught.value.diagnostics[0].message == (
        "ROCT needs features in [0, 1]: add `scale minmax;` to the data block "
        "(it fails for point 2, feature 'a')"
    )
