"""treemip diff: two trees compared by what they ask and answer, and by the rows' answers."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest


def edited(folder: Path, change, name: str = "edited.json") -> Path:
    """The old tree with a change in its nodes, by their numbers."""
    said = json.loads((folder / "old.json").read_text())
    change({node["node"]: node for node in said["tree"]["nodes"]}, said["tree"])
    (folder / name).write_text(json.dumps(said))
    return folder / name


def raise_threshold(nodes, _) -> None:
    nodes[1]["threshold"] += 0.2


def exchange_leaves(nodes, _) -> None:
    nodes[4]["class"], nodes[5]["class"] = nodes[5]["class"], nodes[4]["class"]


def other_column(nodes, tree) -> None:
    other = "amount" if "age" in nodes[1]["weights"] else "age"
    nodes[1].update(weights={other: 1.0}, threshold=0.5)


def predicted(run, tree: str, rows: str) -> list[str]:
    out = run("predict", tree, rows).out
    return [row["class"] for row in csv.DictReader(out.splitlines())]


def kinds(said: dict, what: str) -> Counter:
    return Counter(step["kind"] for step in said[what])


def test_a_tree_and_itself_do_not_differ(run, folder):
    said = json.loads(run("diff", "old.json", "old.json", "--json").out)
    assert said["same_tree"]
    assert kinds(said, "splits").keys() | kinds(said, "leaves").keys() == {"kept"}
    assert said["points"]["changed"] == 0
    assert (said["rules"]["only_old"], said["rules"]["only_new"]) == ([], [])
    assert "the trees ask and answer the same" in run("diff", "old.json", "old.json").out


@pytest.mark.parametrize(
    ("change", "splits", "leaves"),
    [
        (raise_threshold, {"moved": 1}, {}),
        (exchange_leaves, {}, {"moved": 2}),
        (other_column, {"replaced": 1}, {}),
    ],
)
def test_a_change_of_one_node_is_found(run, folder, change, splits, leaves):
    edited(folder, change)
    said = json.loads(run("diff", "old.json", "edited.json", "--json").out)
    found = [kinds(said, what) for what in ("splits", "leaves")]
    assert [{k: n for k, n in each.items() if k != "kept"} for each in found] == [splits, leaves]
    assert not said["same_tree"]


def test_changed_answers_are_those_of_predict(run, folder):
    old, new = (predicted(run, tree, "loans.csv") for tree in ("old.json", "new.json"))
    said = json.loads(run("diff", "old.json", "new.json", "--by", "sex", "--json").out)
    ways = Counter((a, b) for a, b in zip(old, new, strict=True) if a != b)
    points = said["points"]
    assert {(way["from"], way["to"]): way["points"] for way in points["ways"]} == ways
    assert points["changed"] == sum(ways.values()) > 0
    table = [*csv.DictReader((folder / "loans.csv").read_text().splitlines())]
    sexes = [row["sex"] for row in table]
    by = Counter(s for s, a, b in zip(sexes, old, new, strict=True) if a != b)
    assert {name: part["changed"] for name, part in points["groups"].items()} == {
        "f": by["f"],
        "m": by["m"],
    }
    right = [row["class"] for row in table]
    errors = [sum(a != b for a, b in zip(right, each, strict=True)) for each in (old, new)]
    assert [points["scores"][which]["errors"] for which in ("old", "new")] == errors


def test_other_encodings_and_columns_are_compared_in_raw_units(run, folder):
    said = run("diff", "old.json", "new.json")
    assert said.code == 0
    assert "formulation          oct -> categorical_odt" in said.out
    assert "columns only in old  age" in said.out
    assert "columns only in new  new" in said.out


@pytest.mark.parametrize("other", ["none; univariate by binoct", "minmax; oblique by soct"])
def test_the_same_split_in_two_encodings_is_kept(run, folder, other):
    cells = "\n".join(f"{3 * k},{'yes' if k < 7 else 'no'}" for k in range(12))
    (folder / "one.csv").write_text(f"a,label\n{cells}\n")
    for name, how in (("x", "minmax; univariate by oct"), ("y", other)):
        scale, split = how.split("; ")
        (folder / f"{name}.tree").write_text(
            f'data "one.csv" {{ label label; scale {scale}; }}\n'
            f"topology complete(depth = 1); split {split}; minimize misclassified;\n"
        )
        assert run("solve", f"{name}.tree", "-o", f"{name}.json").code == 0
    said = json.loads(run("diff", "x.json", "y.json", "--json").out)
    texts = [said["splits"][0][side]["text"] for side in ("old", "new")]
    assert said["splits"][0]["kind"] == ("kept" if texts[0] == texts[1] else "moved")
    assert (said["points"]["changed"], len(said["splits"])) == (0, 1)
    assert texts[0] == "a < 19.5"


def test_a_split_added_above_the_old_tree_leaves_the_rest_kept(run, folder):
    (folder / "deep.tree").write_text(
        (folder / "old.tree").read_text().replace("depth = 2", "depth = 3")
    )
    said = json.loads((folder / "old.json").read_text())
    nodes = {n["node"]: n for n in said["tree"]["nodes"]}
    root = {"node": 1, "weights": {"age": 1.0}, "threshold": 0.5}
    below = {1: 2, 2: 4, 3: 5, 4: 8, 5: 9, 6: 10, 7: 11}
    left = [{**n, "node": below[number]} for number, n in nodes.items()]
    same = [{"node": k, "weights": {"age": 1.0}, "threshold": 0.9} for k in (3, 6, 7)]
    leaves = [{"node": k, "class": "good", "points": {}} for k in (12, 13, 14, 15)]
    leaves[0]["class"] = "bad"
    said["tree"]["nodes"] = sorted([root, *left, *same, *leaves], key=lambda n: n["node"])
    (folder / "deep.json").write_text(json.dumps(said))
    found = json.loads(run("diff", "old.json", "deep.json", "--json").out)
    old_splits = [step for step in found["splits"] if step["old"]]
    assert {step["kind"] for step in old_splits} == {"kept"}
    assert any(s["kind"] == "added" and s["new"]["node"] == 1 for s in found["splits"])
    back = json.loads(run("diff", "deep.json", "old.json", "--json").out)
    assert kinds(back, "splits")["removed"] == kinds(found, "splits")["added"] > 0


def test_values_of_two_objectives_are_not_set_side_by_side(run, folder):
    assert "objective  " in run("diff", "old.json", "new.json").out.partition("\nscores\n")[2]
    text = (folder / "new.tree").read_text().replace("misclassified;", "2 * misclassified;")
    (folder / "twice.tree").write_text(text)
    assert run("solve", "twice.tree", "-o", "twice.json").code == 0
    head, _, scores = run("diff", "old.json", "twice.json").out.partition("\nscores\n")
    assert "minimize misclassified -> minimize 2 * misclassified" in head
    assert "errors" in scores
    assert "objective" not in scores


def test_numbers_are_compared_by_how_much(run, folder):
    for name, depth in (("flat", 1), ("deeper", 2)):
        (folder / f"{name}.tree").write_text(
            'data "loans.csv" { label amount number; use age, housing; scale minmax; }\n'
            f"topology complete(depth = {depth}); split univariate by ort;\n"
        )
        assert run("solve", f"{name}.tree", "-o", f"{name}.json").code == 0
    said = json.loads(run("diff", "flat.json", "deeper.json", "--json").out)
    values = [
        [float(line.split(",")[0]) for line in run("predict", t, "loans.csv").out.split()[1:]]
        for t in ("flat.json", "deeper.json")
    ]
    by = [b - a for a, b in zip(*values, strict=True)]
    assert said["points"]["by"]["mean"] == pytest.approx(sum(by) / len(by))
    assert said["points"]["by"]["mean_size"] == pytest.approx(sum(map(abs, by)) / len(by))
    assert abs(said["points"]["by"]["largest"]) == pytest.approx(max(map(abs, by)))
    mixed = run("diff", "old.json", "flat.json", "--data", "loans.csv")
    assert (mixed.code, "one tree answers classes" in mixed.err) == (2, True)


def test_without_the_data_structure_is_compared_all_the_same(run, folder):
    (folder / "loans.csv").unlink()
    said = run("diff", "old.json", "new.json")
    assert said.code == 0
    assert "not compared: 'new.json' was learned from 'loans.csv'" in said.out
    assert json.loads(run("diff", "old.json", "new.json", "--json").out)["points"] is None
    assert run("diff", "old.json", "new.json", "--by", "sex").code == 2


def test_rows_that_a_tree_refuses_are_left_out_and_counted(run, folder):
    table = (folder / "loans.csv").read_text() + "900,,own,1,f,d0,good\n901,30,boat,1,f,d0,good\n"
    (folder / "gaps.csv").write_text(table)
    said = json.loads(run("diff", "old.json", "new.json", "--data", "gaps.csv", "--json").out)
    assert (said["points"]["left_out"], said["points"]["points"]) == (2, 80)


@pytest.mark.parametrize("suffix", ["svg", "html"])
def test_the_picture_has_both_trees_and_marks(run, folder, suffix):
    assert run("diff", "old.json", "new.json", "-o", f"out.{suffix}").code == 0
    text = (folder / f"out.{suffix}").read_text()
    assert "old: old.json" in text and "new: new.json" in text
    assert text.count('class="leaf"') >= 4
    assert any(name in text for name in ("moved: ", "replaced: ", "removed: ", "added: "))
    assert ("another answer" in text) == (suffix == "html")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.json", "none.json"], "'none.json': No such file"),
        (["loans.csv", "new.json"], "'loans.csv' is not a tree"),
        (["old.json", "new.json", "--by", "sexx"], "loans.csv has no column 'sexx'"),
        (["old.json", "new.json", "--by", "amount"], "different values"),
        (["old.json", "new.json", "-o", "a.png"], "name it .svg or .html"),
        (["old.json", "new.json", "-o", "old.json"], "the command reads it"),
        (["old.json", "new.json", "--separator", ";"], "name it by --data"),
        (["old.json", "new.json", "--data", "narrow.csv"], "lacks the columns"),
    ],
)
def test_bad_input(run, folder, arguments, message):
    (folder / "narrow.csv").write_text("amount\n3\n")
    said = run("diff", *arguments)
    assert said.code == 2
    assert message in said.err
