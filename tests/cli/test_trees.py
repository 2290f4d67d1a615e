"""verify, predict, show, score and report on saved trees, sound and tampered with."""

from __future__ import annotations

import csv
import json
import math
from importlib.metadata import version
from pathlib import Path

import pytest
from small_cli import CSV, ROWS


def changed(path, change) -> None:
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


def test_verify_a_sound_tree(run, solved):
    said = run("verify", solved)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[2:] == [
        "term       24 = sum {i in points} correct[i]",
        f"tree       verified; proven optimal by HiGHS {version('highspy')}, "
        "as recorded in its file",
    ]


def swap_classes(said) -> None:
    for node in said["tree"]["nodes"]:
        if "class" in node:
            node["class"] = {"yes": "no", "no": "yes"}[node["class"]]


def claim_points(said) -> None:
    leaf = next(n for n in said["tree"]["nodes"] if "points" in n)
    leaf["points"] = {name: count + 1 for name, count in leaf["points"].items()}


def other_scale(said) -> None:
    said["tree"]["encoder"]["features"][1]["finish"]["high"] = 400.0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (swap_classes, "scores.training.errors is 24; its file says 0"),
        (
            lambda said: said["scores"]["training"].update(errors=1),
            "scores.training.errors is 0; its file says 1",
        ),
        (
            lambda said: said["scores"]["training"].update(balanced_accuracy=0.5),
            "scores.training.balanced_accuracy is 1; its file says 0.5",
        ),
        (lambda said: said.update(objective=25.0), "the tree's objective is 24; its file says 25"),
        (
            lambda said: said.update(objective="24"),
            "the tree's objective is 24; its file says '24'",
        ),
        (lambda said: said["terms"][0].update(tree=25.0), "terms[0].tree is 24; its file says 25"),
        (claim_points, "tree.nodes[1].points."),
        (other_scale, "the tree's encoding of features is not the one that its spec fits"),
    ],
)
def test_verify_finds_what_was_changed(run, solved, change, problem):
    changed(solved, change)
    said = run("verify", solved)
    assert said.code == 1
    assert "tree       not verified; " in said.out
    assert problem in said.out
    assert "not verified; what its file says of a proof is not repeated" in said.out


def test_verify_checks_side_constraints_on_the_tree(run, solved):
    def add_row(said) -> None:
        said["spec"]["text"] += "subject to few: sum {i in points} correct[i] <= 20;\n"

    changed(solved, add_row)
    said = run("verify", solved)
    assert said.code == 1
    assert "the tree violates 'few' by" in said.out


def test_verify_on_other_data_warns_and_counts_there(run, solved):
    data = solved.with_name("small.csv")
    data.write_text(CSV + "6,1,no\n")
    said = run("verify", solved)
    assert said.code == 1
    assert "warning[W302]" in said.err
    assert "errors     1 of 25 points" in said.out
    data.write_text(CSV + "600,900,yes\n")  # by the tree's own scaling
    assert "errors     0 of 25 points" in run("verify", solved).out


def test_verify_finds_moved_data_by_option(run, solved, tmp_path):
    moved = tmp_path / "elsewhere.csv"
    solved.with_name("small.csv").rename(moved)
    assert run("verify", solved).code == 2
    assert run("verify", solved, "--data", moved).code == 0


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("verify", lambda said: said.pop("spec")),
        ("verify", lambda said: said.update(tree=None)),
        ("verify", lambda said: said.update(format="other")),
        ("verify", lambda said: said["tree"]["nodes"].pop()),
        ("verify", lambda said: said["tree"]["encoder"].update(features=[])),
        ("verify", lambda said: said["tree"]["encoder"]["features"][0]["finish"].update(low="0")),
        ("verify", lambda said: said["values"].update(bias=[1, 2, 3])),
        ("verify", lambda said: said["values"].update(bias="x")),
        ("score", lambda said: said.update(scores=None)),
        ("score", lambda said: said.update(scores={})),
        ("score", lambda said: said.update(scores={"training": None})),
        ("score", lambda said: said.update(scores={"training": {"classes": 3}})),
        ("score", lambda said: said.update(scores=5)),
    ],
)
def test_damaged_files_are_refused(run, solved, command, change):
    changed(solved, change)
    said = run(command, solved)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error[E701]")


def test_predict_has_a_row_for_each_row(run, solved, tmp_path):
    data, target = tmp_path / "new.csv", tmp_path / "p.csv"
    data.write_text("b,a\n" + "".join(f"{b},{a}\n" for a, b, _ in ROWS))
    assert run("predict", solved, data, "--leaf", "-o", target).code == 0
    with target.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["class", "leaf"]
    assert [r[0] for r in rows[1:]] == [c for _, _, c in ROWS]
    assert {r[1] for r in rows[1:]} == {"2", "3"}
    plain = run("predict", solved, data).out
    assert plain == "".join(f"{row[0]}\n" for row in rows)
    header, *chances = csv.reader(run("predict", solved, data, "--proba").out.splitlines())
    assert header == ["class", "P(no)", "P(yes)"]
    assert chances == [[c, str(float(c == "no")), str(float(c == "yes"))] for _, _, c in ROWS]
    data.write_text("a,b\n1,x\n")
    target.write_text("older")
    assert run("predict", solved, data, "-o", target).code == 2
    assert target.read_text() == "older" and not list(tmp_path.glob(".treemip*"))


