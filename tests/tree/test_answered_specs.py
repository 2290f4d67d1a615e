"""Specs whose leaves answer values, distributions, treatments and listed elements: solved,
against brute force, and verified whole; a changed answer in tree.json is found."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answering_specs import (
    ACTIONS,
    CONSTANT_L1,
    CONSTANT_L2,
    DRUGS,
    GAINS,
    KIND,
    LINEAR_L1,
    PRICE,
    SHARES,
    TREATMENTS,
    X,
    parts,
)
from json_schema import faults
from scipy.optimize import linprog
from test_damaged_trees import REMOVED, WRONG, places
from test_damaged_trees import changed as damaged

import treemip
from treemip.api.result import Result
from treemip.api.reverify import reverify
from treemip.api.saved_scores import recorded_scores, score_file
from treemip.api.store import checksum
from treemip.core.model.values import objective_value
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.score import ChoiceScore, Score, ValueScore

pytest.importorskip("pyscipopt", reason="a solver is needed")

DATA = {
    "CONSTANT_L1": (CONSTANT_L1, {**X, "price": PRICE}),
    "CONSTANT_L2": (CONSTANT_L2, {**X, "price": PRICE}),
    "LINEAR_L1": (LINEAR_L1, {**X, "price": PRICE}),
    "SHARES": (SHARES, {**X, "class": KIND}),
    "TREATMENTS": (TREATMENTS, DRUGS),
    "ACTIONS": (ACTIONS, GAINS),
}
SOLVERS = {"CONSTANT_L1": "highs", "LINEAR_L1": "highs", "TREATMENTS": "highs", "ACTIONS": "highs"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each spec with its data as files, its result saved beside them."""
    there = tmp_path_factory.mktemp("answers")
    for name, (text, columns) in DATA.items():
        rows = [
            ",".join(columns),
            *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
        ]
        (there / f"{name}.csv").write_text("\n".join(rows) + "\n")
        (there / f"{name}.tree").write_text(text.replace('data "t"', f'data "{name}.csv"'))
    return there


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Result]:
    found = {}
    for name in DATA:
        compiled = treemip.load(folder / f"{name}.tree").compile()
        found[name] = compiled.solve(SOLVERS.get(name, "scip"), time_limit=120)
        found[name].save(folder / f"{name}.json")
    return found


def l1(y: np.ndarray) -> float:
    return float(np.abs(y - np.median(y)).sum()) if len(y) else 0.0


def l2(y: np.ndarray) -> float:
    return float(((y - y.mean()) ** 2).sum()) if len(y) else 0.0


def linear_l1(x: np.ndarray, y: np.ndarray) -> float:
    """The least sum of absolute differences of an affine function, each slope's size at 0.01."""
    if not len(y):
        return 0.0
    n, p = x.shape
    cost = np.r_[0.0, np.zeros(p), np.full(p, 0.01), np.ones(n)]
    fit = np.hstack([np.ones((n, 1)), x, np.zeros((n, p))])
    size = np.hstack([np.zeros((p, 1)), np.eye(p), -np.eye(p), np.zeros((p, n))])
    other = size.copy()
    other[:, 1 : 1 + p] *= -1
    rows = np.vstack([np.hstack([fit, -np.eye(n)]), np.hstack([-fit, -np.eye(n)]), size, other])
    free = [(None, None)] * (1 + p) + [(0, None)] * (p + n)
    return float(linprog(cost, rows, np.r_[y, -y, np.zeros(2 * p)], bounds=free).fun)


def brier(y: np.ndarray) -> float:
    """Of the classes' own shares."""
    shares = np.array([(y == name).mean() if len(y) else 0.0 for name in ("p", "q")])
    return sum(float(((shares - (np.array(["p", "q"]) == name)) ** 2).sum()) for name in y)


def treated(rows: np.ndarray) -> float:
    effect = np.array(DRUGS["effect"]) / np.array(DRUGS["propensity"])
    drug = np.array(DRUGS["drug"])
    return max(float(effect[rows & (drug == name)].sum()) for name in ("one", "two"))


def acted(rows: np.ndarray) -> float:
    gain = np.array(GAINS["gain"])[rows]
    return max(float(gain.sum()), float((1 - gain).sum()), 0.75 * len(gain))


def best(name: str) -> float:
    """The objective of the best tree, by trying every split."""
    x = np.column_stack([X["a"], X["b"]])
    scaled = (x - x.min(axis=0)) / np.ptp(x, axis=0)
    y, kinds = np.array(PRICE), np.array(KIND)
    sides = [(left, ~left) for left in parts()]
    gained = {"TREATMENTS": treated, "ACTIONS": acted}
    if name in gained:
        return max(sum(gained[name](side) for side in both) for both in sides)
    of_side = {
        "CONSTANT_L1": lambda side: l1(y[side]),
        "CONSTANT_L2": lambda side: l2(y[side]),
        "LINEAR_L1": lambda side: linear_l1(scaled[side], y[side]),
        "SHARES": lambda side: brier(kinds[side]),
    }[name]
    return min(sum(of_side(side) for side in both) for both in sides)


