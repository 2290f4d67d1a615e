"""ROCT: the fewest points that an attacker can bring to a wrong leaf, as in all trees there are."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.cli.main import main

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


def compiled(x: np.ndarray, y: np.ndarray, radii: np.ndarray, depth: int, rest: str = "") -> Compiled:
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
