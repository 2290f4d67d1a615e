"""Pickles of estimators and of what they hold: small, without rows, and good for all but those."""

from __future__ import annotations

import json
import pickle
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treemip
from treemip.api.reverify import reverify
from treemip.cli.main import main
from treemip.sklearn import OptimalTreeClassifier, OptimalTreeRegressor

ROWS = 400
TABLE = pd.DataFrame(
    {
        "name": [f"Mrs Secret {k}" for k in range(ROWS)],
        "income": np.arange(ROWS) + 31234.625,
        "town": ["Here", "There"] * (ROWS // 2),
    }
)
PLAIN = TABLE.drop(columns="name")
LABELS = np.where(TABLE["income"] > 31400, "good", "bad")
SPEC = """\
param min_leaf = 1;
data "rows.csv" { label class; id name; scale minmax; train 0.75 seed 1; }
topology complete(depth = 1);
split univariate by oct;
"""


@pytest.fixture(scope="module")
def fitted() -> OptimalTreeClassifier:
    texts = {"definitions": "param min_leaf = 1;", "group": "name"}
    return OptimalTreeClassifier(depth=1, **texts).fit(TABLE, LABELS)


@pytest.fixture(scope="module")
def read(fitted: OptimalTreeClassifier) -> OptimalTreeClassifier:
    """The estimator out of a pickle."""
    again: OptimalTreeClassifier = pickle.loads(pickle.dumps(fitted))
    return again


def held(fitted: OptimalTreeClassifier) -> dict[str, Any]:
    result = fitted.result_
    return {
        "estimator": fitted,
        "program": fitted.program_,
        "compiled": result.compiled,
        "result": result,
        "tree": fitted.tree_,
        "near": result.near_optimal(trees=2, within=0.5, seconds=1),
    }


def same_json(one: treemip.Result, other: treemip.Result) -> bool:
    return json.dumps(one.to_json()) == json.dumps(other.to_json())


def test_no_pickle_has_a_row(fitted: OptimalTreeClassifier) -> None:
    rows = pickle.dumps(fitted.program_.table)
    assert rows.count(b"Mrs Secret") == ROWS
    for name, one in held(fitted).items():
        text = pickle.dumps(one)
        assert b"Mrs Secret" not in text and len(text) < 20_000, name
        assert np.float64(31234.625 + 100).tobytes() not in text, name


def test_a_pickle_predicts_shows_and_saves(
    fitted: OptimalTreeClassifier, read: OptimalTreeClassifier, tmp_path: Path
) -> None:
    for method in ("predict", "predict_proba", "apply"):
        np.testing.assert_array_equal(getattr(read, method)(TABLE), getattr(fitted, method)(TABLE))
    assert read.to_text() == fitted.to_text()
    one, other = fitted.result_, read.result_
    assert str(other) == str(one) and repr(other) == repr(one)
    assert other._repr_html_() == one._repr_html_()
    for name in ("status", "objective", "bound", "gap", "verdict", "points", "train_errors"):
        assert getattr(other, name) == getattr(one, name)
    assert other.train_score.to_json() == one.train_score.to_json()
    assert same_json(other, one)
    other.save(tmp_path / "tree.json")
    loaded = treemip.load_tree(tmp_path / "tree.json")
    np.testing.assert_array_equal(loaded.predict(TABLE), fitted.predict(TABLE))
    assert pickle.dumps(pickle.loads(pickle.dumps(read))) == pickle.dumps(read)


def test_what_needs_the_rows_says_how_to_give_them(read: OptimalTreeClassifier) -> None:
    program, result = read.program_, read.result_
    for needs_rows in (lambda: program.data, program.compile):
        with pytest.raises(treemip.TreemipError, match=r"E301.*were in memory[^$]*with_data"):
            needs_rows()
    for needs_model in (lambda: result.others, result.near_optimal, result.compiled.stats):
        with pytest.raises(treemip.TreemipError, match=r"E301.*neither the model nor its data"):
            needs_model()
    with pytest.raises(treemip.TreemipError, match="E301"):
        treemip.sweep(program, {"depth": [1]})
    assert repr(result.compiled) == "<Compiled <spec>: from a pickle, without its model>"
    assert program.with_data((TABLE, LABELS)).compile().solve().train_errors == 0


def test_of_paths_a_pickled_estimator_has_those_of_its_parameters_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.tree").write_text(SPEC.replace(" id name;", ""))
    monkeypatch.chdir(tmp_path)
    whole = OptimalTreeClassifier(spec=str(tmp_path / "small.tree")).fit(PLAIN, LABELS)
    assert pickle.dumps(whole).count(bytes(tmp_path)) == 1
    assert clone(pickle.loads(pickle.dumps(whole))).spec == whole.spec
    near = OptimalTreeClassifier(spec="small.tree").fit(PLAIN, LABELS)
    for one in (near, whole.tree_, whole.result_, whole.program_):
        assert bytes(tmp_path) not in pickle.dumps(one)


def test_a_program_over_a_file_reads_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TABLE.assign(**{"class": LABELS}).to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "small.tree").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    result = treemip.load(tmp_path / "small.tree").compile().solve()
    assert result.warnings
    text = pickle.dumps(result)
    assert b"Mrs Secret" not in text and bytes(tmp_path) not in text
    read = pickle.loads(text)
    assert read.test_score.to_json() == result.test_score.to_json()
    read.save("tree.json")
    assert reverify("tree.json").verified
    assert read.compiled.program.compile().solve().objective == result.objective


