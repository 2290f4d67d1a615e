"""Objectives in turn on the command line: solve, verify, and a model of one of them."""

from __future__ import annotations

import json

import pytest
from json_schema import faults


@pytest.fixture
def turned(spec):
    """`a` alone tells the classes apart, so no errors and one feature are the best."""
    spec.write_text(spec.read_text() + "minimize misclassified then features_used;\n")
    return spec


def test_solved_and_verified(run, turned, tmp_path):
    tree, log = tmp_path / "tree.json", tmp_path / "log.jsonl"
    said = run("solve", turned, "-o", tree, "--log-json", log, "--time-limit", 60)
    assert said.code == 0, said.err
    lines = [line.split() for line in said.out.splitlines()]
    assert ["objective", "1", "0;", "proven", "optimal", "(misclassified)"] in lines
    assert ["then", "features_used:"] in lines and ["objective", "1"] in lines
    document = json.loads(tree.read_text())
    assert not list(faults(document))
    assert [one["value"] for one in document["objectives"]] == [0, 1]
    assert "subject to\n  objective_1: misclassified <= " in document["spec"]["text"]
    assert run("verify", tree).code == 0
    assert json.loads(log.read_text().splitlines()[-1])["objectives"] == document["objectives"]


def test_trees_near_the_last_objective_keep_the_others(run, turned, tmp_path):
    tree = tmp_path / "tree.json"
    said = run("solve", turned, "-o", tree, "--trees", 3, "--within", 2, "--time-limit", 10)
    assert said.code == 0, said.err
    assert all(
        json.loads(path.read_text())["scores"]["training"]["errors"] == 0
        for path in tmp_path.glob("tree*.json")
    )


def test_the_model_of_one_and_its_solution(run, turned, tmp_path):
    highspy = pytest.importorskip("highspy")
    model, solution = tmp_path / "m.mps", tmp_path / "m.sol"
    stage = ("--stage", 2, "--earlier", 0)
    assert run("compile", turned, "-o", model, *stage).code == 0
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel(str(model))
    solver.run()
    solver.writeSolution(str(solution), 0)
    said = run("decode", turned, solution, *stage, "--json")
    assert said.code == 0, said.err
    numbers = json.loads(said.out)
    assert numbers["objective"] == pytest.approx(1) and numbers["scores"]["training"]["errors"] == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("compile", "-o", "m.mps"), "E218"),
        (("compile", "--stop-after", "lower"), "E218"),
        (("export", "--to", "pyomo", "-o", "m.py"), "E218"),
        (("compile", "-o", "m.mps", "--stage", 3), "there is no objective 3"),
        (("compile", "-o", "m.mps", "--stage", 2), "objective 2 needs a value for each of the 1"),
        (("compile", "-o", "m.mps", "--earlier", 2), "add --stage"),
        (("compile", "-o", "m.mps", "--stage", 2, "--earlier", "x"), "--earlier 'x'"),
        (("compile", "--stop-after", "resolve", "--stage", 1), "--stage has no effect"),
    ],
)
def test_refused(run, turned, tmp_path, monkeypatch, command, message):
    monkeypatch.chdir(tmp_path)
    name, *options = command
    said = run(name, turned, *options)
    assert said.code == 2 and message in said.err
    assert not (tmp_path / "m.mps").exists() and not (tmp_path / "m.py").exists()


def test_explain_has_all_objectives(run, turned):
    said = run("explain", turned)
    assert "minimize objective:\n\n```\nmisclassified\n```\n\nthen minimize objective:" in said.out
    assert "What follows is the model of the first objective." in said.out
