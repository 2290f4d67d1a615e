"""The engine's optimum is the solver's, and its tree is a solution of the model."""

from __future__ import annotations

import numpy as np
import pytest
from test_univariate import CASES, NEEDS, answer, case, compiled

from treemip.solving.solve import solve
from treemip.strategy.starts.fixed import fix_tree

NAMES = [
    "errors",
    "prices",
    "leaves",
    "leaf size",
    "recall",
    "parity",
    "worst class",
    "budget of splits",
    "price of features",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("formulation", list(NEEDS))
def test_the_solvers_optimum_at_depth_1(formulation: str, name: str) -> None:
    check(formulation, name, 1, 40)


@pytest.mark.truth
@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("formulation", list(NEEDS))
@pytest.mark.parametrize("seed", [41, 42])
def test_the_solvers_optimum_at_depth_2(formulation: str, name: str, seed: int) -> None:
    check(formulation, name, 2, seed)


def check(formulation: str, name: str, depth: int, seed: int) -> None:
    made = compiled(formulation, case(seed, formulation, depth), depth, name)
    result = answer(made)
    solved = made.solve("scip", start="none", threads=1)
    if result.tree is None:
        assert solved.status == "infeasible"
        return
    assert solved.status == "optimal"
    assert solved.objective == pytest.approx(result.value, abs=1e-5)


@pytest.mark.parametrize("name", ["errors", "prices", "leaf size", "recall"])
@pytest.mark.parametrize("formulation", list(NEEDS))
def test_the_tree_is_a_solution_of_the_model(formulation: str, name: str) -> None:
    """With routes and labels fixed, the model has a solution of the tree's value."""
    made = compiled(formulation, case(43, formulation, 2), 2, name)
    result, topology = answer(made), made.instance.topology
    assert result.tree is not None
    assert topology is not None
    ends = result.tree.ends(made.instance.table.inputs)
    classes = dict(zip(topology.leaves.tolist(), result.tree.labels.tolist(), strict=True))
    used = {leaf: label for leaf, label in classes.items() if leaf in set(ends.tolist())}
    fixed = fix_tree(made.instance, made.model, ends, used)
    solved = solve(fixed, "highs")
    assert solved.status == "optimal"
    assert solved.objective == pytest.approx(result.value, abs=1e-6)


OWN = [
    ("binoct", {}),
    ("oct", {"alpha": 0.15}),
    ("oct", {"min_leaf": 2}),
    ("flow_oct", {"lambda": 0.3}),
]


@pytest.mark.parametrize(("formulation", "parameters"), OWN)
@pytest.mark.parametrize("seed", range(50, 53))
def test_the_formulations_own_objective(
    formulation: str, parameters: dict[str, float], seed: int
) -> None:
    text = "".join(f"param {name} = {value};" for name, value in parameters.items())
    made = compiled(formulation, case(seed, formulation, 1), 1, text)
    solved = made.solve("scip", start="none", threads=1)
    assert solved.status == "optimal"
    assert solved.objective == pytest.approx(answer(made).value, abs=1e-6)


def test_thresholds_of_a_spec_are_the_engines() -> None:
    """Class boundaries alone can lose the optimum, which the engine then loses as well."""
    rest = "set cut_points {f in features} = class_thresholds(f);"
    for seed in range(60, 66):
        made = compiled("binoct", case(seed, "binoct", 1), 1, rest)
        solved = made.solve("scip", start="none", threads=1)
        assert solved.objective == pytest.approx(answer(made).value, abs=1e-6)
        assert np.isfinite(answer(made).value)
