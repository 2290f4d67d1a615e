"""Faults of proofs, readers, exports, fits, sweeps and scores are noticed; references agree."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converted_trees import answering, random_tree, rows_for
from reference.enumeration import Enumeration, complete
from reference.leaf_sums import least_errors, thresholds
from reference.shapes import read

import treemip
from treemip.api.result import Result
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree

from . import deep_models, estimators, exports, readers, scores, sweeps
from .cases import LOST, OTHER, WRONG_OPTIMUM, WRONG_VERDICT, Case, Fault
from .judge import in_order, judged
from .models import FORMS, Model, random_model
from .search_words import misclassified
from .solves import require_alone
from .valued_forms import VALUED


@cache
def proven() -> tuple[Model, Result]:
    """A model with an optimum that is not 0, and its result."""
    for seed in range(50):
        model = random_model(np.random.default_rng(seed), "oct", complete(1))
        if model.words == ("misclassified",) and model.reference()[1] > 0:
            made = treemip.loads(model.text, data=model.table.columns).compile()
            return model, made.solve(time_limit=5, threads=1)
    raise AssertionError


def test_a_right_answer_is_one() -> None:
    model, result = proven()
    assert judged(model, result).outcome == "optimal"
    require_alone(model, result)


@pytest.mark.parametrize(
    ("better", "fault"),
    [
        ({"reference": lambda: (0.0, 0.0)}, WRONG_OPTIMUM),
        ({"reference": lambda: (99.0, 99.0)}, WRONG_VERDICT),
        ({"worth": lambda tree: np.array([99.0])}, WRONG_VERDICT),
        ({"worth": lambda tree: np.array([0.0])}, WRONG_OPTIMUM),
    ],
)
def test_false_proofs_are_noticed(better: dict[str, Any], fault: str) -> None:
    model, result = proven()
    without_bound = replace(result, answer=replace(result.answer, bound=None))
    with pytest.raises(Fault) as caught:
        judged(replace(model, **better), without_bound)
    assert caught.value.kind == fault


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"status": "time_limit", "bound": 50.0}, "beyond"),
        ({"status": "infeasible"}, "infeasible, but"),
    ],
)
def test_false_claims_are_noticed(other: dict[str, Any], said: str) -> None:
    model, result = proven()
    answer = replace(result.answer, **other)
    tree = result.tree if "bound" in other else None
    with pytest.raises(Fault, match=said) as caught:
        judged(model, replace(result, answer=answer, tree=tree))
    assert caught.value.kind == WRONG_OPTIMUM


def test_errors_that_are_counted_wrong_are_noticed() -> None:
    model, result = proven()
    assert result.report is not None and result.train_errors
    none = replace(result, report=replace(result.report, errors=0))
    with pytest.raises(Fault, match="0 errors are said"):
        require_alone(model, none)


@pytest.mark.parametrize("name", ["binoct", "oct", "flow_oct"])
@pytest.mark.parametrize("seed", range(4))
def test_the_references_of_depth_3_are_one(name: str, seed: int) -> None:
    """Sums over leaves and all predictions; at two levels sums over leaves and all trees."""
    rng, form = np.random.default_rng(seed), FORMS[name]
    table = deep_models.random_table(rng, form, 2, 7)
    table = replace(table, x=table.x[:8], y=table.y[:8], weight=None, group=table.group[:8])
    first = misclassified(rng, table)
    x = form.encode(table)
    leaf = deep_models._leaf_cost(table, first, 1.0)
    by_sums = deep_models._least(name, x, {}, 1, x.shape[1], leaf)
    assert by_sums == deep_models._best_given(table, x, first.worth, ())
    splits = form.splits(table, {"alpha": 0.0}, True)
    of_two = least_errors(thresholds(x), table.y, 2)
    assert Enumeration(table, splits, complete(2), first.worth).best() == (of_two, of_two)
    assert of_two >= by_sums


def test_unbalanced_trees_are_enumerated() -> None:
    """A shape with one leaf more on a side is worth as much as one with it on the other side."""
    for name in ("binoct", "flow_oct"):
        table = deep_models.random_table(np.random.default_rng(3), FORMS[name], 2, 7)
        worth = misclassified(np.random.default_rng(3), table).worth
        splits = FORMS[name].splits(table, {}, True)
        best = [Enumeration(table, splits, read(s), worth).best()
                for s in ("(. .)", "((. .) .)", "(. (. .))", "((. .) (. .))")]  # fmt: skip
        assert best[0] >= best[1] >= best[3] and best[0] >= best[2] >= best[3]


@pytest.mark.parametrize("name", VALUED)
def test_values_of_leaves_have_references(name: str) -> None:
    found = [
        random_model(np.random.default_rng(k), name, complete(1), False, VALUED[name]).reference()
        for k in range(8)
    ]
    assert all(low <= high for low, high in found)
    assert len({high for _, high in found if np.isfinite(high)}) > 3


# -------------------------------------------------------------- readers and exports


def test_a_reader_that_reads_otherwise_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells: readers.Cells = {"x1": [0.25, 1.0, 2.5, 0.25] * 2, "x2": [0, 1, 2, 3] * 2}
    text = ('data "t.csv" { label c; scale minmax; } topology complete(depth = 1);'
            "split univariate by oct;")  # fmt: skip
    encoder = readers._trained(text, cells, tmp_path)
    assert encoder is not None
    new: readers.Cells = {"x1": [1.0] * readers.NEW, "x2": [1] * readers.NEW}
    assert readers._read(encoder, new, tmp_path) == {"rows read": readers.NEW, "rows refused": 0}
    other = {"x1": [2.5] * readers.NEW, "x2": new["x2"]}
    monkeypatch.setattr(readers, "forms", lambda _: {"a reader": other})
    with pytest.raises(Fault, match="a reader") as caught:
        readers._read(encoder, new, tmp_path)
    assert caught.value.kind == OTHER
    with pytest.raises(Fault, match="refused"):
        readers._require("a reader", "alone", None, [np.zeros((1, 2))])


def _relabelled(tree: Tree) -> Tree:
    """With the next class in each leaf."""
    leaf = np.where(tree.leaf_class < 0, -1, (tree.leaf_class + 1) % len(tree.classes))
    return replace(tree, answer=ClassAnswer(leaf, tree.classes))


@pytest.mark.parametrize("target", [*exports.TARGETS][:-2])
def test_a_program_of_another_tree_is_noticed(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exports._can(target, "univariate", "classes", "text"):
        pytest.skip("something is not installed")
    tree = random_tree("univariate", "scale none", 1)
    rows = rows_for(tree, 5, 1)
    exports.TARGETS[target](tree, rows, tmp_path)
    other = _relabelled(tree)
    monkeypatch.setattr(type(tree), "predict", lambda *_: other_classes)
    monkeypatch.setattr(type(tree), "answers", lambda *_: other_numbers)
    other_numbers = other.predict_numbers(other.encode(rows))
    other_classes = other.class_values[other_numbers]
    with pytest.raises(Fault) as caught:
        exports.TARGETS[target](tree, rows, tmp_path)
    assert caught.value.kind == WRONG_VERDICT


def test_another_tree_that_is_loaded_is_noticed() -> None:
    tree = answering(random_tree("univariate", "scale none", 1), "points", 1)
    rows = rows_for(tree, 5, 1)
    exports._again("saved", tree, tree, rows)
    with pytest.raises(Fault, match="saved"):
        exports._again("saved", tree, _relabelled(tree), rows)


# ------------------------------------------------------- fits, sweeps and other rows


@pytest.fixture
def handlers() -> Iterator[None]:
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("handlers")
def test_changed_handlers_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changes(_: object) -> dict[str, int]:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        return {}

    monkeypatch.setattr(estimators, "CHECKS", {"changes": changes})
    with pytest.raises(Fault, match="handlers"):
        estimators.run(Case("estimators", 1, 1), tmp_path, {})


def test_a_fit_that_ends_otherwise_is_noticed() -> None:
    estimators._require("a fit", ("optimal", 1.0, 0.5), ("optimal", 1.0 + 1e-12, 0.5))
    for other in (("optimal", 2.0, 0.5), ("time_limit", 1.0, 0.5)):
        with pytest.raises(Fault, match="a fit"):
            estimators._require("a fit", other, ("optimal", 1.0, 0.5))


def test_rows_of_sweeps_are_held_against_those_without_signals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = {"status": "optimal", "objective": "1.0", "train_errors": "1", "test_errors": "2",
            "test_accuracy": "0.5", "key": "k"}  # fmt: skip
    monkeypatch.setattr(sweeps, "_reference", lambda _: [good])
    path = tmp_path / "runs" / "rows" / "k.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"results": good}))
    done = sweeps._require_kept(tmp_path, {}, 0)
    for content, kind, words in (
        ('{"resul', LOST, "not whole"),
        (json.dumps({"results": {**good, "objective": "2.0"}}), WRONG_VERDICT, "without signals"),
    ):
        path.write_text(content)
        with pytest.raises(Fault, match=words) as caught:
            sweeps._require_kept(tmp_path, {}, 0)
        assert caught.value.kind == kind
    with pytest.raises(Fault, match="was done"):
        sweeps._require_kept(tmp_path, done, 0)


def test_another_number_on_other_rows_is_noticed() -> None:
    scores._require("ort", "objective", 1.0, 1.0 + 1e-9)
    scores._require("ort", "objective", None, 1.0)
    with pytest.raises(Fault, match="on other rows: 1"):
        scores._require("ort", "objective", 1.0, 1.5)


def test_branches_of_a_tree_are_in_the_order_of_the_references() -> None:
    topology = treemip.loads(
        'data "t.csv" { label c; } topology shape "((. (. .)) ((. .) .))";split univariate by oct;',
        data={"a": [0.0, 1.0], "c": ["u", "v"]},
    ).instance.topology
    branches, leaves = in_order(topology)
    assert branches == [0, 1, 4, 2, 5]
    assert [int(topology.parent[b]) for b in branches] == [-1, 0, 1, 0, 2]
    assert sorted([*branches, *leaves]) == list(range(topology.size))
