"""AMPL models that GNU MathProg reads: glpsol finds the optimum that HiGHS finds."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from exported import (
    CREDIT,
    FORMULATIONS,
    ONE,
    SIDES,
    SMALL,
    SPECS,
    TWO,
    compiled,
    constraint,
    optimum,
)

import treemip
from treemip.api.exporting import script_files

pytest.importorskip("highspy", reason="a solver gives the optimum to compare with")
needs_glpsol = pytest.mark.skipif(
    shutil.which("glpsol") is None, reason="glpsol is not here: apt-get install glpk-utils"
)
pytestmark = needs_glpsol

CASES = {
    **FORMULATIONS,
    **SIDES,
    "min_attained": SMALL + ONE + "split oblique by octh; minimize misclassified"
    ' - 0.3 * min(coef[root,"age"], coef[root,"amount"], 0.5);',
    "both_ends": SMALL + ONE + "split oblique by soct; subject to"
    " few: 1 <= sum {t in branches, j in features} uses[t,j] <= 1;"
    " near {t in branches}: active[t] = 1 ==> -0.5 <= bias[t] <= 0.5;",
    "categories": CREDIT.replace("scale", "encode keep housing; scale")
    + ONE
    + "split oblique by svm1_odt;",
    "group": SMALL
    + ONE
    + "split univariate by oct; subject to fair {g in values(sex), h in values(sex)}:"
    " sum {i in points : sex[i] = g} predicts[i,positive] / card({i in points : sex[i] = g})"
    " - sum {i in points : sex[i] = h} predicts[i,positive] / card({i in points : sex[i] = h})"
    " <= 0.2;",
    "levels": SMALL + ONE + "split univariate by oct; param C {t in branches} = level(1: 0.5);"
    " minimize misclassified + sum {t in branches} C[t] * active[t];"
    " subject to a {t in level(1), d in 0..depth(t)}: active[t] >= d;",
    "filtered": SMALL + TWO + "split univariate by oct; subject to"
    " a {t in branches, s in ancestors(t) : t != root and depth(s) = 0}: active[t] <= active[s];"
    " b {l in {m in leaves : card(left_ancestors(m)) = 1}}: occupied[l] >= 0;"
    " c {t in branches : t != root}: active[t] = 0;",
    "computed": SMALL + ONE + "split univariate by oct; subject to a {t in branches, k in classes}:"
    " sum {r in 1..sorted(class_count)[ord(k)]} active[t] <= 30;",
    "codes": SMALL + ONE + "split univariate by binoct; subject to"
    " a {n in branches, f in features, d in 0..max_depth(code[f])}: bit[n,d] <= coef[n,f];",
    "bounded_by_a_row": SMALL + ONE + "split margin by margot; minimize l1 + hinge; subject to"
    " steep: norm1(coef[root,*]) >= 9;"
    " cap {t in branches, j in features}: -10 <= coef[t,j] <= 10;",
    "term": SMALL + ONE + "split oblique by octh; term tilt(most) ="
    " sum {t in branches} max(0, norm1(coef[t,*]) - most);"
    " minimize misclassified + tilt(0.5) + 2 * tilt(0.75);",
    "best_feature": SMALL + ONE + "split univariate by oct; subject to"
    " a {t in branches, i in points : i = point(3)}:"
    " coef[t,argmax {j in features} x[i,j]] >= active[t];",
}


def solved(folder, files, stem):
    """What glpsol prints of an exported model: its status and optimum."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = ["glpsol", "--math", f"{stem}.mod", "--data", f"{stem}.dat", "--tmlim", "60"]
    command += ["--mipgap", "0", "--cuts", "--write", f"{stem}.sol"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stdout[-1500:]
    lines = (folder / f"{stem}.sol").read_text().splitlines()
    _, kind, _, _, status, value = next(line.split() for line in lines if line.startswith("s "))
    assert kind == "mip"
    return status, float(value)


@pytest.mark.parametrize("name", CASES)
def test_the_optimum_is_the_same(name, tmp_path):
    model = compiled(CASES[name])
    status, value = solved(tmp_path, script_files(model, "ampl", name), name)
    assert status == "o"
    assert value == pytest.approx(optimum(CASES[name]), rel=1e-6, abs=1e-6)


def test_a_model_without_solution(tmp_path):
    text = FORMULATIONS["oct"] + " subject to all: sum {i in points} correct[i] >= 25;"
    files = script_files(compiled(text), "ampl", "none")
    for name, said in files.items():
        (tmp_path / name).write_text(said, encoding="utf-8")
    command = ["glpsol", "--math", "none.mod", "--data", "none.dat"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "NO PRIMAL FEASIBLE SOLUTION" in done.stdout or "no primal feasible" in done.stdout


def test_names_that_mathprog_would_stumble_over(tmp_path):
    """Quotes, blanks, other scripts, numbers and keywords as features, classes and names."""
    columns = ["o'brien", "größe in m", "set", "1"]
    frame = {c: [((3 + k) * r) % 7 / 6 for r in range(12)] for k, c in enumerate(columns)}
    frame["class"] = ["1" if r % 7 > 2 else "don't" for r in range(12)]
    text = """data "memory" { label class; scale minmax; }
topology complete(depth = 1);
split univariate by oct;
param übung = 0.5;
param display = 0.25;
let check {l in leaves} = sum {i in points} reach[i,l];
minimize solve: misclassified + übung * splits + display * sum {l in leaves} check[l] / 24;
subject to
  data: coef[root,"o'brien"] + coef[root,"1"] <= 1;
  end {l in leaves}: check[l] <= 11;
  points_: sum {set in points} correct[set] >= 1;
"""
    model = treemip.loads(text, data=frame).compile()
    status, value = solved(tmp_path, script_files(model, "ampl", "odd"), "odd")
    assert status == "o"
    assert value == pytest.approx(model.solve(solver="highs", start="none").objective, abs=1e-6)


@pytest.mark.truth
@pytest.mark.parametrize("name", sorted(p.stem for p in (SPECS / "constraints").glob("*.tree")))
def test_all_side_constraints(name, tmp_path):
    model = compiled(constraint(name))
    files = script_files(model, "ampl", name)
    if "AMPL's own" in files[f"{name}.mod"]:
        pytest.skip("GNU MathProg has no products of variables")
    status, value = solved(tmp_path, files, name)
    assert status == "o"
    assert value == pytest.approx(optimum(constraint(name)), rel=1e-6, abs=1e-6)
