"""All commands on a tree whose leaves answer values, and on one that chooses treatments."""

from __future__ import annotations

import csv
import json
from importlib.metadata import version
from pathlib import Path

import pytest
from answering_specs import CONSTANT_L1, DRUGS, PRICE, TREATMENTS, X

pytest.importorskip("highspy", reason="a solver is needed")

HIGHS = f"HiGHS {version('highspy')}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("values")
    for name, text, columns in (
        ("price", CONSTANT_L1, {**X, "price": PRICE}),
        ("drugs", TREATMENTS, {name: values * 2 for name, values in DRUGS.items()}),
    ):
        own = text.replace('data "t"', f'data "{name}.csv"')
        own = own.replace("use a, b;", "use a, b; train 0.5 seed 2;")
        (there / f"{name}.tree").write_text(own)
        rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        (there / f"{name}.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
    return there


@pytest.fixture
def price(run, folder: Path) -> Path:
    saved = folder / "price.json"
    if not saved.exists():
        assert run("solve", folder / "price.tree", "--solver", "highs", "-o", saved).code == 0
    return saved


def test_solve_has_the_error_of_values_in_place_of_classes(run, folder: Path) -> None:
    said = run("solve", folder / "price.tree", "--solver", "highs")
    lines = [line for line in said.out.splitlines() if not line.startswith("solver")]
    assert said.code == 0
    assert lines == [
        "status        optimal",
        "objective     2",
        "bound         2",
        "gap           0 %",
        "training MSE  0.16667; constant mean 10.729",
        f"tree          verified; proven optimal by {HIGHS}",
        "",
        "a <= 2.5?",
        "├─ yes: 3  (3 points)",
        "└─ no:  9.5  (3 points)",
    ]


def test_verify_score_and_show(run, price: Path) -> None:
    assert run("verify", price).out.splitlines() == [
        "points     6",
        "objective  2",
        "term       2 = sum {i in points} off[i]",
        f"tree       verified; proven optimal by {HIGHS}, as recorded in its file",
    ]
    assert run("score", price).out == (
        "training part\n"
        "points               6\n"
        "MSE                  0.16667  (constant mean: 10.729)\n"
        "MAE                  0.33333\n"
        "R2                   0.98447\n"
        "objective            2\n"
        "effective splits     1\n"
        "splits with weights  1\n"
        "leaves used          2\n"
        "\n"
        "features used\n"
        "  branch 1  1: a\n"
        "  in all    1, 1 distinct\n"
    )
    assert run("show", price).out == "a <= 2.5?\n├─ yes: 3  (3 points)\n└─ no:  9.5  (3 points)\n"


def test_predict_writes_values(run, price: Path, folder: Path) -> None:
    rows = list(
        csv.DictReader(run("predict", price, folder / "price.csv", "--leaf").out.splitlines())
    )
    assert list(rows[0]) == ["value", "leaf"]
    assert [float(row["value"]) for row in rows] == pytest.approx([3, 3, 9.5, 9.5, 9.5, 3])
    refused = run("predict", price, folder / "price.csv", "--proba")
    assert refused.code == 2
    assert refused.err.startswith(
        "error[E902]: --proba is for classes, and the tree predicts values"
    )


def test_pictures_programs_and_reports(run, price: Path, folder: Path) -> None:
    for suffix in ("svg", "html", "dot"):
        assert run("show", price, "-o", folder / f"tree.{suffix}").code == 0
        assert "9.5" in (folder / f"tree.{suffix}").read_text()
    assert "then 9.5" in run("convert", price).out
    assert run("report", price, "--rows", "-o", folder / "report.html").code == 0
    page = (folder / "report.html").read_text()
    assert "training MSE" in page and "<th>predicted</th>" in page and "wrong</td>" not in page


def test_a_changed_value_is_not_verified(run, price: Path, folder: Path) -> None:
    said = json.loads(price.read_text())
    said["tree"]["nodes"][1]["value"] = 3.5
    (folder / "changed.json").write_text(json.dumps(said))
    found = run("verify", folder / "changed.json")
    assert found.code == 1
    assert "node 2 of the tree does not follow from the saved values" in found.out


def test_treatments_have_the_policy_value_of_the_test_part(run, folder: Path) -> None:
    said = run("solve", folder / "drugs.tree", "--solver", "highs", "-o", folder / "drugs.json")
    assert said.code == 0
    names = [line.split("  ")[0] for line in said.out.splitlines()]
    assert {"training points", "test points", "test objective"} <= set(names)
    assert "training errors" not in names
    scores = json.loads(run("score", folder / "drugs.json", "--json").out)
    assert sum(scores["test"]["chosen"].values()) == scores["test"]["points"] == 6
    assert scores["test"]["objective"] is not None
    rows = run("predict", folder / "drugs.json", folder / "drugs.csv").out.splitlines()
    assert rows[0] == "drug" and set(rows[1:]) <= {"one", "two"}
    assert run("verify", folder / "drugs.json").code == 0
