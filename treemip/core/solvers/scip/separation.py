"""Rows that are separated while SCIP runs: a constraint handler that asks for them.

https://www.scipopt.org/doc/html/CONS.php. The handler has no constraints of its own, so that SCIP
asks it about every solution of the original problem too: starts and what heuristics find.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pyscipopt import SCIP_RESULT, Conshdlr, ExprCons, quicksum

from treemip.core.solvers.scip.model import capped
from treemip.core.solving.lazy_rows import ViolatedRows
from treemip.core.solving.separation import Separation

if TYPE_CHECKING:
    import pyscipopt

LAST = -10_000_000
"""Priority: after integrality and all rows that SCIP knows, and thus for candidates only."""

VALID = {
    "misc/allowstrongdualreds": False,
    "misc/allowweakdualreds": False,
    "misc/usesymmetry": 0,
    "presolving/maxrestarts": 0,
    "constraints/components/maxprerounds": 0,
    "constraints/components/propfreq": -1,
}
"""Reductions that hold where SCIP knows all rows are switched off: those that keep one optimum
only, which a row may cut off, symmetries, and components that rows may join."""


def separate(scip: pyscipopt.Model, columns: np.ndarray, separation: Separation) -> None:
    """Let SCIP ask for rows. columns: its variables of the model's columns, object (columns,)."""
    for name, value in VALID.items():
        scip.setParam(name, value)
    scip.includeConshdlr(
        LazyHandler(columns, separation),
        "treemip-lazy",
        "rows that are separated while SCIP runs",
        sepapriority=0,
        enfopriority=LAST,
        chckpriority=LAST,
        sepafreq=1,
        eagerfreq=-1,
        needscons=False,
    )


class LazyHandler(Conshdlr):
    """Asks for rows at each candidate and, for a few rounds, at each node."""

    def __init__(self, columns: np.ndarray, separation: Separation) -> None:
        self.columns = columns
        self.separation = separation

    def conscheck(self, constraints: Any, solution: Any, *_: Any) -> dict[str, Any]:
        broken = self.separation.of_candidate(self._point(solution))
        return _result(SCIP_RESULT.FEASIBLE if broken is None else SCIP_RESULT.INFEASIBLE)

    def consenfolp(self, *_: Any) -> dict[str, Any]:
        return self._enforce()

    def consenfops(self, *_: Any) -> dict[str, Any]:
        return self._enforce()

    def conssepalp(self, *_: Any) -> dict[str, Any]:
        return self._cut(None)

    def conssepasol(self, constraints: Any, useful: int, solution: Any) -> dict[str, Any]:
        return self._cut(solution)

    def conslock(self, constraint: Any, locktype: int, positive: int, negative: int) -> None:
        """Rows may hold any column on either side."""
        for column in self.columns.tolist():
            self.model.addVarLocksType(column, locktype, positive + negative, positive + negative)

    def _enforce(self) -> dict[str, Any]:
        rows = self.separation.of_candidate(self._point(None))
        if rows is None:
            return _result(SCIP_RESULT.FEASIBLE)
        for body, lower, upper in self._rows(rows):
            form = quicksum(c * x for x, c in body)
            self.model.addCons(ExprCons(form, lower, upper), initial=False, removable=True)
        return _result(SCIP_RESULT.CONSADDED)

    def _cut(self, solution: Any) -> dict[str, Any]:
        node = self.model.getCurrentNode()
        at_root = node.getDepth() == 0
        rows = self.separation.of_relaxation(self._point(solution), node.getNumber(), at_root)
        if rows is None:
            return _result(SCIP_RESULT.DIDNOTFIND)
        infeasible = False
        for body, lower, upper in self._rows(rows):
            infeasible |= self._add_cut(body, lower, upper)
        return _result(SCIP_RESULT.CUTOFF if infeasible else SCIP_RESULT.SEPARATED)

    def _add_cut(self, body: list[tuple[Any, float]], lower: float, upper: float) -> bool:
        """Whether the row proves the node infeasible."""
        row = self.model.createEmptyRowUnspec("separated", lower, upper, local=False)
        self.model.cacheRowExtensions(row)
        for column, coef in body:
            self.model.addVarToRow(row, column, coef)
        self.model.flushRowExtensions(row)
        infeasible = bool(self.model.addCut(row, forcecut=True))
        self.model.releaseRow(row)
        return infeasible

    def _rows(self, rows: ViolatedRows) -> list[tuple[list[tuple[Any, float]], float, float]]:
        matrix = rows.matrix
        pairs = list(zip(self.columns[matrix.indices].tolist(), matrix.data.tolist(), strict=True))
        ends = matrix.indptr.tolist()
        bodies = [pairs[first:last] for first, last in itertools.pairwise(ends)]
        return list(zip(bodies, capped(rows.lower), capped(rows.upper), strict=True))

    def _point(self, solution: Any) -> np.ndarray:
        """A solution's values; those of SCIP's current one for None."""
        value = partial(self.model.getSolVal, solution)
        return np.fromiter(map(value, self.columns), np.float64, len(self.columns))


def _result(result: int) -> dict[str, Any]:
    return {"result": result}
