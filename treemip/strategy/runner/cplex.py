"""CPLEX by cplex, https://www.ibm.com/docs/en/icos."""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar


class Cplex:
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

    def start(self, path: str, values: dict[str, float]) -> None:
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
