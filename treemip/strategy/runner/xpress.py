"""Xpress by xpress, https://www.fico.com/fico-xpress-optimization/docs."""

from __future__ import annotations

from typing import Any


class Xpress:
    def __init__(self, model: str) -> None:
        import xpress

        self.package = xpress
        self.version = xpress.__version__
        self.model = xpress.problem()
        self.model.readProb(model)

    def set(self, name: str, value: str) -> None:
        kind = type(self.model.getControl(name))
        self.model.setControl(name, kind(float(value)))

    def start(self, path: str, values: dict[str, float]) -> None:
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
