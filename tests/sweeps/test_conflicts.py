"""Values that are given twice: each is refused, and nothing is run or written."""

from __future__ import annotations

from typing import Any

import pytest
from small_sweep import CSV, LEAST, SPEC

import treemip
from treemip.core.source.diagnostic import TreemipError

TABLE = {"a": [1, 2], "b": [1, 2], "class": ["yes", "no"]}
SEEDED = SPEC.replace("train share seed s;", "train 0.75 seed 2;")
SWEEPS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"d": 2}, {"vary": {"d": [1, 2]}}),
    ({}, {"vary": {"time_limit": [1]}, "time_limit": 4.0}),
    ({}, {"vary": {"solver": ["highs"]}, "solver": "scip"}),
    ({"data": "other.csv"}, {"vary": {"data": ["small.csv"]}}),
    ({"data": TABLE}, {"vary": {"data": ["small.csv"]}}),
]
FOLDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (SPEC, {}, {"vary": {"fold": [7]}}),
    (SPEC, {}, {"vary": {"seed": [1]}, "seed": 3}),
    (SEEDED, {"seed": 1}, {"seed": 3}),
    (SPEC, {}, {"vary": {"share": [0.5, 0.75]}}),
    (SPEC, {"s": 2}, {"vary": {"share": [0.5]}}),
    (SPEC + "param fold = 1;\n", {}, {}),
]


def test_what_is_set_twice_or_to_no_effect(spec, tmp_path, golden):
    """Of parameters and data of the spec, and of what a sweep is given besides."""
    (tmp_path / "other.csv").write_text(CSV)
    runs = [(treemip.sweep, SPEC, *case) for case in SWEEPS]
    runs += [(treemip.cross_validate, SPEC, *case) for case in SWEEPS]
    runs += [(treemip.cross_validate, *case) for case in FOLDS]
    said = []
    for run, text, given, how in runs:
        spec.write_text(text)
        more = {"folds": 2} if run is treemip.cross_validate else {}
        with pytest.raises(TreemipError) as error:
            run(treemip.load(spec, **given), **how, **more, folder=tmp_path / "runs")
        said.append(f"== {run.__name__} {given} {how}\n{error.value}\n")
    golden("conflicts.expected", "\n".join(said))
    assert not (tmp_path / "runs").exists()


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