@pytest.mark.parametrize("name", DATA)
def test_the_best_tree_is_found_and_verified_whole(name: str, results: dict[str, Result]) -> None:
    result = results[name]
    assert result.objective == pytest.approx(best(name), abs=1e-4)
    assert (result.status, result.verdict, result.problems) == ("optimal", "verified", ())
    assert result.report is not None and result.report.taken == ()
    assert result.report.tree_objective == pytest.approx(result.objective, abs=1e-4)


@pytest.mark.parametrize("name", DATA)
def test_saved_trees_are_verified_again(
    name: str, folder: Path, results: dict[str, Result]
) -> None:
    again = reverify(folder / f"{name}.json")
    assert (again.verdict, again.problems) == ("verified", ())
    assert again.errors == results[name].train_errors
    document = json.loads((folder / f"{name}.json").read_text())
    assert list(faults(document)) == []
    assert results[name].train_errors == (1 if name == "SHARES" else None)


def changed(node: dict[str, Any]) -> bool:
    """Change what a leaf of tree.json answers, whatever that is; whether it answers that."""
    if "distribution" in node:
        node["distribution"] = dict.fromkeys(node["distribution"], 0.5)
    elif "slopes" in node:
        node["slopes"] = {name: slope + 0.01 for name, slope in node["slopes"].items()}
    elif "value" in node:
        node["value"] += 0.01
    elif "class" in node:
        node["class"] = "one" if node["class"] == "two" else "two"
    else:
        return False
    return True


@pytest.mark.parametrize(("name", "leaf"), [*product(DATA, (2, 3))])
def test_a_changed_answer_is_found(
    name: str, leaf: int, folder: Path, results: dict[str, Result]
) -> None:
    document = json.loads((folder / f"{name}.json").read_text())
    (node,) = (node for node in document["tree"]["nodes"] if node["node"] == leaf)
    assert changed(node)
    document["checksum"] = checksum(document)
    (folder / "changed.json").write_text(json.dumps(document))
    found = reverify(folder / "changed.json")
    assert found.verdict == "not verified"
    assert f"node {leaf} of the tree does not follow from the saved values" in found.problems


def test_values_changed_together_with_their_leaf_are_found(
    folder: Path, results: dict[str, Result]
) -> None:
    document = json.loads((folder / "CONSTANT_L1.json").read_text())
    for k, node in enumerate(node for node in document["tree"]["nodes"] if "value" in node):
        node["value"] += 1.0
        document["values"]["leaf_value"][k] = node["value"]
    document["checksum"] = checksum(document)
    (folder / "changed.json").write_text(json.dumps(document))
    problems = reverify(folder / "changed.json").problems
    assert any("the tree's objective is" in problem for problem in problems)
    assert any("scores.training.mse is" in problem for problem in problems)


def test_scores_of_rows_in_a_file(folder: Path, results: dict[str, Result]) -> None:
    for name in DATA:
        found = score_file(folder / f"{name}.json", folder / f"{name}.csv")
        recorded = recorded_scores(folder / f"{name}.json")["training"]
        assert type(found) is type(recorded)
        kinds = {"SHARES": Score, "TREATMENTS": ChoiceScore, "ACTIONS": ChoiceScore}
        assert isinstance(found, kinds.get(name, ValueScore))
        if isinstance(found, ValueScore) and isinstance(recorded, ValueScore):
            assert found.mse == pytest.approx(recorded.mse)
            assert recorded.objective == pytest.approx(results[name].objective, abs=1e-4)


