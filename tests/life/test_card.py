"""treemip card: a model card whose numbers are those of the other commands."""

from __future__ import annotations

import csv
import json
import re

import pytest


def sections(text: str) -> dict[str, str]:
    parts = text.split("\n## ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in parts}


def rows_of(text: str) -> list[dict[str, str]]:
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|") and not line.startswith("|---")
    ]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[1:]]


def test_the_card_says_what_the_commands_say(run, folder):
    assert run("card", "old.json", "-o", "card.md").code == 0
    said = sections((folder / "card.md").read_text())
    for rule in run("convert", "old.json").out.split("\n\n")[0].splitlines():
        assert rule in said["Rules"]
    scores = json.loads(run("score", "old.json", "--json").out)
    for row in rows_of(said["Scores"]):
        assert int(row["errors"]) == scores[row["part"]]["errors"]
        assert int(row["points"]) == scores[row["part"]]["points"]
    assert "Bertsimas, Dunn" in said["How it was learned"]
    assert "proven optimal" in said["How it was learned"]
    used = {row["column"]: row["used by the tree"] for row in rows_of(said["Features"])}
    assert {c for c, yes in used.items() if yes == "yes"} == {
        name.partition("=")[0] for name in scores["training"]["distinct_features"]
    }


def test_groups_and_requirements_are_those_of_the_rows(run, folder):
    said = sections(run("card", "old.json").out)
    groups = rows_of(said["Groups"])
    table = [*csv.DictReader((folder / "loans.csv").read_text().splitlines())]
    given = csv.DictReader(run("predict", "old.json", "loans.csv").out.splitlines())
    pairs = [(row["sex"], row["class"] != g["class"]) for row, g in zip(table, given, strict=True)]
    for sex in ("f", "m"):
        mine = [row for row in groups if row["group"] == f"sex {sex}"]
        assert sum(int(row["points"]) for row in mine) == sum(s == sex for s, _ in pairs)
        assert sum(int(row["errors"]) for row in mine) == sum(w for s, w in pairs if s == sex)
    demanded = {row["requirement"]: row for row in rows_of(said["Requirements"])}
    recall = json.loads(run("score", "old.json", "--json").out)["training"]["recall"]["bad"]
    assert demanded["floor"]["on the training part"] == f"holds, slack {recall - 0.5:.4g}"
    assert set(demanded) == {"parity", "floor"}


def test_without_the_data_it_says_what_is_left_out(run, folder):
    (folder / "loans.csv").unlink()
    said = sections(run("card", "old.json").out)
    assert "Not read again" in said["Data"]
    assert "there is no such file" in said["Requirements"]
    assert "Groups" not in said
    assert "training" in said["Scores"]


def test_names_cannot_break_the_markdown(run, folder):
    text = (folder / "loans.csv").read_text().replace("amount", "a|m<b>`", 1)
    (folder / "odd.csv").write_text(text)
    (folder / "odd.tree").write_text(
        'data "odd.csv" { label class; drop sex, day, new, housing; scale minmax; }\n'
        "topology complete(depth = 1); split univariate by oct; minimize misclassified;\n"
    )
    assert run("solve", "odd.tree", "-o", "odd.json").code == 0
    said = sections(run("card", "odd.json").out)
    assert "a\\|m\\<b\\>\\`" in said["Features"]


def test_numbers_and_no_test_part(run, folder):
    (folder / "n.tree").write_text(
        'data "loans.csv" { label amount number; use age; scale minmax; }\n'
        "topology complete(depth = 1); split univariate by ort;\n"
    )
    assert run("solve", "n.tree", "-o", "n.json").code == 0
    said = sections(run("card", "n.json").out)
    assert "predicts a number, `amount`" in said["What it does"]
    assert "There was no test part" in said["Scores"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.json"], "No such file"),
        (["loans.csv"], "'loans.csv' is not a tree"),
        (["old.json", "-o", "old.json"], "the command reads it"),
    ],
)
def test_bad_input(run, folder, arguments, message):
    said = run("card", *arguments)
    assert (said.code, message in said.err) == (2, True)


def test_the_card_has_all_objectives_in_turn(run, folder):
    (folder / "turn.tree").write_text(
        'data "loans.csv" { label class; drop sex, day, new, housing; scale minmax; }\n'
        "topology complete(depth = 1); split univariate by oct;\n"
        "minimize misclassified then features_used;\n"
    )
    assert run("solve", "turn.tree", "-o", "turn.json").code == 0
    said = sections(run("card", "turn.json").out)["How it was learned"]
    assert "* Objective 1: minimize `misclassified`\n" in said
    assert "* Objective 2: minimize `features_used`\n" in said
    found = run("diff", "turn.json", "old.json").out
    assert "minimize misclassified then minimize features_used -> minimize misclassified" in found


def test_numbers_of_the_card_have_the_digits_of_pictures(run, folder):
    """A threshold with all its digits is for programs; the card says where they are."""
    rows = "".join(f"{k / 7 + 1 / 3},{'good' if k > 20 else 'bad'}\n" for k in range(40))
    (folder / "w.csv").write_text(f"x,class\n{rows}")
    (folder / "w.tree").write_text(
        'data "w.csv" { label class; scale minmax; } topology complete(depth = 1);\n'
        "split univariate by oct;\nminimize misclassified;\n"
    )
    assert run("solve", "w.tree", "-o", "w.json").code == 0
    (exact,) = re.findall(r"x < (\S+)", run("convert", "w.json").out)
    said = sections(run("card", "w.json").out)["Rules"]
    (shown,) = re.findall(r"x < (\S+)", said)
    assert len(exact) > 8 and shown == f"{float(exact):.5g}"
    assert f"x < {shown}" in run("show", "w.json").out
    assert "Numbers are rounded to 5 digits; `treemip convert w.json` writes" in said
