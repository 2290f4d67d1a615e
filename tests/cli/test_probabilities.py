"""Probabilities on the command line: predict --proba, score, convert, and what they say."""

from __future__ import annotations

import json
import re

import pytest
from test_trees import changed


def forget(said) -> None:
    """What a file of an earlier version does not have."""
    del said["tree"]["weighted"]


def weigh(said) -> None:
    """The spec weighs its points by a column, as an earlier version would have solved it."""
    forget(said)
    said["spec"]["text"] = said["spec"]["text"].replace("label ", "weight a; label ", 1)
    assert "weight a" in said["spec"]["text"]


@pytest.fixture
def data(solved):
    return solved.with_name("small.csv")


def chances(said) -> list[tuple[str, ...]]:
    assert said.code == 0, said.err
    return [tuple(line.split(",")[1:]) for line in said.out.splitlines()[1:]]


def test_shares_are_predicted_and_smoothed(run, solved, data):
    plain = chances(run("predict", solved, data, "--proba"))
    assert {*plain} == {("1.0", "0.0"), ("0.0", "1.0")}
    changed(solved, forget)
    assert chances(run("predict", solved, data, "--proba")) == plain
    points = [n["points"] for n in json.loads(solved.read_text())["tree"]["nodes"] if "points" in n]
    smooth = {
        tuple(str((leaf.get(c, 0) + 1) / (sum(leaf.values()) + 2)) for c in ("no", "yes"))
        for leaf in points
    }
    assert {*chances(run("predict", solved, data, "--proba", "--smoothing", "1"))} == smooth


def test_without_weights_of_an_older_file_there_are_no_shares(run, solved, data, tmp_path):
    changed(solved, weigh)
    out = tmp_path / "other.csv"
    data.rename(out)
    said = run("predict", solved, out, "--proba")
    assert said.code == 2 and "has no probabilities: the weights of the training points" in said.err
    assert "put the data where they were, or solve again with -o" in said.err
    said = run("convert", solved, "--to", "python")
    assert said.code == 0 and "def predict(row)" in said.out
    assert "probabilities" not in said.out
    assert said.err.startswith("note: no probabilities are written: ")


def test_a_leaf_without_points_is_told(run, solved, data):
    def empty(said) -> None:
        leaf = next(n for n in said["tree"]["nodes"] if "points" in n)
        leaf["points"] = {}

    changed(solved, empty)
    said = run("predict", solved, data, "--proba")
    note = r"note: leaf \d has no training points: rows there get the shares of the node above\n"
    assert re.fullmatch(note, said.err)
    assert len({*chances(said)}) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["predict", "--smoothing", "1"], "--smoothing is for probabilities"),
        (["predict", "--proba", "--smoothing", "x"], "'x' is not a smoothing"),
        (["score", "--positive", "on"], "the tree has no class 'on' to be called positive"),
        (["score", "--weights", "w"], "small.csv has no column 'w' of weights"),
        (["score", "--bins", "0"], "0 bins are none"),
    ],
)
def test_what_is_refused(run, solved, data, words, message):
    command, *options = words
    said = run(command, solved, data, *options)
    assert said.code == 2 and said.err.splitlines()[0].endswith(f": {message}")


@pytest.mark.parametrize("option", ["--positive", "--weights", "--bins", "--smoothing"])
def test_options_of_rows_need_rows(run, solved, option):
    said = run("score", solved, option, "1")
    assert said.code == 2 and f"{option} needs a file of rows" in said.err


def test_weights_below_zero_and_of_nothing(run, solved, data):
    lines = data.read_text().splitlines()
    for weight, message in (("-1", "not a finite number from 0 on"), ("0", "the weight 0")):
        rows = [lines[0] + ",w", *(f"{line},{weight}" for line in lines[1:])]
        data.with_name("weighted.csv").write_text("\n".join(rows) + "\n")
        said = run("score", solved, data.with_name("weighted.csv"), "--weights", "w")
        assert said.code == 2 and message in said.err
        assert weight == "0" or "  = help: give each row a weight from 0 on" in said.err


def test_score_has_measures_of_probabilities(run, solved, data):
    said = run("score", solved, data, "--positive", "no")
    assert said.code == 0
    for text in ("AUC", "log-loss", "calibration of 'no'", "gains of 'no'", "thresholds of 'no'"):
        assert text in said.out
    found = json.loads(run("score", solved, data, "--positive", "no", "--json").out)
    own = found["probabilities"]
    assert own["positive"] == "no" and own["auc"] == 1 and not own["weighted"]
    assert own["thresholds"][0]["recall"] == 1 and len(own["thresholds"]) == 2
    assert own["classes"]["no"]["gains"]["found"][-1] == 1
    assert "probabilities" not in run("score", solved).out
