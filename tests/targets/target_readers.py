"""Every solver's own reader: a model file in, its solution out, as a file or by names.

The options are the same everywhere: no gap, tolerances of 1e-9 where they can be had, a time limit
far above what these models need. What is not an optimum is `Refused` with the solver's words.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
from target_mof import scip_model

from treemip.core.registry import installed

SECONDS = 60
CLOSE = 1e-9
STRATEGIES = 8
"""Threads of CP-SAT: with two, as it takes on two cores, a proof on its grid may take a minute."""
FIXED = "fixed"
"""The name, without suffix, of an MPS file in fixed columns: two programs must be told."""
STARTS = 10  # of Ipopt, whose solutions are local

Solution = Path | dict[str, float]
"""A solution file, or values by the names in the model file; what is left out is 0."""


class Refused(Exception):
    """A solver did not give an optimum; the text is its own, or what it said instead."""


def by_highs(model: Path, answer: Path) -> Solution:
    import highspy

    solver = highspy.Highs()
    solver.silent()
    set_highs(solver)
    if solver.readModel(str(model)) == highspy.HighsStatus.kError:
        raise Refused(f"HiGHS does not read {model.name}")
    demand(solver.run() != highspy.HighsStatus.kError, "HiGHS does not solve it")
    status = solver.modelStatusToString(solver.getModelStatus())
    demand(status == "Optimal", f"HiGHS says {status}")
    solver.writeSolution(str(answer), 0)
    return answer


def set_highs(solver: object) -> None:
    for name, value in HIGHS.items():
        solver.setOptionValue(name, value)  # type: ignore[attr-defined]


HIGHS = {
    "mip_rel_gap": 0.0,
    "mip_feasibility_tolerance": CLOSE,
    "primal_feasibility_tolerance": CLOSE,
    "time_limit": float(SECONDS),
    "threads": 1,
}


def by_scip(model: Path, answer: Path) -> Solution:
    import pyscipopt

    if model.name.endswith(".mof.json"):
        return _without(solved_by_scip(scip_model(model)), "worth")
    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.readProblem(str(model))
    if model.suffix == ".nl":  # not negated, as decode takes model files to be
        return _without(solved_by_scip(solver), "nlobjvar")
    return solved_by_scip(solver, answer)


def _without(found: Solution, added: str) -> Solution:
    """The values without that of the column that was put in for the objective."""
    assert isinstance(found, dict)
    return {name: value for name, value in found.items() if name != added}


def solved_by_scip(solver: object, answer: Path | None = None) -> Solution:
    """Probing is off as in solvers/scip/solve.py; small models need no Ipopt in SCIP."""
    for name, value in SCIP.items():
        solver.setParam(name, value)  # type: ignore[attr-defined]
    solver.optimize()  # type: ignore[attr-defined]
    status = solver.getStatus()  # type: ignore[attr-defined]
    demand(status in ("optimal", "gaplimit"), f"SCIP says {status}")
    if answer is None:
        return {v.name: solver.getVal(v) for v in solver.getVars()}  # type: ignore[attr-defined]
    solver.writeBestSol(str(answer))  # type: ignore[attr-defined]
    return answer


SCIP = {
    "propagating/probing/maxprerounds": 0,
    "nlp/disable": True,
    "numerics/feastol": CLOSE,
    "limits/time": SECONDS,
    "display/verblevel": 0,  # Pyomo waits for who reads its pipe, and both for each other
    "limits/gap": 5e-7,  # MRCT's last digits would take it long
}


def by_cbc(model: Path, answer: Path) -> Solution:
    limits = f"sec {SECONDS} ratio 0 allow 0 primalT {CLOSE} integerT {CLOSE}"
    said = run("cbc", model, *limits.split(), "solve", "solution", answer)
    demand(answer.exists() and "Current model not valid" not in said, f"CBC says {last(said)}")
    return answer


def by_glpk(model: Path, answer: Path) -> Solution:
    form = "--lp" if model.suffix == ".lp" else "--mps" if model.stem == FIXED else "--freemps"
    # Its raw files (-w) have no names, and LP files no order of columns.
    answers = "-o" if model.suffix == ".lp" else "-w"
    said = run("glpsol", form, model, "--tmlim", SECONDS, answers, answer)
    demand(answer.exists(), f"GLPK says {last(said)}")
    return answer


def by_lp_solve(model: Path, answer: Path) -> Solution:
    form = "-lp" if model.suffix == ".lp" else "-mps" if model.stem == FIXED else "-fmps"
    said = run("lp_solve", form, model, "-S3", "-timeout", SECONDS)
    demand("Value of objective function" in said, f"lp_solve says {last(said)}")
    answer.write_text(said)
    return answer


def by_package(name: str) -> Callable[[Path, Path], Solution]:
    """Gurobi, CPLEX, Xpress, COPT and CP-SAT, called as treemip's own runner calls them."""

    def read(model: Path, answer: Path) -> Solution:
        solver = installed()[name]
        call = solver.package_call
        assert call is not None and solver.job is not None
        job = solver.job(str(model))
        limits = {"time": SECONDS, "gap": 0, "feasibility": CLOSE}
        limits |= {"threads": STRATEGIES} if name == "cpsat" else {}
        for limit, value in limits.items():
            for word in call.options.get(limit, ()):
                job.set(word.partition("=")[0], str(value))
        job.solve()
        path = answer.with_suffix(call.suffix)
        status = job.finish(str(path))["status"]
        # CP-SAT proves nothing of models with real columns.
        good = ("optimal", "feasible") if name == "cpsat" else ("optimal",)
        demand(status in good, f"{name} says {status}")
        return path

    return read