@pytest.mark.parametrize("name", ["CONSTANT_L1", "LINEAR_L1", "TREATMENTS", "ACTIONS"])
def test_the_objective_on_rows_in_a_file(
    name: str, folder: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    """Each row twice: sums over points double, and what is of leaves alone does not."""
    head, *rows = (folder / f"{name}.csv").read_text().splitlines()
    (tmp_path / "rows.csv").write_text("\n".join([head, *rows, *rows]) + "\n")
    found = score_file(folder / f"{name}.json", tmp_path / "rows.csv")
    terms = results[name].report.terms
    expected = 2 * terms[0].tree + sum(term.tree for term in terms[1:])
    assert not isinstance(found, Score) and found.points == 12
    assert found.objective == pytest.approx(expected, abs=1e-6)
    features = [",".join(row.split(",")[:2]) for row in [head, *rows]]
    if name == "TREATMENTS":  # without effects the rows are scored, and the objective is not known
        (tmp_path / "rows.csv").write_text("\n".join(features) + "\n")
        found = score_file(folder / f"{name}.json", tmp_path / "rows.csv")
        assert isinstance(found, ChoiceScore) and found.objective is None and found.points == 6


def test_values_that_rows_do_not_hold_are_a_problem(results: dict[str, Result]) -> None:
    """The solution's own predictions are compared with the tree's, point by point."""
    from treemip.core.tree.verify import verify

    result = results["CONSTANT_L2"]
    assert result.tree is not None
    instance = result.compiled.instance
    values = {**result.values, "predicted": result.values["predicted"] + np.eye(6)[3]}
    report = verify(instance, None, values, result.tree, None)
    assert (
        "the tree predicts other values than the solution for 1 points: rows 4" in report.problems
    )


def test_the_objective_on_test_points(folder: Path) -> None:
    """The drugs of the points left out are those of the spec's other rows."""
    columns = {name: values * 3 for name, values in DRUGS.items()}
    text = TREATMENTS.replace("use a, b;", "use a, b; train 0.5 seed 1;")
    result = treemip.loads(text, columns).compile().solve("highs")
    test, tree = result.compiled.instance.data.test, result.tree
    found = result.test_score
    assert isinstance(found, ChoiceScore) and tree is not None
    given = tree.predict_numbers(test.inputs)
    codes, names = test.groups["drug"]
    worth = test.numbers["effect"] / test.numbers["propensity"]
    assert tree.classes == names
    assert found.objective == pytest.approx(float(worth[given == codes].sum()))


@pytest.mark.parametrize("name", SOLVERS)
def test_trees_of_values_and_treatments_begin_with_cart(name: str) -> None:
    text, columns = DATA[name]
    values, notes = treemip.loads(text, columns).compile().start_values("cart")
    assert values is not None and notes == []


@pytest.mark.parametrize("start", ["local_svm", "svm_tree"])
def test_starts_of_classes_step_aside(start: str) -> None:
    with pytest.raises(TreemipError) as caught:
        treemip.loads(CONSTANT_L1, (X, PRICE)).compile().solve("highs", start=start)
    (found,) = caught.value.diagnostics
    assert found.code == "E902" and "predict values" in found.message


def test_a_result_is_a_start_of_the_same_spec(results: dict[str, Result]) -> None:
    result = results["CONSTANT_L1"]
    again = result.compiled.solve("highs", start=result)
    assert again.objective == pytest.approx(2.0, abs=1e-6)
    shares = results["SHARES"]
    with pytest.raises(TreemipError, match="not completed from a tree alone"):
        shares.compiled.solve("scip", start=shares.tree)


def test_a_tree_of_other_elements_is_no_start(results: dict[str, Result]) -> None:
    other = ACTIONS.replace('"one", "two", "none"', '"first", "none"').replace('"one"', '"first"')
    other = other.replace('if k = "two" then 1 - gain[i] else 0.75', "0.75")
    compiled = treemip.loads(other, GAINS).compile()
    with pytest.raises(TreemipError) as caught:
        compiled.solve("highs", start=results["ACTIONS"].tree)
    (found,) = caught.value.diagnostics
    assert found.message.endswith("which this spec's leaves cannot")
    assert found.remedy == "they answer elements of 'acts': 'first', 'none'"


@pytest.mark.parametrize("name", SOLVERS)
def test_a_tree_alone_is_a_start(name: str, results: dict[str, Result]) -> None:
    result = results[name]
    values, _ = result.compiled.start_values(result.tree)
    assert values is not None
    worth = objective_value(result.compiled.model, values)
    assert worth == pytest.approx(result.objective, abs=1e-6)


def test_a_regressor_of_sklearn_is_a_start(results: dict[str, Result]) -> None:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    compiled = results["CONSTANT_L1"].compiled
    x = np.column_stack([X["a"], X["b"]])
    regressor = DecisionTreeRegressor(max_depth=1, criterion="absolute_error").fit(x, PRICE)
    values, _ = compiled.start_values(regressor)
    assert values is not None
    worth = objective_value(compiled.model, values)
    assert worth <= np.abs(regressor.predict(x) - PRICE).sum() + 1e-6
    with pytest.raises(
        TreemipError, match="predicts classes, and the spec's leaves predict values"
    ):
        compiled.start_values(DecisionTreeClassifier(max_depth=1).fit(x, KIND))


def test_trees_near_the_best_are_not_listed_of_values(results: dict[str, Result]) -> None:
    with pytest.raises(TreemipError, match="they are not where leaves predict values"):
        results["CONSTANT_L1"].near_optimal()


@pytest.mark.parametrize("step", [19, pytest.param(7, marks=pytest.mark.truth)])
@pytest.mark.parametrize("name", ["LINEAR_L1", "SHARES", "TREATMENTS"])
@pytest.mark.parametrize("part", ["tree", "scores"])
def test_damaged_files_are_refused_in_words(
    name: str, part: str, step: int, folder: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    text = (folder / f"{name}.json").read_text()
    path = tmp_path / "tree.json"
    for number, at in enumerate(at for at in places(json.loads(text)) if at[:1] == (part,)):
        for k, new in enumerate([*WRONG, REMOVED]):
            if (number + k) % step == 0:
                path.write_text(damaged(text, at, new))
                for use in (
                    lambda: str(treemip.load_tree(path)),
                    lambda: treemip.load_tree(path).predict(X),
                    lambda: reverify(path, folder / f"{name}.csv").to_json(),
                    lambda: [each.to_json() for each in recorded_scores(path).values()],
                    lambda: score_file(path, folder / f"{name}.csv").to_json(),
                ):
                    with suppress(TreemipError):
                        use()
