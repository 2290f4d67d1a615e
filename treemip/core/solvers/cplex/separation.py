"""Rows that are separated while CPLEX runs, in a generic callback at candidates and relaxations.

https://www.ibm.com/docs/en/icos, "Generic callbacks". Presolve keeps to reductions that rows which
it does not know leave valid.
"""

from __future__ import annotations

import sys
from typing import Any

import cplex
import numpy as np

from treemip.core.model.model import Model
from treemip.core.solvers.cplex import Cplex, to_cplex
from treemip.core.solving.lazy_rows import ViolatedRows
from treemip.core.solving.separation import Reached, Separation, one_sided

VALID = {
    "preprocessing.reduce": "1",  # primal reductions only
    "preprocessing.reformulations": "0",
    "preprocessing.symmetry": "0",
}


class SeparatingCplex(Cplex):
    """cplex at work, see `treemip.core.solving.solver.Native`."""

    completes_starts = True

    def __init__(self, model: Model, separation: Separation, log: bool) -> None:
        self.package = cplex
        self.model = to_cplex(model)
        if log:
            self.model.set_log_stream(sys.stdout)
            self.model.set_results_stream(sys.stdout)
        self.version = self.model.get_version()
        self.aborter = self.model.use_aborter(cplex.Aborter())
        for name, value in VALID.items():
            self.set(name, value)
        kinds = cplex.callbacks.Context.id
        where = kinds.candidate | kinds.relaxation | kinds.global_progress
        self.callback = LazyCallback(separation)
        self.model.set_callback(self.callback, where)

    def give(self, columns: np.ndarray, values: np.ndarray) -> None:
        pair = cplex.SparsePair(ind=columns.tolist(), val=values.tolist())
        self.model.MIP_starts.add(pair, self.model.MIP_starts.effort_level.solve_MIP)

    def values(self) -> np.ndarray | None:
        solution = self.model.solution
        return np.array(solution.get_values()) if solution.is_primal_feasible() else None


class LazyCallback:
    """Asks for rows at each candidate and, for a few rounds, at each node."""

    def __init__(self, separation: Separation) -> None:
        self.separation = separation

    def invoke(self, context: Any) -> None:
        with self.separation.guarded():
            if context.in_candidate():
                self._candidate(context)
            elif context.in_relaxation():
                self._relaxation(context)
            self.separation.tell(lambda: _reached(context))

    def _candidate(self, context: Any) -> None:
        if not context.is_candidate_point():  # a ray: the stated rows leave the model unbounded
            return
        rows = self.separation.of_candidate(np.array(context.get_candidate_point()))
        if rows is not None:
            forms, senses, sides = _lists(rows)
            context.reject_candidate(constraints=forms, senses=senses, rhs=sides)

    def _relaxation(self, context: Any) -> None:
        node = context.get_long_info(context.info.node_uid)
        at_root = context.get_long_info(context.info.node_depth) == 0
        x = np.array(context.get_relaxation_point())
        rows = self.separation.of_relaxation(x, node, at_root)
        if rows is not None:
            forms, senses, sides = _lists(rows)
            manage = [cplex.callbacks.UserCutCallback.use_cut.purge] * len(forms)
            context.add_user_cuts(forms, senses, sides, manage, [False] * len(forms))


def _lists(rows: ViolatedRows) -> tuple[list[list[list[Any]]], str, list[float]]:
    sides = list(one_sided(rows))
    forms: list[list[list[Any]]] = [[row.columns, row.coefs] for row in sides]
    return forms, "".join(row.sense for row in sides), [row.side for row in sides]


def _reached(context: Any) -> Reached:
    bound = context.get_double_info(context.info.best_bound)
    nodes = int(context.get_long_info(context.info.node_count))
    return context.get_incumbent_objective(), bound, nodes
