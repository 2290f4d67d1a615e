"""Every live model, solved as its tool solves models: values in the order of the columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from target_readers import (
    CLOSE,
    HIGHS,
    READERS,
    SCIP,
    SECONDS,
    Refused,
    demand,
    set_highs,
    solved_by_ipopt,
    solved_by_scip,
)

from treemip.api.compiled import Compiled

Values = Sequence[float] | np.ndarray


def to_highs(compiled: Compiled, solver: str) -> Values:
    import highspy

    made = compiled.to_highs()
    set_highs(made)
    made.run()
    status = made.getModelStatus()
    demand(status == highspy.HighsModelStatus.kOptimal, f"HiGHS says {status}")
    return made.getSolution().col_value


def to_scip(compiled: Compiled, solver: str) -> Values:
    made = compiled.to_scip()
    solved_by_scip(made)
    return [made.getVal(v) for v in made.data]


def to_gurobi(compiled: Compiled, solver: str) -> Values:
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as env:
        made = compiled.to_gurobi(env)
        for name, value in GUROBI.items():
            made.setParam(name, value)
        made.optimize()
        demand(made.Status == gurobipy.GRB.OPTIMAL, f"Gurobi says {made.Status}")
        return [v.X for v in made.getVars()]


def to_cplex(compiled: Compiled, solver: str) -> Values:
    with compiled.to_cplex() as made:
        for name, value in CPLEX.items():
            attrgetter(name)(made.parameters).set(value)
        made.solve()
        status = made.solution.get_status_string()
        demand("optimal" in status, f"CPLEX says {status}")
        return made.solution.get_values()


def to_xpress(compiled: Compiled, solver: str) -> Values:
    made = compiled.to_xpress()
    for name, value in XPRESS.items():
        made.setControl(name, value)
    made.optimize()
    status = made.attributes.solstatus
    demand(status.name == "OPTIMAL", f"Xpress says {status.name}")
    return made.getSolution()


def to_copt(compiled: Compiled, solver: str) -> Values:
    import coptpy

    made = compiled.to_copt()
    for name, value in COPT.items():
        made.setParam(name, value)
    made.solve()
    demand(made.status == coptpy.COPT.OPTIMAL, f"COPT says {made.status}")
    return [v.x for v in made.getVars()]


def to_mosek(compiled: Compiled, solver: str) -> Values:
    """MOSEK solves nothing without a licence, but writes: another solver reads that."""
    made = compiled.to_mosek()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.mps"
        made.writedata(str(path))
        READERS["highs"](path, path.with_suffix(".sol"))
        text = path.with_suffix(".sol").read_text()
    found = dict(re.findall(r"^(\S+) (\S+)$", text.split("# Columns")[1].split("# Rows")[0], re.M))
    return [float(found[made.getvarname(k)]) for k in range(made.getnumvar())]


GUROBI = {"MIPGap": 0, "FeasibilityTol": CLOSE, "IntFeasTol": CLOSE, "TimeLimit": SECONDS}
CPLEX = {
    "mip.tolerances.mipgap": 0,
    "mip.tolerances.integrality": CLOSE,
    "simplex.tolerances.feasibility": CLOSE,
    "timelimit": SECONDS,
}
XPRESS = {"miprelstop": 0, "feastol": CLOSE, "miptol": CLOSE, "timelimit": SECONDS}
COPT = {"RelGap": 0, "FeasTol": CLOSE, "IntTol": CLOSE, "TimeLimit": SECONDS}


def to_casadi(compiled: Compiled, solver: str) -> Values:
    """Ipopt by `nlpsol`; others by `qpsol`, CasADi's call for linear and quadratic models."""
    import casadi

    made = compiled.to_casadi()
    if solver == "ipopt":
        return solved_by_ipopt(made.nlp, made.bounds)
    whole = {"discrete": compiled.model.integer.tolist(), "print_time": False}
    built = casadi.qpsol("s", solver, made.nlp, {**whole, **CASADI.get(solver, {})})
    found = built(**made.bounds)
    demand(built.stats()["success"], f"CasADi says {built.stats()['return_status']}")
    return np.array(found["x"]).ravel()


