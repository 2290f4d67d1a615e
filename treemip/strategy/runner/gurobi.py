"""Gurobi by gurobipy, https://docs.gurobi.com."""

from __future__ import annotations

from typing import Any, ClassVar


class Gurobi:
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

    def start(self, path: str, values: dict[str, float]) -> None:
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
