"""Rows that are separated while COPT runs, in a callback at candidates and relaxations.

https://guide.coap.online, "Callbacks". All rows are lazy constraints, those of fractional points
too: as user cuts, COPT would take them to be implied by the rows that it knows.
"""

from __future__ import annotations

from typing import Any

import coptpy
import numpy as np

from treemip.core.model.model import Model
from treemip.core.solvers.copt import Copt, to_copt
from treemip.core.solving.lazy_rows import ViolatedRows
from treemip.core.solving.separation import Reached, Separation, one_sided

ROOT = 0
"""COPT does not tell at which node it is: all share the rounds of the root."""


class SeparatingCopt(Copt):
    """coptpy at work, see `treemip.core.solving.solver.Native`."""

    completes_starts = False  # COPT 8.0 refuses rows for a candidate that it made of a start

    def __init__(self, model: Model, separation: Separation, log: bool) -> None:
        parts = ("MAJOR", "MINOR", "TECHNICAL")
        self.version = ".".join(str(getattr(coptpy.COPT, f"VERSION_{part}")) for part in parts)
        self.model = to_copt(model)
        self.model.setParam("Logging", int(log))
        self.model.setParam("LazyConstraints", 1)
        self.columns = self.model.getVars().getAll()
        self.callback = LazyCallback(self.columns, separation)
        code = coptpy.COPT
        self.model.setCallback(self.callback, code.CBCONTEXT_MIPSOL | code.CBCONTEXT_MIPRELAX)

    def give(self, columns: np.ndarray, values: np.ndarray) -> None:
        self.model.setMipStart([self.columns[k] for k in columns.tolist()], values.tolist())
        self.model.loadMipStart()

    def values(self) -> np.ndarray | None:
        if not self.model.getAttr("HasMipSol"):
            return None
        return np.array(self.model.getInfo("Value", self.columns))


class LazyCallback(coptpy.CallbackBase):
    """Asks for rows at each candidate and, for a few rounds, at relaxations."""

    def __init__(self, columns: list[Any], separation: Separation) -> None:
        super().__init__()
        self.columns = columns
        self.separation = separation

    def callback(self) -> None:
        with self.separation.guarded():
            if self.where() == coptpy.COPT.CBCONTEXT_MIPSOL:
                x = np.array(self.getSolution(self.columns))
                self._add(self.separation.of_candidate(x))
            elif self.where() == coptpy.COPT.CBCONTEXT_MIPRELAX:
                x = np.array(self.getRelaxSol(self.columns))
                self._add(self.separation.of_relaxation(x, ROOT, at_root=True))
            self.separation.tell(self._reached)

    def _add(self, rows: ViolatedRows | None) -> None:
        for row in () if rows is None else one_sided(rows):
            form = coptpy.LinExpr([self.columns[k] for k in row.columns], row.coefs)
            self.addLazyConstr(form, row.sense, row.side)

    def _reached(self) -> Reached:
        info = coptpy.COPT.CBInfo
        return self.getInfo(info.BestObj), self.getInfo(info.BestBnd), 0
