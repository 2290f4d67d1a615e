"""The engine's optimum is that of all trees and of the solvers; its tree is worth what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from reference.every_tree import Routed, every_tree, least
from suite import one_in

import treemip
from treemip.answers.engines import separable as of_separable
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.plans import NONE, rows_of
from treemip.answers.engines.problem import problem_of
from treemip.answers.engines.univariate import EngineResult, best_tree, fits, separable
from treemip.answers.search.agreement import by_meaning
from treemip.answers.search.complete import complete
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.starts.fixed import fix_tree
from treemip.api.compiled import Compiled
from treemip.core.lower.lower import lower
from treemip.core.solving.solve import solve

NEEDS = {"binoct": "", "oct": "scale minmax;", "flow_oct": "bin thresholds;"}


@dataclass(frozen=True)
class Data:
    x: np.ndarray
    y: np.ndarray
    sex: np.ndarray
    weight: np.ndarray
    classes: int


Worth = Callable[[Data, Routed], float | None]


def errors(data: Data, tree: Routed) -> float:
    return float((tree.predicted != data.y).sum())


def weighed(data: Data, tree: Routed) -> float:
    return float(data.weight[tree.predicted != data.y].sum())


def recall(data: Data, tree: Routed, label: int) -> float:
    return float((tree.predicted[data.y == label] == label).mean())


def rates(data: Data, tree: Routed) -> np.ndarray:
    return np.array([(tree.predicted[data.sex == g] == 1).mean() for g in (0, 1)])


RATE = """let rate {g in values(sex)} =
  sum {i in points : sex[i] = g} predicts[i,"1"] / card({i in points : sex[i] = g});
