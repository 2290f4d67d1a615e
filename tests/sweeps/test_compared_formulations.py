"""`treemip.compare`: the object that it gives, and what it shares with the command."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from small_sweep import CSV, THREE

import treemip
from treemip.cli.main import main
from treemip.core.source.diagnostic import TreemipError
from treemip.study.sweeps import compare as compare_module


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    (folder / "two.csv").write_text(CSV)
    (folder / "three.csv").write_text(THREE)
    return folder


@pytest.fixture(scope="module")
def small(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        tables = ["two.csv", folder / "three.csv"]
        how = {"depth": 1, "folds": 2, "time_limit": 20, "folder": "study"}
        return treemip.compare(["binoct", "margot"], data=tables, **how)


def test_a_line_for_each_table_depth_and_formulation(small, folder):
    columns = small.columns
    assert columns["formulation"].tolist() == ["binoct", "margot"] * 2
    assert columns["depth"].dtype == np.int64 and columns["train"].dtype == np.float64
    assert columns["proven"][:3].tolist() == [1.0, 1.0, 1.0] and np.isnan(columns["proven"][3])
    assert columns["runs"].tolist() == [2, 2, 2, 0]
    rows = list(csv.DictReader(io.StringIO(small.to_csv())))
    assert list(rows[0]) == list(columns)
    assert [float(row["test"] or "nan") for row in rows[:3]] == [*columns["test"][:3]]
    assert small.to_markdown() == (folder / "study" / "comparison.md").read_text()
    assert small.to_latex() == (folder / "study" / "comparison.tex").read_text()
    assert list(small.profiles) == ["binoct", "margot"]
    assert small.profiles["binoct"].shares[-1] == 1.0
    (note,) = small.notes
    assert note.startswith("margot on three: not run: E307: margot does not take this table: ")


def test_the_command_takes_over_its_runs(small, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    line = "compare binoct,margot --data two.csv,three.csv --depth 1 --folds 2 --time-limit 20"
    assert main([*line.split(), "-o", "study", "--json"]) == 0
    study = json.loads(capsys.readouterr().out)
    assert study["kept"] == 6
    assert [case["seconds"] for case in study["cases"][:3]] == small.columns["seconds"][:3].tolist()


def test_the_table_in_a_notebook_and_with_or_without_pandas(small, monkeypatch):
    html = small._repr_html_()
    assert html.count("<tr>") == 1 + len(small.cases)
    assert "<th" in html and "not run: E307" in html
    pandas = pytest.importorskip("pandas")
    assert isinstance(small.table, pandas.DataFrame)
    assert small.table["formulation"].tolist() == small.columns["formulation"].tolist()
    monkeypatch.setattr(compare_module, "is_installed", lambda package: False)
    assert list(small.table) == list(small.columns)


@pytest.mark.parametrize(
    ("arguments", "message", "remedy"),
    [
        ({"formulations": []}, "no formulation is named", "such as ['oct', 'binoct']"),
        (
            {"data": {"a": [1]}.values()},
            "a list is no table",
            "give paths, such as ['iris.csv']; save a table in memory as a file first",
        ),
        ({"depth": 0}, "the depth is 0", "give whole numbers from 1 to 10"),
        ({"depth": 1.5}, "a float is no depth", "such as 2, or [2, 3]"),
        ({"folds": 1}, "the number of folds is 1", "give a whole number, at least 2"),
        ({"label": "zz"}, "there is no column 'zz'", "the columns are 'a', 'b', 'class'"),
    ],
)
def test_what_is_refused_before_any_run(tables, arguments, message, remedy):
    given = {"formulations": "binoct", "data": "two.csv", "folder": "study", **arguments}
    with pytest.raises(TreemipError) as error:
        treemip.compare(**given)
    (only,) = error.value.diagnostics
    assert (only.code, only.message, only.remedy) == ("E902", message, remedy)
    assert not (tables / "study").exists()
