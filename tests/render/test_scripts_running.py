"""Every exported script, run without treemip, has treemip's own optimum."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from exported import FORMULATIONS, MRCT, QUADRATIC, SIDES, SPECS, compiled, constraint, optimum, run
from suite import one_in

from treemip.writers.render.python.program import PACKAGES as TARGETS

pytest.importorskip("highspy", reason="a solver is needed")

LINEAR = {**FORMULATIONS, **SIDES}
CONSTRAINTS = sorted(p.stem for p in (SPECS / "constraints").glob("*.tree"))
FEW = ("features_per_tree", "left_out", "precision", "required_in_split")


TEXTS = {**LINEAR, **{name: constraint(name) for name in FEW}}


@pytest.fixture(scope="module")
def models():
    return {name: compiled(text) for name, text in TEXTS.items()}


@pytest.mark.parametrize("third", one_in(3, [0, 1, 2]))
@pytest.mark.parametrize("target", TARGETS)
def test_the_optimum_is_the_same(target, third, models, tmp_path):
    """Every third spec for each target, others for the next one; all in `make truth`."""
    pytest.importorskip(target)
    # Gurobi's restricted licence takes 200 products only; `make truth` has all side constraints
    left_out = {"gurobipy": ("products",), "cvxpy": FEW, "pyomo": FEW}.get(target, ())
    turn = TARGETS.index(target) + third
    mine = [name for place, name in enumerate(models) if (place + turn) % 3 == 0]
    chosen = {name: models[name] for name in mine if name not in left_out}
    found = run(tmp_path, target, chosen)
    assert {k: v["status"] for k, v in found.items()} == dict.fromkeys(chosen, "optimal")
    for name, said in found.items():
        assert said["objective"] == pytest.approx(optimum(TEXTS[name]), rel=1e-6, abs=1e-6), name
    for name in chosen.keys() & {"oct", "soct", "binoct", "svm1_odt"}:
        _check_values(models[name].reformed.original, found[name])


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


@pytest.mark.parametrize("target", TARGETS)
def test_quadratic_objective_and_rows(target, tmp_path):
    """The 2-norm of MARGOT's objective and of MM-SVM-OCT's rows, at default solvers; one split."""
    pytest.importorskip(target)
    if target == "pyomo":
        pytest.importorskip("gurobipy", reason="what Pyomo is given for quadratic models")
    pytest.importorskip("pyscipopt", reason="SCIP gives the optimum to compare with")
    texts = {name: text.replace("depth = 2", "depth = 1") for name, text in QUADRATIC.items()}
    models = {name: compiled(text) for name, text in texts.items()}
    for name, said in run(tmp_path, target, models).items():
        assert said["status"] == "optimal"
        assert said["objective"] == pytest.approx(optimum(texts[name]), rel=1e-5), name


@pytest.mark.parametrize("target", TARGETS)
def test_a_model_without_solution_says_so(target, tmp_path):
    pytest.importorskip(target)
    text = FORMULATIONS["oct"] + " subject to all: sum {i in points} correct[i] >= 25;"
    found = run(tmp_path, target, {"none": compiled(text)})["none"]
    assert "infeasible" in found["status"]
    assert found["objective"] == "None"


@pytest.mark.truth
@pytest.mark.parametrize("target", TARGETS)
def test_all_side_constraints(target, tmp_path):
    pytest.importorskip(target)
    made = {name: compiled(constraint(name)) for name in CONSTRAINTS}
    for name, said in run(tmp_path, target, made).items():
        assert said["status"] == "optimal", name
        wanted = optimum(constraint(name))
        assert said["objective"] == pytest.approx(wanted, rel=1e-5, abs=1e-6), name


@pytest.mark.parametrize(
    ("target", "text", "solver", "said"),
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
def test_a_missing_solver_is_said_in_one_line(target, text, solver, said, tmp_path):
    """Ipopt is a program on the path, and there is nothing on the path."""
    pytest.importorskip(target)
    script, data = compiled(text).to_script(target, "model.py")
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
    assert done.stderr.startswith(said) and done.stderr.count("\n") == 1
    assert target != "cvxpy" or done.stderr.endswith(" by --solver\n")
