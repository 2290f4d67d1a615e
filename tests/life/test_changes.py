"""changes("old.json"): as few other answers than an old tree's as may be, against all stumps."""

from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path

import pytest

STUMP = """data "loans.csv" { label class; use amount, age; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
"""
VALUES = """data "loans.csv" { label amount number; use age; scale minmax; }
topology complete(depth = 1);
split univariate by ort(min_leaf = 5);
"""


def table(folder: Path) -> list[dict[str, str]]:
    return [*csv.DictReader((folder / "loans.csv").read_text().splitlines())]


def predicted(run, tree: str, rows: str = "loans.csv") -> list[str]:
    return [row["class"] for row in csv.DictReader(run("predict", tree, rows).out.splitlines())]


def stumps(rows: list[dict[str, str]]):
    """The answers of every tree of depth 1 over amount and age."""
    for column in ("amount", "age"):
        for cut in sorted({float(row[column]) for row in rows}):
            left = [float(row[column]) < cut for row in rows]
            for yes, no in itertools.product(("good", "bad"), repeat=2):
                yield [yes if here else no for here in left]


def differ(a: list[str], b: list[str]) -> int:
    return sum(x != y for x, y in zip(a, b, strict=True))


def solved(run, folder: Path, text: str, name: str = "mine", *more: str) -> dict:
    (folder / f"{name}.tree").write_text(text)
    said = run("solve", f"{name}.tree", "-o", f"{name}.json", *more)
    assert said.code == 0, said.err
    assert run("verify", f"{name}.json").code == 0
    return json.loads((folder / f"{name}.json").read_text())


@pytest.mark.parametrize("solver", [[], ["--solver", "highs", "--start", "none"]])
def test_then_changes_is_the_least_of_all_stumps(run, folder, solver):
    rows, old = table(folder), predicted(run, "old.json")
    right = [row["class"] for row in rows]
    best = min((differ(right, each), differ(old, each)) for each in stumps(rows))
    text = STUMP + 'minimize misclassified then changes("old.json");'
    said = solved(run, folder, text, "mine", *solver)
    assert [said["objectives"][0]["value"], said["objective"]] == [*best]
    mine = predicted(run, "mine.json")
    assert (differ(right, mine), differ(old, mine)) == best


@pytest.mark.parametrize("solver", [[], ["--solver", "highs", "--start", "none"]])
def test_a_limit_on_changes_is_kept(run, folder, solver):
    rows, old = table(folder), predicted(run, "old.json")
    right = [row["class"] for row in rows]
    fewest = min(differ(old, each) for each in stumps(rows))
    best = min(differ(right, e) for e in stumps(rows) if differ(old, e) <= fewest)
    free = min(differ(right, each) for each in stumps(rows))
    text = STUMP + "minimize misclassified; subject to few: "
    said = solved(run, folder, text + f'changes("old.json") <= {fewest};', "mine", *solver)
    assert said["objective"] == best
    assert best >= free
    assert differ(old, predicted(run, "mine.json")) <= fewest


def test_other_columns_encodings_and_a_test_part(run, folder):
    """The old tree has a kept column and one that the new spec drops."""
    text = 'data "loans.csv" { label class; use amount, age; scale minmax; train 0.5 seed 1; }\n'
    text += 'topology complete(depth = 2); split univariate by oct; minimize changes("new.json");'
    said = solved(run, folder, text)
    rows = json.loads(run("score", "mine.json", "loans.csv", "--json").out)
    old, mine = (predicted(run, tree) for tree in ("new.json", "mine.json"))
    assert rows["objective"] == differ(old, mine)
    parts = [said["scores"][part]["objective"] for part in ("training", "test")]
    assert sum(parts) == differ(old, mine)


def test_answer_of_stands_in_rows_of_a_group(run, folder):
    text = STUMP.replace("label class;", "label class; group sex;") + (
        'minimize misclassified; subject to kept: sum {i in points : sex[i] = "f"} '
        'sum {k in classes : ord(k) = answer_of("old.json", i)} predicts[i,k] >= '
        '0.8 * card({i in points : sex[i] = "f"});'
    )
    solved(run, folder, text)
    pairs = zip(table(folder), predicted(run, "old.json"), predicted(run, "mine.json"), strict=True)
    same = [a == b for row, a, b in pairs if row["sex"] == "f"]
    assert sum(same) >= 0.8 * len(same)


def test_numbers_change_by_their_distance(run, folder):
    solved(run, folder, VALUES + "minimize sum {i in points} abs(predicted[i] - y[i]);", "was")
    text = VALUES.replace("min_leaf = 5", "min_leaf = 30")
    said = solved(run, folder, text + 'minimize total_change("was.json");')
    values = [
        [float(v) for v in run("predict", tree, "loans.csv").out.split()[1:]]
        for tree in ("was.json", "mine.json")
    ]
    distance = sum(abs(a - b) for a, b in zip(*values, strict=True))
    assert said["objective"] == pytest.approx(distance, rel=1e-6)
    again = solved(run, folder, VALUES + 'minimize total_change("was.json");', "same")
    assert again["objective"] == pytest.approx(0, abs=1e-4)


def test_verify_says_when_the_old_tree_is_another_one(run, folder):
    solved(run, folder, STUMP + 'minimize changes("old.json");')
    said = json.loads((folder / "mine.json").read_text())
    assert list(said["spec"]["tables_sha256"]) == ["old.json"]
    (folder / "old.json").write_text((folder / "old.json").read_text() + "\n")
    found = run("verify", "mine.json")
    assert found.code == 4
    assert "'old.json' is not the file that the tree was learned from" in found.err


BAD = [
    ("changes(3)", "'changes' takes the file of a saved tree in quotes"),
    ("changes", 'write changes("old.json")'),
    ('changes("old.json", "new.json")', "takes the file of a saved tree in quotes"),
    ('changes("none.json")', "'none.json': No such file"),
    ('changes("loans.csv")', "'loans.csv' is not a tree"),
    ('changes("was.json")', "'was.json' answers numbers, and the label has classes"),
    ('changes("old.json")', "'old.json' cannot answer: row 81 of boats.csv has 'boat'"),
    ('sum {i in points} answer_of("old.json")', "takes the file of a saved tree and a point"),
    ("sum {i in points} answer_of(i, i)", "takes the file of a saved tree in quotes"),
    ('sum {j in features} answer_of("old.json", j)', "takes a point, but this is a feature"),
]


@pytest.mark.parametrize(("term", "message"), BAD)
def test_bad_files_are_named_where_the_text_names_them(run, folder, term, message):
    if "was" in term:
        solved(run, folder, VALUES + "minimize sum {i in points} abs(predicted[i] - y[i]);", "was")
    rows = (folder / "loans.csv").read_text() + "900,30,boat,1,f,d0,good\n"
    (folder / "boats.csv").write_text(rows)
    text = STUMP.replace("loans", "boats") if "boat" in message else STUMP
    (folder / "bad.tree").write_text(text + f"minimize {term};")
    found = run("solve", "bad.tree")
    assert (found.code, message in found.err) == (2, True), found.err
    assert "--> bad.tree:4:" in found.err
