"""A tree as an ONNX model gives, in ONNX Runtime, exactly what the tree gives."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from converted_trees import (
    answering,
    random_tree,
    rows_for,
    split_of,
    table,
    tree_asking,
    with_columns,
)
from run_programs import onnx_answers

from treemip.core.instance.encodings import MinMax
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.randomized import RandomizedTree
from treemip.writers.convert.onnx_model import NO_NUMBER

pytest.importorskip("onnx", reason="ONNX is not installed")
runtime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "convert.md"


def test_a_single_leaf_has_one_value_for_all_rows() -> None:
    tree = answering(random_tree("univariate", "scale none", 0), "constants", 0)
    same = np.where(tree.topology.is_leaf, 2.5, 0.0)
    tree = replace(tree, answer=replace(tree.value_answer, base=same))
    rows = {name: values[:5] for name, values in rows_for(tree, 5, 0).items()}
    assert onnx_answers(tree, rows)[0].tolist() == [2.5] * 5


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^```python\n(import onnxruntime.*?)^```$", PAGE.read_text(), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    trees = [random_tree("mixed", "scale minmax", 1), random_tree("sets", "scale none", 3)]
    trees += [tree_asking("oblique", "colour", "age")]
    for tree in (answering(tree, "points", 1) for tree in trees):
        Path("tree.onnx").write_bytes(tree.to_onnx().SerializeToString())
        frame = pd.DataFrame(table()).replace({"?": None})
        names = {"frame": frame}
        exec(code, names)
        assert (names["prediction"] == tree.predict(frame)).all()  # type: ignore[attr-defined]


def test_far_sums_have_the_probabilities_of_the_tree() -> None:
    """exp is computed down to where it is 0, through numbers with fewer digits."""
    tree = random_tree("randomized", "scale none", 0)
    assert isinstance(tree, RandomizedTree)
    weights = np.zeros_like(tree.weights)
    weights[tree.topology.branches, tree.features.index("income (k€)")] = 1.0
    tree = replace(tree, weights=weights)
    rows = {name: np.repeat(values[:1], 3000) for name, values in rows_for(tree, 0, 0).items()}
    rows["income (k€)"] = np.linspace(-800.0, 800.0, 3000)
    _, probabilities, refused = onnx_answers(tree, rows)
    assert (probabilities == tree.predict_proba(rows)).all()
    assert not refused.any()


@pytest.mark.parametrize("kind", ["mixed", "randomized"])
def test_a_refused_row_says_so(kind: str) -> None:
    tree = tree_asking(kind, "level", "the town")
    rows = {name: values[:6] for name, values in rows_for(tree, 6, 0).items()}
    rows["level"] = np.array([np.nan, -999.0, 1.0, 1.0, np.inf, 1.0], object)
    rows["the town"] = np.array(["A", "A", "C", "", "A", "A"], object)
    tree = tree if kind == "randomized" else answering(tree, "points", 1)
    prediction, probabilities, refused = onnx_answers(tree, rows)
    assert refused.tolist() == [True] * 5 + [False]
    assert prediction[:5].tolist() == [""] * 5 and prediction[5] in tree.classes
    assert np.isnan(probabilities[:5]).all() and probabilities[5].sum() == pytest.approx(1)


def test_a_refused_row_has_no_number() -> None:
    tree = tree_asking("mixed", "level", "the town")
    assert tree.encoder is not None
    for names, nothing in ((("1", "2", "3"), NO_NUMBER), (("1", "2", "3.5"), None)):
        classes = replace(tree.encoder.classes, names=names, numeric=True)
        assert isinstance(tree.answer, ClassAnswer)
        answer = replace(tree.answer, classes=names)
        numbered = replace(tree, answer=answer, encoder=replace(tree.encoder, classes=classes))
        rows = {name: values[:2] for name, values in rows_for(tree, 2, 0).items()}
        rows["level"] = np.array([np.nan, 1.0], object)
        rows["the town"] = np.array(["A", "A"], object)
        prediction, *_ = onnx_answers(numbered, rows)
        assert np.isnan(prediction[0]) if nothing is None else prediction[0] == nothing
        assert prediction[1] in numbered.class_values


def test_a_value_too_large_to_be_scaled_is_refused_in_a_sum() -> None:
    tree = split_of({"income (k€)": 1e-3, "age": 1e-3}, 1e-3, "scale minmax(0, 9)")
    encoder = tree.encoder
    assert encoder is not None
    income = next(f for f in encoder.features if f.column == "income (k€)")
    assert isinstance(income.finish, MinMax)
    narrow = replace(income, finish=replace(income.finish, low=0.0, high=1e-3))
    features = tuple(narrow if f is income else f for f in encoder.features)
    tree = replace(tree, encoder=replace(encoder, features=features))
    rows = {name: values[:2] for name, values in rows_for(tree, 2, 0).items()}
    rows["income (k€)"] = np.array([1.7e308, 3.0], object)
    with pytest.raises(TreemipError, match="too large to be scaled"):
        tree.predict(rows)
    assert onnx_answers(tree, rows)[-1].tolist() == [True, False]


def test_a_tree_of_one_class_answers_each_row() -> None:
    tree = random_tree("univariate", "scale none", 0)
    leaf = np.where(tree.topology.is_leaf, 1, -1)
    counts = np.zeros((tree.topology.size, 3), np.int64)
    counts[tree.topology.leaves, 1] = 2
    answer = ClassAnswer(leaf, tree.classes)
    single = replace(tree, answer=answer, counts=counts, leaf_weights=counts.astype(float))
    rows = {name: values[:5] for name, values in rows_for(tree, 5, 0).items()}
    prediction, probabilities, _ = onnx_answers(single, rows)
    assert prediction.tolist() == [tree.classes[1]] * 5
    assert probabilities.tolist() == [[0.0, 1.0, 0.0]] * 5


def test_outputs_give_way_to_columns_of_their_names() -> None:
    tree = split_of({"age": 1.0}, 40.0)
    for name in ("prediction", "value0"):
        renamed = with_columns(tree, {"age": name})
        model = renamed.to_onnx()
        outputs = [each.name for each in model.graph.output]
        assert outputs[0] == ("prediction_" if name == "prediction" else "prediction")
        rows = {name: np.array([39.0, 41.0], object)}
        prediction, *_ = onnx_answers(renamed, rows)
        assert prediction.tolist() == [tree.classes[0], tree.classes[1]]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "a column without a name cannot be an input of an ONNX model"),
        ("a\ud800", r"'a\ud800' is not valid UTF-8, which texts in ONNX are"),
    ],
)
def test_what_onnx_cannot_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(TreemipError) as error:
        with_columns(split_of({"age": 1.0}, 40.0), {"age": name}).to_onnx()
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("E902", message)
