"""The engine's optimum is that of the solvers; its tree is a solution of the model."""

from __future__ import annotations

import numpy as np
import pytest
from priced_specs import NEEDS, Priced, compiled, random_points
from suite import one_in

from treemip.answers.engines import separable as of_separable
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.plans import NONE, rows_of
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.univariate import EngineResult, best_tree, fits, separable
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.starts.fixed import fix_tree
from treemip.api.compiled import Compiled
from treemip.core.solving.solve import solve

ERRORS = (1.0, "misclassified")
CASES = {
    "errors": Priced((ERRORS,)),
    "prices": Priced((ERRORS, (0.6, "splits"), (0.3, "features_used"))),
    "leaf size": Priced((ERRORS,), size="size {l in leaves}: points_in[l] >= 2 * occupied[l];"),
    "recall": Priced((ERRORS,), ('seen: recall["1"] >= 0.7;',)),
    "parity": Priced((ERRORS,), ('even: -0.2 <= rate["a"] - rate["b"] <= 0.2;',)),
    "worst class": Priced(((0.1, "misclassified"), (3.0, "worst_class_error"))),
    "budget of splits": Priced((ERRORS,), ("few: splits <= 2;",)),
    "price of features": Priced((ERRORS, (0.8, "distinct_features"))),
}


def case(seed: int, formulation: str, depth: int, text: str) -> Compiled:
    points = random_points(np.random.default_rng(seed), formulation)
    return compiled(formulation, points, depth, text)


def answer(made: Compiled) -> EngineResult:
    spec = summed(made.instance)
    assert fits(made.instance, spec) is None
    result = best_tree(made.instance, spec, 60)
    assert result.proven
    assert result.bound == result.value
    return result


def demand_solvers_optimum(made: Compiled) -> None:
    result = answer(made)
    solved = made.solve("scip", start="none", threads=1)
    if result.tree is None:
        assert solved.status == "infeasible"
        return
    assert solved.status == "optimal"
    assert solved.objective == pytest.approx(result.value, abs=1e-5)


@pytest.mark.parametrize(("name", "formulation"), one_in(5, CASES, NEEDS))
def test_the_solvers_optimum_at_depth_1(name: str, formulation: str) -> None:
    demand_solvers_optimum(case(40, formulation, 1, CASES[name].text))


@pytest.mark.truth
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("formulation", NEEDS)
@pytest.mark.parametrize("seed", [41, 42])
def test_the_solvers_optimum_at_depth_2(formulation: str, name: str, seed: int) -> None:
    demand_solvers_optimum(case(seed, formulation, 2, CASES[name].text))


@pytest.mark.parametrize(("name", "formulation"), one_in(5, CASES, NEEDS))
def test_the_tree_is_a_solution_of_the_model(name: str, formulation: str) -> None:
    """With routes and labels fixed, the model has a solution of the tree's value."""
    made = case(43, formulation, 2, CASES[name].text)
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
@pytest.mark.parametrize("seed", one_in(3, range(50, 53)))
def test_the_formulations_own_objective(
    formulation: str, parameters: dict[str, float], seed: int
) -> None:
    text = "".join(f"param {name} = {value};" for name, value in parameters.items())
    demand_solvers_optimum(case(seed, formulation, 1, text))


def test_the_tree_of_depth_3_is_kept_as_it_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sides of depth 2 are not solved again, for which there may be no time."""
    made = case(4, "binoct", 3, CASES["errors"].text)
    instance = made.instance
    x, of_point = instance.table.distinct
    problem = problem_of(instance, sums_of(instance, of_point))
    task, points = separable(problem, np.inf), np.arange(len(x))
    root = task.solve(0, 3, points, np.inf)
    assert root.cut != NONE

    def again(*arguments: object) -> None:
        raise AssertionError("a side was solved again")

    monkeypatch.setattr(of_separable, "TwoLevels", again)
    rows = rows_of(problem, task.found(0, 3, points, root))
    assert rows[0] == pytest.approx(root.exact + float(problem.constant[0]) + task.constant)


def test_thresholds_of_a_spec_are_the_engines() -> None:
    """Class boundaries alone can lose the optimum, which the engine then loses as well."""
    rest = "set cut_points {f in features} = class_thresholds(f);"
    for seed in range(60, 62):
        demand_solvers_optimum(case(seed, "binoct", 1, rest))
