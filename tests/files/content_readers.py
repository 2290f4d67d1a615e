"""What each solver's reader holds of a file: rows, columns, bounds, kinds, entries, products.

GLPK and lp_solve write the model out again, and HiGHS reads that. CBC simplifies where it writes.
"""

from __future__ import annotations

import shutil
import subprocess
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mps_reader import INF, Content

Read = Callable[[Path], Content]


def finite(bound: float) -> float:
    """What solvers write for infinity: 1e20, 1e30, 1e100."""
    return bound if abs(bound) < 1e20 else float(np.sign(bound)) * INF


def sides(sense: str, rhs: float) -> tuple[float, float]:
    return (-INF if sense in "<L" else rhs), (INF if sense in ">G" else rhs)


def put_products(content: Content, names: list[str], triples: Any) -> None:
    """Each product once, a square doubled: entries of a triangle of Q in 1/2 x'Qx."""
    for i, j, value in triples:
        if value:
            pair = (names[min(i, j)], names[max(i, j)])
            content.products[pair] = content.products.get(pair, 0.0) + value * (1 + (i == j))


def by_highs(path: Path) -> Content:
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) != highspy.HighsStatus.kError
    read = solver.getModel()
    lp, hessian = read.lp_, read.hessian_
    assert lp.sense_ == highspy.ObjSense.kMinimize
    content = Content()
    columns, rows = list(lp.col_names_), list(lp.row_names_)
    limits = zip(lp.col_lower_, lp.col_upper_, strict=True)
    content.columns = dict(zip(columns, limits, strict=True))
    content.rows = dict(zip(rows, zip(lp.row_lower_, lp.row_upper_, strict=True), strict=True))
    content.costs = dict(zip(columns, lp.col_cost_, strict=True))
    kinds = list(lp.integrality_) or [None] * len(columns)
    integer = highspy.HighsVarType.kInteger
    content.integer = {c for c, kind in zip(columns, kinds, strict=True) if kind == integer}
    starts = list(lp.a_matrix_.start_)
    for j, name in enumerate(columns):
        for k in range(starts[j], starts[j + 1]):
            content.entries[rows[lp.a_matrix_.index_[k]], name] = lp.a_matrix_.value_[k]
    put_products(
        content,
        columns,
        (
            (j, hessian.index_[k], hessian.value_[k] / (1 + (j == hessian.index_[k])))
            for j in range(hessian.dim_)
            for k in range(hessian.start_[j], hessian.start_[j + 1])
        ),
    )
    return content


def by_scip(path: Path) -> Content:
    import pyscipopt

    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.readProblem(str(path))
    assert solver.getObjectiveSense() == "minimize"
    content = Content()
    for v in solver.getVars():
        content.columns[v.name] = (finite(v.getLbOriginal()), finite(v.getUbOriginal()))
        content.costs[v.name] = v.getObj()
        if v.vtype() != "CONTINUOUS":
            content.integer.add(v.name)
    for c in solver.getConss():
        content.rows[c.name] = (finite(solver.getLhs(c)), finite(solver.getRhs(c)))
        for column, value in solver.getValsLinear(c).items():
            content.entries[c.name, column] = value
    return content