def test_predict_with_a_randomized_tree(run, solved, tmp_path):
    """left with probability logistic(2 a - 1), saying no with 0.9 left and with 0.2 right."""

    def randomize(said) -> None:
        said["tree"] |= {
            "kind": "randomized",
            "nodes": [
                {"node": 1, "weights": {"a": 2.0}, "threshold": 1.0},
                {"node": 2, "distribution": {"no": 0.9, "yes": 0.1}},
                {"node": 3, "distribution": {"no": 0.2, "yes": 0.8}},
            ],
        }

    changed(solved, randomize)
    (tmp_path / "new.csv").write_text("a,b\n3,1\n-18,1\n")  # 0.5 and -3 of the range 0 .. 6
    asked = run("predict", solved, tmp_path / "new.csv", "--proba", "--leaf")
    assert (asked.code, asked.err) == (0, "")
    header, first, second = csv.reader(asked.out.splitlines())
    assert header == ["class", "leaf", "P(no)", "P(yes)"]
    assert first[:2] == ["no", "2"]
    assert [float(v) for v in first[2:]] == pytest.approx([0.55, 0.45])
    assert second[:2] == ["yes", "3"]
    assert float(second[2]) == pytest.approx(0.2 + 0.7 / (1 + math.exp(7)))
    assert "left with probability logistic(" in run("show", solved).out


# ------------------------------------------------ score: of new rows, and of what a solve recorded


def test_what_is_recorded_is_what_the_training_file_scores(run, solved):
    recorded = json.loads(run("score", solved, "--json").out)
    assert set(recorded) == {"training"} and "sparsity" not in recorded["training"]
    again = json.loads(run("score", solved, solved.with_name("small.csv"), "--json").out)
    assert again.pop("probabilities")["points"] == 24
    assert recorded["training"] == again
    assert run("score", solved).out.startswith("training part\naccuracy             100.00 %")


def test_features_that_a_randomized_tree_leaves_unused(run, solved):
    """Branch 1 weighs `a`, branch 2 nothing: (50 + 100) / 2 % by branch, 50 % by all."""
    leaf = {"distribution": {"no": 0.25, "yes": 0.75}}
    branches = [
        {"node": 1, "weights": {"a": 3.0}, "threshold": 1.0},
        {"node": 2, "weights": {}, "threshold": 0.0},
    ]
    nodes = [*branches, *({"node": node, **leaf} for node in (3, 4, 5))]
    changed(solved, lambda said: said["tree"].update(kind="randomized", nodes=nodes))
    data = solved.with_name("small.csv")
    assert run("score", solved, data).out.splitlines()[-1] == (
        "  unused    75 % by branch, 50 % by all"
    )
    found = json.loads(run("score", solved, data, "--json").out)
    recorded = json.loads(run("score", solved, "--json").out)["training"]
    assert found["sparsity"] == recorded["sparsity"] == {"local": 75.0, "global": 50.0}


# -------------------------------------------------------------------- pictures, reports


@pytest.mark.parametrize(
    ("name", "head"), [("a.svg", "<svg "), ("a.HTML", "<!doctype html>"), ("a.gv", "digraph ")]
)
def test_a_picture_is_of_the_format_of_its_suffix(run, solved, tmp_path, name, head):
    said = run("show", solved, "-o", tmp_path / name)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert (tmp_path / name).read_text().startswith(head)


def test_an_older_tree_is_drawn_without_points(run, solved):
    assert run("show", solved).out.count(" points: ") == 2

    def lose_points(said):
        for node in said["tree"]["nodes"]:
            node.pop("points", None)

    changed(solved, lose_points)
    said = run("show", solved)
    assert said.code == 0 and "points" not in said.out


def test_a_report_is_written(run, solved, tmp_path):
    said = run("report", solved, "-o", tmp_path / "report.html")
    assert (said.code, said.out, said.err) == (0, "", "")
    assert "verified, checked again for this page" in (tmp_path / "report.html").read_text()


def test_a_tree_of_values(run, here):
    """Of its text and its scores transcripts/values.txt has the rest."""
    assert run("solve", "price.tree", "--solver", "highs", "-o", "price.json").code == 0
    for suffix in ("svg", "html", "dot"):
        assert run("show", "price.json", "-o", f"tree.{suffix}").code == 0
        assert "9.5" in Path(f"tree.{suffix}").read_text()
    assert run("report", "price.json", "--rows", "-o", "report.html").code == 0
    page = Path("report.html").read_text()
    assert "training MSE" in page and "<th>predicted</th>" in page and "wrong</td>" not in page
    changed(Path("price.json"), lambda said: said["tree"]["nodes"][1].update(value=3.5))
    found = run("verify", "price.json")
    assert found.code == 1
    assert "node 2 of the tree does not follow from the saved values" in found.out
