"""Files that parameters take their values from: what a saved tree and a sweep know of them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from treemip.api.program import load
from treemip.api.reverify import reverify
from treemip.cli.main import main
from treemip.study.sweeps.plan import planned

pytest.importorskip("highspy", reason="a solver is needed")

SPEC = """
data "points.csv" { label y; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
param price {j in features} = table(file = "prices.csv");
minimize misclassified + price_level * sum {j in features} price[j] * uses_anywhere[j];
param price_level = 1;
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "points.csv").write_text("a,b,y\n0,1,u\n1,0,v\n2,1,v\n0,0,u\n")
    (tmp_path / "prices.csv").write_text("feature,price\na,0.25\nb,0.125\n")
    (tmp_path / "spec.tree").write_text(SPEC)
    return tmp_path


def test_a_tree_records_the_file(folder: Path) -> None:
    saved = folder / "tree.json"
    load(folder / "spec.tree").compile().solve(solver="highs").save(saved)
    digest = hashlib.sha256((folder / "prices.csv").read_bytes()).hexdigest()
    assert json.loads(saved.read_text())["spec"]["tables_sha256"] == {"prices.csv": digest}
    again = reverify(saved)
    assert (again.verified, again.objective, again.warnings) == (True, 0.25, ())

    (folder / "prices.csv").write_text("feature,price\na,0.5\nb,0.125\n")
    again = reverify(saved)
    assert [warning.message for warning in again.warnings] == [
        "'prices.csv' is not the file that the tree was learned from: its SHA-256 differs"
    ]
    assert again.objective == 0.5


def test_a_run_of_a_sweep_is_another_with_another_file(folder: Path) -> None:
    def keys() -> list[str]:
        return [
            run.key
            for run in planned(load(folder / "spec.tree"), {"price_level": ("1", "2")}, {}).runs
        ]

    before = keys()
    assert keys() == before
    (folder / "prices.csv").write_text("feature,price\na,0.5\nb,0.125\n")
    assert not set(keys()) & set(before)


VALUES = """
data "points.csv" { label y number; scale minmax; }
topology complete(depth = 1);
split univariate by ort(min_leaf = 1);
param price {j in features} = table(file = "prices.csv");
let paid = sum {j in features} price[j] * uses_anywhere[j];
"""


def test_scores_and_reports_read_the_file(folder: Path, capsys) -> None:
    (folder / "points.csv").write_text("a,b,y\n0,1,1\n1,0,4\n2,1,5\n0,0,2\n")
    (folder / "spec.tree").write_text(VALUES)
    saved, page = folder / "tree.json", folder / "page.html"
    load(folder / "spec.tree").compile().solve().save(saved)
    for command in (["score", saved], ["score", saved, folder / "points.csv"]):
        assert main([*map(str, command)]) == 0
        assert "paid" in capsys.readouterr().out
    assert main(["report", str(saved), "-o", str(page)]) == 0
    assert "paid" in page.read_text()
