"""Which points can be right together, for given labels of the leaves, as a mixed-integer program.

A point that is right, or better than its worst label, is in a leaf of such a label and keeps the
gap at every branch above it; one that is not is held to nothing. So there are binaries and big-M
rows for right points only. With the labels fixed and the losses known from below, SCIP finds or
refutes a better routing by branching alone: its cuts and heuristics cost more than they bring. It
runs without presolve, which has called models infeasible that are not, and "infeasible" is a bound
here.

The rows are loosened by ROUTING_SLACK, more than SCIP's tolerances, so that they cut off no routing
that keeps the gap. Whether a routing keeps only the looser gap is for the caller to check.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from treemip.answers.engines.oblique.labelings import anchored
from treemip.answers.engines.oblique.problem import ObliqueProblem
from treemip.answers.engines.oblique.supports import Support
from treemip.core.model.blocks import Index, Kind, Rows, Variables
from treemip.core.model.model import Model, Objective
from treemip.core.model.sparse_rows import sparse_rows
from treemip.core.model.tolerances import FEASIBILITY, ROUTING_SLACK, UNIT_BOUND
from treemip.core.registry import solvers
from treemip.core.solvers.scip.model import load
from treemip.core.solving.arrays import assemble
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.optional import needed


@dataclass(frozen=True)
class Routed:
    """low: no tree of these labels loses less, in units, where that is below the cutoff. passes
    bool (M, nodes): a routing that loses `low`, None where there is none below the cutoff or no
    time to find it."""

    low: int
    passes: np.ndarray | None


class Program:
    """labels: of the leaves. followed: points that must end in a leaf, right or wrong."""

    def __init__(
        self, problem: ObliqueProblem, labels: tuple[int, ...], followed: Iterable[int] = ()
    ) -> None:
        self.problem, self.labels = problem, labels
        self.loss = problem.loss[:, list(labels)]
        self.worst = self.loss.max(axis=1)
        may = self.loss < self.worst[:, None]
        self.followed = np.array(sorted(followed), np.int64)
        may[self.followed] = True
        varied = np.ptp(problem.x, axis=0) > 0
        self.x = problem.x[:, varied]
        self.place = np.where(may, np.cumsum(may.ravel()).reshape(may.shape) - 1, -1)
        self.count = int(may.sum())
        self._row: list[np.ndarray] = []
        self._column: list[np.ndarray] = []
        self._data: list[np.ndarray] = []
        self._lower: list[np.ndarray] = []
        self._upper: list[np.ndarray] = []
        self.rows = 0
        self._state()

    def _state(self) -> None:
        problem, topology = self.problem, self.problem.topology
        self.under = np.zeros((topology.size, len(topology.leaves)), bool)
        for k, path in enumerate(problem.paths):
            self.under[list(path), k] = True
        branches, features = len(topology.branches), self.x.shape[1]
        self.first = self.count + np.arange(branches) * (2 * features + 1)
        self.columns = self.count + branches * (2 * features + 1)
        point, leaf = np.nonzero(self.place >= 0)
        several = np.flatnonzero((self.place >= 0).sum(axis=1) > 1)
        number = np.full(len(self.x), -1)
        number[several] = np.arange(len(several))
        here = number[point] >= 0
        must = np.isin(several, self.followed)
        self._add(number[point[here]], self.place[point, leaf][here], np.ones(int(here.sum())),
                  np.where(must, 1.0, -np.inf), np.ones(len(several)))  # fmt: skip
        for k, node in enumerate(topology.branches.tolist()):
            parts = np.arange(2 * features)
            self._add(0 * parts, self.first[k] + parts, np.ones(len(parts)),
                      np.array([-np.inf]), np.array([1.0]))  # fmt: skip
            self._side(k, int(topology.left[node]), 1.0, 0.0)
            self._side(k, int(topology.right[node]), -1.0, problem.gap - 2 * ROUTING_SLACK)

    def _side(self, branch: int, child: int, sign: float, gap: float) -> None:
        """sign * (a . x - b) + gap <= 0 where a point is in a leaf below the child."""
        place = np.where(self.under[child], self.place, -1)
        points = np.flatnonzero((place >= 0).any(axis=1))
        x, features = self.x[points], self.x.shape[1]
        most = x.max(axis=1) + 1.0 + gap
        row, feature = np.nonzero(x)
        value, first = sign * x[row, feature], self.first[branch]
        at, leaf = np.nonzero(place[points] >= 0)
        every = np.arange(len(points))
        self._add(
            np.concatenate([row, row, every, at]),
            np.concatenate(
                [
                    first + feature,
                    first + features + feature,
                    np.full(len(points), first + 2 * features),
                    place[points][at, leaf],
                ]
            ),
            np.concatenate([value, -value, np.full(len(points), -sign), most[at]]),
            np.full(len(points), -np.inf),
            most - gap,
        )

    def _add(
        self,
        row: np.ndarray,
        column: np.ndarray,
        data: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
    ) -> None:
        self._row.append(self.rows + row)
        self._column.append(column)
        self._data.append(data)
        self._lower.append(lower)
        self._upper.append(upper)
        self.rows += len(lower)

    def forbid(self, supports: list[Support]) -> None:
        """No branch parts these points, in either direction."""
        topology = self.problem.topology
        for one, other in supports:
            for node in topology.branches.tolist():
                for a, b in ((topology.left, topology.right), (topology.right, topology.left)):
                    at = np.concatenate(
                        [
                            self.place[np.ix_(list(points), self.under[int(child[node])])].ravel()
                            for points, child in ((one, a), (other, b))
                        ]
                    )
                    at = at[at >= 0]
                    most = np.array([len(one) + len(other) - 1.0])
                    self._add(0 * at, at, np.ones(len(at)), np.array([-np.inf]), most)

    def solve(self, cutoff: int, until: float) -> Routed:
        """The routing that loses least, where that is less than `cutoff` units."""
        watch = Watch(max(0.0, until - time.perf_counter()))
        model = self._model()
        scip, columns = load(model, assemble(model, solvers()["scip"]))
        pyscipopt = needed("pyscipopt", "scip")
        scip.setHeuristics(pyscipopt.SCIP_PARAMSETTING.OFF)
        scip.setSeparating(pyscipopt.SCIP_PARAMSETTING.OFF)
        scip.setPresolve(pyscipopt.SCIP_PARAMSETTING.OFF)
        scip.setParams(
            {
                "limits/time": watch.left(1e20),
                "misc/catchctrlc": False,
                "numerics/feastol": FEASIBILITY,
            }
        )
        scip.setObjlimit(cutoff - 0.5)
        watch.run(scip.optimizeNogil, stop=scip.interruptSolve)
        status, least = scip.getStatus(), int(self.loss.min(axis=1).sum())
        if status == "infeasible":
            return Routed(cutoff, None)
        bound = scip.getDualbound()
        low = least if abs(bound) >= scip.infinity() else max(least, ceil(bound - UNIT_BOUND))
        low = min(low, cutoff)
        if status != "optimal":
            return Routed(low, None)
        value = _values(scip, columns[: self.count])
        return Routed(floor(scip.getPrimalbound() + 0.5), self._passes(value > 0.5))

    def _passes(self, chosen: np.ndarray) -> np.ndarray:
        inside = (self.place >= 0) & chosen[self.place]
        return np.asarray(inside @ self.under.T.astype(int) > 0)

    def _model(self) -> Model:
        """Binaries first, then each branch's positive and negative coefficients and threshold."""
        upper = np.ones(self.count)
        for point, node in anchored(self.problem, self.labels):
            at = self.place[point, self.under[node]]
            if point not in self.followed:
                upper[at[at >= 0]] = 0.0
        gains = self.worst[:, None] - self.loss
        shown = self.place >= 0
        cost = np.zeros(self.columns)
        cost[self.place[shown]] = -1.0 * gains[shown]
        low, features = np.zeros(self.columns - self.count), self.x.shape[1]
        low[self.first - self.count + 2 * features] = -1.0
        binary = Variables("z", _index(self.count), 0, np.zeros(self.count), upper, Kind.BINARY)
        rest = len(low)
        free = Variables("a", _index(rest), self.count, low, np.ones(rest), Kind.CONTINUOUS)
        row, column, data = (np.concatenate(p) for p in (self._row, self._column, self._data))
        matrix = sparse_rows(row, column, data, self.rows)
        lower, upper = np.concatenate(self._lower), np.concatenate(self._upper)
        rows = Rows("r", _index(self.rows), matrix, lower, upper)
        aim = Objective(constant=float(self.worst.sum()), linear=cost)
        return Model("compact", (binary, free), (rows,), objective=aim)


def _values(scip: Any, columns: np.ndarray) -> np.ndarray:
    best = scip.getBestSol()
    return np.array([scip.getSolVal(best, column) for column in columns])


def _index(length: int) -> Index:
    return Index(("k",), ("number",), (np.arange(length),), length)
