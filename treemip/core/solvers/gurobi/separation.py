"""Rows that are separated while Gurobi runs, in a callback at candidates and at nodes.

https://docs.gurobi.com, "Callbacks". All rows are lazy constraints, those of fractional points too:
as user cuts, Gurobi would take them to be implied by the rows that it knows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treemip.core.model.model import Model
from treemip.core.solvers.gurobi import Gurobi, to_gurobi
from treemip.core.solving.lazy_rows import ViolatedRows
from treemip.core.solving.separation import Reached, Separation, one_sided

SENSES = {"E": "=", "G": ">", "L": "<"}


class SeparatingGurobi(Gurobi):
    """gurobipy at work, see `treemip.core.solving.solver.Native`."""

    completes_starts = True

    def __init__(self, model: Model, separation: Separation, log: bool) -> None:
        import gurobipy

        self.package = gurobipy
        self.version = ".".join(map(str, gurobipy.gurobi.version()))
        self.env = gurobipy.Env(params={"OutputFlag": int(log)})
        self.model = to_gurobi(model, self.env)
        self.model.Params.LazyConstraints = 1
        self.columns = self.model.getVars()
        self.separation = separation

    def give(self, columns: np.ndarray, values: np.ndarray) -> None:
        for column, value in zip(columns.tolist(), values.tolist(), strict=True):
            self.columns[column].Start = value

    def solve(self) -> None:
        self.model.optimize(self._callback)

    def values(self) -> np.ndarray | None:
        return np.array(self.model.getAttr("X", self.columns)) if self.model.SolCount else None

    def _callback(self, model: Any, where: int) -> None:
        code = self.package.GRB.Callback
        with self.separation.guarded():
            if where == code.MIPSOL:
                x = np.array(model.cbGetSolution(self.columns))
                self._add(model, self.separation.of_candidate(x))
                self._tell(model, code.MIPSOL_OBJBST, code.MIPSOL_OBJBND, code.MIPSOL_NODCNT)
            elif where == code.MIPNODE:
                self._at_node(model)
                self._tell(model, code.MIPNODE_OBJBST, code.MIPNODE_OBJBND, code.MIPNODE_NODCNT)
            elif where == code.MIP:
                self._tell(model, code.MIP_OBJBST, code.MIP_OBJBND, code.MIP_NODCNT)

    def _at_node(self, model: Any) -> None:
        grb = self.package.GRB
        if model.cbGet(grb.Callback.MIPNODE_STATUS) == grb.OPTIMAL:
            nodes = int(model.cbGet(grb.Callback.MIPNODE_NODCNT))
            x = np.array(model.cbGetNodeRel(self.columns))
            self._add(model, self.separation.of_relaxation(x, nodes, nodes == 0))

    def _add(self, model: Any, rows: ViolatedRows | None) -> None:
        for row in () if rows is None else one_sided(rows):
            form = self.package.LinExpr(row.coefs, [self.columns[k] for k in row.columns])
            model.cbLazy(form, SENSES[row.sense], row.side)

    def _tell(self, model: Any, objective: int, bound: int, nodes: int) -> None:
        def reached() -> Reached:
            return model.cbGet(objective), model.cbGet(bound), int(model.cbGet(nodes))

        self.separation.tell(reached)
