"""COPT by coptpy, https://www.shanshu.ai/copt."""

from __future__ import annotations

from typing import Any, ClassVar


class Copt:
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

    def start(self, path: str, values: dict[str, float]) -> None:
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
