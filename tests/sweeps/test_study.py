"""From formulations and tables to runs: the same folds for all, refusals as rows."""

from __future__ import annotations

import pytest
from small_sweep import CSV

from treemip.core.source.diagnostic import TreemipError
from treemip.study.sweeps.study import Study, study_plan
from treemip.study.sweeps.sweep import carry_out


def test_runs_by_table_formulation_depth_and_fold(tables):
    plan = study_plan(Study(("binoct", "soct"), ("two.csv",), ("2", "1"), folds=2))
    assert plan.names == ("data", "formulation", "depth", "fold")
    assert [tuple(run.values.values()) for run in plan.runs] == [
        ("two.csv", formulation, depth, fold)
        for formulation in ("binoct", "soct")
        for depth in "21"
        for fold in "12"
    ]
    assert len({run.key for run in plan.runs}) == 8
    assert plan.refused == ()


def test_folds_are_those_of_the_table_whatever_the_formulation(tables):
    plan = study_plan(Study(("binoct", "soct", "flow_oct"), ("two.csv",), folds=3))
    parts: dict[str, set[tuple[int, ...]]] = {}
    for run in plan.runs:
        rows = tuple(run.program().data.train.row_numbers.tolist())
        parts.setdefault(run.values["fold"], set()).add(rows)
    assert [len(rows) for rows in parts.values()] == [1, 1, 1]
    assert len(set.union(*parts.values())) == 3


def test_encodings_are_those_that_the_formulation_requires(tables):
    plan = study_plan(Study(("binoct", "soct", "flow_oct"), ("two.csv",), folds=2))
    texts = {run.values["formulation"]: run.text for run in plan.runs}
    assert "scale minmax" in texts["soct"] and "scale" not in texts["binoct"]
    assert "flow_oct wants features that are 0 or 1" in texts["flow_oct"]
    assert all("train fold 2 of 2 seed 0;" in text for text in texts.values())


def test_a_formulation_that_does_not_take_a_table_is_a_row(tables):
    plan = study_plan(Study(("margot", "binoct"), ("three.csv",), ("1", "2"), folds=2))
    assert {run.values["formulation"] for run in plan.runs} == {"binoct"}
    assert [(row["formulation"], row["depth"], row["status"]) for row in plan.refused] == [
        ("margot", "1", "refused"),
        ("margot", "2", "refused"),
    ]
    assert plan.refused[0]["message"].startswith("E307: margot does not take this table: MARGOT")
    runs = carry_out(study_plan(Study(("margot", "binoct"), ("three.csv",), ("1",), folds=2)))
    assert [row["status"] for row in runs.rows] == ["optimal", "optimal", "refused"]


def test_nothing_to_run_is_an_error(tables):
    with pytest.raises(TreemipError) as error:
        study_plan(Study(("margot",), ("three.csv",), ("1", "2")))
    assert [each.code for each in error.value.diagnostics] == ["E307"]


def test_one_objective_for_all(tables):
    objective = "misclassified + 0.1 * features_used"
    plan = study_plan(Study(("binoct", "oct"), ("two.csv",), ("1",), 2, objective=objective))
    runs = carry_out(plan)
    assert all(run.text.endswith(f"\nminimize {objective};\n") for run in plan.runs)
    for row in runs.rows:
        assert row["objective"] == pytest.approx(row["train_errors"] + 0.1 * row["features"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"formulations": ("soctt",)}, "there is no formulation 'soctt'"),
        ({"formulations": ("soct", "soct")}, "'formulation' has the value soct twice"),
        ({"data": ("none.csv",)}, "'none.csv': there is no such file"),
        ({"depths": ("0",)}, "the depth is 0"),
        ({"depths": ("2.5",)}, "the depth is 2.5"),
        ({"folds": 1}, "the number of folds is 1"),
        ({"label": "colour"}, "there is no column 'colour'"),
        ({"objective": "minimize a; minimize b"}, "'minimize a; minimize b' is not an objective"),
        ({"objective": "misclasified"}, "unknown name 'misclasified'"),
        ({"settings": {"solver": "none such"}}, "unknown solver 'none such'"),
    ],
)
def test_what_is_wrong_whatever_the_formulation(tables, change, message):
    named = {"formulations": ("soct",), "data": ("two.csv",), **change}
    with pytest.raises(TreemipError) as error:
        study_plan(Study(**named))
    assert error.value.diagnostics[0].message == message


def test_no_comment_speaks_of_another_training_part(tables):
    (tables / "many.csv").write_text(CSV + CSV.split("\n", 1)[1] * 5)
    (run, _) = study_plan(Study(("binoct",), ("many.csv",), ("1",), folds=2)).runs
    assert "train fold 1 of 2 seed 0;\n" in run.text and "learn from" not in run.text
