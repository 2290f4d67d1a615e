"""Objectives in turn on the command line: solve, verify, and a model of one of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from json_schema import faults


def test_solved_and_verified(run, here):
    words = ("-o", "tree.json", "--log-json", "log.jsonl", "--time-limit", 60)
    said = run("solve", "turned.tree", *words)
    assert said.code == 0, said.err
    lines = [line.split() for line in said.out.splitlines()]
    assert ["objective", "1", "0;", "proven", "optimal", "(misclassified)"] in lines
    assert ["then", "features_used:"] in lines and ["objective", "1"] in lines
    document = json.loads(Path("tree.json").read_text())
    assert not list(faults(document))
    assert [one["value"] for one in document["objectives"]] == [0, 1]
    assert "subject to\n  objective_1: misclassified <= " in document["spec"]["text"]
    assert run("verify", "tree.json").code == 0
    logged = json.loads(Path("log.jsonl").read_text().splitlines()[-1])
    assert logged["objectives"] == document["objectives"]


def test_trees_near_the_last_objective_keep_the_others(run, here):
    words = ("-o", "tree.json", "--trees", 3, "--within", 2, "--time-limit", 10)
    said = run("solve", "turned.tree", *words)
    assert said.code == 0, said.err
    saved = [
        json.loads(path.read_text()) for path in [Path("tree.json"), *here.glob("tree-?.json")]
    ]
    assert {one["scores"]["training"]["errors"] for one in saved} == {0}


def test_the_model_of_one_and_its_solution(run, here):
    highspy = pytest.importorskip("highspy")
    stage = ("--stage", 2, "--earlier", 0)
    assert run("compile", "turned.tree", "-o", "m.mps", *stage).code == 0
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel("m.mps")
    solver.run()
    solver.writeSolution("m.sol", 0)
    said = run("decode", "turned.tree", "m.sol", *stage, "--json")
    assert said.code == 0, said.err
    numbers = json.loads(said.out)
    assert numbers["objective"] == pytest.approx(1) and numbers["scores"]["training"]["errors"] == 0


def test_explain_has_all_objectives(run, here):
    said = run("explain", "turned.tree")
    assert "minimize objective:\n\n```\nmisclassified\n```\n\nthen minimize objective:" in said.out
    assert "What follows is the model of the first objective." in said.out
