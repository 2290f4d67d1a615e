"""Rows that are separated while Xpress runs, in callbacks before a solution and at nodes.

https://www.fico.com/fico-xpress-optimization/docs, "addPreIntsolCallback". Rows are added to the
presolved matrix of a node, so presolve keeps to what rows can be carried through.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xpress

from treemip.model.model import Model
from treemip.solvers.xpress import Xpress, to_xpress
from treemip.solving.lazy_rows import ViolatedRows
from treemip.solving.separation import Reached, Separation, one_sided

AT_NODE = 0
"""The type of a solution that is the relaxation's at a node, where rows can be added."""


class SeparatingXpress(Xpress):
    """xpress at work, see `treemip.solving.native.Native`."""

    def __init__(self, model: Model, separation: Separation, log: bool) -> None:
        self.package = xpress
        self.version = xpress.__version__
        self.model = to_xpress(model)
        self.model.setOutputEnabled(log)
        self.model.setControl("mipdualreductions", 0)
        self.separation = separation
        self.model.addPreIntsolCallback(self._candidate, None, 0)
        self.model.addOptnodeCallback(self._relaxation, None, 0)

    def give(self, columns: np.ndarray, values: np.ndarray) -> None:
        self.model.addMipSol(values.tolist(), columns.tolist(), "start")

    def values(self) -> np.ndarray | None:
        return np.array(self.model.getSolution()) if self.has_solution else None

    def _candidate(
        self, problem: Any, data: None, kind: int, cutoff: float
    ) -> tuple[bool, float | None]:
        """Whether to reject a solution. At a node rows do that; rejecting would drop the node."""
        reject = False
        with self.separation.guarded():
            rows = self.separation.of_candidate(np.array(problem.getCallbackSolution()))
            if rows is not None and kind == AT_NODE:
                _add(problem, rows)
            elif rows is not None:
                reject = True
        return reject, None

    def _relaxation(self, problem: Any, data: None) -> bool:
        """Whether the node is infeasible."""
        with self.separation.guarded():
            node = problem.attributes.currentnode
            x = np.array(problem.getCallbackSolution())
            rows = self.separation.of_relaxation(x, node, at_root=node == 1)
            if rows is not None:
                _add(problem, rows)
            self.separation.tell(lambda: _reached(problem))
        return False


def _add(problem: Any, rows: ViolatedRows) -> None:
    for row in one_sided(rows):
        columns, coefs, side, status = problem.presolveRow(
            rowtype=row.sense, origcolind=row.columns, origrowcoef=row.coefs, origrhs=row.side
        )
        if status != 0:
            raise RuntimeError("a separated row cannot be carried through the presolve")
        problem.addCuts(
            cuttype=[1],
            rowtype=[row.sense],
            rhs=[side],
            start=[0, len(columns)],
            colind=columns,
            cutcoef=coefs,
        )


def _reached(problem: Any) -> Reached:
    a = problem.attributes
    return (a.mipobjval if a.mipsols else None), a.bestbound, int(a.nodes)