def test_copies_in_the_same_process_have_all(fitted: OptimalTreeClassifier) -> None:
    copied = deepcopy(fitted)
    assert copied.result_.others == fitted.result_.others
    assert copied.program_.table is fitted.program_.table
    assert copied.tree_.spec is fitted.tree_.spec is not None
    assert pickle.loads(pickle.dumps(fitted.tree_)).spec is None
    assert not hasattr(clone(fitted), "tree_")


def test_joblib_caches_and_hashes(fitted: OptimalTreeClassifier, tmp_path: Path) -> None:
    memory = joblib.Memory(tmp_path, verbose=0)
    calls = []

    def fit(depth: int) -> OptimalTreeClassifier:
        calls.append(depth)
        return OptimalTreeClassifier(depth=depth).fit(PLAIN, LABELS)

    cached = memory.cache(fit)
    first, second = cached(1), cached(1)
    assert calls == [1]
    np.testing.assert_array_equal(first.predict(PLAIN), second.predict(PLAIN))
    assert joblib.hash(fitted) == joblib.hash(fitted) != joblib.hash(first)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*.pkl"))
    assert stored and b"Mrs Secret" not in stored


def test_a_regressor_has_no_rows_either() -> None:
    values = TABLE["income"].to_numpy() * 0.001953125
    fitted = OptimalTreeRegressor(depth=1).fit(PLAIN, values)
    text = pickle.dumps(fitted)
    assert len(text) < 20_000
    assert sum(np.float64(value).tobytes() in text for value in values) <= 1
    np.testing.assert_array_equal(pickle.loads(text).predict(PLAIN), fitted.predict(PLAIN))


def test_skops_reads_what_it_writes(fitted: OptimalTreeClassifier) -> None:
    io = pytest.importorskip("skops.io")
    text = io.dumps(fitted)
    assert b"Mrs Secret" not in text
    foreign = io.get_untrusted_types(data=text)
    assert all(name.startswith(("treemip.", "pathlib.")) for name in foreign)
    read = io.loads(text, trusted=foreign)
    np.testing.assert_array_equal(read.predict(TABLE), fitted.predict(TABLE))
    assert same_json(read.result_, fitted.result_)
    assert read.tree_.spec is None


def test_skops_reads_a_regressor_without_its_rows() -> None:
    io = pytest.importorskip("skops.io")
    values = TABLE["income"].to_numpy() * 0.001953125
    fitted = OptimalTreeRegressor(depth=1).fit(PLAIN, values)
    text = io.dumps(fitted)
    assert sum(str(value).encode() in text for value in values) <= 1
    read = io.loads(text, trusted=io.get_untrusted_types(data=text))
    np.testing.assert_array_equal(read.predict(PLAIN), fitted.predict(PLAIN))


def test_mlflow_loads_a_saved_tree_with_its_card(
    fitted: OptimalTreeClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the code of docs/sklearn.md, and without a tracking server."""
    mlflow = pytest.importorskip("mlflow")
    page = (Path(__file__).parents[2] / "docs" / "sklearn.md").read_text(encoding="utf-8")
    section = page.partition("### MLflow\n")[2].partition("\n## ")[0]
    model, saving = re.findall(r"^```python\n(.*?)^```$", section, re.M | re.S)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "none").as_uri())
    Path("saved_tree.py").write_text(model)
    fitted.result_.save("tree.json")
    assert main(["card", "tree.json", "-o", "card.md"]) == 0
    names: dict[str, Any] = {"X": TABLE}
    exec(saving, names)
    for file in ("tree.json", "card.md", "saved_tree.py"):
        Path(file).unlink()
    expected = fitted.predict(TABLE).tolist()
    assert mlflow.pyfunc.load_model("model").predict(TABLE).tolist() == expected
    assert names["predicted"].tolist() == expected
    assert "## Rules" in Path("model/artifacts/card.md").read_text(encoding="utf-8")
    assert not list(Path("model").rglob("*.pkl")) and not Path("none").exists()
