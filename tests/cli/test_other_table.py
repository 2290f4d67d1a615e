"""`--data FILE`: another table in place of the spec's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_cli import CSV

import treemip
from treemip.core.source.diagnostic import TreemipError


@pytest.fixture
def other(spec, tmp_path) -> Path:
    """A table of 6 points more; the spec's own is gone."""
    (tmp_path / "small.csv").unlink()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    path = folder / "other.csv"
    path.write_text(CSV + "6,1,yes\n" * 6)
    return path


def test_a_tree_of_another_table_knows_where_that_lies(run, spec, other, tmp_path, monkeypatch):
    monkeypatch.chdir(other.parent)
    out = tmp_path / "small.json"
    said = run("solve", spec, "--data", other.name, "-o", out)
    assert said.code == 0
    assert "0 of 30 points" in said.out
    # Its folder is the current one, whose name nobody gave, so it is not recorded.
    assert json.loads(out.read_text())["spec"]["data_file"] == "other.csv"
    assert "errors     0 of 30 points" in run("verify", out).out
    monkeypatch.chdir(tmp_path)
    lost = run("verify", out)
    assert lost.code == 2 and lost.err == (
        "error[E301]: 'small.json' was learned from 'other.csv', and there is no such file\n"
        "  = help: put it beside the tree's file, or name it by --data\n"
    )
    assert "errors     0 of 30 points" in run("verify", out, "--data", other).out
    inside = other.parent / "inside.json"
    assert run("solve", spec, "--data", other, "-o", inside).code == 0
    assert json.loads(inside.read_text())["spec"]["base"] == ".."
    assert "errors     0 of 30 points" in run("verify", inside).out


@pytest.mark.parametrize("command", ["compile", "stats", "explain"])
def test_commands_on_another_table(run, spec, other, tmp_path, command):
    extra = ("-o", tmp_path / "small.lp") if command == "compile" else ()
    assert run(command, spec, *extra).code == 2
    assert run(command, spec, "--data", other, *extra).code == 0


def test_from_python_a_path_or_a_frame(spec, other):
    assert len(treemip.load(spec, data=other).data.train.y) == 30
    assert len(treemip.load(spec, data=str(other)).data.train.y) == 30
    columns = {"a": [0, 1, 2], "b": [1, 1, 1], "class": ["u", "v", "v"]}
    assert len(treemip.load(spec, data=columns).data.train.y) == 3
    with pytest.raises(TreemipError, match="E301"):
        _ = treemip.load(spec, data="nowhere.csv").data