def by_gurobi(path: Path) -> Content:
    import gurobipy as gp

    content = Content()
    with gp.Env(params={"OutputFlag": 0}) as env, gp.read(str(path), env) as model:
        assert model.ModelSense == gp.GRB.MINIMIZE and model.ObjCon == 0
        columns = [v.VarName for v in model.getVars()]
        for v in model.getVars():
            content.columns[v.VarName] = (finite(v.LB), finite(v.UB))
            content.costs[v.VarName] = v.Obj
            if v.VType != gp.GRB.CONTINUOUS:
                content.integer.add(v.VarName)
        for row in model.getConstrs():
            content.rows[row.ConstrName] = sides(row.Sense, row.RHS)
            form = model.getRow(row)
            for k in range(form.size()):
                content.entries[row.ConstrName, form.getVar(k).VarName] = form.getCoeff(k)
        for column in columns:
            row = column.partition("Rg")[2]
            if row in content.rows:  # Gurobi makes an equation and a column of a range
                side, width = content.rows[row][0], content.columns.pop(column)[1]
                slope = content.entries.pop((row, column))
                content.rows[row] = (side, side + width) if slope < 0 else (side - width, side)
                content.costs.pop(column)
        goal = model.getObjective()
        if isinstance(goal, gp.QuadExpr):
            place = {name: k for k, name in enumerate(columns)}
            pairs = [
                (place[goal.getVar1(k).VarName], place[goal.getVar2(k).VarName], goal.getCoeff(k))
                for k in range(goal.size())
            ]
            put_products(content, columns, pairs)
    return content


def by_cplex(path: Path) -> Content:
    import cplex

    content = Content()
    with cplex.Cplex() as model:
        for stream in ("log", "results", "warning", "error"):
            getattr(model, f"set_{stream}_stream")(None)
        model.read(str(path))
        assert model.objective.get_sense() == model.objective.sense.minimize
        assert model.objective.get_offset() == 0
        v, c = model.variables, model.linear_constraints
        columns = v.get_names()
        lower, upper = v.get_lower_bounds(), v.get_upper_bounds()
        plain = model.problem_type[model.get_problem_type()] in ("LP", "QP")
        kinds = "C" * len(columns) if plain else v.get_types()
        for name, low, high, kind in zip(columns, lower, upper, kinds, strict=True):
            content.columns[name] = (finite(low), finite(high))
            if kind != "C":
                content.integer.add(name)
        content.costs = dict(zip(columns, model.objective.get_linear(), strict=True))
        names = c.get_names()
        told = zip(names, c.get_senses(), c.get_rhs(), c.get_range_values(), strict=True)
        for (name, sense, rhs, spread), row in zip(told, c.get_rows(), strict=True):
            ends = sorted((rhs, rhs + spread))
            content.rows[name] = (ends[0], ends[1]) if sense == "R" else sides(sense, rhs)
            for column, value in zip(row.ind, row.val, strict=True):
                content.entries[name, columns[column]] = value
        if model.objective.get_num_quadratic_nonzeros():
            triples = (
                (i, j, value / (1 + (i == j)))
                for i, row in enumerate(model.objective.get_quadratic())
                for j, value in zip(row.ind, row.val, strict=True)
                if j <= i
            )
            put_products(content, columns, triples)
    return content


def by_xpress(path: Path) -> Content:
    import xpress

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the licence
        model = xpress.problem()
    model.setOutputEnabled(False)
    model.readProb(str(path))
    assert model.attributes.objsense == 1 and model.attributes.objrhs == 0
    content = Content()
    columns = [v.name for v in model.getVariable()]
    rows = [c.name for c in model.getConstraint()]
    ends = zip(columns, model.getLB(), model.getUB(), strict=True)
    content.columns = {name: (finite(low), finite(high)) for name, low, high in ends}
    content.costs = dict(zip(columns, model.getObj(), strict=True))
    kinds = model.getColType(0, len(columns) - 1)
    content.integer = {name for name, kind in zip(columns, kinds, strict=True) if kind in "IB"}
    if rows:
        last = len(rows) - 1
        spreads = model.getRHSRange(0, last)
        told = zip(rows, model.getRowType(0, last), model.getRHS(0, last), spreads, strict=True)
        for name, kind, rhs, spread in told:
            content.rows[name] = (rhs - spread, rhs) if kind == "R" else sides(kind, rhs)
        for name, row in zip(rows, model.getConstraint(), strict=True):
            start, at, values = model.getRows(row, row)
            assert start == [0, len(at)]
            for column, value in zip(at, values, strict=True):
                content.entries[name, columns[column]] = value
    for i, first in enumerate(columns):
        for j in range(i + 1):
            value = model.getQObj(i, j)
            if value:
                content.products[columns[j], first] = value
    return content


