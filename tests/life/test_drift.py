"""treemip drift: new rows against the training rows, counted by hand."""

from __future__ import annotations

import csv
import json
from collections import Counter
from math import log
from pathlib import Path

import pytest
from loan_rows import loans

from treemip.study.life.psi import psi, reading


def table(path: Path) -> list[dict[str, str]]:
    return [*csv.DictReader(path.read_text().splitlines())]


@pytest.fixture
def late(folder: Path) -> Path:
    (folder / "late.csv").write_text(loans(60, 2, late=True))
    return folder / "late.csv"


def found(run, *more: str) -> dict:
    said = run("drift", "old.json", *more, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_the_training_rows_themselves_are_stable(run, folder):
    said = found(run, "loans.csv")
    assert said["refused"] == 0
    assert said["points"] == 80
    assert {each["reading"] for each in said["features"]} == {"stable"}
    assert said["requirements"] and all(each["holds"] for each in said["requirements"][1:])


def test_leaves_and_their_psi(run, folder, late):
    said = found(run, "late.csv")
    taken = [r for r in table(late) if r["age"] and r["housing"] != "boat"]
    assert (said["points"], said["refused"]) == (len(taken), 60 - len(taken))
    with (folder / "good.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, taken[0])
        writer.writeheader()
        writer.writerows(taken)
    leaves = Counter(
        int(row["leaf"])
        for row in csv.DictReader(run("predict", "old.json", "good.csv", "--leaf").out.splitlines())
    )
    assert {each["node"]: each["new"] for each in said["leaves"] if each["new"]} == leaves
    before = sum(each["training"] for each in said["leaves"])
    shares = [
        (max(each["training"] / before, 1e-4), max(each["new"] / len(taken), 1e-4))
        for each in said["leaves"]
    ]
    assert said["psi"] == pytest.approx(sum((b - a) * log(b / a) for a, b in shares))
    assert before == 60


def test_columns_new_values_gaps_and_range(run, folder, late):
    said = {each["column"]: each for each in found(run, "late.csv")["features"]}
    rows = table(late)
    assert said["age"]["missing"] == pytest.approx(sum(not r["age"] for r in rows) / len(rows))
    assert said["age"]["missing_before"] == 0
    assert said["housing"]["unseen"] == sum(r["housing"] == "boat" for r in rows)
    assert said["housing"]["unseen_values"] == ["boat"]
    assert said["amount"]["outside"] >= sum(int(r["amount"]) >= 5000 for r in rows) > 0
    assert said["amount"]["reading"] == said["housing"]["reading"] == "much change"


def test_scores_over_time(run, folder, late):
    said = found(run, "loans.csv", "--time", "day")
    predicted = [
        r["class"] for r in csv.DictReader(run("predict", "old.json", "loans.csv").out.splitlines())
    ]
    wrong = Counter(
        row["day"]
        for row, given in zip(table(folder / "loans.csv"), predicted, strict=True)
        if row["class"] != given
    )
    errors = {part["value"]: part["score"]["errors"] for part in said["parts"]}
    assert errors == {day: wrong[day] for day in ("d0", "d1", "d2")}


def test_a_requirement_that_fails_now_is_named(run, folder):
    rows = table(folder / "loans.csv")
    given = csv.DictReader(run("predict", "old.json", "loans.csv").out.splitlines())
    like = next(r for r, each in zip(rows, given, strict=True) if each["class"] == "good")
    for row in rows:  # bad loans look like a good one
        if row["class"] == "bad":
            row.update(amount=like["amount"], age=like["age"], housing=like["housing"])
    with (folder / "worse.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    recall = json.loads(run("score", "old.json", "worse.csv", "--json").out)["recall"]["bad"]
    said = {each["name"]: each for each in found(run, "worse.csv")["requirements"]}
    assert said["floor"]["holds"] is (recall >= 0.5) is False
    assert f"by {0.5 - recall:.3g}" in said["floor"]["why"]
    with (folder / "one.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row for row in rows if row["sex"] == "f")
    assert {r["name"]: r["holds"] for r in found(run, "one.csv")["requirements"]}["parity"] is None


def test_without_the_training_rows_it_says_what_is_missing(run, folder, late):
    (folder / "loans.csv").unlink()
    said = found(run, "late.csv")
    assert said["psi"] is not None
    assert {each["psi"] for each in said["features"]} == {None}
    assert "there is no such file" in said["not_compared"]["features"]
    assert "not compared" in run("drift", "old.json", "late.csv").out


def test_rows_without_labels_have_no_score(run, folder):
    lines = (folder / "loans.csv").read_text().splitlines()
    (folder / "blind.csv").write_text("\n".join(x.rpartition(",")[0] for x in lines) + "\n")
    said = found(run, "blind.csv")
    assert said["scores"]["new"] is None
    assert "class" in said["not_compared"]["scores"]


def test_psi_by_hand() -> None:
    import numpy as np

    assert psi(np.array([50, 50]), np.array([50, 50])) == 0
    expected = (0.8 - 0.5) * log(0.8 / 0.5) + (0.2 - 0.5) * log(0.2 / 0.5)
    assert psi(np.array([50, 50]), np.array([80, 20])) == pytest.approx(expected)
    assert psi(np.array([0, 0]), np.array([1, 1])) is None
    assert [reading(v) for v in (0.05, 0.1, 0.25, None)] == [
        "stable",
        "some change",
        "much change",
        "not known",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.json", "none.csv"], "there is no such file"),
        (["loans.csv", "loans.csv"], "'loans.csv' is not a tree"),
        (["old.json", "loans.csv", "--time", "dai"], "did you mean 'day'?"),
        (["old.json", "loans.csv", "--by", "amount"], "name a column of at most 50 values"),
        (["old.json", "loans.csv", "--by", "day", "--time", "day"], "give one of them"),
        (["old.json", "narrow.csv"], "lacks the columns"),
        (["old.json", "boats.csv"], "the tree answers no row of 'boats.csv'"),
    ],
)
def test_bad_input(run, folder, arguments, message):
    (folder / "narrow.csv").write_text("amount\n3\n")
    (folder / "boats.csv").write_text("amount,age,housing\n900,30,boat\n")
    said = run("drift", *arguments)
    assert said.code == 2
    assert message in said.err


COUNTS = """data "loans.csv" { label class; group sex; drop day, new; encode onehot; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
minimize misclassified then changes("old.json");
subject to
  fair: parity(sex, 0.9);
  given {g in values(sex)}: sum {i in points : sex[i] = g} predicts[i,"good"] >= 3;
  both: misclassified + 2 * sum {i in points} predicts[i,"bad"] <= 999 * card(points);
  pairs: misclassified * card(points) >= 0;
"""


def test_counts_are_compared_as_shares_of_the_points(run, folder):
    (folder / "counts.tree").write_text(COUNTS)
    assert run("solve", "counts.tree", "-o", "counts.json").code in (0, 1)
    head, *rows = (folder / "loans.csv").read_text().splitlines()
    (folder / "twice.csv").write_text("\n".join([head, *rows, *rows]) + "\n")
    (folder / "half.csv").write_text("\n".join([head, *rows[:40]]) + "\n")

    def said(name: str) -> dict[str, dict]:
        out = run("drift", "counts.json", name, "--json").out
        return {each["name"]: each for each in json.loads(out)["requirements"]}

    def errors(name: str) -> int:
        return json.loads(run("score", "counts.json", name, "--json").out)["errors"]

    same, twice, half = said("loans.csv"), said("twice.csv"), said("half.csv")
    assert (same["objective_1"]["holds"], same["objective_1"]["slack"]) == (True, 0)
    assert "share_of" not in same["objective_1"] and same["fair"]["slack"] > 0
    assert twice["objective_1"]["holds"] and twice["objective_1"]["share_of"] == "points"
    assert twice["objective_1"]["slack"] == pytest.approx(0, abs=1e-9)
    assert twice["given"]["slack"] == pytest.approx(same["given"]["slack"] / 80)
    assert twice["fair"]["slack"] == pytest.approx(same["fair"]["slack"])
    assert "share_of" not in twice["both"]  # counts on both sides
    assert (same["pairs"]["holds"], twice["pairs"]["holds"]) == (True, None)
    more = errors("half.csv") / 40 - errors("loans.csv") / 80
    assert half["objective_1"]["holds"] is (more <= 0)
    text = f"{100 * abs(more):.3g} % of the points"
    assert text in run("drift", "counts.json", "half.csv").out
