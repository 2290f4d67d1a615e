"""tune and fit: what they print and write, and what they refuse."""

from __future__ import annotations

import json
import os
import re

import pytest

import treemip
from treemip.cli import results
from treemip.cli.main import main
from treemip.study.sweeps import price_path, sweep, tuning

CSV = "a,b,who,class\n" + "".join(
    f"{k % 11},{(k * 7) % 13},w{k % 6},{'yes' if (k % 11 > 5) ^ (k % 9 == 0) else 'no'}\n"
    for k in range(60)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(CSV)
    return tmp_path


def test_fit_writes_a_verified_tree_and_its_spec(folder, capsys, monkeypatch):
    monkeypatch.setitem(price_path.DEPTHS, "univariate", ("1", "2"))
    monkeypatch.setattr(price_path, "SHARES", (0.001, 0.1))
    line = "fit t.csv -o t.json --spec t.tree --groups who --folds 2 --time-limit 300"
    assert main(line.split()) == 0
    said = capsys.readouterr()
    assert "fewest splits within one standard error" in said.out and "verified" in said.out
    assert "t.tree: the spec with the chosen values" in said.err
    text = (folder / "t.tree").read_text()
    assert re.search(r"drop +who; +# of --groups", text) and "train " not in text
    saved = json.loads((folder / "t.json").read_text())
    again = treemip.load("t.tree").compile().solve()
    assert again.objective == pytest.approx(saved["objective"])
    assert main(["verify", "t.json"]) == 0
    assert main(line.split()) == 2
    assert "'t.tree' cannot be written: it exists" in capsys.readouterr().err


def test_ctrl_c_names_the_option_for_a_folder_of_runs(folder, capsys, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(sweep, "carry_out", interrupted)
    assert main(["fit", "t.csv", "--label", "class", "-o", "t.json"]) == 130
    said = "interrupted; no run was kept: name a folder for them with --folder\n"
    assert said in capsys.readouterr().err and not (folder / "t.json").exists()


def test_ctrl_c_in_the_last_solve_leaves_its_tree_or_the_means(folder, capsys, monkeypatch):
    given, solve = [], tuning.solved

    def solved(run, settings):
        given.append(settings)
        return solve(run, settings)

    line = ["fit", "t.csv", "--folds", "2", "--time-limit", "20", "-o", "t.json"]
    monkeypatch.setitem(price_path.DEPTHS, "univariate", ("1",))
    monkeypatch.setattr(tuning, "solved", solved)
    assert main(line) == 0 and given[0]["on_interrupt"] == "keep"
    capsys.readouterr()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tuning, "solved", interrupted)
    before = (folder / "t.json").read_text()
    assert main(line) == 130
    said = capsys.readouterr()
    assert said.err.startswith("label 'class'") and "training" in said.err
    assert said.err.endswith("interrupted before there was a tree of all rows\n")
    assert (folder / "t.json").read_text() == before


@pytest.mark.parametrize("option", ["--folds 0", "--time-limit 0", "--rows 3", "--jobs 0"])
def test_options_are_refused_before_a_table_is_read(folder, capsys, option):
    (folder / "t.csv").write_text("no table")
    assert main(f"fit t.csv {option}".split()) == 2
    assert "error[E902]" in capsys.readouterr().err


def test_fit_sends_survival_trees_to_init_and_tune(folder, capsys):
    assert main(["fit", "t.csv", "--formulation", "ost"]) == 2
    assert capsys.readouterr().err == (
        "error[E902]: ost learns from times of events, and not from a label\n"
        "  = help: write its spec: treemip init TABLE --formulation ost --time NAME --event NAME; "
        "then treemip tune chooses its depth\n"
    )


def test_rows_without_a_label_are_counted(folder, capsys, monkeypatch):
    monkeypatch.setitem(price_path.DEPTHS, "univariate", ("1",))
    text = CSV + "1,2,w1,\n" * 3
    (folder / "t.csv").write_text(text + ",3,w2,no\n" * 20)
    assert main(["init", "t.csv", "--label", "class"]) == 0
    assert "missing drop class;  # 3 of 83 rows have no label" in (folder / "t.tree").read_text()
    assert main(["fit", "t.csv", "--label", "class", "--folds", "2", "--time-limit", "20"]) == 0
    assert capsys.readouterr().err.count("note: 3 rows have no label and are left out\n") == 2


def test_fit_and_init_say_why_a_formulation_is_passed_over(folder, capsys, monkeypatch):
    """Of two values that are too near for oct, init's training part has one."""
    monkeypatch.setitem(price_path.DEPTHS, "univariate", ("1",))
    line = "{},{}\n"
    rows = [line.format(k, "yes" if k % 7 > 3 else "no") for k in range(200)]
    (folder / "t.csv").write_text("a,class\n" + "".join(rows) + "1.000001,no\n")
    why = "formulation binoct, since oct warns: points whose values differ by 1e-5 or less"
    assert main(["fit", "t.csv", "--label", "class", "--folds", "2", "--time-limit", "20"]) == 0
    assert why in capsys.readouterr().err
    assert main(["init", "t.csv", "--label", "class"]) == 0
    assert "(2 classes), formulation oct\n" in capsys.readouterr().err


def test_json_has_the_exit_code_of_the_tree(folder, capsys, monkeypatch):
    monkeypatch.setitem(price_path.DEPTHS, "univariate", ("1",))
    monkeypatch.setitem(results.CODES, "verified", 4)
    assert main(["fit", "t.csv", "--folds", "2", "--time-limit", "20", "--json"]) == 4
    assert json.loads(capsys.readouterr().out)["result"]["verdict"] == "verified"


def test_tune_says_all_as_json(folder, capsys):
    (folder / "t.tree").write_text(
        'data "t.csv" { label class; drop who; scale minmax; }\n'
        "topology complete(depth = 2);\nsplit univariate by oct;\n"
    )
    line = "tune t.tree --vary depth=1 --vary alpha=0.01,0.3 --folds 2 --rule best --json -o t.json"
    assert main(line.split()) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rule"] == "best" and said["chosen"]["depth"] == "1"
    assert len(said["runs"]) == 4 and said["result"]["verdict"] == "verified"
    assert (folder / "t.json").exists()


def test_tune_says_why_a_depth_has_no_tree(folder, capsys):
    (folder / "t.tree").write_text(
        'data "t.csv" { label class; drop who; scale minmax; }\n'
        "topology complete(depth = 2);\nsplit univariate by oct;\n"
        "minimize misclassified;\nsubject to two: splits >= 2;\n"
    )
    assert main(["tune", "t.tree", "--vary", "depth=1,2", "--folds", "2"]) == 0
    said = capsys.readouterr().out
    assert "\n2 without a tree: infeasible" in said and "not proven" not in said


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("fit none.csv", "there is no such file"),
        ("fit t.csv --label clas", "there is no column 'clas'"),
        ("fit t.csv --label class --groups class", "'class' is the label and the column"),
        ("fit t.csv --groups whom", "there is no column 'whom'"),
        ("fit t.csv --time-limit 0", "the time limit is 0"),
        ("fit one.csv", "is named like a label, but has a single value"),
        ("tune t.tree", "has no depth of a complete tree and no price of a split"),
    ],
)
def test_what_is_refused(folder, capsys, line, message):
    (folder / "one.csv").write_text("a,class\n1,x\n2,x\n3,x\n")
    (folder / "t.tree").write_text(
        'data "t.csv" { label class; drop who; scale minmax; }\n'
        'topology shape "(. .)";\nsplit univariate by oct;\nminimize misclassified;\n'
    )
    assert main(line.split()) == 2
    said = capsys.readouterr()
    assert message in said.err and "Traceback" not in said.err and said.out == ""


