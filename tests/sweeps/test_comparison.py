"""The table of a study, and its texts, from rows made by hand."""

from __future__ import annotations

import pytest

from treemip.study.sweeps.comparison import cases_of, record, short_names
from treemip.study.sweeps.comparison_text import (
    HEADS,
    cells,
    csv_of,
    heads_of,
    latex,
    markdown,
    notes,
)
from treemip.study.sweeps.run import MEASURED
from treemip.study.sweeps.study import Study
from treemip.study.sweeps.table import Sweep

STUDY = Study(("svm_x", "oct"), ("d/a_b.csv",))


def row(formulation, fold, data="d/a_b.csv", depth="2", **results):
    names = {"data": data, "depth": depth, "formulation": formulation, "fold": fold}
    return {**dict.fromkeys(MEASURED), **names, "seconds": 1.0, **results}


def tree(formulation, fold, test, proven_by=None, gap=0.5, **more):
    solved = {"status": "optimal", "verdict": "verified", "proven_by": proven_by, "gap": gap}
    measured = {"train_accuracy": 0.9, "test_accuracy": test, "features": 3, "solver": "highs"}
    return row(formulation, fold, **{**solved, **measured, **more})


ROWS = (
    tree("oct", "1", 0.8, "highs", 0.0),
    tree("oct", "2", 0.6, seconds=2.0),
    row("svm_x", "", status="refused", message="E307: it wants 50 % & more | of_it"),
)


def cases(rows=ROWS, study=STUDY):
    return cases_of(Sweep(rows, ("data", "formulation", "depth", "fold")), study)


def test_means_over_folds_in_the_order_of_the_study():
    refused, oct_ = cases()
    assert (refused.formulation, refused.runs, refused.proven_share) == ("svm_x", 0, None)
    assert (oct_.runs, oct_.trees, oct_.proven, oct_.proven_share) == (2, 2, 1, 0.5)
    assert (oct_.gap, oct_.train_score, oct_.features) == (0.25, 0.9, 3)
    assert (oct_.test_score, oct_.seconds) == (pytest.approx(0.7), 1.5)
    assert oct_.deviation == pytest.approx(0.02**0.5)
    assert (oct_.solvers, oct_.message) == (("highs",), None)


def test_there_is_no_mean_where_a_run_has_no_tree():
    lost = row("oct", "2", status="no solution", seconds=60.0)
    (case,) = cases((ROWS[0], lost), Study(("oct",), ("d/a_b.csv",)))
    assert (case.runs, case.trees, case.proven, case.seconds) == (2, 1, 1, 30.5)
    assert (case.gap, case.train_score, case.test_score, case.deviation) == (None,) * 4
    assert notes([case]) == ["oct on a_b: 1 of 2 runs without a tree: no solution"]


def test_cells_and_notes():
    assert cells(cases()) == [
        ("a_b", "2", "svm_x", *["-"] * 7, "not run"),
        *[("a_b", "2", "oct", "1/2", "25 %", "0.900", "0.700", "0.141", "3.0", "1.5", "highs")],
    ]
    assert notes(cases()) == ["svm_x on a_b: not run: E307: it wants 50 % & more | of_it"]


def test_trees_of_values_have_their_squared_error_and_r2():
    measured = {"train_mse": 3155.31, "test_r2": 0.161, "train_accuracy": None}
    results = {"test_accuracy": None, "sense": "minimize", **measured}
    rows = [
        tree("ort", str(k), None, **results, test_mse=mse) for k, mse in ((1, 4971.0), (2, 1e7))
    ]
    study = Study(("ort", "oct"), ("d/a_b.csv",))
    both = cases((*rows, ROWS[0], ROWS[1]), study)
    assert heads_of(both) == HEADS
    assert cells(both)[0][5:10] == ("MSE", "3155.3", "5.0025e+06", "7.0676e+06", "0.161")
    assert cells(both)[1][5:10] == ("accuracy", "0.900", "0.700", "0.141", "-")
    assert (record(both[0])["measure"], record(both[0])["test_r2"]) == ("MSE", 0.161)


def test_markdown():
    assert markdown(cases()[:1]) == (
        "| data | depth | formulation | proven | gap | train | test | deviation | features "
        "| seconds | solver |\n"
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n"
        "| a\\_b | 2 | svm\\_x | - | - | - | - | - | - | - | not run |\n"
        "\n"
        "* svm\\_x on a\\_b: not run: E307: it wants 50 % & more \\| of\\_it\n"
    )


def test_latex():
    assert latex(cases()) == (
        "% \\usepackage{booktabs}\n"
        "\\begin{tabular}{lllrrrrrrrl}\n"
        "\\toprule\n"
        "data & depth & formulation & proven & gap & train & test & deviation & features "
        "& seconds & solver \\\\\n"
        "\\midrule\n"
        "a\\_b & 2 & svm\\_x & -- & -- & -- & -- & -- & -- & -- & not run \\\\\n"
        "a\\_b & 2 & oct & 1/2 & 25 \\% & 0.900 & 0.700 & 0.141 & 3.0 & 1.5 & highs \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\n"
        "svm\\_x on a\\_b: not run: E307: it wants 50 \\% \\& more | of\\_it\n"
    )


def test_csv_has_numbers_in_full_and_paths():
    head, first, second = csv_of(cases()).splitlines()
    assert head.split(",") == list(record(cases()[0]))
    assert first == "d/a_b.csv,2,svm_x,0,0,,,,,,,,,,,E307: it wants 50 % & more | of_it"
    assert second.startswith("d/a_b.csv,2,oct,2,2,0.5,0.25,accuracy,0.9,0.7")


def test_short_names_tell_tables_apart():
    assert short_names(["x/a.csv", "b.csv.gz"]) == {"x/a.csv": "a", "b.csv.gz": "b"}
    assert short_names(["x/a.csv", "y/a.csv"]) == {"x/a.csv": "x/a.csv", "y/a.csv": "y/a.csv"}
