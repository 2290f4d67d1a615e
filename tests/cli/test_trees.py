"""verify, predict, show on a saved tree, sound and tampered with."""

from __future__ import annotations

import csv
import json
import math
from importlib.metadata import version

import pytest
from small_cli import CSV, ROWS


def changed(path, change) -> None:
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


def test_verify_a_sound_tree(run, solved):
    said = run("verify", solved)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "errors     0 of 24 points",
        "objective  24",
        "term       24 = sum {i in points} correct[i]",
        f"tree       verified; proven optimal by HiGHS {version('highspy')}, "
        "as recorded in its file",
    ]
    assert json.loads(run("verify", solved, "--json").out)["verified"] is True


def swap_classes(said) -> None:
    for node in said["tree"]["nodes"]:
        if "class" in node:
            node["class"] = {"yes": "no", "no": "yes"}[node["class"]]


def claim_errors(said) -> None:
    said["scores"]["training"]["errors"] = 1


def claim_objective(said) -> None:
    said["objective"] = 25.0


def lose_objective(said) -> None:
    said["objective"] = "24"


def claim_term(said) -> None:
    said["terms"][0]["tree"] = 25.0


def other_scale(said) -> None:
    said["tree"]["encoder"]["features"][1]["finish"]["high"] = 400.0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (swap_classes, "scores.training.errors is 24; its file says 0"),
        (claim_errors, "scores.training.errors is 0; its file says 1"),
        (claim_objective, "the tree's objective is 24; its file says 25"),
        (lose_objective, "the tree's objective is 24; its file says '24'"),
        (claim_term, "terms[0].tree is 24; its file says 25"),
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


def test_verify_on_rescaled_data_uses_the_trees_own_scaling(run, solved):
    solved.with_name("small.csv").write_text(CSV + "600,900,yes\n")
    assert "errors     0 of 25 points" in run("verify", solved).out


def test_verify_finds_moved_data_by_option(run, solved, tmp_path):
    moved = tmp_path / "elsewhere.csv"
    solved.with_name("small.csv").rename(moved)
    assert run("verify", solved).code == 2
    assert run("verify", solved, "--data", moved).code == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.pop("spec"),
        lambda said: said.update(tree=None),
        lambda said: said.update(format="other"),
        lambda said: said["tree"]["nodes"].pop(),
        lambda said: said["tree"]["encoder"].update(features=[]),
        lambda said: said["tree"]["encoder"]["features"][0]["finish"].update(low="0"),
        lambda said: said["values"].update(bias=[1, 2, 3]),
        lambda said: said["values"].update(bias="x"),
    ],
)
def test_verify_refuses_damaged_files(run, solved, change):
    changed(solved, change)
    said = run("verify", solved)
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


def test_predict_with_a_randomized_tree(run, tmp_path):
    """left with probability logistic(2 f - 1), saying a with 0.9 left and with 0.2 right."""
    nodes = [
        {"node": 1, "weights": {"f": 2.0}, "threshold": 1.0},
        {"node": 2, "distribution": {"a": 0.9, "b": 0.1}},
        {"node": 3, "distribution": {"a": 0.2, "b": 0.8}},
    ]
    text = 'data "t.csv" { label class; } topology complete(depth = 1); split oblique by soct;'
    (tmp_path / "t.csv").write_text("f,g,class\n0,1,a\n1,0,b\n")
    (tmp_path / "t.tree").write_text(text)
    path = tmp_path / "tree.json"
    assert run("solve", tmp_path / "t.tree", "-o", path).code == 0
    said = json.loads(path.read_text())
    encoder = said["tree"]["encoder"]
    said["tree"] = {
        "name": "t",
        "kind": "randomized",
        "features": ["f", "g"],
        "classes": ["a", "b"],
        "nodes": nodes,
        "encoder": encoder,
    }
    path.write_text(json.dumps(said))
    (tmp_path / "new.csv").write_text("f,g\n0.5,1\n-3,1\n")
    asked = run("predict", path, tmp_path / "new.csv", "--proba", "--leaf")
    assert (asked.code, asked.err) == (0, "")
    header, first, second = csv.reader(asked.out.splitlines())
    assert header == ["class", "leaf", "P(a)", "P(b)"]
    assert first[:2] == ["a", "2"]
    assert [float(v) for v in first[2:]] == pytest.approx([0.55, 0.45])
    left = 1 / (1 + math.exp(7))
    assert second[:2] == ["b", "3"]
    assert float(second[2]) == pytest.approx(0.2 + 0.7 * left)
    assert "left with probability logistic(2 f - 1)" in run("show", path).out


