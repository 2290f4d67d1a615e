"""`treemip sweep` and `treemip cv`: what they print, write and refuse."""

from __future__ import annotations

import json
import re

import pytest
from small_cli import CSV

import treemip
from treemip.core.solving.optional import is_installed


def timeless(text: str) -> str:
    """The text without the seconds at the ends of its lines."""
    return re.sub(r" +\d+\.\d$", "", text, flags=re.M)


@pytest.fixture
def small(spec):
    spec.write_text(spec.read_text().replace("oblique by soct(eps = 0.01)", "univariate by binoct"))
    return spec


def test_a_sweep_prints_means_and_choices(run, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run("sweep", small, "--vary", "depth=1..2", "-o", "runs")
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
    again = run("sweep", small, "--vary", "depth=1..2", "-o", "runs")
    assert again.out.endswith("2 runs in runs/table.csv, 2 of them done before\n")


def test_a_cross_validation_needs_no_folder(run, small):
    said = run("cv", small, "--folds", 3, "--json")
    assert said.code == 0
    found = json.loads(said.out)
    assert [row["fold"] for row in found["runs"]] == ["1", "2", "3"]
    assert found["configurations"][0]["tested"] is True
    assert timeless(run("cv", small, "--folds", 3).out).startswith(
        "runs  trees  training  test   deviation  features  seconds\n3     3      1         0.875  "
    )


def test_a_sweep_of_tables_and_failures(run, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small.write_text(
        small.read_text() + "param least = 0;\n"
        "subject to big {l in leaves}: sum {i in points} reach[i,l] >= least;\n"
    )
    (tmp_path / "other.csv").write_text(CSV)
    said = run(
        "sweep", small, "--vary", "data=small.csv,other.csv", "--vary", "least=0,99", "-o", "runs"
    )
    assert said.code == 0
    assert "\n2 without a tree: infeasible\n" in said.out
    assert "best mean accuracy: data=other.csv least=0  (accuracy 1, features 1)\n" in said.out
    none = run("sweep", small, "--vary", "least=98,99", "-o", "runs")
    assert none.code == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sweep", "-o", "runs"), "nothing varies"),
        (("sweep", "--vary", "depth=1"), "no folder for the runs"),
        (("sweep", "--vary", "depth=u", "-o", "runs"), "unknown name 'u'"),
        (("sweep", "--vary", "deep=1", "-o", "runs"), "-p deep=1: there is no parameter 'deep'"),
        (("sweep", "--vary", "depth=1", "-o", "small.csv"), "the folder 'small.csv' cannot be"),
        (("sweep", "--vary", "depth=1", "-o", "runs", "--jobs", "0"), "the number of jobs is 0"),
        (
            ("sweep", "--vary", "depth=1", "-o", "runs", "--plot", "a.gif"),
            "no picture format has the suffix of 'a.gif'",
        ),
        (("cv", "--folds", "1"), "the number of folds is 1"),
        (("cv", "--stratified"), "no such option: --stratified"),
        (("cv", "--solver", "none such"), "unknown solver"),
        (("cv", "--backend", "threads"), "invalid value for '--backend'"),
    ],
)
def test_what_is_refused_before_any_run(run, small, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    said = run(arguments[0], small, *arguments[1:])
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.csv", "small.tree"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("sweep", "--vary", "depth=1", "-p", "depth=2", "-o", "runs"),
            "'depth' is set twice, by --vary and by -p depth=2",
        ),
        (
            ("sweep", "--data", "small.csv", "--vary", "data=small.csv", "-o", "runs"),
            "'data' is set twice, by --vary and by --data",
        ),
        (
            ("cv", "--gap", "0.1", "--vary", "gap=0,0.2", "-o", "runs"),
            "'gap' is set twice, by --vary and by --gap 0.1",
        ),
        (
            ("cv", "--seed", "3", "--vary", "seed=1", "-o", "runs"),
            "'seed' is set twice, by --vary and by --seed 3",
        ),
        (
            ("cv", "-p", "depth=2", "-p", "depth=1", "-o", "runs"),
            "-p sets 'depth' twice: 2 and 1",
        ),
    ],
)
def test_a_value_is_given_once(run, small, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    said = run(arguments[0], small, *arguments[1:])
    assert (said.code, said.out) == (2, "")
    assert said.err == f"error[E902]: {message}\n  = help: keep one of the two\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.csv", "small.tree"]


def test_folds_do_not_vary(run, small, tmp_path):
    said = run("cv", small, "--vary", "fold=7")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "error[E902]: 'fold' cannot vary: a cross-validation solves all 5 folds\n"
        "  = help: leave it out; --folds K sets their number\n"
    )


@pytest.mark.skipif(not is_installed("matplotlib"), reason="matplotlib draws")
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture(run, small, tmp_path, suffix):
    picture = tmp_path / f"sweep.{suffix}"
    wide = ("--vary", "depth=1,2", "--vary", "seed=1,2", "--vary", "threads=1,2")
    small.write_text(small.read_text().replace("label class;", "label class; train 0.7 seed 1;"))
    assert run("sweep", small, *wide, "-o", tmp_path / "runs", "--plot", picture).code == 0
    assert picture.stat().st_size > 1000
    if suffix == "svg":
        assert picture.read_text().count("</svg>") == 1


def test_scores_of_a_selection_are_those_of_all_training_points(run, small, monkeypatch):
    monkeypatch.chdir(small.parent)
    small.write_text(small.read_text() + "strategy { select balanced; }\n")
    said = run("cv", small.name, "--folds", 3, "--json")
    assert said.code == 0
    assert said.err == (
        "warning[W605]: each run states its model over the points of 'select balanced', and what is"
        " proven of it holds for these alone; errors and scores are those of all training points\n"
        " --> small.tree:4:12\n"
        "  |\n"
        "4 | strategy { select balanced; }\n"
        "  |            ^^^^^^^^^^^^^^^^\n"
    )
    for row in json.loads(said.out)["runs"]:
        part = f"label class; train fold {row['fold']} of 3 seed 0;"
        text = small.read_text().replace("label class;", part)
        result = treemip.loads(text, base=small.parent).compile().solve()
        assert row["selected"] == result.points < result.whole_score.points
        assert row["train_errors"] == result.whole_score.errors
        assert row["train_accuracy"] == result.whole_score.accuracy
        assert row["proven_by"] == "an exact engine, for the selected points alone"