"""

CASES: dict[str, tuple[str, Worth]] = {
    "errors": ("minimize misclassified;", errors),
    "weights": ("minimize misclassified;", weighed),
    "prices": (
        "minimize misclassified + 0.6 * splits + 0.3 * features_used;",
        lambda d, t: errors(d, t) + 0.9 * t.splits,
    ),
    "leaves": (
        "minimize misclassified + 0.7 * leaves_used;",
        lambda d, t: errors(d, t) + 0.7 * float((t.sizes() > 0).sum()),
    ),
    "by pairs": (
        "minimize sum {k in classes, m in classes} (2 * ord(k) + ord(m)) * abs(ord(k) - ord(m))"
        " * confusion[k,m];",
        lambda d, t: float(((2 * (d.y + 1) + t.predicted + 1) * np.abs(d.y - t.predicted)).sum()),
    ),
    "balanced": (
        "minimize balanced_error;",
        lambda d, t: float(np.mean([1 - recall(d, t, k) for k in range(d.classes)])),
    ),
    "leaf size": (
        "minimize misclassified; subject to size {l in leaves}: points_in[l] >= 2 * occupied[l];",
        lambda d, t: errors(d, t) if not (t.sizes() == 1).any() else None,
    ),
    "full leaves": (
        "minimize misclassified; subject to size {l in leaves}: points_in[l] >= 1;",
        lambda d, t: errors(d, t) if (t.sizes() >= 1).all() else None,
    ),
    "largest leaf": (
        "minimize misclassified; subject to size {l in leaves}: points_in[l] <= 3;",
        lambda d, t: errors(d, t) if (t.sizes() <= 3).all() else None,
    ),
    "recall": (
        """minimize misclassified; subject to seen: recall["1"] >= 0.7;""",
        lambda d, t: errors(d, t) if recall(d, t, 1) >= 0.7 - 1e-9 else None,
    ),
    "recall and leaf size": (
        """minimize misclassified + 0.4 * splits;
        subject to seen: recall["1"] >= 0.7;
          size {l in leaves}: points_in[l] >= 2 * occupied[l];""",
        lambda d, t: (
            errors(d, t) + 0.4 * t.splits
            if recall(d, t, 1) >= 0.7 - 1e-9 and not (t.sizes() == 1).any()
            else None
        ),
    ),
    "parity": (
        RATE + "minimize misclassified; subject to "
        "parity {g in values(sex), h in values(sex) : g != h}: rate[g] - rate[h] <= 0.1;",
        lambda d, t: errors(d, t) if np.ptp(rates(d, t)) <= 0.1 + 1e-9 else None,
    ),
    "both sides": (
        RATE + 'minimize misclassified; subject to parity: 0.1 <= rate["a"] - rate["b"] <= 0.3;',
        lambda d, t: errors(d, t) if 0.1 - 1e-9 <= -np.diff(rates(d, t))[0] <= 0.3 + 1e-9 else None,
    ),
    "gap": (
        RATE + 'minimize misclassified + 4 * abs(rate["a"] - rate["b"]);',
        lambda d, t: errors(d, t) + 4 * float(np.ptp(rates(d, t))),
    ),
    "abs in a row": (
        RATE + 'minimize misclassified; subject to parity: abs(rate["a"] - rate["b"]) <= 0.1;',
        lambda d, t: errors(d, t) if np.ptp(rates(d, t)) <= 0.1 + 1e-9 else None,
    ),
    "worst class": (
        "minimize 3 * worst_class_error + 0.1 * misclassified;",
        lambda d, t: 3 * max(1 - recall(d, t, k) for k in range(d.classes)) + 0.1 * errors(d, t),
    ),
    "least recall": (
        "maximize min {k in classes} recall[k];",
        lambda d, t: -min(recall(d, t, k) for k in range(d.classes)),
    ),
    "budget of splits": (
        "minimize misclassified; subject to few: splits <= 2;",
        lambda d, t: errors(d, t) if t.splits <= 2 else None,
    ),
    "budget of leaves": (
        "minimize misclassified; subject to few: leaves_used <= 3;",
        lambda d, t: errors(d, t) if (t.sizes() > 0).sum() <= 3 else None,
    ),
    "budget of features": (
        "minimize misclassified; subject to few: distinct_features <= 1;",
        lambda d, t: errors(d, t) if t.features <= 1 else None,
    ),
    "price of features": (
        "minimize misclassified + 0.8 * distinct_features;",
        lambda d, t: errors(d, t) + 0.8 * t.features,
    ),
}


def case(seed: int, formulation: str, depth: int) -> Data:
    """A few points, with ties, duplicates and features that may be constant."""
    rng = np.random.default_rng(seed)
    binary = formulation == "flow_oct"
    classes = int(rng.integers(2, 4)) if depth == 2 else int(rng.integers(2, 5))
    while True:
        points = int(rng.integers(6, 10))
        x = rng.integers(0, 2 if binary else 3, (points, 3 if binary else 2)).astype(float)
        y = rng.integers(0, classes, points)
        sex = rng.integers(0, 2, points)
        varied = (
            (x.min(axis=0) < x.max(axis=0)).any() if not binary else (np.ptp(x, axis=0) > 0).all()
        )
        if varied and len(set(y.tolist())) == classes and len(set(sex.tolist())) == 2:
            return Data(x, y, sex, rng.integers(1, 5, points).astype(float), classes)


def compiled(formulation: str, data: Data, depth: int, name: str) -> Compiled:
    columns = {f"a{j}": column for j, column in enumerate(data.x.T)}
    columns |= {"c": [str(k) for k in data.y], "sex": ["ab"[g] for g in data.sex]}
    weights = ""
    if name == "weights":
        columns["w"], weights = data.weight, "weight w;"
    text = (
        f'data "table.csv" {{ label c; group sex; {weights} {NEEDS[formulation]} }}\n'
        f"topology complete(depth = {depth});\n"
        f"split univariate by {formulation};\n{CASES[name][0] if name in CASES else name}"
    )
    return treemip.loads(text, data=columns).compile()


def answer(made: Compiled) -> EngineResult:
    """The engine's, with its tree's value by the evaluator."""
    instance = made.instance
    spec = summed(instance)
    assert fits(instance, spec) is None
    result = best_tree(instance, spec, 60)
    assert result.proven
    assert result.bound == result.value
    if result.tree is not None:
        value, violated = by_meaning(instance, result.tree)
        assert not violated
        assert result.value == pytest.approx(value, abs=1e-9)
    return result


def completed(made: Compiled, result: EngineResult) -> None:
    """The tree is a solution of the model, no row of it violated."""
    assert result.tree is not None
    found = complete(made.instance, lower(made.instance), result.tree)
    assert found.unknown == ()
    assert found.violations == ()


def demand_best_of_all_trees(formulation: str, name: str, depth: int, seed: int) -> None:
    data = case(seed, formulation, depth)
    made = compiled(formulation, data, depth, name)
    result = answer(made)
    worth = CASES[name][1]
    sense = -1.0 if "maximize" in CASES[name][0] else 1.0
    trees = every_tree(formulation, data.x, data.classes, depth)
    expected = least(trees, lambda tree: worth(data, tree))
    assert sense * result.value == pytest.approx(expected, abs=1e-9)
    assert (result.tree is None) == bool(np.isinf(expected))
    if result.tree is not None and formulation != "binoct":
        completed(made, result)


@pytest.mark.parametrize(("name", "formulation", "seed"), one_in(2, CASES, NEEDS, range(3)))
def test_depth_1_is_the_best_of_all_trees(formulation: str, name: str, seed: int) -> None:
    demand_best_of_all_trees(formulation, name, 1, seed)


@pytest.mark.parametrize(("name", "formulation"), one_in(2, CASES, NEEDS))
def test_depth_2_is_the_best_of_all_trees(formulation: str, name: str) -> None:
    demand_best_of_all_trees(formulation, name, 2, 10)


@pytest.mark.truth
@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("formulation", list(NEEDS))
@pytest.mark.parametrize("seed", range(11, 25))
def test_depth_2_is_the_best_of_all_trees_on_more(formulation: str, name: str, seed: int) -> None:
    demand_best_of_all_trees(formulation, name, 2, seed)


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
    demand_solvers_optimum(formulation, name, 1, 40)


@pytest.mark.truth
@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("formulation", list(NEEDS))
@pytest.mark.parametrize("seed", [41, 42])
def test_the_solvers_optimum_at_depth_2(formulation: str, name: str, seed: int) -> None:
    demand_solvers_optimum(formulation, name, 2, seed)


def demand_solvers_optimum(formulation: str, name: str, depth: int, seed: int) -> None:
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


def test_the_tree_of_depth_3_is_kept_as_it_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sides of depth 2 are not solved again, for which there may be no time."""
    made = compiled("binoct", case(3, "binoct", 3), 3, "errors")
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
    for seed in range(60, 66):
        made = compiled("binoct", case(seed, "binoct", 1), 1, rest)
        solved = made.solve("scip", start="none", threads=1)
        assert solved.objective == pytest.approx(answer(made).value, abs=1e-6)
        assert np.isfinite(answer(made).value)