CASADI: dict[str, dict[str, object]] = {
    "highs": {"highs": {**HIGHS, "output_flag": False}},
    "cbc": {"cbc": {"ratioGap": 0, "allowableGap": 0}},
}


def to_pyomo(compiled: Compiled, solver: str) -> Values:
    """By Pyomo's interface; Ipopt, which is no program here, by Pyomo's NL writer and CasADi."""
    import pyomo.environ as pyo

    made = compiled.to_pyomo()
    columns = list(made.component_data_objects(pyo.Var, descend_into=False))
    if solver == "ipopt":
        return _by_nl(made, [v.name for v in columns])
    called, options = PYOMO.get(solver, (solver, {}))
    interface = pyo.SolverFactory(called)
    demand(interface.available(exception_flag=False), f"Pyomo has no solver '{called}' here")
    said = interface.solve(made, options=options).solver
    done = str(said.termination_condition)
    demand(done == "optimal", f"Pyomo says {done}")
    return [0.0 if v.value is None else v.value for v in columns]


PYOMO: dict[str, tuple[str, dict[str, object]]] = {
    "highs": ("highs", HIGHS),
    "scip": ("scip_direct", SCIP),
    "gurobi": ("gurobi_direct", GUROBI),
    "cplex": ("cplex_direct", {k.replace(".", "_"): v for k, v in CPLEX.items()}),
    "xpress": ("xpress_direct", XPRESS),
    "cbc": ("cbc", {"ratio": 0, "allow": 0, "sec": SECONDS}),
    "glpk": ("glpk", {"tmlim": SECONDS}),
}
"""What Pyomo calls a solver, and how exact it is asked to be."""


def _by_nl(made: object, names: list[str]) -> Values:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.nl"
        # Names are in the .col file of a labelled one, whose comments CasADi does not read.
        for labels in (True, False):
            made.write(str(path), io_options={"symbolic_solver_labels": labels})  # type: ignore[attr-defined]
        found = READERS["ipopt"](path, path)
    assert isinstance(found, dict)
    return [found.get(name, 0.0) for name in names]


def to_cvxpy(compiled: Compiled, solver: str) -> Values:
    import cvxpy

    made = compiled.to_cvxpy()
    called, options = CVXPY.get(solver, (solver.upper(), {}))
    try:
        made.solve(solver=called, **options)
    except cvxpy.error.SolverError as error:
        raise Refused(str(error)) from error
    demand(made.status == "optimal", f"CVXPY says {made.status}")
    families = made.var_dict
    parts = [
        families[b.name].value if b.name in families else np.zeros(b.length)
        for b in compiled.model.variables
    ]
    return np.concatenate(parts)


CVXPY: dict[str, tuple[str, dict[str, object]]] = {
    "highs": ("HIGHS", HIGHS),
    "scip": ("SCIP", {"scip_params": SCIP}),
    "gurobi": ("GUROBI", GUROBI),
    "cplex": ("CPLEX", {"cplex_params": CPLEX}),
    "xpress": ("XPRESS", XPRESS),
    "copt": ("COPT", COPT),
    "glpk": ("GLPK_MI", {}),
    "ortools": ("GLOP", {}),
}

TOOLS: dict[str, Callable[[Compiled, str], Values]] = {
    "to_highs": to_highs,
    "to_scip": to_scip,
    "to_gurobi": to_gurobi,
    "to_cplex": to_cplex,
    "to_xpress": to_xpress,
    "to_copt": to_copt,
    "to_mosek": to_mosek,
    "to_casadi": to_casadi,
    "to_pyomo": to_pyomo,
    "to_cvxpy": to_cvxpy,
}
