"""MOSEK by mosek, https://docs.mosek.com/latest/pythonapi."""

from __future__ import annotations

import sys
from typing import Any


class Mosek:
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

    def start(self, path: str, values: dict[str, float]) -> None:
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
