"""score: of new rows, and of what a solve recorded."""

from __future__ import annotations

import json

import pytest
from small_cli import CSV


def test_new_rows_are_scored(run, solved, tmp_path):
    data = tmp_path / "new.csv"
    data.write_text("a,b,class\n0,1,no\n1,1,no\n6,0,no\n6,1,yes\n")
    said = run("score", solved, data)
    assert (said.code, said.err) == (0, "")
    nodes = json.loads(solved.read_text())["tree"]["nodes"]
    names = list(nodes[0]["weights"])
    assert said.out == (
        "accuracy             75.00 %  (1 of 4 points wrong)\n"
        "balanced accuracy    83.33 %\n"
        "effective splits     1\n"
        "splits with weights  1\n"
        "leaves used          2\n"
        "\n"
        "class  recall    precision  points  given no  given yes\n"
        "no     66.67 %   100.00 %   3       2         1\n"
        "yes    100.00 %  50.00 %    1       0         1\n"
        "\n"
        "features used\n"
        f"  branch 1  {len(names)}: {', '.join(names)}\n"
        f"  in all    {len(names)}, {len(names)} distinct\n"
    )
    found = json.loads(run("score", solved, data, "--json").out)
    assert found["confusion"] == [[2, 1], [0, 1]]
    assert found["accuracy"] == 0.75


def test_what_is_recorded_is_what_the_training_file_scores(run, solved):
    recorded = json.loads(run("score", solved, "--json").out)
    assert set(recorded) == {"training"}
    again = json.loads(run("score", solved, solved.with_name("small.csv"), "--json").out)
    assert recorded["training"] == again
    assert run("score", solved).out.startswith("training part\naccuracy             100.00 %")


def test_another_separator(run, solved, tmp_path):
    data = tmp_path / "new.txt"
    data.write_text(CSV.replace(",", ";"))
    assert run("score", solved, data, "--separator", ";").code == 0
    assert run("score", solved, "--separator", ";").code == 2
    said = run("score", solved, tmp_path / "new.parquet", "--separator", ";")
    assert said.err == (
        "error[E902]: --separator means nothing for 'new.parquet', a Parquet file\n"
        "  = help: leave it out\n"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [("a,b\n1,2\n", "E302"), ("a,b,class\n1,2,maybe\n", "E309"), ("a,b,class\n1,2,\n", "E303")],
)
def test_rows_without_known_classes(run, solved, tmp_path, text, code):
    data = tmp_path / "new.csv"
    data.write_text(text)
    said = run("score", solved, data)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"error[{code}]")


@pytest.mark.parametrize(
    "scores", [None, {}, {"training": None}, {"training": {}}, {"training": {"classes": 3}}, 5]
)
def test_files_without_scores(run, solved, scores):
    said = json.loads(solved.read_text())
    said["scores"] = scores
    solved.write_text(json.dumps(said))
    found = run("score", solved)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("error[E701]")


def test_verify_compares_the_recorded_scores(run, solved):
    said = json.loads(solved.read_text())
    said["scores"]["training"]["balanced_accuracy"] = 0.5
    said["scores"]["training"]["leaves_used"] = 1
    solved.write_text(json.dumps(said))
    found = run("verify", solved)
    assert found.code == 1
    assert "its file records another balanced accuracy, leaves used on the training" in found.out


def test_features_that_a_randomized_tree_leaves_unused(run, solved):
    """Branch 1 weighs `a`, branch 2 nothing: (50 + 100) / 2 % by branch, 50 % by all."""
    said = json.loads(solved.read_text())
    leaf = {"distribution": {"no": 0.25, "yes": 0.75}}
    said["tree"] |= {
        "kind": "randomized",
        "nodes": [
            {"node": 1, "weights": {"a": 3.0}, "threshold": 1.0},
            {"node": 2, "weights": {}, "threshold": 0.0},
            *({"node": node, **leaf} for node in (3, 4, 5)),
        ],
    }
    solved.write_text(json.dumps(said))
    data = solved.with_name("small.csv")
    shown = run("score", solved, data).out.splitlines()
    assert shown[-1] == "  unused    75 % by branch, 50 % by all"
    found = json.loads(run("score", solved, data, "--json").out)
    assert found["sparsity"] == {"local": 75.0, "global": 50.0}
    recorded = json.loads(run("score", solved, "--json").out)
    assert recorded["training"]["sparsity"] == {"local": 75.0, "global": 50.0}


def test_other_trees_have_no_sparsity(run, solved):
    assert "sparsity" not in json.loads(run("score", solved, "--json").out)["training"]
    assert "unused" not in run("score", solved).out
