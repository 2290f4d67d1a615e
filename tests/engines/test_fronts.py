"""Trees under rows that couple their leaves: the optimum by lists of the trees below each cut, by
numpy and by the compiled kernel, against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from priced_specs import CONCEPTS, NEEDS, ROWS, SIZES, Priced, compiled, random_points
from suite import one_in

from treemip.answers.engines import separable
from treemip.answers.engines.duals import Relaxed, directions, multipliers
from treemip.answers.engines.fronts import Fronts
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.parts import Parts
from treemip.answers.engines.plans import rows_of
from treemip.answers.engines.problem import Problem
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.separable import better, unit_of
from treemip.answers.engines.univariate import best_tree, fits
from treemip.answers.search.agreement import by_meaning
from treemip.core.compiled.library import kernel
from treemip.core.model.tolerances import KNOWN_ROW

CLOSE = 1e-7
KERNELS = ("numpy", "kernel")


@pytest.fixture(autouse=True)
def _by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = (
        request.node.callspec.params if hasattr(request.node, "callspec") else {"by": "numpy"}
    )
    if parameters.get("by") == "numpy":
        monkeypatch.setattr(separable, "kernel", lambda: None)
    elif kernel() is None:
        pytest.skip("the kernel is not built")


def random_rows(rng: np.random.Generator) -> Priced:
    """Two rows that couple leaves, at times with a price that does so, too, and sizes of leaves."""
    pairs = [(a, b) for a, b in combinations(ROWS, 2) if a.split(":")[0] != b.split(":")[0]]
    prices = [(1.0, "misclassified")]
    if rng.random() < 0.5:
        prices.append((float(rng.choice([0.5, 1.0, 7 / 3])), str(rng.choice(list(CONCEPTS)))))
    size = str(rng.choice(list(SIZES))) if rng.random() < 0.3 else ""
    return Priced(tuple(prices), pairs[rng.integers(len(pairs))], size)


@pytest.mark.parametrize(
    ("seed", "depth", "formulation", "by"), one_in(13, range(24), (2, 3), NEEDS, KERNELS)
)
def test_the_optimum_under_two_rows(seed: int, depth: int, formulation: str, by: str) -> None:
    rng = np.random.default_rng([seed, depth, len(formulation)])
    points, spec = random_points(rng, formulation), random_rows(rng)
    made = compiled(formulation, points, depth, spec.text)
    own = summed(made.instance)
    if fits(made.instance, own) is not None:
        return
    result = best_tree(made.instance, own, 60 if by == "kernel" else 2)
    best = spec.best(formulation, points, depth)
    assert result.proven or (by == "numpy" and depth == 3)  # slow where there is no tree at all
    assert result.bound <= best + CLOSE
    if result.proven:
        assert result.value == (best if np.isinf(best) else pytest.approx(best, abs=CLOSE))
    if result.tree is not None:
        assert not by_meaning(made.instance, result.tree)[1]


def coupled_problem(rng: np.random.Generator, formulation: str, depth: int) -> Problem:
    points, row = random_points(rng, formulation), str(rng.choice(list(ROWS)))
    made = compiled(formulation, points, depth, Priced(((1.0, "misclassified"),), (row,)).text)
    spec = summed(made.instance)
    return problem_of(made.instance, spec.sums)


def fronts_of(rng: np.random.Generator, problem: Problem, depth: int) -> Fronts:
    by = multipliers(problem, rng.normal(size=len(problem.constant)))
    task = Relaxed(problem, by, np.inf)
    every = np.arange(len(problem.x))
    return Fronts(task, 0, depth, every, problem.constant, problem.anywhere, task.offset)


@pytest.mark.parametrize(
    ("seed", "depth", "formulation", "by"), one_in(11, range(10), (1, 2, 3), NEEDS, KERNELS)
)
def test_any_multipliers_lead_to_the_same_tree(
    seed: int, depth: int, formulation: str, by: str
) -> None:
    """Also for goals below the optimum, where there is no tree, and above."""
    rng = np.random.default_rng([seed, 3 * depth, len(formulation)])
    problem = coupled_problem(rng, formulation, depth)
    limit = 1.0 + float(problem.count.sum())
    found = [fronts_of(rng, problem, depth).best(limit) for _ in range(4)]
    values = [one[0] if one else np.inf for one in found]
    assert values == pytest.approx(values[:1] * 4)
    for one in found:
        if one is not None:
            objective, violation = problem.worth(rows_of(problem, one[1]))
            assert objective == pytest.approx(one[0])
            assert violation <= KNOWN_ROW
            assert fronts_of(rng, problem, depth).best(better(one[0], 0.0, 0.0)) is None
            goal = one[0] + 0.25
            again = fronts_of(rng, problem, depth).best(limit, goal)
            assert again is not None and again[0] == pytest.approx(one[0])


@pytest.mark.parametrize("seed", one_in(4, range(20)))
def test_a_tree_that_is_left_out_is_dominated(seed: int) -> None:
    """By one of the list, in every row that is wanted in a direction, and equal in the others."""
    rng = np.random.default_rng([seed, 7])
    problem = coupled_problem(rng, "oct", 2)
    fronts = fronts_of(rng, problem, 2)
    every, way = fronts.every, directions(problem)
    kept = fronts.lists(0, 2, every, np.inf)
    fronts._front = _sorted  # type: ignore[method-assign]
    listed = fronts.lists(0, 2, every, np.inf)
    assert len(listed) >= len(kept)
    if fronts.by_feature:
        return
    for rows in listed.rows:
        more = rows - kept.rows
        worse = np.where(way == 0, -np.abs(more), way * more) < -CLOSE
        assert (~worse.any(axis=1)).any()


def _sorted(parts: Parts) -> Parts:
    return parts.take(np.argsort(parts.bound, kind="stable"))


@pytest.mark.parametrize(("best", "next_one"), [(5.0, 3.0), (4.0, 3.0), (3.5, 3.0), (3.0, 1.0)])
def test_a_better_objective_is_the_next_multiple_of_the_unit(best: float, next_one: float) -> None:
    """Also below one that is none: a tree from elsewhere may have splits that part nothing."""
    assert better(best, 2.0, 1.0) == pytest.approx(next_one, abs=1e-3)
    assert better(best, 2.0, 1.0) > next_one
    assert best > better(best, 0.0, 1.0) == pytest.approx(best)


@pytest.mark.parametrize("seed", one_in(4, range(10)))
def test_objectives_are_multiples_of_a_unit(seed: int) -> None:
    rng = np.random.default_rng([seed, 11])
    problem = coupled_problem(rng, "oct", 2)
    unit = unit_of(problem)
    values = fronts_of(rng, problem, 2).lists(0, 2, np.arange(len(problem.x)), np.inf).rows[:, 0]
    assert unit > 0
    assert values / unit == pytest.approx(np.rint(values / unit), abs=1e-9)
