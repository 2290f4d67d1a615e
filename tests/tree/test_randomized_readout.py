"""MRCT from a model's values to a verified tree, and what verification does not let pass."""

from __future__ import annotations

import json

import numpy as np
import pytest
from small_trees import X, Y, check

import treemip
from treemip.api.compiled import Compiled
from treemip.api.reverify import reverify
from treemip.api.saved_scores import saved_sparsity
from treemip.api.store import load_tree
from treemip.core.model.answer import Answer
from treemip.core.model.values import function_values, logistic
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.readout import by_name, read_randomized, readout
from treemip.core.tree.tree import Tree

GAMMA = 16.0


def compiled(more: str = "", by: str = "", min_rate: float = 0.05) -> Compiled:
    text = f"""data "t" {{ label class; scale minmax; }} topology complete(depth = 2);
    split randomized by mrct(gamma = {GAMMA}{by}, min_rate = {min_rate});
    {more}"""
    return treemip.loads(text, (X, Y)).compile()


def solution(spec: Compiled) -> dict[str, np.ndarray]:
    """Feasible values that are no optimum: coefficients at random, one of them as good as 0."""
    random = np.random.default_rng(3)
    values = {
        "coef": random.uniform(-1, 1, 6),
        "bias": random.uniform(-0.3, 0.3, 3),
        "label": np.array([0.9, 0.1, 0.2, 0.8, 1.0, 0.0, 0.0, 1.0]),
    }
    values["coef"][3] = 5e-8
    path = np.zeros(0)
    if spec.reformed.original.block("path").length:
        path = leaf_chances(spec, values).ravel()
    return {**values, "path": path}


def leaf_chances(spec: Compiled, values: dict[str, np.ndarray]) -> np.ndarray:
    """(1), written out for depth 2, float64 (points, 4)."""
    x = spec.instance.table.x
    coef = values["coef"].reshape(3, 2)
    p = logistic(GAMMA * (x @ coef.T / 2 - values["bias"]))
    root, left, right = p.T
    return np.stack(
        [root * left, root * (1 - left), (1 - root) * right, (1 - root) * (1 - right)], axis=1
    )


def columns(spec: Compiled, values: dict[str, np.ndarray]) -> np.ndarray:
    """All columns of the model, functions at their values; no pass adds more here."""
    x = np.zeros(spec.reformed.original.column_count)
    for block in spec.reformed.original.variables:
        if block.name in values:
            x[block.start : block.stop] = values[block.name]
    for function in spec.reformed.original.functions:
        at = slice(function.result, function.result + function.length)
        x[at] = function_values(function, x)
    return x


@pytest.mark.parametrize("by", ["", ", explicit = 1"])
def test_the_tree_is_the_solution(by: str) -> None:
    spec = compiled("minimize expected_cost + 0.5 * l0_local + 0.25 * l0_global;", by)
    values = solution(spec)
    tree = read_randomized(spec.instance, values)
    x = spec.instance.table.x
    own = leaf_chances(spec, values)
    assert tree.path(x)[:, tree.topology.leaves] == pytest.approx(own, abs=1e-6)
    assert tree.class_chances(x) == pytest.approx(own @ values["label"].reshape(4, 2), abs=1e-6)
    used = np.array([[True, True], [True, False], [True, True]])
    assert ((tree.weights[tree.topology.branches] != 0) == used).all()
    report = check(spec, by_name(spec.reformed.original, columns(spec, values)))
    assert report.problems == () and report.misrouted == ()
    wrong = (1 - values["label"].reshape(4, 2)[:, spec.instance.table.y].T) / 2
    sizes = np.abs(values["coef"].reshape(3, 2))
    expected = [
        (own * wrong).sum(),
        0.5 * (1 - np.exp(-5 * sizes)).sum(),
        0.25 * (1 - np.exp(-5 * sizes.max(axis=0))).sum(),
    ]
    assert [t.solution for t in report.terms] == pytest.approx(expected)
    assert [t.tree for t in report.terms] == pytest.approx(expected, abs=1e-5)
    assert report.errors == int((tree.class_chances(x).argmax(1) != spec.instance.table.y).sum())


