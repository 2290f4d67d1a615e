"""Trees that choose the sides of missing values are optimal among all trees that do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from reference.leaf_sums import least_errors

import treemip
from treemip.api.result import Result

SPEC = """
data "memory" {{ label y; missing side; {settings} }}
topology complete(depth = 2);
split univariate by {formulation};
minimize misclassified;
"""


def sides(column: np.ndarray) -> Iterator[np.ndarray]:
    """Every way to send points left by a threshold on what is present and a side for the rest."""
    missing = np.isnan(column)
    yield missing
    for value in np.unique(column[~missing])[:-1]:
        left = ~missing & (column <= value)
        yield from (left, left | missing)


def least(columns: list[np.ndarray], y: np.ndarray, depth: int) -> int:
    """Fewest errors of any such tree."""
    return least_errors([way for column in columns for way in sides(column)], y, depth)


def table(seed: int, rows: int) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 4, rows).astype(float) for _ in range(2)]
    for column in columns:
        column[rng.random(rows) < 0.3] = np.nan
    y = rng.integers(0, 2, rows)
    y[:2] = 0, 1
    return columns, y


def solved(
    columns: list[np.ndarray], y: np.ndarray, formulation: str, settings: str, **how: str
) -> Result:
    data = {f"x{j}": column for j, column in enumerate(columns)} | {"y": y}
    text = SPEC.format(formulation=formulation, settings=settings)
    result = treemip.loads(text, data=data).compile().solve(time_limit=60, **how)
    assert result.tree is not None and result.verdict == "verified"
    wrong = result.tree.predict({name: data[name] for name in ("x0", "x1")}) != y
    assert wrong.sum() == result.objective
    return result


@pytest.mark.parametrize(
    ("formulation", "settings"),
    [("oct", "scale minmax;"), ("binoct", ""), ("flow_oct", "bin thresholds;")],
)
def test_the_engine_finds_the_best_sides(formulation: str, settings: str) -> None:
    for seed in range(2):
        columns, y = table(seed, 12)
        result = solved(columns, y, formulation, settings)
        assert result.objective == least(columns, y, 2)


@pytest.mark.parametrize("seed", [1, *(pytest.param(k, marks=pytest.mark.truth) for k in (2, 3))])
def test_a_solver_finds_the_best_sides(seed: int) -> None:
    columns, y = table(seed, 8)
    result = solved(columns, y, "flow_oct", "bin thresholds;", solver="scip", start="none")
    assert (result.objective, result.status) == (least(columns, y, 2), "optimal")


def test_missing_alone_may_be_the_split() -> None:
    """Present values of both classes in turn, and every point without a value of one class."""
    x = np.array([np.nan, 1, np.nan, 2, np.nan, 3])
    y = np.array([1, 0, 1, 0, 1, 0])
    result = solved([x, np.zeros(6)], y, "oct", "scale minmax;")
    assert result.objective == 0
    tree = result.tree
    assert tree is not None and tree.encoder is not None
    sides = {line.split(": ")[0] for line in str(tree).splitlines()[1:]}
    assert {side[3:] for side in sides} == {"x0 is missing", "x0 is known"}
    wild = {"x0": np.array([-1e9, 1e9, np.nan]), "x1": np.zeros(3)}
    assert tree.predict(wild).tolist() == [0, 0, 1]