def by_ortools(model: Path, answer: Path) -> Solution:
    """Through OR-Tools' own readers, solved by the SCIP in its wheel."""
    from ortools.linear_solver.python import model_builder

    made = model_builder.Model()
    read = made.import_from_lp_file if model.suffix == ".lp" else made.import_from_mps_file
    demand(read(str(model)), f"OR-Tools does not read {model.name}")
    solver = model_builder.Solver("scip")
    solver.set_time_limit_in_seconds(SECONDS)
    solver.set_solver_specific_parameters(f"numerics/feastol = {CLOSE}")
    status = solver.solve(made)
    demand(status == model_builder.SolveStatus.OPTIMAL, f"OR-Tools says {status.name}")
    return {v.name: solver.value(v) for v in made.get_variables()}


def by_ipopt(model: Path, answer: Path) -> Solution:
    """Through CasADi's reader of NL files; integrality it tells, and Ipopt knows nothing of it."""
    import casadi

    built = casadi.NlpBuilder()
    built.import_nl(str(model))
    nlp = {"x": casadi.vertcat(*built.x), "f": built.f, "g": casadi.vertcat(*built.g)}
    bounds = {"lbx": built.x_lb, "ubx": built.x_ub, "lbg": built.g_lb, "ubg": built.g_ub}
    names = model.with_suffix(".col").read_text().split()
    return dict(zip(names, solved_by_ipopt(nlp, bounds), strict=True))


def solved_by_ipopt(nlp: dict[str, object], bounds: dict[str, object]) -> list[float]:
    """The best of some random starts within the bounds, columns in order."""
    import casadi

    options = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes"}}
    solver = casadi.nlpsol("s", "ipopt", nlp, options)
    random = np.random.default_rng(0)
    low, high = (np.array(bounds[side], float).ravel() for side in ("lbx", "ubx"))
    found = []
    for _ in range(STARTS):
        start = random.uniform(np.maximum(low, -1), np.minimum(high, 1))
        one = solver(x0=start, **bounds)
        if solver.stats()["success"]:
            found.append((float(one["f"]), np.array(one["x"]).ravel().tolist()))
    demand(bool(found), f"Ipopt says {solver.stats()['return_status']}")
    return min(found)[1]


def demand(holds: bool, words: str) -> None:
    if not holds:
        raise Refused(words)


def run(*command: object) -> str:
    """What a program prints, whatever it ends with."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=2 * SECONDS)
    return done.stdout + done.stderr


def last(said: str) -> str:
    """The last line with words in it."""
    lines = [line.strip() for line in said.splitlines() if re.search(r"[a-z]{3}", line)]
    return lines[-1] if lines else "nothing"


READERS: dict[str, Callable[[Path, Path], Solution]] = {
    "highs": by_highs,
    "scip": by_scip,
    "cbc": by_cbc,
    "glpk": by_glpk,
    "lp_solve": by_lp_solve,
    "gurobi": by_package("gurobi"),
    "cplex": by_package("cplex"),
    "xpress": by_package("xpress"),
    "copt": by_package("copt"),
    "cpsat": by_package("cpsat"),
    "ortools": by_ortools,
    "ipopt": by_ipopt,
}
