"""Values that are given twice: each is refused, and nothing is run or written."""

from __future__ import annotations

import pytest
from small_sweep import CSV, LEAST, SPEC

import treemip
from treemip.core.source.diagnostic import TreemipError

KEEP_ONE = "keep one of the two"
NO_EFFECT = "leave it out; set the folds by --folds and --seed, or --vary seed=1,2"


def demand_refusal(error: pytest.ExceptionInfo[TreemipError], message: str, remedy: str) -> None:
    (only,) = error.value.diagnostics
    assert (only.code, only.message, only.remedy) == ("E902", message, remedy)


@pytest.mark.parametrize(
    ("given", "vary", "settings", "twice"),
    [
        ({"d": 2}, {"d": [1, 2]}, {}, "'d' is set twice, by --vary and by -p d=2"),
        (
            {},
            {"time_limit": [1]},
            {"time_limit": 4.0},
            "'time_limit' is set twice, by --vary and by --time-limit 4",
        ),
        (
            {},
            {"solver": ["highs"]},
            {"solver": "scip"},
            "'solver' is set twice, by --vary and by --solver scip",
        ),
        (
            {"data": "other.csv"},
            {"data": ["small.csv"]},
            {},
            "'data' is set twice, by --vary and by --data",
        ),
        (
            {"data": {"a": [1, 2], "b": [1, 2], "class": ["yes", "no"]}},
            {"data": ["small.csv"]},
            {},
            "'data' is set twice, by --vary and by a table in memory",
        ),
    ],
)
def test_what_varies_is_fixed_by_nothing_else(spec, tmp_path, given, vary, settings, twice):
    (tmp_path / "other.csv").write_text(CSV)
    program = treemip.load(spec, **given)
    for run in (treemip.sweep, treemip.cross_validate):
        with pytest.raises(TreemipError) as error:
            run(program, vary=vary, folder=tmp_path / "runs", **settings)
        demand_refusal(error, twice, KEEP_ONE)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("given", "seed", "vary", "message", "remedy"),
    [
        (
            {},
            None,
            {"fold": [7]},
            "'fold' cannot vary: a cross-validation solves all 2 folds",
            "leave it out; --folds K sets their number",
        ),
        ({}, 3, {"seed": [1]}, "'seed' is set twice, by --vary and by --seed 3", KEEP_ONE),
        ({"seed": 1}, 3, {}, "the folds have two seeds, --seed 3 and -p seed=1", KEEP_ONE),
        (
            {},
            None,
            {"share": [0.5, 0.75]},
            "'share' has no effect: the folds replace the spec's training part",
            NO_EFFECT,
        ),
        (
            {"s": 2},
            None,
            {"share": [0.5]},
            "'share', 's' have no effect: the folds replace the spec's training part",
            NO_EFFECT,
        ),
    ],
)
def test_folds_are_set_once(spec, tmp_path, given, seed, vary, message, remedy):
    if "seed" in given:
        spec.write_text(SPEC.replace("train share seed s;", "train 0.75 seed 2;"))
    program = treemip.load(spec, **given)
    with pytest.raises(TreemipError) as error:
        treemip.cross_validate(program, 2, seed=seed, vary=vary, folder=tmp_path / "runs")
    demand_refusal(error, message, remedy)
    assert not (tmp_path / "runs").exists()


def test_a_parameter_called_fold_has_to_be_renamed(spec):
    spec.write_text(SPEC + "param fold = 1;\n")
    with pytest.raises(TreemipError) as error:
        treemip.cross_validate(spec, 2)
    message = "the spec has a parameter 'fold', the name of the column of the folds"
    demand_refusal(error, message, "rename the parameter")


def test_the_seed_of_the_folds_may_vary(spec):
    rows = treemip.cross_validate(spec, 2, vary={"seed": [1, 2], "d": [1]}).rows
    assert [row["seed"] + row["fold"] for row in rows] == ["11", "12", "21", "22"]


def test_a_parameter_of_the_name_of_an_option_is_not_the_option(spec):
    spec.write_text(SPEC + LEAST.replace("least", "gap"))
    runs = treemip.sweep(spec, {"gap": [0, 1]}, gap=0.0)
    assert [row["vary_gap"] for row in runs.rows] == ["0", "1"]


def test_a_parameter_of_the_training_part_and_of_more_has_an_effect(spec):
    spec.write_text(SPEC + "param more = share;\n")
    treemip.cross_validate(treemip.load(spec, share=0.5), 2)