def test_probabilities_that_do_not_belong_to_the_splits() -> None:
    spec = compiled(by=", explicit = 1")
    values = solution(spec)
    values["path"][4:8] = [0.5, 0.5, 0.0, 0.0]
    report = check(spec, values)
    assert report.misrouted == (2,)
    assert "the tree routes 1 points differently from the solution: rows 2" in report.problems
    assert any(p.startswith("the solution violates 'path_is' for i = 2") for p in report.problems)


@pytest.mark.parametrize(
    ("name", "at", "value", "row"),
    [("label", 0, 0.95, "one_label"), ("coef", 0, 1.01, "coef"), ("label", 1, -0.01, "label")],
)
def test_rows_and_bounds_that_do_not_hold(name: str, at: int, value: float, row: str) -> None:
    spec = compiled()
    values = solution(spec)
    values[name][at] = value
    assert any(f"violates '{row}'" in p for p in check(spec, values).problems)


def test_a_row_of_the_tape_that_does_not_hold() -> None:
    spec = compiled(min_rate=1)
    problems = check(spec, solution(spec)).problems
    assert any("the solution violates 'least_rate'" in p for p in problems)


def test_side_constraints_are_evaluated_on_the_tree() -> None:
    spec = compiled("subject to few: sum {i in points} reach[i,left(root)] <= 0.01;")
    problems = check(spec, solution(spec)).problems
    assert any("the solution violates 'few'" in p for p in problems)
    assert any("the tree violates 'few'" in p for p in problems)


@pytest.mark.parametrize("explicit", [0, 1])
def test_saved_and_verified_again(tmp_path, explicit: int) -> None:  # type: ignore[no-untyped-def]
    rows = "\n".join(f"{a},{b},{c}" for (a, b), c in zip(X, Y, strict=True))
    (tmp_path / "t.csv").write_text(f"f,g,class\n{rows}\n")
    text = f"""data "t.csv" {{ label class; scale minmax; }} topology complete(depth = 2);
    split randomized by mrct(gamma = {GAMMA}, explicit = {explicit}, min_rate = 0.05);"""
    spec = treemip.loads(text, base=tmp_path).compile()
    values = solution(spec)
    found = columns(spec, values)
    objective = float((leaf_chances(spec, values) * _costs(spec, values)).sum())
    answer = Answer("locally_optimal", found, objective, None, None, 0.0, 0, "none", "0")
    result = spec.result(answer, {}, [])
    assert result.report is not None and result.report.problems == ()
    assert isinstance(result.tree, RandomizedTree)
    assert result.sparsity is not None and result.sparsity.local == pytest.approx(100 / 6)
    path = tmp_path / "tree.json"
    result.save(path)
    said = json.loads(path.read_text())
    assert saved_sparsity(path) == result.sparsity
    assert "path" not in said["values"]
    again = reverify(path)
    assert again.verified and again.objective == pytest.approx(objective)
    back = load_tree(path)
    assert back.to_json() == result.tree.to_json()
    proba = back.predict_proba({"f": X[:, 0], "g": X[:, 1]})
    assert (proba == result.tree.class_chances(spec.instance.table.x)).all()
    said["tree"]["nodes"][1]["threshold"] += 5
    path.write_text(json.dumps(said))
    problems = reverify(path).problems
    assert problems[0] == "node 2 of the tree does not follow from the saved values"
    assert any(problem.startswith("the tree's objective is ") for problem in problems)


def _costs(spec: Compiled, values: dict[str, np.ndarray]) -> np.ndarray:
    """The cost of each leaf for each point, float64 (points, leaves)."""
    label = values["label"].reshape(4, 2)
    return 0.5 * (1 - label[:, spec.instance.table.y].T)


def test_a_distribution_goes_with_deterministic_splits() -> None:
    text = """data "t" { label class; } topology complete(depth = 1);
    var coef {t in branches, j in features} >= -1, <= 1;
    var label {l in leaves, k in classes} >= 0, <= 1;
    minimize sum {t in branches, j in features} coef[t,j];
    route left when dot(coef[t,*], x[i,*]) <= 1;
    predict distribution label[l,*];
    """
    instance = treemip.loads(text, (X, Y)).instance
    classes = len(instance.table.classes)
    shares = np.linspace(0.0, 0.5, 2 * classes)
    values = {"coef": np.ones(instance.table.x.shape[1]), "label": shares}
    tree = readout(instance, values)
    assert tree.answer.kind == "distribution" and type(tree) is Tree
    assert tree.distribution[1:].tolist() == shares.reshape(2, classes).tolist()
