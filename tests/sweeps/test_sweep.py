"""Sweeps and cross-validation from Python: what is run, what is kept, and what is not run again."""

from __future__ import annotations

import csv
import io
import json

import pytest
from small_sweep import CSV, LEAST, SPEC, small_spec

import treemip
from treemip.core.source.diagnostic import TreemipError
from treemip.study.sweeps import run as run_module
from treemip.study.sweeps.axes import table_names


def test_every_combination_is_a_row(spec, tmp_path):
    runs = treemip.sweep(spec, {"d": [1, 2], "s": range(1, 4)}, folder=tmp_path / "runs")
    assert [(row["d"], row["s"]) for row in runs.rows] == [(d, s) for d in "12" for s in "123"]
    assert {row["status"] for row in runs.rows} == {"optimal"}
    assert {row["verdict"] for row in runs.rows} == {"verified"}
    table = list(csv.DictReader(io.StringIO((tmp_path / "runs" / "table.csv").read_text())))
    assert [row["train_errors"] for row in table] == [str(r["train_errors"]) for r in runs.rows]
    assert list(table[0]) == list(runs.columns)
    one = treemip.load(spec, d=2, s=3).compile().solve()
    assert runs.rows[-1]["objective"] == one.objective
    assert runs.rows[-1]["test_errors"] == one.test_errors


def test_what_is_done_is_not_run_again(spec, tmp_path, monkeypatch):
    first = treemip.sweep(spec, {"s": [1, 2]}, folder=tmp_path / "runs")
    done: list[dict[str, str]] = []
    execute = run_module.execute

    def counted(run):
        done.append(run.values)
        return execute(run)

    monkeypatch.setattr("treemip.study.sweeps.workers.execute", counted)
    again = treemip.sweep(spec, {"s": [1, 2]}, folder=tmp_path / "runs")
    assert (done, again.kept, again.rows) == ([], 2, first.rows)
    larger = treemip.sweep(spec, {"s": [2, 3], "d": [1]}, folder=tmp_path / "runs")
    assert (len(done), larger.kept, larger.rows[0]["s"]) == (2, 0, "2")
    treemip.sweep(spec, {"s": [2, 3]}, folder=tmp_path / "runs")
    assert done[2:] == [{"s": "3"}]


def test_other_questions_and_damaged_files_are_asked_again(spec, tmp_path, monkeypatch):
    """Each change is of what was kept by the one before."""

    def kept(**settings):
        return treemip.sweep(spec, {"s": [1]}, folder=tmp_path / "runs", **settings).kept

    assert (kept(), kept()) == (0, 1)
    assert kept(threads=1) == 0
    (tmp_path / "small.csv").write_text(CSV + "6,1,yes\n" * 4)
    assert (kept(), kept()) == (0, 1)
    spec.write_text(SPEC.replace("share = 0.75", "share = 0.5"))
    assert (kept(), kept()) == (0, 1)
    for damaged in ("{", json.dumps({"format": "treemip run 1"})):
        for file in (tmp_path / "runs" / "rows").iterdir():
            file.write_text(damaged)
        assert (kept(), kept()) == (0, 1)
    monkeypatch.setattr(run_module, "__version__", "0.0.0")
    assert kept() == 0


def test_runs_without_a_tree_are_rows(spec, tmp_path):
    spec.write_text(SPEC + LEAST)
    rows = treemip.sweep(spec, {"least": [0, 1000]}).rows
    assert [row["status"] for row in rows] == ["optimal", "infeasible"]
    assert rows[1]["verdict"] is None
    (tmp_path / "kinds.csv").write_text("a,class\n" + "u,yes\nu,no\n" * 6 + "v,yes\n")
    kinds = small_spec(tmp_path, SPEC.replace("small.csv", "kinds.csv"))
    rows = treemip.sweep(kinds, {"s": range(8)}).rows
    failed = [row for row in rows if row["status"] == "error"]
    assert failed and all(row["message"].startswith("E309: ") for row in failed)
    assert len(failed) < 8


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ({"d": [1, 99]}, "a complete tree has depth 1 to 16, not 99"),
        ({"e": [1]}, "-p e=1: there is no parameter 'e'"),
        ({"d": []}, "'d' has no values"),
        ({"d": [1, 1]}, "'d' has the value 1 twice"),
        (["d=1", "d=2"], "'d' varies twice"),
        (["d"], "'--vary d' is not a name with values"),
        (["d=5..1"], "'d=5..1' is not a range of values"),
        (["d=1,,2"], "'--vary d=1,,2' has an empty value"),
        ({"solver": ["none such"]}, "unknown solver"),
        ({"time_limit": ["soon"]}, "'time_limit=soon': 'soon' is not a number"),
    ],
)
def test_what_is_wrong_is_said_before_any_run(spec, tmp_path, vary, message):
    with pytest.raises(TreemipError) as caught:
        treemip.sweep(spec, vary, folder=tmp_path / "runs")
    assert message in caught.value.diagnostics[0].message
    assert not (tmp_path / "runs").exists()


