"""Runs a solver's Python package on an MPS file, in a Python process of its own.

    python -P runner.py gurobi model.mps answer.json start=start.txt TimeLimit=10 MIPGap=0

Options have the solver's own names. It prints what its log does not tell alike for all solvers:
``treemip status …``, ``bound``, ``nodes``, ``version``, or ``treemip failed …``. SIGINT, SIGTERM
end the search, and the incumbent is written. Only the standard library and the one package are
imported, so that nothing of treemip is needed here.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, ClassVar

TICK = 0.05  # seconds
Values = dict[str, float]


class Gurobi:
    """gurobipy, https://docs.gurobi.com."""

    STATUS: ClassVar = {
        2: "optimal",
        3: "infeasible",
        4: "infeasible_or_unbounded",
        5: "unbounded",
        9: "time_limit",
        11: "interrupted",
        13: "feasible",
    }

    def __init__(self, model: str) -> None:
        import gurobipy

        self.version = ".".join(map(str, gurobipy.gurobi.version()))
        self.model: Any = gurobipy.read(model)

    def set(self, name: str, value: str) -> None:
        self.model.setParam(name, float(value))

    def start(self, path: str, values: Values) -> None:
        self.model.update()
        for name, value in values.items():
            self.model.getVarByName(name).Start = value

    def solve(self) -> None:
        self.model.optimize()

    def stop(self) -> None:
        self.model.terminate()

    def finish(self, path: str) -> dict[str, Any]:
        self.model.write(path)
        status = self.STATUS.get(self.model.Status, "solver_limit")
        said: dict[str, Any] = {"status": status}
        if self.model.IsMIP:
            said |= {"bound": self.model.ObjBound, "nodes": int(self.model.NodeCount)}
        return said


class Cplex:
    """cplex, https://www.ibm.com/docs/en/icos."""

    STATUS: ClassVar = {
        1: "optimal",
        2: "unbounded",
        3: "infeasible",
        4: "infeasible_or_unbounded",
        11: "time_limit",
        13: "interrupted",
        101: "optimal",
        102: "gap_limit",
        103: "infeasible",
        107: "time_limit",
        108: "time_limit",
        113: "interrupted",
        114: "interrupted",
        115: "optimal",
        118: "unbounded",
        119: "infeasible_or_unbounded",
    }

    def __init__(self, model: str) -> None:
        import cplex

        self.package = cplex
        self.model = cplex.Cplex(model)
        self.version = self.model.get_version()
        self.aborter = self.model.use_aborter(cplex.Aborter())

    def set(self, name: str, value: str) -> None:
        parameter = self.model.parameters
        for part in name.split("."):
            parameter = getattr(parameter, part)
        parameter.set(type(parameter.get())(float(value)))

    def start(self, path: str, values: Values) -> None:
        levels = self.model.MIP_starts.effort_level
        pair = self.package.SparsePair(ind=list(values), val=list(values.values()))
        self.model.MIP_starts.add(pair, levels.solve_MIP)

    def solve(self) -> None:
        self.model.solve()

    def stop(self) -> None:
        self.aborter.abort()

    def finish(self, path: str) -> dict[str, Any]:
        solution = self.model.solution
        said: dict[str, Any] = {"status": self.STATUS.get(solution.get_status(), "solver_limit")}
        if solution.is_primal_feasible():
            solution.write(path)
        if self.model.variables.get_num_binary() + self.model.variables.get_num_integer():
            said["nodes"] = solution.progress.get_num_nodes_processed()
            with contextlib.suppress(self.package.exceptions.CplexError):
                said["bound"] = solution.MIP.get_best_objective()
        return said


class Xpress:
    """xpress, https://www.fico.com/fico-xpress-optimization/docs."""

    def __init__(self, model: str) -> None:
        import xpress

        self.package = xpress
        self.version = xpress.__version__
        self.model = xpress.problem()
        self.model.readProb(model)

    def set(self, name: str, value: str) -> None:
        kind = type(self.model.getControl(name))
        self.model.setControl(name, kind(float(value)))

    def start(self, path: str, values: Values) -> None:
        place = {column.name: k for k, column in enumerate(self.model.getVariable())}
        columns = [place[name] for name in values]
        self.model.addMipSol(list(values.values()), columns, "start")

    def solve(self) -> None:
        self.model.optimize()

    def stop(self) -> None:
        self.model.interrupt()

    def finish(self, path: str) -> dict[str, Any]:
        a = self.model.attributes
        found = a.solstatus in (self.package.SolStatus.OPTIMAL, self.package.SolStatus.FEASIBLE)
        if found:
            self.model.writeSlxSol(path)
        stopped = a.stopstatus
        words = {
            self.package.SolStatus.OPTIMAL: "optimal",
            self.package.SolStatus.INFEASIBLE: "infeasible",
            self.package.SolStatus.UNBOUNDED: "unbounded",
        }
        reasons = {
            self.package.enums.StopType.TIMELIMIT: "time_limit",
            self.package.enums.StopType.CTRLC: "interrupted",
            self.package.enums.StopType.USER: "interrupted",
            self.package.enums.StopType.MIPGAP: "gap_limit",
        }
        status = words.get(a.solstatus) or reasons.get(stopped) or "solver_limit"
        said: dict[str, Any] = {"status": status}
        if a.mipents:
            said |= {"bound": a.bestbound, "nodes": a.nodes}
        return said


