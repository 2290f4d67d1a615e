"""`treemip sweep` and `treemip cv`: what they print and write."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from small_cli import CSV

import treemip
from treemip.core.solving.optional import is_installed

BINOCT = Path("binoct.tree")


def timeless(text: str) -> str:
    """The text without the seconds at the ends of its lines."""
    return re.sub(r" +\d+\.\d$", "", text, flags=re.M)


def test_a_sweep_prints_means_and_choices(run, here):
    said = run("sweep", BINOCT, "--vary", "depth=1..2", "-o", "runs")
    assert (said.code, said.err) == (0, "")
    assert timeless(said.out) == (
        "depth  runs  trees  training  deviation  features  seconds\n"
        "1      1     1      1                    1\n"
        "2      1     1      1                    1\n"
        "\n"
        "best mean accuracy: depth=1  (accuracy 1, features 1)\n"
        "fewest features within 0.975 of it: depth=1  (accuracy 1, features 1)\n"
        "2 runs in runs/table.csv\n"
    )
    again = run("sweep", BINOCT, "--vary", "depth=1..2", "-o", "runs")
    assert again.out.endswith("2 runs in runs/table.csv, 2 of them done before\n")


def test_a_cross_validation_needs_no_folder(run, here):
    said = run("cv", BINOCT, "--folds", 3, "--json")
    assert said.code == 0
    found = json.loads(said.out)
    assert [row["fold"] for row in found["runs"]] == ["1", "2", "3"]
    assert found["configurations"][0]["tested"] is True
    assert timeless(run("cv", BINOCT, "--folds", 3).out).startswith(
        "runs  trees  training  test   deviation  features  seconds\n3     3      1         0.875  "
    )


def test_a_sweep_of_tables_and_failures(run, here):
    BINOCT.write_text(
        BINOCT.read_text() + "param least = 0;\n"
        "subject to big {l in leaves}: sum {i in points} reach[i,l] >= least;\n"
    )
    Path("other.csv").write_text(CSV)
    tables = ("--vary", "data=small.csv,other.csv")
    said = run("sweep", BINOCT, *tables, "--vary", "least=0,99", "-o", "runs")
    assert said.code == 0
    assert "\n2 without a tree: infeasible\n" in said.out
    assert "best mean accuracy: data=other.csv least=0  (accuracy 1, features 1)\n" in said.out
    assert run("sweep", BINOCT, "--vary", "least=98,99", "-o", "runs").code == 3


@pytest.mark.skipif(not is_installed("matplotlib"), reason="matplotlib draws")
def test_pictures(run, here):
    wide = ("--vary", "depth=1", "--vary", "seed=1,2", "--vary", "threads=1,2")
    BINOCT.write_text(BINOCT.read_text().replace("label class;", "label class; train 0.7 seed 1;"))
    for suffix in ("png", "svg", "pdf"):
        picture = Path(f"sweep.{suffix}")
        assert run("sweep", BINOCT, *wide, "-o", "runs", "--plot", picture).code == 0
        assert picture.stat().st_size > 1000
    assert Path("sweep.svg").read_text().count("</svg>") == 1


def test_scores_of_a_selection_are_those_of_all_training_points(run, here):
    BINOCT.write_text(BINOCT.read_text() + "strategy { select balanced; }\n")
    said = run("cv", BINOCT, "--folds", 2, "--json")
    assert said.code == 0
    assert said.err == (
        "warning[W605]: each run states its model over the points of 'select balanced', and what is"
        " proven of it holds for these alone; errors and scores are those of all training points\n"
        " --> binoct.tree:4:12\n"
        "  |\n"
        "4 | strategy { select balanced; }\n"
        "  |            ^^^^^^^^^^^^^^^^\n"
    )
    for row in json.loads(said.out)["runs"]:
        part = f"label class; train fold {row['fold']} of 2 seed 0;"
        text = BINOCT.read_text().replace("label class;", part)
        result = treemip.loads(text, base=here).compile().solve()
        assert row["selected"] == result.points < result.whole_score.points
        assert row["train_errors"] == result.whole_score.errors
        assert row["train_accuracy"] == result.whole_score.accuracy
        assert row["proven_by"] == "an exact engine, for the selected points alone"