def test_missing_and_unfit_tables_are_said_before_any_run(spec, tmp_path):
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    for name, code in (("none.csv", "E301"), ("b.csv", "E302")):
        paths = [str(tmp_path / "small.csv"), str(tmp_path / name)]
        with pytest.raises(TreemipError) as caught:
            treemip.sweep(spec, {"data": paths})
        assert caught.value.diagnostics[0].code == code


def test_results_tell_no_more_of_a_path_than_tells_tables_apart():
    paths = ["/home/me/a/iris.csv", "/home/me/b/iris.csv", "/srv/wine.csv", "../c/wine.csv"]
    told = ["a/iris.csv", "b/iris.csv", "srv/wine.csv", "../c/wine.csv"]
    assert list(table_names(paths).values()) == told


def test_tables_vary_and_a_frame_stands_in(spec, tmp_path):
    (tmp_path / "other.csv").write_text(CSV.replace("yes", "maybe") + "6,1,maybe\n" * 12)
    paths = [str(tmp_path / "small.csv"), str(tmp_path / "other.csv")]
    runs = treemip.sweep(spec, {"data": paths})
    assert [row["data"] for row in runs.rows] == ["small.csv", "other.csv"]
    assert runs.rows[0]["key"] != runs.rows[1]["key"]
    assert set(runs.best()) == {"small.csv", "other.csv"}
    columns = {"a": [0, 1, 2, 3] * 4, "class": ["u", "u", "v", "v"] * 4}
    rows = treemip.sweep(treemip.load(spec, data=columns), {"d": [1]}).rows
    assert rows[0]["train_errors"] == 0


def test_names_of_results_may_vary(spec):
    runs = treemip.sweep(spec, {"gap": [0.0, 0.5]})
    assert runs.names == ("vary_gap",)
    assert [row["vary_gap"] for row in runs.rows] == ["0", "0.5"]


def test_folds_are_those_of_the_language(spec, tmp_path):
    runs = treemip.cross_validate(spec, 3, seed=2, vary={"d": [1, 2]})
    assert [(row["d"], row["fold"]) for row in runs.rows] == [(d, k) for d in "12" for k in "123"]
    for row in runs.rows[:3]:
        text = SPEC.replace("train share seed s", f"train fold {row['fold']} of 3 seed 2")
        one = treemip.loads(text, base=tmp_path, d=int(row["d"])).compile().solve()
        assert (row["train_errors"], row["test_errors"]) == (one.train_errors, one.test_errors)
    accuracy = sum(1 - row["test_errors"] / 8 for row in runs.rows[:3]) / 3
    assert runs.configurations[0].accuracy == pytest.approx(accuracy)


def test_folds_of_a_spec_without_a_training_part(tmp_path):
    spec = small_spec(tmp_path, SPEC.replace(" train share seed s;", ""))
    rows = treemip.cross_validate(spec, 2).rows
    assert all(row["test_accuracy"] is not None for row in rows)


@pytest.mark.parametrize(("folds", "seed"), [(1, 0), (2, -1), (2.5, 0)])
def test_what_are_no_folds(spec, folds, seed):
    with pytest.raises(TreemipError, match="E902"):
        treemip.cross_validate(spec, folds, seed=seed)


def test_parallel_runs_give_the_same_rows(spec, tmp_path):
    pytest.importorskip("joblib", reason="joblib does the runs")
    apart = treemip.sweep(spec, {"d": [1, 2], "s": [1, 2]}, jobs=2, folder=tmp_path / "runs")
    here = treemip.sweep(spec, {"d": [1, 2], "s": [1, 2]})

    def steady(runs):
        return [{k: v for k, v in row.items() if k != "seconds"} for row in runs.rows]

    assert steady(apart) == steady(here)
    assert len(list((tmp_path / "runs" / "rows").iterdir())) == 4