def test_predict_takes_another_separator(run, solved, tmp_path):
    data = tmp_path / "new.txt"
    data.write_text("a;b\n6;1\n0;1\n")
    assert run("predict", solved, data, "--separator", ";").out == "class\nyes\nno\n"
    assert run("predict", solved, data, "--separator", ";;").code == 2
    said = run("predict", solved, tmp_path / "new.parquet", "--separator", ";")
    assert said.err == (
        "error[E902]: --separator does not apply to 'new.parquet', a Parquet file\n"
        "  = help: leave it out\n"
    )


@pytest.mark.parametrize("text", ["a\n1\n", "a,b\n1,x\n", "a,b\n1,\n"])
def test_predict_on_bad_rows_leaves_no_file(run, solved, tmp_path, text):
    data, target = tmp_path / "new.csv", tmp_path / "p.csv"
    data.write_text(text)
    target.write_text("older")
    said = run("predict", solved, data, "-o", target)
    assert said.code == 2
    assert said.err.startswith("error[E30")
    assert target.read_text() == "older"
    assert not list(tmp_path.glob(".treemip*"))


def test_show_draws_the_tree(run, solved):
    said = run("show", solved)
    assert said.code == 0
    assert said.out.count("yes: ") == said.out.count("no:  ") == 1


# ------------------------------------------------ score: of new rows, and of what a solve recorded


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
        "objective            3\n"
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
        "error[E902]: --separator does not apply to 'new.parquet', a Parquet file\n"
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
    assert "scores.training.balanced_accuracy is 1; its file says 0.5" in found.out
    assert "scores.training.leaves_used is 2; its file says 1" in found.out


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


# -------------------------------------------------------------------- pictures, reports


@pytest.mark.parametrize(
    ("name", "head"), [("a.svg", "<svg "), ("a.HTML", "<!doctype html>"), ("a.gv", "digraph ")]
)
def test_a_picture_is_of_the_format_of_its_suffix(run, solved, tmp_path, name, head):
    said = run("show", solved, "-o", tmp_path / name)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert (tmp_path / name).read_text().startswith(head)


def test_a_drawing_has_the_points_of_its_leaves(run, solved, tmp_path):
    shown = run("show", solved).out
    assert shown.count(" points: ") == 2
    run("show", solved, "-o", tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == shown


def test_an_older_tree_is_drawn_without_points(run, solved):
    def lose_points(said):
        for node in said["tree"]["nodes"]:
            node.pop("points", None)

    changed(solved, lose_points)
    said = run("show", solved)
    assert said.code == 0 and "points" not in said.out


def test_false_points_are_found(run, solved):
    def claim_points(said):
        leaf = next(n for n in said["tree"]["nodes"] if "points" in n)
        leaf["points"] = {name: count + 1 for name, count in leaf["points"].items()}

    changed(solved, claim_points)
    said = run("verify", solved)
    assert said.code == 1
    assert "tree.nodes[1].points." in said.out


def test_pictures_of_unknown_formats_are_refused(run, solved, tmp_path):
    said = run("show", solved, "-o", tmp_path / "a.jpg")
    assert said.code == 2
    assert said.err == (
        f"error[E902]: no picture format has the suffix of '{tmp_path / 'a.jpg'}'\n"
        "  = help: use one of .svg, .png, .pdf, .html, .htm, .dot, .gv, .txt\n"
    )
    assert run("show", solved, "-o", solved).code == 2
    assert json.loads(solved.read_text())["verdict"] == "verified"


def test_a_report_is_written(run, solved, tmp_path):
    said = run("report", solved, "-o", tmp_path / "report.html")
    assert (said.code, said.out, said.err) == (0, "", "")
    assert "verified, checked again for this page" in (tmp_path / "report.html").read_text()


def test_a_report_is_a_page(run, solved, tmp_path):
    said = run("report", solved, "-o", tmp_path / "report.pdf")
    assert said.code == 2 and not (tmp_path / "report.pdf").exists()
    assert said.err == (
        f"error[E902]: '{tmp_path / 'report.pdf'}' does not have the suffix of an HTML page\n"
        "  = help: name it .html\n"
    )
    assert "missing option '-o' / '--output'" in run("report", solved).err