@pytest.mark.parametrize("command", ["fit t.csv", "tune t.tree", "cv t.tree"])
def test_more_folds_than_rows(folder, capsys, command):
    (folder / "t.tree").write_text(
        'data "t.csv" { label class; drop who; scale minmax; }\n'
        "topology complete(depth = 1);\nsplit univariate by oct;\n"
    )
    assert main([*command.split(), "--folds", "500"]) == 2
    said = capsys.readouterr()
    assert said.err.endswith(
        "error[E306]: 500 folds of 60 rows: some have no row to test\n"
        "  = help: use at most 60 folds\n"
    )
    assert said.out == ""


def test_a_fold_without_a_second_class(folder, capsys):
    rows = "".join(f"{k % 3},x\n" for k in range(9))
    (folder / "t.csv").write_text(f"a,class\n7,alone\n{rows}")
    assert main(["fit", "t.csv", "--label", "class", "--folds", "2"]) == 2
    said = capsys.readouterr().err
    assert "the training part of fold 1 has 5 of 10 rows and lacks a second class\n  = help" in said
    assert "<text>" not in said


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="no folder of the system that takes no file")
@pytest.mark.parametrize("place", ["/proc/t.json", "none/t.json"])
def test_a_place_that_takes_no_file_is_refused_before_the_work(folder, capsys, monkeypatch, place):
    monkeypatch.setattr("treemip.study.init.first_spec.first_spec", None)
    for option in ("-o", "--spec"):
        assert main(["fit", "t.csv", option, place]) == 2
        assert f"error[E603]: '{place}' cannot be written: " in capsys.readouterr().err
