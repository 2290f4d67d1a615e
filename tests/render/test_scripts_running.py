"""Every exported script, run without treemip, has treemip's own optimum."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from exported import FORMULATIONS, MRCT, QUADRATIC, SIDES, SPECS, compiled, constraint, optimum, run

from treemip.writers.render.python.program import PACKAGES as TARGETS

pytest.importorskip("highspy", reason="a solver is needed")

FEW = ("features_per_tree", "left_out", "precision", "required_in_split")
LINEAR = {**FORMULATIONS, **SIDES, **{name: constraint(name) for name in FEW}}
CONSTRAINTS = sorted(p.stem for p in (SPECS / "constraints").glob("*.tree"))
ONE_SPLIT = {name: text.replace("depth = 2", "depth = 1") for name, text in QUADRATIC.items()}
NONE = FORMULATIONS["oct"] + " subject to all: sum {i in points} correct[i] >= 25;"


@pytest.fixture(scope="module", params=TARGETS)
def target(request):
    pytest.importorskip(request.param)
    if request.param == "pyomo":
        pytest.importorskip("gurobipy", reason="what Pyomo is given for quadratic models")
    return request.param


def third(target, turn):
    """Every third spec for each target, others for the next one; `make truth` has all side
    constraints."""
    turn += TARGETS.index(target)
    left_out = FEW if target in ("cvxpy", "pyomo") else ()
    names = [name for k, name in enumerate(LINEAR) if (k + turn) % 3 == 0]
    return {name: LINEAR[name] for name in names if name not in left_out}


@pytest.fixture(scope="module")
def said(target, tmp_path_factory):
    """What all scripts of the suite say, run in one process: importing a package takes longest."""
    texts = third(target, 0) | ONE_SPLIT | {"none": NONE}
    made = {name: compiled(text) for name, text in texts.items()}
    return run(tmp_path_factory.mktemp(target), target, made)


def demand_optima(found, texts, rel):
    for name, text in texts.items():
        assert found[name]["status"] == "optimal", name
        assert found[name]["objective"] == pytest.approx(optimum(text), rel=rel, abs=1e-6), name


def test_the_optimum_is_the_same(target, said):
    demand_optima(said, third(target, 0), rel=1e-6)
    for name in third(target, 0).keys() & {"oct", "soct", "binoct", "svm1_odt"}:
        _check_values(compiled(LINEAR[name]).reformed.original, said[name])


@pytest.mark.truth
@pytest.mark.parametrize("turn", [1, 2])
def test_the_optimum_of_the_others(target, turn, tmp_path):
    texts = third(target, turn)
    demand_optima(run(tmp_path, target, {n: compiled(t) for n, t in texts.items()}), texts, 1e-6)


def _check_values(model, said):
    """The values by family are those of the model's columns, in order."""
    for block in model.variables:
        if not block.made_by:
            members = said["values"].get(block.name, [])
            assert [len(m) for m in members] == [len(block.index.names) + 1] * block.length
    parts = [[m[-1] for m in said["values"].get(b.name, [])] for b in model.variables]
    if all(not b.made_by for b in model.variables):
        values = np.concatenate([np.array(p, float) for p in parts])
        costs = model.objective.linear
        value = costs @ values[: len(costs)] + model.objective.constant
        assert value == pytest.approx(said["objective"], abs=1e-5)
        for rows in model.rows:
            sums = np.bincount(
                rows.matrix.row_of, rows.matrix.data * values[rows.matrix.indices], rows.length
            )
            assert (sums >= rows.lower - 1e-5).all(), rows.name
            assert (sums <= rows.upper + 1e-5).all(), rows.name


def test_quadratic_objective_and_rows(said):
    """The 2-norm of MARGOT's objective and of MM-SVM-OCT's rows, at default solvers; one split."""
    pytest.importorskip("pyscipopt", reason="SCIP gives the optimum to compare with")
    demand_optima(said, ONE_SPLIT, rel=1e-5)


def test_a_model_without_solution_says_so(said):
    assert "infeasible" in said["none"]["status"]
    assert said["none"]["objective"] == "None"


@pytest.mark.truth
def test_all_side_constraints(target, tmp_path):
    texts = {name: constraint(name) for name in CONSTRAINTS}
    demand_optima(run(tmp_path, target, {n: compiled(t) for n, t in texts.items()}), texts, 1e-5)


@pytest.mark.parametrize(
    ("package", "text", "solver", "told"),
    [
        (
            "pyomo",
            MRCT,
            "",
            "Pyomo finds no solver 'ipopt' here: apt install coinor-ipopt, "
            "or conda install -c conda-forge ipopt; or name one it has by --solver\n",
        ),
        (
            "pyomo",
            FORMULATIONS["oct"],
            "nosuch",
            "Pyomo finds no solver 'nosuch' here: name one it has by --solver\n",
        ),
        (
            "cvxpy",
            FORMULATIONS["oct"],
            "NOSUCH",
            "CVXPY finds no solver 'NOSUCH' here: name one of ",
        ),
    ],
)
def test_a_missing_solver_is_said_in_one_line(package, text, solver, told, tmp_path):
    """Ipopt is a program on the path, and there is nothing on the path."""
    pytest.importorskip(package)
    script, data = compiled(text).to_script(package, "model.py")
    (tmp_path / "model.py").write_text(script, encoding="utf-8")
    (tmp_path / "model_data.json").write_text(data, encoding="utf-8")
    command = [
        sys.executable,
        "-I",
        str(tmp_path / "model.py"),
        *(["--solver", solver] * bool(solver)),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(tmp_path)},
        timeout=100,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(told) and done.stderr.count("\n") == 1
    assert package != "cvxpy" or done.stderr.endswith(" by --solver\n")