class Copt:
    """coptpy, https://www.shanshu.ai/copt."""

    STATUS: ClassVar = {
        1: "optimal",
        2: "infeasible",
        3: "unbounded",
        4: "infeasible_or_unbounded",
        8: "time_limit",
        10: "interrupted",
    }

    def __init__(self, model: str) -> None:
        import coptpy

        self.version = ".".join(
            str(getattr(coptpy.COPT, f"VERSION_{part}")) for part in ("MAJOR", "MINOR", "TECHNICAL")
        )
        self.model = coptpy.Envr().createModel("")
        self.model.read(model)

    def set(self, name: str, value: str) -> None:
        number = float(value)
        self.model.setParam(name, int(number) if number.is_integer() else number)

    def start(self, path: str, values: Values) -> None:
        self.model.readMst(path)

    def solve(self) -> None:
        self.model.solve()

    def stop(self) -> None:
        self.model.interrupt()

    def finish(self, path: str) -> dict[str, Any]:
        integer = self.model.getAttr("IsMIP")
        if self.model.getAttr("HasMipSol" if integer else "HasLpSol"):
            self.model.write(path)
        said: dict[str, Any] = {"status": self.STATUS.get(self.model.status, "solver_limit")}
        if integer:
            said |= {"bound": self.model.getAttr("BestBnd"), "nodes": self.model.getAttr("NodeCnt")}
        return said


class Mosek:
    """mosek, https://docs.mosek.com/latest/pythonapi."""

    def __init__(self, model: str) -> None:
        import mosek

        self.package = mosek
        self.version = ".".join(map(str, mosek.Env.getversion()))
        self.task = mosek.Env().Task()
        self.task.set_Stream(mosek.streamtype.log, sys.stdout.write)
        self.task.readdata(model)
        self.stopping = False
        self.task.set_Progress(lambda caller: int(self.stopping))

    def set(self, name: str, value: str) -> None:
        self.task.putparam(name, value)

    def start(self, path: str, values: Values) -> None:
        found = [self.task.getvarnameindex(name) for name in values]
        full = [0.0] * self.task.getnumvar()
        for (_, column), value in zip(found, values.values(), strict=True):
            full[column] = value
        self.task.putxx(self.package.soltype.itg, full)

    def solve(self) -> None:
        self.code = self.task.optimize()

    def stop(self) -> None:
        self.stopping = True

    def finish(self, path: str) -> dict[str, Any]:
        kinds, codes = self.package.soltype, self.package.rescode
        integer = self.task.getnumintvar() > 0
        kind = kinds.itg if integer else kinds.bas
        if not integer and not self.task.solutiondef(kind):
            kind = kinds.itr
        if self.task.solutiondef(kind):
            self.task.writesolution(kind, path)
        reasons = {
            codes.trm_max_time: "time_limit",
            codes.trm_user_callback: "interrupted",
            codes.ok: "",
        }
        status = reasons.get(self.code, "solver_limit")
        said: dict[str, Any] = {"status": status} if status else {}
        if integer:
            said["bound"] = self.task.getdouinf(self.package.dinfitem.mio_obj_bound)
            said["nodes"] = self.task.getintinf(self.package.iinfitem.mio_num_branch)
        return said


SOLVERS: dict[str, Callable[[str], Any]] = {
    "gurobi": Gurobi,
    "cplex": Cplex,
    "xpress": Xpress,
    "copt": Copt,
    "mosek": Mosek,
}


def main(solver: str, model: str, answer: str, *options: str) -> int:
    stopping = threading.Event()
    _heed(stopping)
    job = SOLVERS[solver](model)
    print("treemip version", job.version, flush=True)
    for option in options:
        name, _, value = option.partition("=")
        if name == "start":
            job.start(value, _values(value))
        else:
            job.set(name, value)
    _run(job, stopping)
    for name, value in job.finish(answer).items():
        print("treemip", name, value)
    sys.stdout.flush()
    return 0


def _heed(stopping: threading.Event) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())


def _run(job: Any, stopping: threading.Event) -> None:
    """Solve on a thread, since a signal reaches Python code in the main thread only."""
    failed: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            job.solve()
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    threading.Thread(target=work, daemon=True).start()
    while not done.wait(TICK):
        _heed(stopping)  # Xpress puts a handler of its own in place when it begins
        if stopping.is_set():
            job.stop()
    if failed:
        raise failed[0]


def _values(path: str) -> Values:
    with open(path) as file:
        pairs = [line.split() for line in file if not line.startswith("#")]
    return {name: float(value) for name, value in pairs}


if __name__ == "__main__":
    try:
        code = main(*sys.argv[1:])
    except Exception as error:
        print(f"treemip failed {type(error).__name__}: {error}")
        code = 1
    sys.stdout.flush()
    os._exit(code)  # at once: some packages take seconds to clean up, or fail at it