def by_copt(path: Path) -> Content:
    import coptpy

    model = _copt().createModel("")
    model.setParam(coptpy.COPT.Param.Logging, 0)
    model.read(str(path))
    assert model.objsense == coptpy.COPT.MINIMIZE and model.objconst == 0
    content = Content()
    columns = [v.name for v in model.getVars()]
    for v in model.getVars():
        content.columns[v.name] = (finite(v.lb), finite(v.ub))
        content.costs[v.name] = v.obj
        if v.vtype != "C":
            content.integer.add(v.name)
    for row in model.getConstrs():
        content.rows[row.name] = (finite(row.lb), finite(row.ub))
        form = model.getRow(row)
        for k in range(form.size):
            content.entries[row.name, form.getVar(k).name] = form.getCoeff(k)
    goal = model.getObjective()
    if isinstance(goal, coptpy.QuadExpr):
        place = {name: k for k, name in enumerate(columns)}
        put_products(
            content,
            columns,
            (
                (place[goal.getVar1(k).name], place[goal.getVar2(k).name], goal.getCoeff(k))
                for k in range(goal.size)
            ),
        )
    return content


@cache
def _copt() -> Any:
    import coptpy

    config = coptpy.EnvrConfig()
    config.set("nobanner", "1")
    return coptpy.Envr(config)


def by_mosek(path: Path) -> Content:
    import mosek

    task = mosek.Task()
    task.readdata(str(path))
    assert task.getobjsense() == mosek.objsense.minimize and task.getcfix() == 0
    key, content = mosek.boundkey, Content()

    def ends(kind: Any, low: float, high: float) -> tuple[float, float]:
        return (-INF if kind in (key.up, key.fr) else low), (
            INF if kind in (key.lo, key.fr) else high
        )

    columns = [task.getvarname(k) for k in range(task.getnumvar())]
    for k, name in enumerate(columns):
        content.columns[name] = ends(*task.getvarbound(k))
        content.costs[name] = task.getcj(k)
        if task.getvartype(k) == mosek.variabletype.type_int:
            content.integer.add(name)
    for k in range(task.getnumcon()):
        name = task.getconname(k)
        content.rows[name] = ends(*task.getconbound(k))
        _, at, values = task.getarow(k)
        for column, value in zip(at, values, strict=True):
            content.entries[name, columns[column]] = value
    _, first, second, values = task.getqobj()
    for i, j, value in zip(first, second, values, strict=True):
        content.products[columns[min(i, j)], columns[max(i, j)]] = value
    return content


def by_glpk(path: Path) -> Content:
    form = "--lp" if path.suffix == ".lp" else "--freemps"
    return _again(path, "glpsol", form, path, "--check", "--wfreemps")


def by_lp_solve(path: Path) -> Content:
    return _again(path, "lp_solve", "-fmps", path, "-S1", "-parse_only", "-wfmps")


def _again(path: Path, *command: object) -> Content:
    out = path.with_name("again.mps")
    out.unlink(missing_ok=True)
    arguments = [str(part) for part in (*command, out)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
    assert out.exists(), done.stdout + done.stderr
    return by_highs(out)


READERS: dict[str, tuple[str, Read]] = {
    "highs": ("highspy", by_highs),
    "scip": ("pyscipopt", by_scip),
    "gurobi": ("gurobipy", by_gurobi),
    "cplex": ("cplex", by_cplex),
    "xpress": ("xpress", by_xpress),
    "copt": ("coptpy", by_copt),
    "mosek": ("mosek", by_mosek),
    "glpk": ("glpsol", by_glpk),
    "lp_solve": ("lp_solve", by_lp_solve),
}


def content_reader(name: str) -> Read:
    """The solver's reader; skips the test where it is not installed, and says so."""
    needs, read = READERS[name]
    if shutil.which(needs) is None and find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    return read
