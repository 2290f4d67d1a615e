"""diagnose: the rows, their places in the spec, exit codes."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("highspy", reason="a solver is needed")

AGAINST = """subject to
  needs_a {t in branches}: uses[t,"a"] >= 1;
  idle    {t in branches}: uses[t,"b"] <= 1;
  none: sum {t in branches, j in features} uses[t,j] <= 0;
"""


def test_the_requirements_that_exclude_each_other(run, spec):
    spec.write_text(spec.read_text() + AGAINST)
    said = run("diagnose", spec)
    assert said.code == 0, said.err
    assert said.out.splitlines() == [
        "there is no solution: these requirements exclude each other",
        "",
        f'{spec}:5:3: needs_a {{t in branches}}: uses[t,"a"] >= 1;',
        "  would have to give by 1",
        "",
        f"{spec}:7:3: none: sum {{t in branches, j in features}} uses[t,j] <= 0;",
        "  would have to rise to 1",
    ]
    found = json.loads(run("diagnose", spec, "--json").out)
    assert found == {
        "feasible": False,
        "irreducible": True,
        "requirements": [
            {
                "name": "needs_a",
                "place": f"{spec}:5:3",
                "text": 'needs_a {t in branches}: uses[t,"a"] >= 1;',
                "give": {"enough": True, "amount": 1.0, "limit": None, "proven": True},
            },
            {
                "name": "none",
                "place": f"{spec}:7:3",
                "text": "none: sum {t in branches, j in features} uses[t,j] <= 0;",
                "give": {"enough": True, "amount": 1.0, "limit": 1.0, "proven": True},
            },
        ],
        "rows": [],
    }


OWN = """data "small.csv" { label class; }
topology complete(depth = 1);
var coef {t in branches, j in features} binary;
var bias {t in branches} >= 0, <= 10;
var label {l in leaves, k in classes} binary;
var reach {i in points, l in leaves} binary;
route left when dot(coef[t,*], x[i,*]) <= bias[t];
minimize wrong: sum {i in points, l in leaves} reach[i,l];
subject to
  one {i in points}: sum {l in leaves} reach[i,l] = 1;
  both {t in branches}: coef[t,"a"] * coef[t,"b"] >= 1;
  none: sum {t in branches, j in features} coef[t,j] <= 0;
"""


def test_of_a_formulation_in_the_spec_the_rows_that_exclude_each_other(run, spec):
    """Rows that state products have numbers in place of the spec's indices."""
    spec.write_text(OWN)
    said = run("diagnose", spec)
    assert said.code == 0, said.err
    assert said.out.splitlines() == [
        "there is no solution: these rows, with the bounds of the variables, exclude each other",
        "",
        f'{spec}:11:3: both {{t in branches}}: coef[t,"a"] * coef[t,"b"] >= 1;',
        "  for t = 1",
        "  with 1 of the rows 'product_off_upper' that state its products",
        "",
        f"{spec}:12:3: none: sum {{t in branches, j in features}} coef[t,j] <= 0;",
    ]
    found = json.loads(run("diagnose", spec, "--json").out)
    assert (found["feasible"], found["irreducible"], found["requirements"]) == (False, True, [])
    assert found["rows"][0] == {
        "family": "both",
        "place": f"{spec}:11:3",
        "indices": [{"t": "1"}],
    }


def test_a_spec_with_a_solution(run, spec):
    said = run("diagnose", spec)
    assert (said.code, said.out) == (0, "there is a solution\n")


def test_no_time(run, spec):
    said = run("diagnose", spec, "--time-limit", 0)
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("the time limit was reached before a solution")


def test_a_time_limit_is_not_negative(run, spec):
    said = run("diagnose", spec, "--time-limit", "-2")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error[E902]: a time limit of -2 seconds is not possible")


def test_bounds_with_and_without_cuts(run, spec):
    pytest.importorskip("highspy", reason="a solver is needed")
    text = spec.read_text()
    spec.write_text(
        text.replace(text[text.index("split") :].split(";")[0], "split oblique by svm1_odt")
    )
    shown = run("stats", spec, "--bound", "--cuts", "leaf_purity, scarce_leaf").out
    lines = shown[shown.index("bounds of the relaxation\n") :].splitlines()
    names = [line[2:].split("  ")[0] for line in lines[1:]]
    assert names == ["cuts", "none", "leaf_purity", "scarce_leaf", "leaf_purity, scarce_leaf"]
    for arguments, message in (
        (
            ("--cuts", "leaf_purity"),
            "error[E902]: --cuts compares bounds of the relaxation\n  = help: add --bound\n",
        ),
        (
            ("--bound", "--cuts", ","),
            "error[E902]: --cuts names no cut\n"
            "  = help: such as --cuts NAME,NAME, or leave it out\n",
        ),
        (
            ("--bound", "--cuts", "leaf_puritys"),
            "error[E902]: there is no cut 'leaf_puritys'\n  = help: did you mean 'leaf_purity'?\n",
        ),
    ):
        said = run("stats", spec, *arguments)
        assert (said.code, said.err) == (2, message)


def test_the_bound_says_how_implications_are_stated(run, spec):
    pytest.importorskip("highspy", reason="a solver is needed")
    shown = run("stats", spec, "--bound").out
    assert "bounds of the relaxation, implications as big-M rows\n" in shown
    shown = run("stats", spec, "--bound", "--implications", "indicator").out
    assert "implications as indicators, which the relaxation leaves out\n" in shown


def test_a_bound_that_takes_too_long_is_said(run, spec, monkeypatch):
    monkeypatch.setattr("treemip.api.bounds.SECONDS", 0.0)
    said = run("stats", spec, "--bound")
    assert (said.code, said.err) == (
        0,
        "a relaxation has no bound where 0 seconds do not suffice to solve it\n",
    )
    assert "time limit" in said.out
