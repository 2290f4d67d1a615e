"""init: the specs that it writes are taken and solved; their texts and what is refused are in
transcripts/init.txt."""

from __future__ import annotations

from pathlib import Path


def test_data_are_found_from_another_folder(run, here):
    Path("specs").mkdir()
    assert run("init", "small.csv", "-o", "specs/a.tree").code == 0
    assert 'data "../small.csv"' in Path("specs/a.tree").read_text()
    assert run("check", "--data", "specs/a.tree").code == 0


def test_the_constraint_to_try_is_one(run, here):
    line = ("--treatment", "the arm", "--outcome", "gain", "--randomized")
    assert run("init", "trial.csv", *line).code == 0
    text = Path("trial.tree").read_text()
    Path("tried.tree").write_text(text.replace("# subject", "subject").replace("#   ", ""))
    solved = run("solve", "tried.tree", "-o", "tried.json")
    assert solved.code == 0 and "verified; proven optimal" in solved.out
    assert run("verify", "tried.json").code == 0
