"""`treemip export`."""

from __future__ import annotations

import json

import pytest


def test_a_script_and_its_data(run, spec, tmp_path):
    said = run("export", spec, "--to", "pyomo", "-o", tmp_path / "model.py")
    assert said.code == 0, said.err
    assert "import pyomo.environ as pyo" in (tmp_path / "model.py").read_text()
    assert json.loads((tmp_path / "model_data.json").read_text())["points"]


def test_into_a_folder_under_the_name_of_the_spec(run, spec, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    assert run("export", spec, "--to", "gurobipy", "-o", folder).code == 0
    assert sorted(p.name for p in folder.iterdir()) == [f"{spec.stem}.py", f"{spec.stem}_data.json"]


def test_ampl_has_a_model_its_data_and_a_run_file(run, spec, tmp_path):
    said = run("export", spec, "--to", "ampl", "-o", tmp_path / "model.mod")
    assert said.code == 0, said.err
    assert "model.mod" in said.err + said.out
    assert (
        "var coef {t in branches, j in features} >= -1, <= 1;"
        in (tmp_path / "model.mod").read_text()
    )
    assert "set points := 1 2 3" in (tmp_path / "model.dat").read_text()
    assert "model model.mod;" in (tmp_path / "model.run").read_text()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--to", "ampl", "-o", "model.py"], "E902"),
        (["--to", "gams", "-o", "model.gms"], "E902"),
        (["--to", "pyomo", "-o", "model.txt"], "E902"),
        (["--to", "pyomo", "-o", "nowhere/model.py"], "E603"),
    ],
)
def test_refused_with_no_file(run, spec, tmp_path, monkeypatch, arguments, code):
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    said = run("export", spec, *arguments)
    assert said.code == 2
    assert f"error[{code}]" in said.err
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("gams", ""),
        ("gurobi", "did you mean 'gurobipy'? "),
        ("AMPL", "did you mean 'ampl'? "),
    ],
)
def test_an_unknown_target_is_said_before_the_suffix(run, spec, tmp_path, target, hint):
    said = run("export", spec, "--to", target, "-o", tmp_path / "model.gms")
    assert said.code == 2
    known = "there are 'ampl', 'cvxpy', 'gurobipy', 'pyomo', 'pyscipopt'"
    assert said.err == (
        f"error[E902]: there are no scripts for '{target}'\n  = help: {hint}{known}\n"
    )
